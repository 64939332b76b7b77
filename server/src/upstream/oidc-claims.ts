import { type ToldField, toldFields } from './told-fields.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { Upstream } from './upstream.ts'

/** What an upstream said, of a verified ID token and perhaps of userinfo. */
export type UpstreamClaims = Readonly<Record<string, unknown>>

/** The subject. Throws `no_subject`. Entra's `sub` is another for each registration, `tid` and `oid` are not. */
export function subjectOf({ subject }: Pick<Upstream, 'subject'>, claims: UpstreamClaims): string {
  const { sub, tid, oid } = claims
  if (subject !== null) return assertSubject(textOf(claims[subject]), subject)
  if (typeof tid === 'string' && typeof oid === 'string') return assertSubject(`${tid}/${oid}`, 'tid and oid')
  return assertSubject(sub, 'sub')
}

function assertSubject(value: unknown, name: string): string {
  if (typeof value === 'string' && /^[^\p{Cc}]{1,255}$/u.test(value)) return value
  throw new UpstreamRefusal('no_subject', `The ID token has no ${name} of 1 to 255 characters.`)
}

const claimOf = ({ attributes }: Pick<Upstream, 'attributes'>, field: ToldField | 'groups') =>
  attributes[field] ?? field

/** The claims that are looked for in userinfo where the ID token lacks them. */
export function wantedClaims(upstream: Upstream): string[] {
  const ofRules = upstream.mapping.flatMap(({ claim }) => claim ?? [])
  const named = Object.values(upstream.attributes)
  const groups = saysGroups(upstream) ? [claimOf(upstream, 'groups')] : []
  return [
    ...new Set([claimOf(upstream, 'email'), claimOf(upstream, 'name'), ...named, ...ofRules, ...groups]),
  ]
}

/** Whether its groups are used, so that userinfo is asked where the ID token has none. */
const saysGroups = ({ attributes, mapping }: Upstream): boolean =>
  attributes.groups !== undefined || mapping.some(({ group }) => group !== undefined)

export function fieldsOf(upstream: Upstream, claims: UpstreamClaims): Partial<Record<ToldField, string>> {
  const told = toldFields.flatMap((field) => {
    const value = claims[claimOf(upstream, field)]
    return typeof value === 'string' && value !== '' ? [[field, value] as const] : []
  })
  return Object.fromEntries(told)
}

/**
 * Entra leaves groups out where they are too many, and says so by `_claim_names` or `hasgroups`. Where nothing is said, as
 * by Keycloak of who is in no group, there are none.
 */
export function groupsOf(upstream: Upstream, claims: UpstreamClaims): readonly string[] | 'unknown' {
  const name = claimOf(upstream, 'groups')
  if (isElsewhere(claims, name)) return 'unknown'
  const value = claims[name]
  const texts = textsOf(value)
  const isList = Array.isArray(value) && texts.length === value.length
  if (isList || texts.length > 0) return texts
  return value === undefined ? [] : 'unknown'
}

/** Whether a claim is said to be kept at another place (OpenID Connect Core §5.6.2). */
export function isElsewhere({ _claim_names: names, hasgroups }: UpstreamClaims, name: string): boolean {
  const isNamed = typeof names === 'object' && names !== null && Object.hasOwn(names, name)
  return isNamed || (name === 'groups' && hasgroups !== undefined && hasgroups !== false)
}

export const claimTexts = (claims: UpstreamClaims): Map<string, readonly string[]> =>
  new Map(
    Object.entries(claims).flatMap(([name, value]) => {
      const texts = textsOf(value)
      return texts.length > 0 ? [[name, texts]] : []
    }),
  )

/** The texts of a value or a list; what is neither text, number nor flag is left out. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((one) => textOf(one) ?? [])

const textOf = (value: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
