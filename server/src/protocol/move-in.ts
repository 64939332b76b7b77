/** What says an export of another system, at each door by which it comes. */
import { codeProblem, type ValueProblem } from './values.ts'

/** The systems whose exports can be read. */
export const movedSystems = [
  'keycloak',
  'auth0',
  'zitadel',
  'logto',
  'ory',
  'firebase',
  'cognito',
  'okta',
  'django',
  'aspnet-identity',
  'ldif',
] as const
export type MovedSystem = (typeof movedSystems)[number]

export const longestPrefix = 20

/** What stands before each code, where several systems move in. */
export const prefixProblem: ValueProblem = (value) =>
  value.length > longestPrefix ? `is longer than ${longestPrefix} characters` : codeProblem(value)
