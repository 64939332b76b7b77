import type { Messages } from '../en.ts'

export const palette: Messages['palette'] = {
  label: 'Suchen, öffnen',
  hint: 'Ein Name, eine Adresse, ein Code, eine UUID …',
  control: 'Strg K',
  groups: {
    actions: 'Tun',
    places: 'Öffnen',
    people: 'Personen',
    applications: 'Anwendungen',
    organisations: 'Organisationen',
    units: 'Einheiten',
    roles: 'Rollen',
    requests: 'Anfragen',
  },
  invite: 'Jemanden einladen',
  why: 'Warum kann jemand …',
  who: 'Wer kann …',
  request: 'Was hat die Anfrage mit dieser Nummer getan?',
  count: (count) => (count === 1 ? '1 Ergebnis' : `${count} Ergebnisse`),
  nothing: (text) => `Nichts gefunden für „${text}“`,
  nothingHow: (kinds) =>
    kinds.length === 0
      ? 'Sie können suchen, was das Menü zeigt.'
      : `Sie können suchen: ${kinds.join(', ')}. Nach dem Anfang eines Wortes im Namen, einer Adresse oder eines Codes, oder nach einer ganzen UUID.`,
}
