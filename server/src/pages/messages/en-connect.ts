import type { Child } from 'hono/jsx'
import { phrase } from './phrase.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect = {
  connect: {
    title: 'Connect your organisation',
    heading: (organisation: Child) => phrase`Connect ${organisation}`,
    lead: 'Here you set up how people of your organisation sign in: at your own identity provider, by your own domain. You need somebody who may administer both.',
    nothingCounts: 'Nothing counts before the people who run this service have confirmed it.',
    oneBrowser: (until: string) => `The link counts in this browser alone once you begin, until ${until}.`,
    begin: 'Begin',
    back: 'All steps',
    steps: {
      provider: 'Choose your provider',
      values: 'Connect it',
      domain: 'Prove your domain',
      trial: 'Try it',
      provisioning: 'Provision people by SCIM',
      finish: 'Hand it in',
    },
    texts: {
      provider: 'Where your people sign in',
      values: 'What to paste there, and what to copy from there',
      domain: 'By a record of DNS',
      trial: 'Sign in once yourself, and see what it says of you',
      provisioning: 'If your provider is to create and remove people here',
      finish: 'Then it is looked at and confirmed',
    },
    done: 'Done',
    toDo: 'To do',
    optional: 'Not needed',
    otherOidc: 'Another one, by OpenID Connect',
    otherSaml: 'Another one, by SAML 2.0',
    changes: 'Another provider empties what you entered of the one before.',
    valuesHeading: (provider: string) => `Connect ${provider}`,
    there: (provider: string) => `At ${provider}`,
    thereOther: 'At your provider',
    open: (path: Child) => phrase`Open ${path}.`,
    register: 'Register this service there as a new application.',
    paste: 'Paste this there:',
    sendOidc: (email: Child, groups: Child) =>
      phrase`Let it send the e-mail address as the claim ${email} and, where profiles are to follow from groups, the groups as ${groups}.`,
    sendSaml: (format: Child, mail: Child, groups: Child) =>
      phrase`Let it send a NameID of the format ${format}, made of something that never changes for a person, the e-mail address as the attribute ${mail} and, where profiles are to follow from groups, the groups as ${groups}. It signs the assertion, and does not encrypt it.`,
    setThere: 'Set there:',
    noGroups: (provider: string) => `${provider} sends no groups.`,
    saveFirst: 'Save what is at the address of the metadata as a file, and choose that file there.',
    here: 'Copy to here',
    provider: 'Provider',
    from: (path: string) => `There: ${path}`,
    issuer: 'Issuer',
    tenant: 'Directory (tenant) ID, or the issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    secretHint: 'It is kept encrypted and shown to nobody.',
    secretKept: 'One is kept. Enter another to replace it.',
    noSecret: (keys: Child) =>
      phrase`Without a secret this service proves itself by a key, which is at ${keys}.`,
    metadataUrl: 'Address of its metadata',
    metadataHint: (example: string) => `Such as ${example}. New certificates are read from there.`,
    orFile: 'Or its metadata as a file',
    orText: 'Or its metadata as text',
    check: 'Check and keep',
    problems: {
      missing: 'Fill this in.',
      wrong: 'This can not be used: check it for blanks, missing parts and its length.',
      issuer:
        'This is no issuer of one provider. Copy it from your provider as it stands there, and of Entra that of your own tenant.',
      unreachable:
        'Your provider can not be reached at this address. Here: check the address. At your provider: let it be reached from the internet by https, with a certificate that browsers trust.',
      documents:
        'What your provider publishes does not fit. Here: copy the issuer exactly, to the last slash. At your provider: look at what is said below.',
      metadata:
        'This metadata can not be used. Here: take the federation metadata of the identity provider, as a whole. At your provider: look at what is said below.',
    },
    detail: 'Exactly:',
    throttled: 'There were too many tries. Go on in an hour.',
    kept: 'It was checked, and is kept.',
    domainLead: 'It is the part after the @ of your people’s addresses. A record shows that it is yours.',
    domain: 'Domain',
    keepDomain: 'Show the record',
    wrongDomain: 'This is no domain. Enter one such as acme.example.',
    record: 'Add this record to your DNS:',
    recordName: 'Name',
    recordType: 'Type',
    recordValue: 'Value',
    look: 'Look now',
    looks: {
      found: 'The record is there.',
      no_record:
        'The record is not there yet. DNS can take an hour. At your DNS: check the name, which some add the domain to by themselves, and the value.',
      alias: 'At your DNS: the name is an alias (CNAME). Put the record at the name itself.',
      wildcard: 'At your DNS: a wildcard (*) answers. Put the record at the name itself.',
      no_answer:
        'The servers of this domain do not answer. At your DNS: look whether they are up, and try again.',
    },
    trialLead:
      'You sign in at your provider once, and see what comes of it. It gives no access and makes no account.',
    trialFirst: 'Connect your provider first.',
    trialBegun: 'You tried what is entered now.',
    tryIt: 'Try it',
    provisioningLead:
      'With SCIM your provider creates, changes and removes people here by itself. Leave it out if you do not use that.',
    makeToken: 'Make a token',
    replaceToken: 'Make another token',
    replaces: 'There is a token. Another one takes its place.',
    tokenOnce: 'The token is shown this once: paste it at your provider now.',
    tokenWaits:
      'It is refused (401) until what you hand in is confirmed, and counts for a year from then on.',
    finishLead:
      'This is handed in. After that the link has ended, and nothing of it can be changed any more.',
    nothingYet: 'There is nothing to hand in yet.',
    notTried: 'You have not tried it. Somebody who confirms it sees that.',
    noDomain:
      'No domain is proved yet. Until one is, no address of your people counts: only who has an account here already and proves it comes in, and guests where they are let in. Whoever confirms it sees that.',
    handIn: 'Hand it in',
    handInWithout: 'Hand it in without a proved domain',
    doneTitle: 'It is handed in',
    doneText: 'The people who run this service are told. Nothing counts before they have confirmed it.',
    donePlaces: 'Leave the record in your DNS, and what you pasted at your provider, as they are.',
  },
}
