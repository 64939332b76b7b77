import { ProtocolError } from './errors.ts'

/** The scopes that discovery always names (interface §1). */
export const namedScopes = ['openid', 'email', 'profile', 'service.api'] as const

/** The scopes that discovery names where a setting says so. */
export const furtherScopes = ['groups', 'offline_access'] as const

/** The scopes that a client may be registered with. */
export const supportedScopes = [...namedScopes, ...furtherScopes] as const

export type Scope = (typeof supportedScopes)[number]

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
      throw new ProtocolError('invalid_scope', `The scope ${shown(value)} is not supported.`)
    if (!allowed.includes(value)) {
      throw new ProtocolError('invalid_scope', `The scope ${value} is not assigned to this client.`)
    }
    if (!scopes.includes(value)) scopes.push(value)
  }
  return scopes
}

/** A sent value with the characters of an error_description alone (RFC 6749 §5.2: %x20-21 / %x23-5B / %x5D-7E). */
function shown(value: string): string {
  return value.slice(0, 60).replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
}
