import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose'
import { addressesOf } from '../protocol/aliases.ts'
import { assertionAlgs, type JwkSet } from '../protocol/jwk-set.ts'
import type { Service } from '../service.ts'
import type { Client } from '../store/clients.ts'
import { useOnce } from '../store/used-once.ts'
import type { ClientKeys, KeysAt } from './client-keys.ts'

/** RFC 7523 §2.2 */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
export const longestAssertion = 16_384

/** Seconds: what clocks may differ, and what an assertion by an own key may live at the most. */
const skew = 30
const longest = 300

/** A JWT of which nothing was checked. */
export interface Decoded {
  header: ProtectedHeaderParameters
  claims: JWTPayload
}

/** Header and claims of an assertion; undefined: no JWT. */
export function decodedAssertion(assertion: string): Decoded | undefined {
  try {
    return { header: decodeProtectedHeader(assertion), claims: decodeJwt(assertion) }
  } catch {
    return undefined
  }
}

/** The fields of a client by which its assertion is checked. */
export type AssertedClient = Pick<
  Client,
  'client_id' | 'jwks' | 'jwks_uri' | 'token_endpoint_auth_signing_alg' | 'assertion_audience'
>

/** A problem of an assertion; `detail` is for the log alone. */
interface AssertionProblem {
  problem: string
  detail?: string
}

/**
 * Checks a client's assertion by its own key (RFC 7523 §3) and uses it up. Yields what is wrong with it; undefined:
 * nothing. Only when all else is right does it count as used.
 */
export async function assertionProblem(
  service: Service,
  keysAt: ClientKeys,
  client: AssertedClient,
  assertion: string,
): Promise<AssertionProblem | undefined> {
  const { client_id } = client
  const decoded = decodedAssertion(assertion)
  if (decoded === undefined) return { problem: 'The client_assertion is no JWT.' }
  const { iss, sub, aud, exp = 0, jti } = decoded.claims
  // All of this comes before any key is fetched: it costs nothing, and a foreign token makes the service ask nobody.
  if (iss !== client_id || sub !== client_id)
    return { problem: 'The iss and the sub of the client_assertion must both be the client_id.' }
  const now = Math.floor(service.now() / 1000)
  const early =
    headerProblem(client, decoded.header) ??
    audienceProblem(service, client, aud) ??
    timesProblem(now, decoded.claims) ??
    (exp > now + longest + skew && `The client_assertion lives longer than ${longest} seconds.`)
  if (typeof early === 'string') return { problem: early }
  if (typeof jti !== 'string' || jti === '' || jti.length > 255)
    return { problem: 'The client_assertion needs a jti of 1 to 255 characters.' }
  const { jwks, jwks_uri } = client
  const verified = await verifiedBy(keysAt, { jwks, at: jwks_uri }, client, assertion)
  if (verified.keys === undefined)
    return {
      problem:
        'The client_assertion is not signed by a registered key of the client, or the keys could not be read.',
      detail: `${client_id}: ${verified.problem}`,
    }
  // A NumericDate may have a fraction (RFC 7519 §2), and the column has none.
  const single = { holder: client_id, id: jti, expiresAt: Math.ceil((exp + skew) * 1000) }
  if (await useOnce(service.store, single)) return undefined
  return { problem: 'The client_assertion was used before; make a new one for each request.' }
}

/** The problem of an assertion's header, if any. Tokens of ours have other types (RFC 8725 §3.11). */
export function headerProblem(
  { token_endpoint_auth_signing_alg: only }: Pick<Client, 'token_endpoint_auth_signing_alg'>,
  { alg, typ, ...header }: Readonly<Record<string, unknown>>,
): string | undefined {
  const algs: readonly string[] = only === null ? assertionAlgs : [only]
  if (typeof alg !== 'string' || !algs.includes(alg))
    return `The alg of the client_assertion must be ${algs.join(' or ')}.`
  const brought = ['crit', 'jwk', 'jku', 'x5u'].find((name) => Object.hasOwn(header, name))
  if (brought !== undefined) return `The header of the client_assertion has ${brought}, which is not taken.`
  if (typ === undefined) return undefined
  if (typeof typ === 'string' && ['jwt', 'client-authentication+jwt'].includes(typ.toLowerCase()))
    return undefined
  return 'The typ of the client_assertion must be JWT or client-authentication+jwt, or left out.'
}

/** CVE-2025-27370, CVE-2025-27371: one that names more than us could have been made for somebody else. */
function audienceProblem(
  { issuer, settings }: Service,
  { assertion_audience: audience }: AssertedClient,
  aud: unknown,
): string | undefined {
  if (aud === issuer) return undefined
  if (audience === 'issuer')
    return `The aud of the client_assertion must be exactly ${issuer}, as one text: no list, no address of an endpoint. For an older library, set assertion_audience of the client to token_endpoint.`
  const ours: unknown[] = [issuer, ...addressesOf(issuer, '/oauth2/token', settings.aliases)]
  const all = [aud].flat()
  if (all.length > 0 && all.every((one) => ours.includes(one))) return undefined
  return 'The aud of the client_assertion must be the issuer, or the address of the token endpoint, and nothing else.'
}

/** The problem of an assertion's times. */
export function timesProblem(now: number, { exp, iat, nbf }: JWTPayload): string | undefined {
  if (typeof exp !== 'number') return 'The client_assertion has no exp.'
  if (exp + skew <= now) return `The client_assertion expired ${now - exp} seconds ago, by the clock here.`
  for (const from of [iat, nbf])
    if (from !== undefined && !(from <= now + skew))
      return `The client_assertion is of the future: ${from - now} seconds, by the clock here.`
  return undefined
}

const finders = new WeakMap<JwkSet, ReturnType<typeof createLocalJWKSet>>()

/** The finder of a key in a set. It keeps the keys that it has made, for as long as the set is in memory. */
function finderOf(keys: JwkSet) {
  const finder = finders.get(keys) ?? createLocalJWKSet(keys as unknown as JSONWebKeySet)
  finders.set(keys, finder)
  return finder
}

/** The keys by one of which it is signed, or why it is by none, for the log. */
type Verified = { keys: JwkSet; problem?: undefined } | { keys?: undefined; problem: string }

/** Checks who signed an assertion, and nothing else of it. Where no key fits, those that are published are read anew. */
export async function verifiedBy(
  keysAt: ClientKeys,
  { jwks, at }: { jwks: JwkSet | null | undefined; at: KeysAt | null },
  { token_endpoint_auth_signing_alg: only }: Pick<Client, 'token_endpoint_auth_signing_alg'>,
  assertion: string,
): Promise<Verified> {
  const algorithms = only === null ? [...assertionAlgs] : [only]
  const by = async (keys: JwkSet): Promise<Verified> => {
    await compactVerify(assertion, finderOf(keys), { algorithms })
    return { keys }
  }
  try {
    if (at === null) return jwks ? await by(jwks) : { problem: 'there are no keys' }
    const kept = await keysAt(at)
    try {
      return kept.keys === undefined ? kept : await by(kept.keys)
    } catch (error) {
      // There may be a new key.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const anew = await keysAt(at, 'a new one')
      return anew.keys === undefined ? anew : await by(anew.keys)
    }
  } catch (error) {
    // The two others: the key does not fit what the header says, or not what it says of itself.
    if ([errors.JOSEError, TypeError, DOMException].some((one) => error instanceof one))
      return { problem: error instanceof Error ? error.message : String(error) }
    throw error
  }
}
