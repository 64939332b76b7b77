/** A long work that the console begins and watches. */
export const work = {
  stop: 'Stop',
  goOn: 'Go on',
  done: 'Done.',
  stopped: 'Stopped.',
  stoppedHow: 'What was done until then stays. “Go on” does the rest.',
  failed: 'It ended before all was done.',
  failedHow: 'What was done until then stays. “Go on” does the rest.',
  broken: 'The connection broke.',
  brokenHow:
    'What was done until then stays. “Go on” sends the same again; what is done already is left as it is.',
  triedInPart: 'Stopped: this is what was looked at until then.',
  refused: (count: number) => (count === 1 ? '1 was refused' : `${count} were refused`),
  wouldRefuse: (count: number) => `${count} would be refused`,
  showAll: (count: number) => `Show all ${count}`,
  saveRefused: 'Save as CSV',
  records: 'See it in the audit',
}
