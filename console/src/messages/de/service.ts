import type { Messages } from '../en.ts'

export const service: Messages['service'] = {
  search: 'Dienste suchen',
  found: (count, more) => (more ? `Die ersten ${count}` : count === 1 ? '1 Dienst' : `${count} Dienste`),
  empty: 'Noch kein Dienst',
  emptyHow:
    'Ein Dienst ist eine API, die nach Berechtigungen fragt. Die API, das Kommando oder eine deklarierte Datei legt einen an.',
  noMatchHow: 'Der Anfang eines Codes oder eines Wortes des Namens findet einen Dienst.',
  name: 'Dienst',
  audience: 'Audience',
  alg: 'Signiert mit',
  typ: 'Typ seiner Tokens',
  origin: 'Herkunft',
  changed:
    'Die API, das Kommando oder eine deklarierte Datei ändert ihn und seine Berechtigungen; die Konsole zeigt sie.',
  unchanged: 'Er gehört zu Tessera, und niemand ändert ihn.',
  builtIn: 'Eingebaut',
  permissions: 'Berechtigungen',
  permission: 'Berechtigung',
  meaning: 'Was sie erlaubt',
  noPermission: 'Er hat noch keine Berechtigung',
  roles: 'Rollen, die etwas davon geben',
  noRole: 'Keine Rolle gibt etwas davon',
  applications: 'Anwendungen, die ihn anfragen dürfen',
  noApplication: 'Keine Anwendung darf ihn anfragen',
  protect: 'So wird er geschützt',
  protectHow: 'In Node, mit dem Guard. Er prüft jedes Token selbst und fragt niemanden je Anfrage.',
  code: 'Code',
}
