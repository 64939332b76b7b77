/**
 * `upstream/` owns sign-in elsewhere: what an organisation's own provider proves about somebody, whose account that is,
 * and what its groups give. It never sees a browser or a page, never starts a session, and never decides what a proof
 * opens: that is `identity/reach`.
 */
import type { ToldField } from './told-fields.ts'
import type { Upstream } from './upstream.ts'

declare const made: unique symbol

/** What an upstream proved about somebody. Only `oidc.ts`, `saml.ts` and `ldap.ts` make one, of what they have verified. */
export interface Assertion extends Asserted {
  readonly [made]: true
}

interface Asserted {
  /** The uuid of the upstream. */
  readonly upstream_uuid: string
  /** The person there: one value for each, for good. Compared byte for byte. */
  readonly subject: string
  /** Fields by the upstream's `attributes`. What it did not tell is left out. */
  readonly fields: Readonly<Partial<Record<ToldField, string>>>
  /** The groups; `unknown`: it did not say, or said that there are too many to say. Unknown is not empty. */
  readonly groups: readonly string[] | 'unknown'
  /** Each claim or attribute with its values as texts, for rules by claim. */
  readonly claims: ReadonlyMap<string, readonly string[]>
  /** Values of `acr`, `amr` or AuthnContext as they were sent, for `assurance`. */
  readonly contexts: readonly string[]
  /** Values of `amr` as they were sent. */
  readonly amr: readonly string[]
  /** When they proved it there, epoch milliseconds; undefined: it did not say. */
  readonly auth_time: number | undefined
  /** The session there: `sid` of the ID token, or SessionIndex. */
  readonly sid: string | undefined
  /** Kept for `logout: both` alone. */
  readonly id_token: string | undefined
}

/** More groups, or characters in them, are as if the upstream had said that there are too many to say. */
const mostGroups = 1000
const mostOfGroups = 64 * 1024

/** The one place where an assertion is made. */
export function asserted({ uuid }: Pick<Upstream, 'uuid'>, said: Omit<Asserted, 'upstream_uuid'>): Assertion {
  return { upstream_uuid: uuid, ...said, groups: boundedGroups(said.groups) } as Assertion
}

/** An assertion as it is kept while its person proves something else. What signing out there takes is not kept. */
export interface KeptAssertion extends Omit<Asserted, 'claims' | 'id_token'> {
  readonly claims: readonly (readonly [string, readonly string[]])[]
}

export function keptAssertion(assertion: Assertion): KeptAssertion {
  const { claims, id_token: _, ...said } = assertion
  return { ...said, claims: [...claims] }
}

/** The reverse: only of what the service itself kept of one that was made. */
export const restoredAssertion = ({ upstream_uuid: uuid, claims, ...said }: KeptAssertion): Assertion =>
  asserted({ uuid }, { id_token: undefined, ...said, claims: new Map(claims) })

function boundedGroups(groups: Asserted['groups']): Asserted['groups'] {
  if (groups === 'unknown') return groups
  const isTooMuch = groups.length > mostGroups || groups.join('').length > mostOfGroups
  return isTooMuch ? 'unknown' : groups
}
