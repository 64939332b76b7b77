export const palette = {
  label: 'Search or go to',
  hint: 'A name, an address, a code, a uuid …',
  control: 'Ctrl K',
  groups: {
    actions: 'Do',
    places: 'Go to',
    people: 'People',
    applications: 'Applications',
    organisations: 'Organisations',
    units: 'Units',
    roles: 'Roles',
    requests: 'Requests',
  },
  invite: 'Invite somebody',
  why: 'Why can somebody …',
  who: 'Who can …',
  request: 'What did the request of this number do?',
  count: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  nothing: (text: string) => `Nothing found for “${text}”`,
  nothingHow: (kinds: string[]) =>
    kinds.length === 0
      ? 'You can look for what the menu shows.'
      : `You can look for: ${kinds.join(', ')}. By the beginning of a word of a name, of an address or a code, or by a whole uuid.`,
}
