import type { FastifyRequest } from 'fastify'
import type { TokenSubject } from '../identity/live-token.ts'
import { dpopChallenge } from '../protocol/dpop.ts'
import { ProtocolError } from '../protocol/errors.ts'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import type { Service } from '../service.ts'
import { provenKey } from './dpop.ts'

/** The longest token in a body. One with many permissions may be too long for a header, and can still be revoked. */
export const longestToken = 65_536

/** An access token of this issuer whose signature, type and expiry were checked. */
export interface AccessToken extends TokenSubject {
  claims: Record<string, unknown>
  scopes: readonly Scope[]
  /** Seconds. */
  exp: number
  /** The thumbprint of the key that it is bound to (RFC 9449 §6.1). */
  jkt: string | undefined
}

/** Reads an access token (RFC 9068 §4). Whether it still counts is asked of `liveToken`. */
export function readAccessToken(service: Service, jwt: string): AccessToken | undefined {
  const claims = service.keys.verified(jwt, 'access token')
  if (claims === undefined || claims.iss !== service.issuer) return undefined
  const { jti, sub, exp, client_id, scope, act } = claims
  const actors = act === undefined ? undefined : actorsIn(act)
  // The first one is who it was issued to.
  if (actors !== undefined && actors[0] !== client_id) return undefined
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof exp !== 'number') return undefined
  if (typeof client_id !== 'string' || typeof scope !== 'string') return undefined
  if (exp * 1000 <= service.now()) return undefined
  return {
    claims,
    jti,
    sub,
    client_id,
    scopes: scopesOf(scope),
    exp,
    sid: typeof claims.sid === 'string' ? claims.sid : undefined,
    profile_uuid: typeof claims.profile_uuid === 'string' ? claims.profile_uuid : undefined,
    actors,
    jkt: keyIn(claims['cnf']),
  }
}

/** No token of ours is bound to anything else than a key, so what else stands there fits none. */
const keyIn = (cnf: unknown): string | undefined => (cnf === undefined ? undefined : String(Object(cnf).jkt))

/** The subjects of `act`, from the outside in (RFC 8693 §4.1). */
function actorsIn(act: unknown): string[] {
  const { sub, act: earlier }: { sub?: unknown; act?: unknown } = Object(act)
  return typeof sub === 'string' ? [sub, ...actorsIn(earlier)] : []
}

/**
 * The access token of a request: by RFC 6750 §2.1, or with a proof of the key that it is bound to (RFC 9449 §7.1). One that
 * is bound counts in no other way (§7.2). Whether it still counts is asked of `liveToken`.
 */
export async function presentedToken(service: Service, request: FastifyRequest): Promise<AccessToken> {
  const { authorization } = request.headers
  const [, proved] = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '') ?? []
  const text = proved ?? bearerToken(authorization)
  const token = readAccessToken(service, text)
  if (token === undefined)
    throw invalidToken('The access token is not valid, or has expired.', proved !== undefined)
  if (proved === undefined && token.jkt !== undefined)
    throw invalidToken('The access token is bound to a key: send it as DPoP, with a proof.', true)
  if (proved !== undefined && (await provenKey(service, request, text)) !== (token.jkt ?? null))
    throw invalidToken(
      'The access token is not bound to the key of the DPoP proof, or the DPoP header is missing.',
      true,
    )
  return token
}

/** The token of `Authorization: Bearer` (RFC 6750 §2.1). */
function bearerToken(authorization: string | undefined): string {
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

/** `bound`: the token of the request is bound to a key. */
export function invalidToken(description: string, bound = false): ProtocolError {
  const challenge = bound
    ? dpopChallenge('invalid_token', description)
    : `Bearer error="invalid_token", error_description="${description}"`
  return new ProtocolError('invalid_token', description, { headers: { 'www-authenticate': challenge } })
}
