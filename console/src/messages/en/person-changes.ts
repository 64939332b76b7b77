/** What ends of a person's sessions and applications. */
export const ends = {
  end: 'End',
  sessionTitle: 'End this session?',
  sessionWhat: 'They are signed out there, with the tokens that it gave. They can sign in again.',
  all: 'End all sessions',
  allTitle: (name: string) => `End all sessions of ${name}?`,
  allWhat: 'They are signed out everywhere, with all tokens. They can sign in again.',
  tokensTitle: (client: string) => `End the tokens of ${client}?`,
  tokensWhat: 'The application loses them at once. The session goes on, so the person can let it in again.',
  withdraw: 'Withdraw',
  consentTitle: (client: string) => `Withdraw what ${client} was allowed?`,
  consentWhat: 'The application loses its tokens for this person, and has to ask them again.',
}

export const recover = {
  factor: 'Remove',
  factorTitle: (name: string) => `Remove the factor “${name}”?`,
  factorWhat:
    'Sessions that rest on it end, and trusted browsers are forgotten. Without another factor a password alone signs them in.',
  unlock: 'Let them try again',
  unlockTitle: (name: string) => `Let ${name} try again?`,
  unlockWhat: 'Wrong passwords and codes that were counted are forgotten, and suspended factors count again.',
  password: 'Set a new password',
  passwordTitle: (name: string) => `Let ${name} set a new password?`,
  passwordWhat: (email: string) =>
    `They get a link that is good once, for an hour. It is mailed to ${email}, or shown here where no mail is sent. Their second factor is asked for first.`,
  showLink: 'Show me the link',
  showLinkHow: 'For somebody who can’t read that mail. Pass it on only when you are sure who they are.',
  endFactors: 'They can show no second factor',
  endFactorsHow: 'None is asked for, and using the link ends all of them. Be sure who asks.',
  theft: 'The account was taken over',
  theftTitle: (name: string) => `End all that a thief may have in the account of ${name}?`,
  theftWhat: (email: string) =>
    `At once all of it ends: the password, second factors, also removed ones, recovery codes, sessions, tokens, browsers, and every link that was mailed. Then they get a link for a new password, mailed to ${email} or shown here. See first that this address is theirs.`,
  theftMake: 'End all of it, and make the link',
  make: 'Make the link',
  link: 'Link',
  mailed: (email: string, end: string) => `It is mailed to ${email}, and good until ${end}.`,
  passOn: (end: string) => `It is shown this once. Pass it on to them; it is good until ${end}.`,
}

export const edit = {
  newAddress: 'A new address counts as not verified.',
  remove: 'Remove this person',
  removeHow: 'For good, with what belongs to them. The audit keeps what they did.',
  removeWhat:
    'They are gone for good, with their profiles, sessions and consents. To keep them out for a while, disable them.',
}
