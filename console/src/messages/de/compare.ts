import type { Messages } from '../en.ts'

export const compare: Messages['compare'] = {
  tab: 'Vergleich',
  title: 'Was dürfen zwei Personen?',
  asks: { left: 'Was darf', right: 'neben', permission: '', end: '?' },
  left: 'Eine Person',
  right: 'Eine andere Person',
  leftAt: 'Zeitpunkt der einen (leer: jetzt)',
  rightAt: 'Zeitpunkt der anderen (leer: jetzt)',
  samePerson: 'Dieselbe Person vor einer Woche',
  begin: 'Wählen Sie zwei Personen',
  lead: 'Was beide dürfen, und was nur eine von ihnen darf, nach Diensten. Es zählt, was ihre Profile geben, jetzt oder zu einem früheren Zeitpunkt.',
  nothing: 'Nichts',
  same: 'Beide dürfen dasselbe.',
  onlyDifferences: 'Nur Unterschiede',
  partly: 'Rollen geben mehr, als Sie selbst haben; das wird nicht verglichen.',
}
