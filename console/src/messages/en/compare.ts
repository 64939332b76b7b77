export const compare = {
  tab: 'Compare',
  title: 'What may two people do?',
  /** The sentence, in its order. */
  asks: { left: 'What may', right: 'do, beside', permission: '', end: '?' },
  left: 'One person',
  right: 'Another person',
  leftAt: 'Moment of the one (empty: now)',
  rightAt: 'Moment of the other (empty: now)',
  samePerson: 'The same person a week ago',
  begin: 'Pick two people',
  lead: 'What both may do, and what one of them alone, by service. What counts is what their profiles give, now or at a moment of the past.',
  nothing: 'Nothing',
  same: 'They may do the same.',
  onlyDifferences: 'Differences only',
  partly: 'Roles give more than you hold yourself; that is not compared.',
}
