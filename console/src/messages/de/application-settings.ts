import type { Messages } from '../en.ts'

export const settings: Messages['settings'] = {
  about: 'Über sie',
  addresses: 'Adressen',
  mayDo: 'Was sie darf',
  lifetimes: 'Gültigkeit',
  save: 'Speichern',
  discard: 'Verwerfen',
  wrong: 'Oben stimmt etwas noch nicht.',
}

export const exchange: Messages['exchange'] = {
  title: 'Im Namen von Personen',
  acts: 'Sie ist ein Dienst und handelt im Namen derer, die ihn aufrufen',
  how: 'Durch Tausch von Tokens: mit nicht mehr, als diese dürfen, und nicht länger als ihr Aufruf.',
  service: 'Der Dienst, der sie ist',
  is: (service) => `Sie ist der Dienst ${service}.`,
  where: 'Wo sie in deren Namen handeln darf und was dort höchstens:',
}
