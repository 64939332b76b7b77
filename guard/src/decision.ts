import type { AccessTokenClaims } from './claims.ts'

/** The request may proceed. */
export interface Allowed {
  readonly allowed: true
  readonly claims: AccessTokenClaims
}

/**
 * Why a request was refused:
 * - `no_credential`: it brought no Bearer token (401);
 * - `invalid_token`: it brought one that is not, or no longer, valid here (401);
 * - `invalid_dpop_proof`: its token is bound to a key, and what has to prove the key does not (401, RFC 9449);
 * - `insufficient_scope`: the token is valid and lacks the permission (403);
 * - `insufficient_user_authentication`: the person has to prove more, or anew (401, RFC 9470);
 * - `unmapped_route`: the token is valid and the route table has no entry for the request (403);
 * - `keys_unavailable`: the issuer's keys were never had and can't be fetched (503).
 */
export type RefusalReason =
  | 'no_credential'
  | 'invalid_token'
  | 'invalid_dpop_proof'
  | 'insufficient_scope'
  | 'insufficient_user_authentication'
  | 'unmapped_route'
  | 'keys_unavailable'

/** The JSON body of a refusal. */
export interface RefusalBody {
  readonly error: string
  readonly error_description: string
  /** The permission that was missing; only with `insufficient_scope`. */
  readonly permission?: string
  /** What to ask the issuer for; only with `insufficient_user_authentication`. */
  readonly acr_values?: string
  readonly max_age?: number
}

/** The request is answered with this status, these headers and this body, and goes no further. */
export interface Refused {
  readonly allowed: false
  readonly status: 401 | 403 | 503
  readonly reason: RefusalReason
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: RefusalBody
}

export type Decision = Allowed | Refused

const common = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** RFC 6750 §3.1: a request without any credential SHOULD NOT be told an error code in the challenge. */
export function noCredential(
  error_description = 'This request needs an access token in the header Authorization: Bearer',
): Refused {
  const headers = { 'www-authenticate': 'Bearer' }
  return refuse(401, 'no_credential', headers, { error: 'unauthorized', error_description })
}

export function invalidToken(description: string): Refused {
  const headers = { 'www-authenticate': challenge('invalid_token', description) }
  return refuse(401, 'invalid_token', headers, { error: 'invalid_token', error_description: description })
}

/** RFC 9449 §7.1. The token may be good: what is wrong is told of the proof. */
export function invalidProof(description: string): Refused {
  const error = 'invalid_dpop_proof'
  const headers = { 'www-authenticate': challenge(error, description) }
  return refuse(401, error, headers, { error, error_description: description })
}

/**
 * Tells of DPoP: what is wrong stands in the challenge of the scheme that was `tried` (RFC 9449 §7.1), and a 401 names the
 * other one as well (§7.2). Bearer comes first where it can, because clients of the Model Context Protocol look no further.
 */
export function challengeDpop(refused: Refused, algs: readonly string[], tried: boolean): Refused {
  const told = refused.headers['www-authenticate']
  if (told === undefined || (refused.status !== 401 && !tried)) return refused
  const dpop = `DPoP algs="${algs.join(' ')}"`
  const other = refused.status === 401 ? ', Bearer' : ''
  const both = tried ? `${told.replace(/^Bearer/, `${dpop},`)}${other}` : `${told}, ${dpop}`
  return Object.freeze({
    ...refused,
    headers: Object.freeze({ ...refused.headers, 'www-authenticate': both }),
  })
}

/** The body names the permission, so that the caller knows what to ask for (decisions 8). */
export function insufficientScope(permission: string): Refused {
  const description = `The access token lacks the permission ${permission}`
  const headers = { 'www-authenticate': challenge('insufficient_scope', description) }
  const body = { error: 'insufficient_scope', error_description: description, permission }
  return refuse(403, 'insufficient_scope', headers, body)
}

/** RFC 9470 §3: says what the next authorization request has to ask for. */
export function insufficientAuthentication({
  acr,
  maxAge,
}: {
  acr?: string | undefined
  maxAge?: number | undefined
}): Refused {
  const error = 'insufficient_user_authentication'
  const description = 'The person has to prove who they are more strongly, or anew'
  const asked = [
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ]
  const headers = { 'www-authenticate': [challenge(error, description), ...asked].join(', ') }
  const body = {
    error,
    error_description: description,
    ...(acr !== undefined && { acr_values: acr }),
    ...(maxAge !== undefined && { max_age: maxAge }),
  }
  return refuse(401, error, headers, body)
}

/** A machine can prove no more than it did. */
export function noPerson(permission: string): Refused {
  const description = 'Only a person can call this, because it asks how they signed in'
  const headers = { 'www-authenticate': challenge('insufficient_scope', description) }
  const body = { error: 'insufficient_scope', error_description: description, permission }
  return refuse(403, 'insufficient_scope', headers, body)
}

/** Without a challenge: no other token would help. `place`: the method and, where it is known, the path. */
export function unmappedRoute(place: string): Refused {
  const error_description = `No permission is mapped for ${place}, so nobody may call it`
  return refuse(403, 'unmapped_route', {}, { error: 'unmapped_route', error_description })
}

export function keysUnavailable(retryAfterMs: number): Refused {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return refuse(
    503,
    'keys_unavailable',
    { 'retry-after': String(seconds) },
    {
      error: 'temporarily_unavailable',
      error_description: 'The keys that access tokens are checked with can not be had at the moment',
    },
  )
}

/** Frozen, because some refusals are made once and given to many requests. */
function refuse(
  status: Refused['status'],
  reason: RefusalReason,
  headers: Record<string, string>,
  body: RefusalBody,
): Refused {
  return Object.freeze({
    allowed: false,
    status,
    reason,
    headers: Object.freeze({ ...common, ...headers }),
    body: Object.freeze(body),
  })
}

/** RFC 6750 §3: error_description MUST stay within %x20-21 / %x23-5B / %x5D-7E, so no text can end its quotes. */
function challenge(error: string, description: string): string {
  return `Bearer error="${error}", error_description="${description.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`
}
