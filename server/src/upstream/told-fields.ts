/** The fields of a person that an upstream can tell. */
export const toldFields = [
  'email',
  'name',
  'given_name',
  'family_name',
  'preferred_username',
  'locale',
  'zoneinfo',
] as const
export type ToldField = (typeof toldFields)[number]
