/** Words on who may use an application: in settings, the wizard and on its page. */
export const allowed = {
  title: 'Who may use it?',
  people: 'People',
  everybody: 'Everybody who has a profile',
  everybodyAt: (place: string) => `Everybody who has a profile at ${place}`,
  some: 'Only some people',
  someHow: 'A profile gets in that fits each list below; an empty list fits everybody.',
  owned: 'In any case it lets in people of the organisation alone that it belongs to.',
  missing: 'Say who may use it.',
  unnamed: 'Name at least one role, place or permission.',
  lists: {
    roles: 'With one of the roles',
    organisations: 'At one of the organisations or units',
    permissions: 'With one of the permissions',
  },
  any: { roles: 'Any role', organisations: 'Anywhere', permissions: 'Whatever the role gives' },
  how: {
    roles: '',
    organisations: 'With all below it. A code and a slash find the units of an organisation: acme/.',
    permissions: 'The role of the profile gives it.',
  },
  removed: 'removed',
  removedHow: (codes: string) =>
    `${codes}: removed since. Nobody gets in by it, also where another of this code is there now. Take it out and save; then it can be put in again.`,
}
