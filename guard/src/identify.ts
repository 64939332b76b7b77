/** All checks of a token (interface §5) but the one for the permission. */
import { type AccessTokenClaims, isAccessTokenClaims } from './claims.ts'
import { type CompactToken, readCompactToken } from './compact-token.ts'
import { type CredentialSource, readBearer, readDpop, readHeader } from './credential.ts'
import { invalidToken, keysUnavailable, type Refused } from './decision.ts'
import type { KeySet } from './key-set.ts'
import type { GuardSettings } from './options.ts'
import { bindingOf, type CheckProof, createCheckProof } from './proof.ts'
import type { Algorithm, VerificationKey } from './verification-key.ts'
import { createVerifiedTokens, type VerifiedToken, type VerifiedTokens } from './verified-tokens.ts'

type Outcome = VerifiedToken | Refused

/** Answers without a promise for a remembered token, when no fetch must be waited for. The promise never rejects. */
export type Identify = (source: CredentialSource) => Outcome | Promise<Outcome>

export function createIdentify(settings: GuardSettings, keys: KeySet): Identify {
  const { maxTokenLength } = settings
  const plain = createLookUp(settings, keys, false)
  const checkProof = createCheckProof(settings)
  const findProved =
    checkProof && createFindProved(createLookUp(settings, keys, true), checkProof, maxTokenLength)

  return (source) => {
    const header = readHeader(source)
    if (typeof header !== 'string') return header
    // A remembered token was read strictly when it was first seen, and is compared in full.
    const quick = header.startsWith('Bearer ') ? plain.remembered.get(header.slice(7)) : undefined
    if (quick === undefined && findProved !== undefined) {
      const proved = findProved(header, source)
      if (proved !== undefined) return proved
    }
    const token = quick?.token ?? readBearer(header, maxTokenLength)
    return typeof token === 'string' ? plain.find(token, quick) : token
  }
}

/** Answers for the scheme DPoP, and undefined for any other one. */
function createFindProved({ remembered, find }: LookUp, checkProof: CheckProof, maxTokenLength: number) {
  async function prove(pending: Outcome | Promise<Outcome>, source: CredentialSource): Promise<Outcome> {
    const outcome = pending instanceof Promise ? await pending : pending
    if ('allowed' in outcome || outcome.binding === undefined) return outcome
    return (await checkProof(source, outcome.binding)) ?? outcome
  }

  return (header: string, source: CredentialSource): Outcome | Promise<Outcome> | undefined => {
    const quick = header.startsWith('DPoP ') ? remembered.get(header.slice(5)) : undefined
    const token = quick?.token ?? readDpop(header, maxTokenLength)
    return typeof token === 'string' ? prove(find(token, quick), source) : token
  }
}

interface LookUp {
  readonly remembered: VerifiedTokens
  /** Verifies a token unless it is remembered, as `known` when the caller found it already. The promise never rejects. */
  find(token: string, known?: VerifiedToken): Outcome | Promise<Outcome>
}

/** Bound tokens and others are remembered apart: what is found as one sort can't count as the other. */
function createLookUp(settings: GuardSettings, keys: KeySet, bound: boolean): LookUp {
  const remembered = createVerifiedTokens(settings.rememberedTokens)

  function recall(known: VerifiedToken): Outcome | Promise<Outcome> {
    if (!(settings.now() < known.expiresAt)) {
      remembered.delete(known.token)
      return expired
    }
    if (!known.key.retired) return known
    remembered.delete(known.token)
    return verifyAndRemember(known.token)
  }

  async function verifyAndRemember(token: string): Promise<Outcome> {
    try {
      const outcome = await verify(token, settings, keys, bound)
      if (!('allowed' in outcome)) remembered.add(outcome)
      return outcome
    } catch {
      return unreadable
    }
  }

  return {
    remembered,
    find(token, known = remembered.get(token)) {
      if (known === undefined) return verifyAndRemember(token)
      const waiting = keys.freshen()
      return waiting === undefined ? recall(known) : waiting.then(() => recall(known))
    },
  }
}

const expired = invalidToken('The access token has expired')
const unreadable = invalidToken('The access token is not a signed JWT')
const notSigned = invalidToken('The access token is not signed by a key of the issuer')
const boundToKey = invalidToken('The access token is bound to a key and can not be used as Bearer')
const boundToNothing = invalidToken('The access token is bound to no key and is sent as Bearer')
const boundOtherwise = invalidToken('The access token is bound in a way that is not supported')

