import type { Messages } from '../en.ts'

export const allowed: Messages['allowed'] = {
  title: 'Wer darf sie benutzen?',
  people: 'Personen',
  everybody: 'Alle, die ein Profil haben',
  everybodyAt: (place) => `Alle, die ein Profil bei ${place} haben`,
  some: 'Nur bestimmte Personen',
  someHow: 'Ein Profil wird eingelassen, wenn es zu jeder Liste passt; eine leere passt zu allen.',
  owned: 'In jedem Fall lässt sie nur Personen der Organisation ein, zu der sie gehört.',
  missing: 'Sagen Sie, wer sie benutzen darf.',
  unnamed: 'Nennen Sie mindestens eine Rolle, einen Ort oder eine Berechtigung.',
  lists: {
    roles: 'Mit einer der Rollen',
    organisations: 'In einer der Organisationen oder Einheiten',
    permissions: 'Mit einer der Berechtigungen',
  },
  any: { roles: 'Jede Rolle', organisations: 'Überall', permissions: 'Was immer die Rolle gibt' },
  how: {
    roles: '',
    organisations:
      'Mit allem darunter. Ein Code mit Schrägstrich findet die Einheiten einer Organisation: acme/.',
    permissions: 'Die Rolle des Profils gibt sie.',
  },
  removed: 'entfernt',
  removedHow: (codes) =>
    `${codes}: inzwischen entfernt. Niemand wird dadurch eingelassen, auch wenn es wieder etwas mit diesem Code gibt. Nehmen Sie es heraus und speichern Sie; dann können Sie es neu aufnehmen.`,
}
