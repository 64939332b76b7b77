import type { Messages } from '../en.ts'

const things = (count: number, one: string, many: string) => (count === 1 ? `1 ${one}` : `${count} ${many}`)

export const moving: Messages['moving'] = {
  title: 'Aus einem anderen System umziehen',
  button: 'Umziehen',
  coming: 'Kommen Sie aus einem anderen System?',
  lead: 'Legen Sie den Export des anderen Systems ab und sehen Sie, was mitkommt, was nicht und was Sie zu entscheiden haben. Ihn zu lesen ändert nichts.',
  ofInstallation:
    'Umzüge sind für alle, die alles verwalten: Ein Export bringt Personen, Rollen und Anwendungen aller Orte. Bitten Sie jemanden davon, es mit Ihnen zu tun.',
  system: 'Das andere System',
  how: {
    keycloak:
      'Auf seinem Rechner. Der Export seiner Verwaltungsseiten hat keine Personen und keine Geheimnisse.',
    auth0:
      'Personen durch einen Auftrag seiner Management-API; die Hashes ihrer Passwörter gibt der Support heraus; Anwendungen, Rollen und Organisationen durch seine Kommandozeile.',
    zitadel:
      'Durch seine API, mit Passwörtern und Einmalcodes. Was dem Export fehlt, haben die Antworten der Suchen.',
    logto:
      'Die Tabellen seiner Datenbank als JSON-Zeilen: users, roles, organizations, applications und was sie verbindet.',
    ory: 'Identitäten durch die Admin-API von Kratos, mit ihren Nachweisen; Anwendungen durch den Befehl von Hydra.',
    firebase:
      'Durch seine Kommandozeile. Die Parameter der Hashes sind in keinem Export: Kopieren Sie sie aus seiner Konsole.',
    cognito:
      'Durch seine Kommandozeile. Passwörter und zweite Faktoren gibt es nicht heraus: Sie werden neu eingerichtet.',
    okta: 'Die Antworten seiner API: Personen, Gruppen, die Personen jeder Gruppe als NAME.group.json, und Anwendungen. Passwörter und zweite Faktoren gibt es nicht heraus.',
    django:
      'Durch seinen Verwaltungsbefehl; mit einem eigenen Modell für Personen nennen Sie auch dessen Anwendung.',
    'aspnet-identity':
      'Die Tabellen AspNetUsers, AspNetRoles, AspNetUserRoles und AspNetUserTokens, jede als CSV oder JSON.',
    ldif: 'Die Einträge als LDIF. Hashes kommen nur mit, wenn Sie userPassword lesen dürfen.',
  },
  command: 'Der Befehl, der exportiert',
  docs: (page) => `Alles dazu, und was mitkommt, steht in ${page}.`,
  files: 'Dateien des Exports',
  drop: 'Legen Sie alle seine Dateien hier ab, zusammen höchstens 20 MiB. Eine bearbeitete mapping.yaml gehört dazu.',
  choose: 'Dateien auswählen',
  tooLarge: 'Sie ist größer als 20 MiB: Nehmen Sie tessera move-in.',
  size: (size) => `${size} KiB`,
  leaveOut: (name) => `${name} weglassen`,
  further: 'Mehrere Systeme, Passkeys',
  prefix: 'Präfix aller Codes',
  prefixHow:
    'Wo mehrere Systeme umziehen, damit getrennt bleibt, was gleich heißt. Höchstens 20 Buchstaben, Ziffern und Striche.',
  rpId: 'Domain der Passkeys hier',
  rpIdHow: 'Passkeys einer anderen Domain bleiben zurück. Leer: die, die der Export nennt.',
  read: 'Den Export lesen',
  again: 'Noch einmal lesen',
  reading: 'Der Export wird gelesen …',
  nothingYet: 'Noch ist nichts geändert.',
  forget: 'Diesen Export vergessen',
  comes: 'Was mitkommt',
  counts: (people, clients) =>
    `${things(people, 'Person', 'Personen')} und ${things(clients, 'Anwendung', 'Anwendungen')}.`,
  decisions: (count) =>
    count === 0
      ? 'Nichts ist zu entscheiden.'
      : `${things(count, 'Sache ist', 'Sachen sind')} zu entscheiden.`,
  stale: 'Sie haben seither etwas geändert: Lesen Sie noch einmal.',
  headings: {
    'What you have to decide': 'Was Sie zu entscheiden haben',
    'What does not come along': 'Was nicht mitkommt',
    'What comes along changed': 'Was verändert mitkommt',
  },
  mapping: 'Wie Rollen, Gruppen und Attribute hier Rollen werden',
  mappingHow:
    'Jeder Teil sagt, wofür er da ist. Bearbeiten Sie ihn und lesen Sie den Export noch einmal, so oft Sie wollen: Was Sie geändert haben, bleibt.',
  mappingText: 'Die Zuordnung',
  refusedHow: 'Nichts ist geändert. Verbessern Sie die Zeilen, und lesen Sie noch einmal.',
  next: 'Was als Nächstes zu tun ist',
  planIt: 'Die deklarierte Datei planen',
  planHow:
    'Organisationen, Rollen, Dienste und Anwendungen mit den Hashes ihrer Geheimnisse. Sehen Sie sich den Plan an, und wenden Sie ihn vor dem Import an: Personen bekommen Rollen, die es geben muss.',
  importIt: 'Die Personen importieren',
  importHow:
    'Mit ihren Passwörtern, zweiten Faktoren und Rollen. Schwache Formen von Hashes und die von Firebase nimmt nur tessera import: Speichern Sie die Dateien dafür.',
  importTooLarge:
    'Sie sind mehr als 5 MiB: Speichern Sie die Dateien, und importieren Sie sie mit tessera import.',
  saveIt: 'Die Dateien speichern',
  saveHow:
    'Für das Kommando, und die Zuordnung für Ihren nächsten Export. Sie enthalten Hashes von Passwörtern und Geheimnissen: Verwahren Sie sie wie die Datenbank.',
  kept: 'Der Export bleibt in diesem Tab, bis Sie ihn vergessen oder den Tab schließen.',
}
