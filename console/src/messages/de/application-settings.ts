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
