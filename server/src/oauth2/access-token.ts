import { usableProfile } from '../identity/access.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import { findClient } from '../store/clients.ts'
import { isTokenRevoked } from '../store/revoked-tokens.ts'
import { isSessionActive } from '../store/sessions.ts'
import { findFamily } from '../store/token-families.ts'
import { findUser, type Profile, type User } from '../store/users.ts'

/** An access token of this issuer whose signature, type and expiry were checked. */
export interface AccessToken {
  claims: Record<string, unknown>
  jti: string
  sub: string
  clientId: string
  scopes: readonly Scope[]
  /** Seconds. */
  exp: number
  /** Of a person's token; a machine's has neither. */
  sid: string | undefined
  profileUuid: string | undefined
}

/** Reads an access token (RFC 9068 §4) by itself: whether it still counts is another question. */
export function readAccessToken(service: Service, jwt: string): AccessToken | undefined {
  const claims = service.keys.verified(jwt, 'at+jwt')
  if (claims === undefined || claims.iss !== service.issuer) return undefined
  const { jti, sub, exp, client_id: clientId, scope } = claims
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof exp !== 'number') return undefined
  if (typeof clientId !== 'string' || typeof scope !== 'string' || exp * 1000 <= service.now())
    return undefined
  return {
    claims,
    jti,
    sub,
    clientId,
    scopes: scopesOf(scope),
    exp,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    profileUuid: typeof claims.profile_uuid === 'string' ? claims.profile_uuid : undefined,
  }
}

export type Standing =
  | { kind: 'machine' }
  | { kind: 'person'; user: User; profile: Profile }
  /** Revoked, or somebody or something that it speaks of was disabled. */
  | { kind: 'ended' }

/** Whether an access token still counts: neither it, its family, session, user, profile nor client has ended. */
export async function standingOf(service: Service, token: AccessToken): Promise<Standing> {
  const { store } = service
  if (await isTokenRevoked(store, token.jti)) return { kind: 'ended' }
  const client = await findClient(store, token.clientId)
  if (client === undefined || !client.active) return { kind: 'ended' }
  if (token.sid === undefined || token.profileUuid === undefined) return { kind: 'machine' }

  const family = await findFamily(store, familyOf(token.jti))
  if (family === undefined || family.revoked || !(await isSessionActive(store, token.sid)))
    return { kind: 'ended' }
  const user = await findUser(store, token.sub)
  const profile = await usableProfile(service, token.sub, token.profileUuid)
  if (user === undefined || !user.active || profile === undefined) return { kind: 'ended' }
  return { kind: 'person', user, profile }
}

/** A person's `jti` is `<family id>.<random>`, so that a token can be traced to its family. */
function familyOf(jti: string): string {
  return jti.split('.')[0] ?? ''
}

/** The token of `Authorization: Bearer` (RFC 6750 §2.1), the only place where one is accepted. */
export function bearerToken(authorization: string | undefined): string {
  // Another scheme is no credential of ours either.
  if (authorization === undefined || !/^bearer\b/i.test(authorization)) {
    throw new ProtocolError(
      'invalid_token',
      'The Authorization header is missing; send Authorization: Bearer <access token>.',
      {
        // No error code when there was no credential at all (RFC 6750 §3.1).
        headers: { 'www-authenticate': 'Bearer' },
      },
    )
  }
  const [, token] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization) ?? []
  if (token === undefined) throw invalidToken('The Authorization header holds no Bearer token.')
  return token
}

export function invalidToken(description: string): ProtocolError {
  return new ProtocolError('invalid_token', description, {
    headers: { 'www-authenticate': `Bearer error="invalid_token", error_description="${description}"` },
  })
}
