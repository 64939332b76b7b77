/** The roles of one service beside each other. */
export const matrix = {
  tab: 'Roles',
  title: 'Roles and permissions',
  permission: 'Permission',
  role: 'Role',
  search: 'Search permissions',
  searchHint: 'Code or description',
  addRole: 'Show another role',
  others: (count: number) =>
    count === 1
      ? '1 more role gives something of it. Show it by its name.'
      : `${count} more roles give something of it. Show one by its name.`,
  byAll: 'It gives everything of the administration.',
  draft: 'What you changed',
  count: (roles: number) => (roles === 1 ? '1 role changes' : `${roles} roles change`),
  done: 'Everything is saved',
  saved: (roles: string) => `Saved: ${roles}.`,
}
