export const whatIf = {
  tab: 'What if',
  lead: 'Draft several changes and see what all of them would do together. Nothing changes until you make them.',
  draft: 'Draft',
  effect: 'What they would do',
  begin: 'Nothing is drafted',
  beginHow: 'Add a change. Who gains and who loses what stands here.',
  kind: 'Change',
  kinds: {
    give: 'Give somebody a role',
    end: 'Take a role away from somebody',
    disable: 'Disable something',
    adds: 'Let a role give a permission',
    takes: 'Let a role no longer give a permission',
  },
  what: 'What',
  things: {
    users: 'Person',
    roles: 'Role',
    organisations: 'Organisation',
    units: 'Unit',
    clients: 'Application',
  },
  person: 'Person',
  profile: 'Profile',
  noProfile: 'They have no profile that you see.',
  add: 'Add to the draft',
  full: 'A draft has 20 changes at most.',
  mayNothing: 'You may make none of these changes.',
  remove: 'Remove',
  says: {
    give: (person: string, role: string, place: string) => `Give ${person} the role ${role}, ${place}`,
    end: (person: string, role: string, place: string) =>
      `Take the role ${role}, ${place}, away from ${person}`,
    disable: (thing: string, name: string) => `Disable ${name} (${thing.toLowerCase()})`,
    adds: (role: string, permission: string) => `Role ${role} gives ${permission}`,
    takes: (role: string, permission: string) => `Role ${role} no longer gives ${permission}`,
  },
  refused: 'Would be refused.',
  until: (count: number) =>
    count === 0
      ? 'The first change would be refused, so nothing would be done.'
      : count === 1
        ? 'The change before the one that would be refused would do this:'
        : `The ${count} changes before the one that would be refused would do this:`,
  override: 'Change what a declared file manages, too, until the file is applied again',
  done: 'Done',
  tryOut: 'Try out changes first in “What if”',
  doIt: (count: number) => (count === 1 ? 'Make the change' : `Make ${count} changes`),
}
