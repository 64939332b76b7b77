/** Proofs that whoever sends a token holds the key it is bound to (DPoP, RFC 9449 §4.3, §7). */
import { base64url, calculateJwkThumbprint } from 'jose'
import { readObject, splitCompact } from './compact-token.ts'
import { type CredentialSource, type ProvedRequest, readProvedRequest } from './credential.ts'
import { invalidProof, invalidToken, type Refused } from './decision.ts'
import type { GuardSettings } from './options.ts'
import { createUsedProofs } from './used-proofs.ts'
import {
  importVerificationKey,
  keyMembers,
  proofAlgorithms,
  type VerificationKey,
} from './verification-key.ts'

/** What ties a token to a key. */
export interface Binding {
  /** The key's thumbprint (RFC 7638). */
  readonly jkt: string
  /** The token's hash, as proofs name it. */
  readonly ath: string
  /** The key and the header that brought it, once it did. Only that is kept: each proof is verified. */
  known?: { readonly head: string; readonly key: VerificationKey }
}

/** Undefined for whatever does not name one key, and nothing else, by its thumbprint (RFC 9449 §6.1). */
export async function bindingOf(token: string, cnf: unknown): Promise<Binding | undefined> {
  if (typeof cnf !== 'object' || cnf === null) return undefined
  const { jkt, ...others }: { jkt?: unknown } = cnf
  if (typeof jkt !== 'string' || Object.keys(others).length > 0) return undefined
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return { jkt, ath: base64url.encode(new Uint8Array(hash)) }
}

/** Says why a request does not prove the key that its token is bound to, or undefined. Never rejects. */
export type CheckProof = (source: CredentialSource, binding: Binding) => Promise<Refused | undefined>

/** Proofs that are remembered, of all keys together. */
const remembered = 10_000
const longest = 8192
/** How far the clock of a client may be ahead. */
const aheadMs = 30_000

export function createCheckProof({ dpop, now }: GuardSettings): CheckProof | undefined {
  if (dpop === undefined) return undefined
  const { origin, proofMaxAgeMs } = dpop
  const base = normalAddress(origin)?.replace(/\/$/, '') ?? ''
  const used = createUsedProofs(remembered, proofMaxAgeMs)
  // One request may be checked twice, by a table and by its handler, and that is no replay.
  const passed = new WeakMap<object, string>()

  async function check(asked: ProvedRequest, binding: Binding): Promise<Refused | undefined> {
    const { request, proof } = asked
    if (proof === undefined) return absent
    if (proof.includes(',')) return repeated
    const [head, body] = (proof.length > longest ? undefined : splitCompact(proof)) ?? []
    const payload = body === undefined ? undefined : readObject(body)
    if (head === undefined || payload === undefined) return unreadable
    const key = binding.known?.head === head ? binding.known.key : await keyOf(head, binding.jkt)
    if ('allowed' in key) return key
    binding.known = { head, key }
    if (!(await key.verify(proof))) return notSigned
    const wrong = wrongClaim(payload, asked, binding)
    if (wrong !== undefined) return invalidProof(`The DPoP proof ${wrong}`)
    if (passed.get(request) === proof) return undefined
    const { iat, jti } = payload as { iat: number; jti: string }
    const spent = used.use(binding.jkt, { jti, madeAt: iat * 1000 }, now())
    if (spent !== undefined) return invalidProof(spent)
    passed.set(request, proof)
    return undefined
  }

  /** A sentence without its subject, or undefined. */
  function wrongClaim(
    { htm, htu, iat, jti, ath }: Readonly<Record<string, unknown>>,
    { method, target }: ProvedRequest,
    binding: Binding,
  ): string | undefined {
    if (htm !== method) return 'is for another method'
    // The address of the request is known from the configuration: what Host and X-Forwarded say is the sender's word.
    const path = target.split('?', 1)[0] ?? ''
    // The last slash of a path that a proxy cuts off is not there for sure.
    const isSame = isSameAddress(htu, base + path) || (path === '/' && isSameAddress(htu, base))
    if (!path.startsWith('/')) return 'is for another address'
    if (!isSame) return `is for another address than ${(base + path).slice(0, 200)}`
    const age = typeof iat === 'number' ? now() - iat * 1000 : Number.NaN
    if (!(age <= proofMaxAgeMs)) return 'is too old'
    if (!(age >= -aheadMs)) return 'is not valid yet'
    if (typeof jti !== 'string' || jti === '' || jti.length > 512) return 'has no usable jti'
    return ath === binding.ath ? undefined : 'is for another access token'
  }

  return async (source, binding) => {
    const asked = readProvedRequest(source)
    if (asked === undefined) return noRequest
    return check(asked, binding)
  }
}

const absent = invalidProof(
  'The access token is bound to a key, and the DPoP header that proves it is missing',
)
const repeated = invalidProof('The DPoP header was sent more than once')
const unreadable = invalidProof('The DPoP header does not hold a proof')
const notSigned = invalidProof('The DPoP proof is not signed by its key')
const unusable = invalidProof('The DPoP proof does not hold the public key that it was signed by')
const otherKey = invalidToken('The access token is bound to another key than that of the DPoP proof')
const noRequest = invalidProof(
  'The guard can not check a DPoP proof: it was not given method, url and headers',
)

const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The key that the header of a proof brings, when it is the one that the token is bound to. */
async function keyOf(head: string, jkt: string): Promise<VerificationKey | Refused> {
  const { typ, alg: named, jwk, crit } = readObject(head) ?? {}
  if (typ !== 'dpop+jwt' || crit !== undefined) return unreadable
  const alg = proofAlgorithms.find((one) => one === named)
  if (alg === undefined)
    return invalidProof(`The DPoP proof must be signed by one of ${proofAlgorithms.join(', ')}`)
  if (typeof jwk !== 'object' || jwk === null || secret.some((one) => Object.hasOwn(jwk, one)))
    return unusable
  const members = keyMembers(jwk as Record<string, unknown>, alg)
  // An RSA key of any size or exponent would be as dear to verify as its holder likes; 4,096 bits are 683 characters.
  if (members === undefined || (members.n?.length ?? 0) > 683 || (members.e ?? 'AQAB') !== 'AQAB')
    return unusable
  try {
    if ((await calculateJwkThumbprint(members)) !== jkt) return otherKey
    return await importVerificationKey(members, alg)
  } catch {
    return unusable
  }
}

function isSameAddress(htu: unknown, asked: string): boolean {
  const normal = normalAddress(asked)
  // A path that a URL would resolve to another one has no address that a proof could name.
  return normal !== undefined && decodeUnreserved(asked) === normal && normalAddress(htu) === normal
}

/** An address without query and fragment, in normal form (RFC 3986 §6.2.2, §6.2.3), or undefined. */
function normalAddress(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  try {
    const { origin, pathname } = new URL(address)
    return decodeUnreserved(origin + pathname)
  } catch {
    return undefined
  }
}

/** RFC 3986 §6.2.2.1, §6.2.2.2: codes in capitals, and none for a character that needs none. */
function decodeUnreserved(address: string): string {
  return address.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : code.toUpperCase()
  })
}
