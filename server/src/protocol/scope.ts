import { describable } from './characters.ts'
import { ProtocolError } from './errors.ts'

/** The scopes that discovery always names (interface §1). */
export const namedScopes = ['openid', 'email', 'profile', 'service.api'] as const

/** The scopes that discovery names where a setting says so. */
export const furtherScopes = ['groups', 'offline_access'] as const

/** The scopes that a client may be registered with. */
export const supportedScopes = [...namedScopes, ...furtherScopes] as const

export type Scope = (typeof supportedScopes)[number]

/** What nobody signs in to a client without: openid, unless it is registered for plain OAuth 2.0, without it. */
export const signInScope = (registered: readonly Scope[]): Scope =>
  registered.includes('openid') ? 'openid' : 'service.api'

const known: ReadonlySet<string> = new Set(supportedScopes)

const isScope = (value: string): value is Scope => known.has(value)

/** The supported scopes of a stored, space-separated list, in its order. */
export function scopesOf(stored: string): Scope[] {
  return stored.split(' ').filter(isScope)
}

/**
 * Reads a requested `scope` (RFC 6749 §3.3), each value once, in the order sent.
 * Throws `invalid_scope` for an unknown value or one outside `allowed`.
 */
export function parseScope(requested: string, allowed: readonly Scope[]): Scope[] {
  const scopes: Scope[] = []
  for (const value of requested.split(' ')) {
    if (value === '') continue
    if (!isScope(value))
      throw new ProtocolError(
        'invalid_scope',
        `The scope ${describable(value.slice(0, 60))} is not supported.`,
      )
    if (!allowed.includes(value)) {
      throw new ProtocolError('invalid_scope', `The scope ${value} is not assigned to this client.`)
    }
    if (!scopes.includes(value)) scopes.push(value)
  }
  return scopes
}
