import type { Messages } from '../en.ts'

export const why: Messages['why'] = {
  title: 'Warum darf jemand etwas, oder warum nicht?',
  lead: 'Wählen Sie, wer und was. Die Antwort zeigt jede Bedingung in der Reihenfolge, in der gefragt wird.',
  person: 'Person',
  permission: 'Berechtigung',
  application: 'Anwendung',
  any: 'Beliebige Anwendung',
  begin: 'Fragen Sie nach einer Person und einer Berechtigung',
  can: 'Darf',
  canNot: 'Darf nicht',
  allowed: (name) => `Ja. ${name} darf das.`,
  refused: (name) => `Nein. ${name} darf das nicht.`,
  chain: 'Was gelten muss',
  holds: 'Gilt',
  fails: 'Gilt nicht',
  cures: 'Was das ändern würde',
  cureHow: 'Alles davon zusammen.',
}
