const people = (count: number) => (count === 1 ? '1 person' : `${count} people`)

/** One change of many people. */
export const bulk = {
  select: 'Select',
  selectOne: (name: string) => `Select ${name}`,
  selectPage: 'Select all that are shown',
  selected: (count: number) => `${people(count)} selected`,
  all: 'All that are found are selected',
  selectAll: 'Select all that are found',
  clear: 'Select nobody',
  actions: {
    disable: 'Disable',
    enable: 'Enable',
    give_role: 'Give a role',
    end_role: 'End a role',
    invite: 'Send a link',
  },
  titles: {
    disable: 'Disable these people?',
    enable: 'Enable these people?',
    give_role: 'Give these people a role',
    end_role: 'End a role of these people',
    invite: 'Send these people a link?',
  },
  hows: {
    disable: 'Their sessions and tokens end at once.',
    enable: 'They can sign in again. What has ended stays ended.',
    give_role: 'Each gets it at the place that you choose.',
    end_role: 'It ends at the place that you choose. What was issued under it ends at once.',
    invite: 'Who has nothing to sign in by yet is mailed a link to set a password. It counts for an hour.',
  },
  checking: 'Looking what it would do',
  working: 'Changing people',
  would: (changed: number, already: number, refused: number) =>
    [
      `${people(changed)} would be changed`,
      already > 0 && `${already} ${already === 1 ? 'is' : 'are'} so already`,
      refused > 0 && `${refused} would be refused`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  did: (changed: number, already: number, refused: number) =>
    [
      `${people(changed)} changed`,
      already > 0 && `${already} ${already === 1 ? 'was' : 'were'} so already`,
      refused > 0 && `${refused} refused`,
    ]
      .filter(Boolean)
      .join(', ') + '.',
  nobody: 'Nobody within your reach',
}
