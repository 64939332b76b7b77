import type { Messages } from '../en.ts'

export const service: Messages['service'] = {
  search: 'Dienste suchen',
  found: (count, more) => (more ? `Die ersten ${count}` : count === 1 ? '1 Dienst' : `${count} Dienste`),
  empty: 'Noch kein Dienst',
  emptyHow:
    'Ein Dienst ist eine API, die nach Berechtigungen fragt. Legen Sie einen an, oder eine deklarierte Datei bringt ihn mit.',
  noMatchHow: 'Der Anfang eines Codes oder eines Wortes des Namens findet einen Dienst.',
  name: 'Dienst',
  audience: 'Audience',
  description: 'Was er ist',
  descriptionHow: 'Für alle, die seine Berechtigungen an jemanden vergeben. Das Feld darf leer bleiben.',
  alg: 'Signiert mit',
  typ: 'Typ seiner Tokens',
  origin: 'Herkunft',
  overview: 'Was er schützt',
  settings: 'Einstellungen',
  add: 'Dienst anlegen',
  codeHow: 'Womit seine Berechtigungen beginnen. Er ändert sich nie.',
  audienceHow: 'Die Adresse der API, wie ihr Code sie kennt. Tokens, die für sie bestimmt sind, nennen sie.',
  audienceChanged: (before) =>
    `Schon ausgestellte Tokens nennen noch ${before}, bis sie enden. Lassen Sie den Dienst zuerst beide annehmen.`,
  algHow:
    'ES256 ist billiger zu erzeugen und teurer zu prüfen. Lassen Sie den Dienst vor der Änderung beide annehmen.',
  typHow:
    'JWT ist für Frameworks, die at+jwt nicht kennen. Es unterscheidet die Tokens nicht mehr von ID-Tokens.',
  managed: (file) =>
    `Die Datei ${file} verwaltet diesen Dienst und seine Berechtigungen: Ändern Sie sie dort. Was Sie hier ändern, gilt, bis die Datei wieder angewendet wird.`,
  remove: 'Diesen Dienst entfernen',
  removeHow: 'Endgültig, mit seinen Berechtigungen.',
  removeWhat:
    'Jede Rolle, die seine Berechtigungen gibt, verliert sie, und Anwendungen können ihn nicht mehr anfragen. Rollen, Personen und Anwendungen bleiben.',
  readOnly:
    'Sie dürfen Dienste ansehen, aber nicht ändern: Dazu braucht es iam.services.update oder iam.permissions.create.',
  ofInstallation: (place) =>
    `Sie handeln für ${place}, und Dienste gehören der ganzen Installation. Bitten Sie, wer diese verwaltet, um die Änderung.`,
  unchanged: 'Er gehört zu Tessera, und niemand ändert ihn.',
  builtIn: 'Eingebaut',
  permissions: 'Berechtigungen',
  permission: 'Berechtigung',
  meaning: 'Was sie erlaubt',
  noPermission: 'Er hat noch keine Berechtigung',
  actions: 'Änderungen',
  addPermission: 'Berechtigung anlegen',
  permissionHow: (service) => `Was womit geschieht, etwa ${service}.report.read. Sie ändert sich nie.`,
  meaningHow: 'In den Worten derer, die sie jemandem geben.',
  describe: 'Beschreiben',
  describeTitle: (code) => `Was erlaubt ${code}?`,
  described: (description) =>
    `Jemand anders hat sie inzwischen beschrieben: „${description}“. Speichern Sie noch einmal, um das zu ersetzen.`,
  retire: 'Zurückziehen',
  retireTitle: (code) => `${code} zurückziehen?`,
  retireWhat:
    'Sie wird endgültig entfernt, auch aus allem, was sie nennt. Wer sie durch eine Rolle hat, verliert sie sofort; Tokens von vorher enthalten sie, bis sie enden.',
  namedByRoles: 'Rollen, die sie geben',
  namedByApplications: 'Anwendungen, die sie nennen',
  roles: 'Rollen, die etwas davon geben',
  noRole: 'Keine Rolle gibt etwas davon',
  applications: 'Anwendungen, die ihn anfragen dürfen',
  noApplication: 'Keine Anwendung darf ihn anfragen',
  protect: 'So wird er geschützt',
  protectHow: 'Er prüft jedes Token selbst: Signatur, Aussteller, Audience, Ende, Typ und die Berechtigung.',
  language: 'Sprache',
  wasRun: (by) =>
    by === 'tests'
      ? 'Unser eigener Guard, den die Tests von Tessera ausführen.'
      : by === undefined
        ? 'Geschrieben, wie die Dokumente der Bibliothek es sagen, nicht ausgeführt. Probieren Sie es mit einem Ihrer Tokens, und mit einem ID-Token, das er ablehnen muss.'
        : `Von Hand mit Tessera ausgeführt, mit ${by}. Probieren Sie es auch mit einem ID-Token, das er ablehnen muss.`,
  typJwt:
    'Tokens dieses Dienstes haben den Typ JWT wie ID-Tokens. Lehnen Sie auch ab, was keine client_id hat, und was nonce oder at_hash hat.',
  code: 'Code',
}
