import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { addressesOf } from '../protocol/aliases.ts'
import { assertionAlgs, type JwkSet } from '../protocol/jwk-set.ts'
import type { Service } from '../service.ts'
import { useAssertion } from '../store/client-assertions.ts'
import type { Client } from '../store/clients.ts'
import type { ClientKeys } from './client-keys.ts'

/** RFC 7523 §2.2 */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Seconds: what the clocks of a client and of the service may differ, and what an assertion may live at the most. */
const skew = 30
const longest = 600

/** The client that an assertion names. Nothing of it was checked. */
export function claimedClient(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion)
    return typeof sub === 'string' && sub !== '' ? sub : undefined
  } catch {
    return undefined
  }
}

/**
 * Checks a client's assertion (RFC 7523 §3) and uses it up. Yields what is wrong with it; undefined: nothing. Only when
 * all else is right does it count as used.
 */
export async function assertionProblem(
  service: Service,
  keysAt: ClientKeys,
  client: Client,
  assertion: string,
): Promise<string | undefined> {
  const now = Math.floor(service.now() / 1000)
  // This comes before any key is fetched: it costs nothing, and a foreign token makes the service ask nobody.
  const early = claimsProblem(service, now, decoded(assertion))
  if (early !== undefined) return early
  const claims = await verified(client, keysAt, assertion, now)
  if (claims === undefined) {
    return 'The client_assertion is not signed by a registered key of the client, or the keys could not be read.'
  }
  const { jti = '', exp = 0 } = claims
  const fresh = { client_id: client.client_id, jti, expiresAt: (exp + skew) * 1000 }
  if (await useAssertion(service.store, fresh)) return undefined
  return 'The client_assertion was used before; make a new one for each request.'
}

function decoded(assertion: string): JWTPayload {
  try {
    return decodeJwt(assertion)
  } catch {
    return {}
  }
}

/** `iss` and `sub` are compared with the client when the signature is. */
function claimsProblem({ issuer, settings }: Service, now: number, { aud, exp, iat, nbf, jti }: JWTPayload) {
  const ours: unknown[] = [issuer, ...addressesOf(issuer, '/oauth2/token', settings.aliases)]
  const audiences = [aud].flat()
  // Every one, not one of them: an assertion that is also for others could be replayed here by them.
  if (audiences.length === 0 || !audiences.every((one) => ours.includes(one)))
    return 'The aud of the client_assertion must be the issuer, or the address of the token endpoint, and nothing else.'
  if (typeof exp !== 'number' || exp + skew <= now) return 'The client_assertion has expired, or has no exp.'
  if (exp > now + longest + skew) return `The client_assertion lives longer than ${longest} seconds.`
  for (const from of [iat, nbf])
    if (from !== undefined && !(from <= now + skew)) return 'The client_assertion is of the future.'
  if (typeof jti !== 'string' || jti === '' || jti.length > 255)
    return 'The client_assertion needs a jti of 1 to 255 characters.'
  return undefined
}

async function verified(
  client: Client,
  keysAt: ClientKeys,
  assertion: string,
  now: number,
): Promise<JWTPayload | undefined> {
  const { jwks, jwks_uri, client_id } = client
  const by = async (keys: JwkSet | null | undefined) => {
    if (!keys) return undefined
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys as unknown as JSONWebKeySet), {
      algorithms: [...assertionAlgs],
      issuer: client_id,
      subject: client_id,
      requiredClaims: ['aud', 'exp', 'jti'],
      clockTolerance: skew,
      currentDate: new Date(now * 1000),
    })
    return payload
  }
  try {
    if (jwks_uri === null) return await by(jwks)
    const kept = await keysAt(jwks_uri)
    try {
      return await by(kept)
    } catch (error) {
      // The client may have a new key.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      return await by(await keysAt(jwks_uri, 'a new one'))
    }
  } catch (error) {
    // A TypeError: the key does not fit what the header says.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined
    throw error
  }
}
