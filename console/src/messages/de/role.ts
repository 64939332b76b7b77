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
  settings: 'Einstellungen',
  readOnly:
    'Sie dürfen Rollen ansehen, aber nicht ändern: Dazu braucht es iam.roles.update oder iam.roles.delete.',
  ofInstallation: (place) =>
    `Sie handeln für ${place}, und Rollen gehören der ganzen Installation. Bitten Sie, wer diese verwaltet, um die Änderung.`,
  managed: (file) =>
    `Die Datei ${file} verwaltet diese Rolle: Ändern Sie sie dort. Was Sie hier ändern, gilt, bis die Datei wieder angewendet wird.`,
  disableWhat:
    'Niemand kann mehr mit ihr handeln, und die Tokens, die sie gab, enden sofort. Nichts wird entfernt: Sie können sie wieder entsperren.',
  enableWhat: 'Wer sie hat, kann wieder mit ihr handeln. Was beendet wurde, bleibt beendet.',
  remove: 'Diese Rolle entfernen',
  removeHow: 'Endgültig, mit jedem Profil, das sie gibt. Um sie eine Weile anzuhalten, sperren Sie sie.',
  removeWhat: 'Wer sie hat, verliert dieses Profil sofort. Die Personen bleiben.',
  organisationOnly: 'Sie sehen die Rollen, die nicht mehr geben, als Sie dürfen.',
}
