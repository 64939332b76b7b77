import { assertionIssuersBody, brandingBody, breakGlassBody, installationPolicyBody } from './json.ts'

/** What the installation has one of: it is always there, and is read and set as a whole. Kept as JSON, without nulls. */
export const settled = {
  policy: installationPolicyBody,
  branding: brandingBody,
  break_glass: breakGlassBody,
  assertion_issuers: assertionIssuersBody,
} as const

export type Settled = keyof typeof settled
export const settledNames = Object.keys(settled) as Settled[]

/** The kept text where nothing is set. */
export const unset = '{}'

const fieldsOf = (what: Settled) => Object.keys(settled[what].shape)
type SettingValues = Readonly<Record<string, unknown>>

/** The text that is kept: the same for the same values. */
export function keptOf(what: Settled, said: object): string {
  const values = said as SettingValues
  return JSON.stringify(Object.fromEntries(fieldsOf(what).map((name) => [name, values[name] ?? undefined])))
}

/** All of it, with null where nothing is set. */
export function settledOf(what: Settled, kept: string) {
  const values = JSON.parse(kept) as SettingValues
  return Object.fromEntries(fieldsOf(what).map((name) => [name, values[name] ?? null]))
}
