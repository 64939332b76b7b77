import type { importing as en } from '../en/import.ts'

/** Personen aus einer Datei. */
const peopleOf = (count: number) => (count === 1 ? '1 Person' : `${count} Personen`)

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

const would = (count: number) => (count === 1 ? 'würde' : 'würden')

const counted = (done: string, { imported, already }: Counted, refused: string) =>
  [`${peopleOf(imported)} ${done}`, already > 0 && `${already} schon da`, refused]
    .filter(Boolean)
    .join(', ') + '.'

const undoneOf = (done: string, { removed, signed_in }: Undone) =>
  [
    `${peopleOf(removed)} ${done}`,
    signed_in > 0 &&
      `${signed_in} ${signed_in === 1 ? 'hat sich angemeldet und bleibt' : 'haben sich angemeldet und bleiben'}`,
  ]
    .filter(Boolean)
    .join(', ') + '.'

export const importing: typeof en = {
  title: 'Personen importieren',
  open: 'Importieren',
  lead: 'Eine Datei mit Personen, als CSV oder mit einem JSON-Objekt je Zeile. Prüfen Sie sie zuerst: Das ändert nichts und sagt, was an welcher Zeile falsch ist.',
  lacking: 'Zum Importieren brauchen Sie die Berechtigungen iam.users.create und iam.profiles.create.',
  nothingYet: 'Noch ist niemand importiert.',
  drop: 'Legen Sie eine Datei hier ab, wählen Sie eine aus, oder fügen Sie ihren Text ein.',
  choose: 'Datei wählen',
  sample: 'Beispieldatei',
  tooLarge: 'Sie ist größer als 5 MiB. Teilen Sie sie, oder nehmen Sie tessera import.',
  text: 'Die Datei',
  columns:
    'Die erste Zeile nennt die Spalten: email und name, und nach Wunsch locale, given_name, family_name, role, organisation, unit und andere. Rollen und Orte stehen mit ihrem Code. Hashes von Passwörtern, UUIDs und zweite Faktoren importiert nur, wer alles verwaltet.',
  name: 'Name der Datei',
  nameHow: 'So steht sie im Audit und in der Liste unten.',
  check: 'Prüfen',
  stale: 'Sie haben den Text oder den Namen seitdem geändert: Prüfen Sie noch einmal.',
  signInAgain: 'Vorher werden Sie gebeten, sich noch einmal anzumelden.',
  importThem: (count: number) => `${peopleOf(count)} importieren`,
  checked: {
    label: 'Die Prüfung',
    counts: (told: Counted) =>
      counted(
        `${would(told.imported)} importiert`,
        told,
        told.refused > 0 ? `${told.refused} abgelehnt` : '',
      ),
  },
  imported: {
    label: 'Der Import',
    counts: (told: Counted) =>
      counted('importiert', told, told.refused > 0 ? `${told.refused} abgelehnt` : ''),
  },
  replaced: (count: number) =>
    `${count} davon anstelle eines Kontos, das niemand bestätigt hat; es wird mit allem darin entfernt.`,
  found: 'Spalten der Datei:',
  row: (line: number, field: string) => `Zeile ${line}, ${field}:`,
  cut: 'Abgelehnte Zeilen speichern',
  cutHow:
    'Die abgelehnten Zeilen, wie sie in Ihrer Datei stehen: Berichtigen Sie sie, und importieren Sie diese Datei.',
  toPeople: 'Zu den Personen',
  imports: 'Bisherige Importe',
  none: 'Bisher wurde niemand importiert.',
  noneHow: 'Auch die des Befehls tessera import stehen hier.',
  file: 'Datei',
  when: 'Wann',
  by: 'Von',
  people: 'Personen',
  there: (people: number, signedIn: number) =>
    people === 0 ? 'niemand mehr da' : `${people} da, ${signedIn} angemeldet`,
  undo: 'Rückgängig',
  undoTitle: (name: string) => `Import von „${name}“ rückgängig machen?`,
  undoHow:
    'Entfernt werden alle, die sich nie angemeldet haben, mit allem, was sie haben. Wer sich angemeldet hat, bleibt. Eine UUID aus der Datei kann nicht wieder vergeben werden.',
  wouldUndo: {
    label: 'Es wird nachgesehen, wer entfernt würde',
    counts: (told: Undone) => undoneOf(`${would(told.removed)} entfernt`, told),
  },
  undone: { label: 'Personen werden entfernt', counts: (told: Undone) => undoneOf('entfernt', told) },
  changed: (count: number) =>
    count === 1
      ? '1 davon wurde seit dem Import geändert.'
      : `${count} davon wurden seit dem Import geändert.`,
  notBack: (count: number) =>
    count === 1
      ? '1 Konto, das der Import ersetzt hat, kommt nicht zurück.'
      : `${count} Konten, die der Import ersetzt hat, kommen nicht zurück.`,
  removeThem: (count: number) => `${peopleOf(count)} entfernen`,
}
