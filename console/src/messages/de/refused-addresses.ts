import type { Messages } from '../en.ts'

export const refused: Messages['refused'] = {
  title: 'Abgelehnte Rücksprungadressen',
  how: 'Jemand sollte zu einer Adresse geleitet werden, die für diese Anwendung nicht registriert ist. Lassen Sie die Anwendung die registrierte senden. Registrieren Sie die gesendete nur, wenn sie der Anwendung gehört: Jeder kann eine Adresse senden.',
  missing: 'Die Anfrage hatte keine.',
  nearest: 'Ähnlichste registrierte',
  none: 'Es ist keine registriert.',
  differ: 'Unterschied',
  differences: {
    slash: 'der Schrägstrich am Ende',
    case: 'Groß- und Kleinschreibung',
    encoding: 'die Prozentkodierung',
    port: 'der Port',
    loopback: 'der Name dieses Rechners: localhost ist nicht 127.0.0.1',
    scheme: 'das Schema',
    fragment: 'das Fragment',
    query: 'die Query',
    path: 'der Pfad',
    host: 'der Host',
    form: 'die ganze Form',
  },
  command: 'Befehl, der sie registriert',
  noCommand:
    'Keiner: So wie sie kam, lässt sie sich nicht registrieren, oder eine Datei verwaltet diese Anwendung.',
}