/** The checks in the order of interface §5. */
async function verify(
  token: string,
  settings: GuardSettings,
  keys: KeySet,
  bound: boolean,
): Promise<VerifiedToken | Refused> {
  const compact = readCompactToken(token)
  if (typeof compact === 'string') return invalidToken(compact)
  // RFC 8725 §3.1: the algorithm is the configuration's choice, never the token's. The headers jwk, jku, x5c
  // and x5u are not even read: a key never comes out of a token (RFC 8725 §3.10).
  const alg = settings.algorithms.find((one) => one === compact.alg)
  if (alg === undefined)
    return invalidToken('The access token is signed with an algorithm that is not accepted')
  const key = await signer(compact, alg, keys)
  if (key === undefined) return notSigned
  if (key === 'unavailable') return keysUnavailable(keys.retryAfterMs)
  const claims = readClaims(compact, settings)
  if (typeof claims === 'string') return invalidToken(claims)
  // RFC 7800 §3.1: a token with cnf counts only together with that key, and as Bearer nobody proves it.
  const isBound = Object.hasOwn(claims, 'cnf')
  if (isBound !== bound) return isBound ? boundToKey : boundToNothing
  const binding = bound ? await bindingOf(token, claims.cnf) : undefined
  if (bound && binding === undefined) return boundOtherwise
  return {
    token,
    decision: Object.freeze({ allowed: true, claims: deepFreeze(claims) }),
    permissions: new Set(claims.permissions),
    expiresAt: claims.exp * 1000,
    key,
    binding,
  }
}

/** The key that signed the token, or undefined when none of the issuer's did. */
async function signer(
  { token, kid }: CompactToken,
  alg: Algorithm,
  keys: KeySet,
): Promise<VerificationKey | 'unavailable' | undefined> {
  const key = await keys.find(alg, kid)
  if (key === 'unavailable') return key
  return key !== 'unknown' && (await key.verify(token)) ? key : undefined
}

/** The claims of a token whose signature was verified, or a sentence that says why they do not count here. */
function readClaims({ typ, payload }: CompactToken, settings: GuardSettings): AccessTokenClaims | string {
  if (!isAccessToken(typ, payload, settings)) return 'The token is not an access token'
  if (!isAccessTokenClaims(payload)) return 'The access token lacks a claim or holds one of a wrong type'
  if (payload.iss !== settings.issuer) return 'The access token was issued by another issuer'
  const audiences = typeof payload.aud === 'string' ? [payload.aud] : payload.aud
  if (!audiences.includes(settings.audience)) return anotherAudience(audiences, settings)
  const now = settings.now()
  // RFC 7519 §4.1.4: on or after exp it MUST NOT be accepted. A clock that yields NaN refuses as well.
  if (!(now < payload.exp * 1000)) return 'The access token has expired'
  const latest = (now + settings.clockToleranceMs) / 1000
  if (payload.iat > latest || (payload.nbf ?? 0) > latest) return 'The access token is not valid yet'
  return payload
}

/**
 * RFC 9068 §4: typ MUST be at+jwt or application/at+jwt; so an ID token of the same issuer is none. Where JWT is accepted
 * too, an ID token is one that lacks `client_id`, or has a claim of OpenID Connect Core 1.0 §2 and §3.3.2.11.
 */
function isAccessToken(typ: unknown, payload: object, { acceptTypJwt }: GuardSettings): boolean {
  if (typeof typ !== 'string') return false
  if (/^(application\/)?at\+jwt$/i.test(typ)) return true
  if (!acceptTypJwt || typ !== 'JWT') return false
  const ofIdTokens = ['nonce', 'at_hash', 'c_hash', 'azp']
  return Object.hasOwn(payload, 'client_id') && !ofIdTokens.some((claim) => Object.hasOwn(payload, claim))
}

/** Names both audiences: the token's signature was verified, so its holder may know. */
function anotherAudience(found: readonly string[], { issuer, audience }: GuardSettings): string {
  const refused = 'The access token is meant for another audience: it is for'
  // docs/claims.md: without the scope service.api the audience is the issuer.
  if (found.length === 1 && found[0] === issuer)
    return `${refused} the issuer alone, and this service is ${audience}; ask for the scope service.api`
  return `${refused} ${found.join(', ').slice(0, 200) || 'nobody'}, and this service is ${audience}`
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner)
    Object.freeze(value)
  }
  return value
}
