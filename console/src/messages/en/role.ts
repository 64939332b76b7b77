export const role = {
  search: 'Search roles',
  found: (count: number, more: boolean) =>
    more ? `The first ${count}` : count === 1 ? '1 role' : `${count} roles`,
  empty: 'No role yet',
  emptyHow:
    'A role bundles permissions; a profile gives it to somebody. The API, the command or a declared file adds one.',
  noMatchHow: 'The beginning of a code or of any word of a name finds a role.',
  name: 'Role',
  gives: 'What it gives',
  service: 'Service',
  state: 'Status',
  permission: 'Permission',
  meaning: 'What it allows',
  count: (count: number) => (count === 1 ? '1 permission' : `${count} permissions`),
  givesNothing: 'It gives nothing',
  all: 'Everything of the administration, also what will be added.',
  holders: 'Who holds it',
  noHolder: 'Nobody holds it',
  noHolderHow: 'A profile gives a role to somebody, in an organisation or everywhere.',
  organisationOnly: 'You see the roles that give nothing beyond what you may do.',
}
