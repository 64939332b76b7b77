/** People of a file: checked, imported, undone. */
const peopleOf = (count: number) => (count === 1 ? '1 person' : `${count} people`)

interface Counted {
  imported: number
  already: number
  refused: number
}
interface Undone {
  removed: number
  signed_in: number
  refused: number
}

const counted = (done: string, { imported, already }: Counted, refused: string) =>
  [`${peopleOf(imported)} ${done}`, already > 0 && `${already} there already`, refused]
    .filter(Boolean)
    .join(', ') + '.'

const undoneOf = (done: string, { removed, signed_in }: Undone) =>
  [`${peopleOf(removed)} ${done}`, signed_in > 0 && `${signed_in} signed in and stay`]
    .filter(Boolean)
    .join(', ') + '.'

export const importing = {
  title: 'Import people',
  open: 'Import',
  lead: 'A file of people, as CSV or as a JSON object a line. Check it first: that changes nothing, and says what is wrong with which row.',
  lacking: 'To import people you need the permissions iam.users.create and iam.profiles.create.',
  nothingYet: 'Nobody is imported yet.',
  drop: 'Drop a file here, choose one, or paste its text.',
  choose: 'Choose a file',
  sample: 'Sample file',
  tooLarge: 'It is larger than 5 MiB. Split it, or use tessera import.',
  text: 'The file',
  columns:
    'The first line names the columns: email and name, and where you like locale, given_name, family_name, role, organisation, unit and others. Roles and places are named by their codes. Hashes of passwords, uuids and second factors are for who administers everything.',
  name: 'Name of the file',
  nameHow: 'The audit and the list below have it.',
  check: 'Check',
  stale: 'You changed the text or its name since: check it again.',
  signInAgain: 'You are asked to sign in again first.',
  importThem: (count: number) => `Import ${peopleOf(count)}`,
  checked: {
    label: 'The check',
    counts: (told: Counted) =>
      counted('would be imported', told, told.refused > 0 ? `${told.refused} refused` : ''),
  },
  imported: {
    label: 'The import',
    counts: (told: Counted) => counted('imported', told, told.refused > 0 ? `${told.refused} refused` : ''),
  },
  replaced: (count: number) =>
    `${count} of them in place of an account that nobody has proved, which goes with all that is in it.`,
  found: 'Columns of the file:',
  row: (line: number, field: string) => `Line ${line}, ${field}:`,
  cut: 'Save refused rows',
  cutHow: 'The refused rows as they stand in your file: mend them, and import that file.',
  toPeople: 'To the people',
  imports: 'Imports so far',
  none: 'Nobody was imported yet.',
  noneHow: 'Those of the command tessera import stand here too.',
  file: 'File',
  when: 'When',
  by: 'By',
  people: 'People',
  there: (people: number, signedIn: number) =>
    people === 0 ? 'nobody is left' : `${people} there, ${signedIn} signed in`,
  undo: 'Undo',
  undoTitle: (name: string) => `Undo the import of “${name}”?`,
  undoHow:
    'It removes those who have never signed in, with all that they have. Who has signed in stays. A uuid that the file brought can not be given again.',
  wouldUndo: {
    label: 'Looking who would go',
    counts: (told: Undone) => undoneOf('would go', told),
  },
  undone: { label: 'Removing people', counts: (told: Undone) => undoneOf('removed', told) },
  changed: (count: number) =>
    count === 1
      ? '1 of them was changed since the import.'
      : `${count} of them were changed since the import.`,
  notBack: (count: number) =>
    count === 1
      ? '1 account that the import replaced does not come back.'
      : `${count} accounts that the import replaced do not come back.`,
  removeThem: (count: number) => `Remove ${peopleOf(count)}`,
}
