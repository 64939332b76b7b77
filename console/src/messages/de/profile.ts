import type { Messages } from '../en.ts'

export const profile: Messages['profile'] = {
  role: 'Rolle',
  organisation: 'Organisation',
  unit: 'Einheit',
  allUnits: 'Ganze Organisation',
  everywhere: 'Ohne Organisation gilt die Rolle in allen.',
  until: 'Bis',
  give: 'Profil geben',
  giveTitle: (name) => `Was darf ${name} tun?`,
  take: 'Entziehen',
  takeTitle: (role, name) => `${name} „${role}“ entziehen?`,
  takeWhat: (place) =>
    `Die Person kann bei „${place}“ nicht mehr damit handeln, und seine Tokens enden sofort. Sie können es wieder geben.`,
  changeEnd: 'Ende ändern',
  endTitle: (role, name) => `Wann endet „${role}“ von ${name}?`,
  saveEnd: 'Speichern',
}
