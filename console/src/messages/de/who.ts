import type { Messages } from '../en.ts'

export const who: Messages['who'] = {
  why: 'Warum',
  who: 'Wer darf',
  title: 'Wer darf etwas?',
  asks: { organisation: 'Wer darf bei', unit: 'in', permission: '', end: '?' },
  organisation: 'In der Organisation',
  anyOrganisation: 'beliebiger Organisation',
  unit: 'In der Einheit',
  anyUnit: 'beliebiger Einheit',
  begin: 'Fragen Sie nach einer Berechtigung',
  lead: 'Die Antwort nennt Personen, dann Maschinen, dann Dienste, die für Personen handeln, und jede führt zum Warum.',
  found: (count, more) => (more ? `Mehr als ${count}` : count === 1 ? '1 darf es' : `${count} dürfen es`),
  nobody: 'Niemand darf das',
  nobodyHow:
    'Kein Profil hier gibt diese Berechtigung. Geben Sie jemandem eine Rolle, die sie gibt, oder fragen Sie nach einem anderen Ort.',
  nobodySeen: 'Niemand darf das, soweit Sie es sehen dürfen',
  nobodySeenHow: 'An einem anderen Ort oder mit einer anderen Berechtigung vielleicht jemand.',
  through: 'Durch',
  machine: 'Maschine',
  actingFor: (service) => `Im Namen derer, die ${service} aufrufen`,
  where: 'Wo',
  until: 'Endet',
  chainOf: (name) => `Warum ${name} es darf`,
}
