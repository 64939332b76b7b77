const secondFactor = {
  off: 'Not offered',
  optional: 'Offered',
  required: 'Demanded',
  passkey: 'Demanded, by a passkey or a security key',
}
const signIn = {
  any: 'Wherever they can',
  upstream: 'Only at the provider of their organisation',
}
const emailChange = { self: 'They themselves', administrator: 'Administrators alone' }

export const policies = {
  lead: 'How strongly everybody signs in, at the least. Organisations, roles and applications may demand more: the strictest counts. A change counts at the next sign-in and the next refresh of a token; sessions stay.',
  readOnly: 'You may look at the policy, and not change it: that needs iam.policy.update.',
  ofInstallation: (place: string) =>
    `You act for ${place}, and this policy is that of the whole installation. Ask whoever administers it to change it.`,
  managed: (file: string) =>
    `The file ${file} manages the policy: change it there. What you change here holds until the file is applied again.`,
  effectHere: 'What a change would do is told here before it is saved.',
  nothing:
    'Nobody is stopped by it: nobody has to set up a second factor, sign in again or come through a provider.',
  unset: 'Not set',
  factors: 'Second factor',
  passwords: 'Passwords',
  providers: 'Sign-in providers',
  accounts: 'Accounts',
  labels: {
    second_factor: 'A second factor is',
    grace_days: 'Days to set it up',
    trusted_device_days: 'Days that a device is trusted',
    password_length: 'Least length of a new password',
    sign_in: 'People sign in',
    email_change: 'Who changes the address of a person',
    self_deletion: 'People may have their own account removed',
  },
  unsetFactor: 'Not set: people may set one up',
  factorHow: {
    unset: 'People may set one up; nobody has to.',
    off: 'The account does not offer it. Where something else demands one, people set it up all the same.',
    optional: 'People may set one up; nobody has to.',
    required:
      'Nobody gets in by a password alone: an app that shows codes, a passkey or a security key comes with it.',
    passkey:
      'Nobody gets in without a passkey or a security key, which no false page can take. The codes of an app do not suffice.',
  },
  graceHow: (most: number) =>
    `For so long, from the first sign-in that demands one, people may say “Later”. 0 to ${most}; empty: at once.`,
  trustHow: (most: number) =>
    `For so long, a browser that its person trusts stands in for the second factor; never for a passkey. 0 to ${most}; empty: not at all.`,
  lengthHow: (least: number, most: number) =>
    `Passwords that are in use stay. ${least} to ${most} characters; empty: ${least}.`,
  signInHow:
    'It counts where the provider of an organisation works: once somebody has signed in through it. Who is named for when it does not work still gets in.',
  signInLink: 'Providers, and who gets in without them',
  emailHow: 'An organisation that says administrators counts for all its people.',
  deletionHow: 'After 14 days, in which they can undo it by signing in.',
  secondFactor,
  signIn,
  emailChange,
  kinds: { organisations: 'Organisation', roles: 'Role', applications: 'Application' },
  setBy: 'Set by',
  kind: 'Kind',
  elsewhere: 'Set elsewhere, too',
  elsewhereHow: 'What these demand comes on top of the policy of the installation.',
  elsewhereNone: 'No organisation, role or application sets a policy of its own.',
  elsewhereCut: (things: string) => `Only the first 200 are looked at of: ${things}.`,
  days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
  characters: (count: number) => `${count} characters`,
}
