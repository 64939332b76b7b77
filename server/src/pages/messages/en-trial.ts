import type { Child } from 'hono/jsx'
import { upstreamCures } from '../../protocol/upstream-cures.ts'
import { phrase } from './phrase.ts'

/** The words of a sign-in through an organisation's own provider that is tried. */
export const trial = {
  trial: {
    title: (name: string) => `Try the sign-in through ${name}`,
    text: (name: Child) =>
      phrase`You sign in at ${name} for show. You are signed in nowhere by it, and nothing is changed here.`,
    seen: 'Whoever asked for it sees what it says of you: name, address, groups and the like.',
    overTitle: 'This address no longer counts',
    over: 'It counts for 15 minutes, in the browser that opens it first. Ask for a new one.',
    doneTitle: (name: string) => `${name} answered`,
    nothing: 'This was for show: nobody is signed in, and nothing was written.',
    came: 'What it said of you',
    subject: 'Who you are there',
    fields: {
      email: 'E-mail address',
      name: 'Name',
      given_name: 'First name',
      family_name: 'Last name',
      preferred_username: 'User name',
      locale: 'Language',
      zoneinfo: 'Time zone',
    },
    groups: 'Groups',
    none: 'none. Where there should be some: at the provider, let it send them as groups, in the ID token or the assertion (of a directory: memberOf), and look whether you are in one.',
    unknownGroups: 'It does not say, or there are too many to say. Nothing is given or taken by them.',
    signedInAt: 'Signed in there',
    noTime: 'It does not say when.',
    would: 'What a sign-in would do',
    outcomes: {
      known: 'It would sign you in to your account.',
      linked: 'It would link your account, and sign you in to it.',
      new: 'It would make a new account, and sign you in to it.',
      prove:
        'There is an account with this address, and it is more than the organisation’s own. You would first sign in to it, and then connect the two.',
      guest:
        'The address is of none of the organisation’s domains. A code mailed to it would be asked for first.',
      refused: 'It would not let you in.',
    },
    reasons: {
      unknown_person:
        'Nobody invited or provisioned this person. Here: invite them, let a directory provision them, or let the upstream make accounts (provision: create).',
      no_address: 'It told no e-mail address. At the provider: let it send one. Here: name it in attributes.',
      outside_domains:
        'The address is of none of the organisation’s domains. Here: prove the domain, or allow guests, which needs a mail server.',
      conflict:
        'The account with this address belongs to another sign-in there. Here: look at the links of the account, and remove the old one if it is the same person.',
      disabled: 'The account is disabled. Here: enable it, where it is yours to enable.',
      address_domain:
        'The address that it told is of none of the organisation’s domains: the account keeps the one it has.',
      address_taken: 'The address that it told belongs to somebody else: the account keeps the one it has.',
    },
    changes: 'Fields that would change',
    gives: 'Profiles that would begin',
    ends: 'Profiles that would end',
    cures: upstreamCures as Readonly<Record<keyof typeof upstreamCures, string>>,
    registered: 'To be registered there',
    back: 'Back to the guide',
  },
}
