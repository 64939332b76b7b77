export const start = {
  metrics: {
    people: 'People',
    clients: 'Applications',
    sign_ins: 'Sign-ins, last 24 hours',
    refused_sign_ins: 'Refused, last 24 hours',
  },
  moreThan: (count: string) => `more than ${count}`,
  signIns: 'Sign-ins',
  nobody: 'Nobody signed in.',
  nobodyHere: 'Nobody signed in to your applications.',
  succeeded: 'succeeded',
  refused: 'refused',
  span: 'Time',
  spans: { day: '24 hours', week: '7 days' },
  units: { day: 'Hour', week: 'Day (UTC)' },
  attention: 'What needs attention',
  nothing: 'Nothing now.',
  others: (count: number, more: boolean) => (more ? `${count} more, and others` : `${count} more`),
  since: 'since',
  ends: 'ends',
  ended: 'ended',
  kinds: {
    audit_broken: {
      what: 'The audit is broken',
      cure: 'Run tessera audit verify on the database: it names what is wrong. Change nothing before you know who did it.',
    },
    signing_key_overdue: {
      what: 'The signing keys should have rotated',
      cure: 'The log of the service says why they did not. Rotate them under Keys, or by tessera keys rotate.',
    },
    secret_ends: {
      what: 'The last secret of an application ends',
      cure: 'Give the application another secret, put it into the program, then remove the one that ends.',
    },
    issuer_missing: {
      what: 'The issuer that proves an application is not declared',
      cure: 'Declare it again under Installation, for the organisation of the application; or let the application prove itself otherwise.',
    },
    document_fails: {
      what: 'The document of an application can’t be read',
      cure: 'The last good copy serves for 7 days; once the host says that there is none, for an hour. The next sign-in asks for it anew.',
    },
    secret_dormant: {
      what: 'An application proves itself by keys, and still has a secret',
      cure: 'Remove the secret: it would count again by another method.',
    },
    upstream_secret_ends: {
      what: 'The secret of an upstream ends',
      cure: 'Make another one at the provider, then set it here: tessera upstream secret.',
    },
    upstream_fails: {
      what: 'An upstream fails: nobody gets in through it, or somebody did not',
      cure: 'The text says what to mend at the provider or here. After client_refused try it: tessera upstream test. Otherwise tessera upstream check looks again.',
    },
    break_glass_missing: {
      what: 'Nobody gets in when an upstream does not work, and a policy demands it',
      cure: 'Name somebody under break-glass who has a profile there and a second factor or passkey of their own, or let people sign in otherwise.',
    },
    webhook_fails: {
      what: 'A webhook does not arrive',
      cure: 'Its deliveries say what the receiver answers. Mend that, then send them again, or disable the webhook.',
    },
    mail_fails: {
      what: 'Mail does not arrive',
      cure: 'Send a test under Mail: it tells what the mail server answers. Then send again what was given up.',
    },
    profile_ends: {
      what: 'A profile ends within 7 days',
      cure: 'Set a later end where the person still needs it, or let it end.',
    },
    profile_waits: {
      what: 'A profile waits until somebody proves whose the account is',
      cure: 'Mail the person a recovery link: who made the account could not give as much. The profile counts once they have used it.',
    },
    account_unproved: {
      what: 'An account that nobody has proved holds more than who made it could give',
      cure: 'Mail the person a recovery link: who made the account may know its password. It was there before that was asked, so it counts on.',
    },
    administrator_without_factor: {
      what: 'Somebody may give profiles without a second factor',
      cure: 'Ask them to set one up in their account, or demand one by the policy of their role.',
    },
    address_refused: {
      what: 'An application asked for a return address that is not registered',
      cure: 'Open the application: it shows what came beside the nearest that is registered.',
    },
    client_weakened: {
      what: 'An application is weaker than by default',
      cure: 'Let it send nonce, state and a PKCE challenge, then require them of it again.',
    },
  },
  steps: 'First steps',
  connect: 'Connect an application',
  connectHow: 'People then sign in to it here.',
  invite: 'Invite somebody',
  inviteHow: 'With a role, so that they can begin at once.',
  why: 'Ask why somebody can’t',
  whyHow: 'See the way from a person to a permission, and what is missing.',
}
