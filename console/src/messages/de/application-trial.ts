import type { Messages } from '../en.ts'

export const trial: Messages['trial'] = {
  title: 'Was der Versuch ergab',
  lead: 'Sie gehen selbst durch die Anmeldung dieser Anwendung, nach ihren eigenen Regeln: Anmeldung, Einwilligung, Profil, Fehler. Sie kommen hierher zurück und sehen, was sie erführe. Nichts wird ausgestellt oder aufbewahrt.',
  begin: 'Ausprobieren',
  again: 'Noch einmal ausprobieren',
  prompt: 'Welche Seiten erscheinen',
  prompts: {
    none: 'Wie üblich',
    login: 'Noch einmal anmelden',
    consent: 'Noch einmal um Einwilligung fragen',
    select_account: 'Das Profil noch einmal wählen',
  },
  elsewhere: 'Dieser Versuch wurde in einem anderen Tab begonnen',
  elsewhereHow: 'Öffnen Sie die Anwendung, und beginnen Sie dort einen neuen.',
  refused: 'Die Anwendung würde abgewiesen.',
  cure: 'Was zu tun ist',
  told: 'Sie erführe',
  states: {
    waiting: 'Der Versuch wurde noch nicht geöffnet.',
    running: 'Der Versuch ist nicht zu Ende. Beenden Sie ihn, oder beginnen Sie einen neuen.',
  },
  done: 'Es klappt.',
  doneHow: 'Das erführe die Anwendung jetzt.',
  signedIn: 'Die Anmeldung',
  at: 'Angemeldet',
  by: 'Nachgewiesen durch',
  scope: 'Scopes',
  changed:
    'Die Anwendung oder Ihr Profil hat sich seitdem geändert, deshalb gibt es nichts zu zeigen. Probieren Sie es noch einmal aus.',
}
