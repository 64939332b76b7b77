import type { Messages } from '../en.ts'

export const work: Messages['work'] = {
  stop: 'Anhalten',
  goOn: 'Weitermachen',
  done: 'Fertig.',
  stopped: 'Angehalten.',
  stoppedHow: 'Was bis dahin getan war, bleibt. „Weitermachen“ erledigt den Rest.',
  failed: 'Es endete, bevor alles getan war.',
  failedHow: 'Was bis dahin getan war, bleibt. „Weitermachen“ erledigt den Rest.',
  broken: 'Die Verbindung brach ab.',
  brokenHow:
    'Was bis dahin getan war, bleibt. „Weitermachen“ sendet dasselbe noch einmal; was schon getan ist, bleibt, wie es ist.',
  triedInPart: 'Angehalten: Das ist, was bis dahin angesehen wurde.',
  refused: (count) => (count === 1 ? '1 wurde abgelehnt' : `${count} wurden abgelehnt`),
  wouldRefuse: (count) => (count === 1 ? '1 würde abgelehnt' : `${count} würden abgelehnt`),
  showAll: (count) => `Alle ${count} zeigen`,
  saveRefused: 'Als CSV speichern',
  records: 'Im Audit ansehen',
}
