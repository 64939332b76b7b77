import type { Messages } from '../en.ts'

export const role: Messages['role'] = {
  search: 'Rollen suchen',
  found: (count, more) => (more ? `Die ersten ${count}` : count === 1 ? '1 Rolle' : `${count} Rollen`),
  empty: 'Noch keine Rolle',
  emptyHow: 'Eine Rolle bündelt Berechtigungen; ein Profil gibt sie jemandem.',
  noMatchHow: 'Der Anfang eines Codes oder eines Wortes des Namens findet eine Rolle.',
  name: 'Rolle',
  add: 'Rolle anlegen',
  gives: 'Was sie gibt',
  givesHow: 'Bleibt es leer, kann man sich mit der Rolle nur anmelden.',
  service: 'Dienst',
  state: 'Status',
  permission: 'Berechtigung',
  meaning: 'Was sie erlaubt',
  count: (count) => (count === 1 ? '1 Berechtigung' : `${count} Berechtigungen`),
  givesNothing: 'Sie gibt nichts',
  all: 'Alles in der Verwaltung, auch was noch hinzukommt.',
  holders: 'Wer sie hat',
  noHolder: 'Niemand hat sie',
  noHolderHow: 'Ein Profil gibt jemandem eine Rolle, in einer Organisation oder überall.',
  organisationOnly: 'Sie sehen die Rollen, die nicht mehr geben, als Sie dürfen.',
}
