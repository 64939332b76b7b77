const people = (count: number) => (count === 1 ? '1 person' : `${count} people`)

export const invite = {
  invite: 'Invite',
  title: 'Invite somebody',
  may: 'What may they do?',
  mayHow: 'You can give more, or take it away, once they have accepted.',
  who: 'Who is it?',
  email: 'E-mail address',
  emailHow: 'Several people: an address a line, or with commas or semicolons between.',
  tooMany: (most: number) => `At most ${most} are invited at once.`,
  inviteMany: (count: number) => `Invite ${people(count)}`,
  manyTitle: (count: number) => `Invite ${people(count)}?`,
  manyHow: 'Each is mailed a link of their own, which can be used for seven days.',
  working: 'Inviting people',
  would: (invited: number, already: number, refused: number) =>
    [
      `${people(invited)} would be invited`,
      already > 0 && `${already} ${already === 1 ? 'is' : 'are'} invited already`,
      refused > 0 && `${refused} would be refused`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  did: (invited: number, already: number, refused: number) =>
    [
      `${people(invited)} invited`,
      already > 0 && `${already} ${already === 1 ? 'was' : 'were'} invited already`,
      refused > 0 && `${refused} refused`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  name: 'Name',
  nameHow: 'Optional. They can change it.',
  client: 'Leads to',
  clientHow: 'The application that they come to once they have accepted.',
  account: 'Their own account',
  known: (name: string) => `${name} has this address already.`,
  knownHow: 'Give them a profile there',
  sent: 'The invitation is made',
  mailed: (email: string, until: string) => `It is mailed to ${email}. Its link can be used until ${until}.`,
  passOn: (email: string, until: string) =>
    `No mail is sent here. Pass this link on to ${email}: it is shown once, and can be used until ${until}.`,
  link: 'Link',
  another: 'Invite somebody else',
  back: 'See invitations',
  invitations: 'Invitations',
  found: (count: number, more: boolean) =>
    more ? `The first ${count}` : count === 1 ? '1 invitation' : `${count} invitations`,
  nothing: 'No invitation',
  nothingHow: 'Somebody who is invited stands here until they accept, and for ninety days after that.',
  gives: 'Gives',
  givesNothing: 'No profile',
  state: 'Status',
  states: { pending: 'Waiting', accepted: 'Accepted', withdrawn: 'Withdrawn', expired: 'Expired' },
  until: 'Until',
  again: 'Send again',
  againTitle: (email: string) => `Send the invitation of ${email} again?`,
  againWhat: 'With a new link for seven days. The one from before no longer counts, and you are who invites.',
  withdraw: 'Withdraw',
  withdrawTitle: (email: string) => `Withdraw the invitation of ${email}?`,
  withdrawWhat: 'Its link no longer counts. You can invite them anew.',
}
