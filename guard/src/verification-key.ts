import { compactVerify, type CryptoKey, importJWK, type JWK } from 'jose'

/** Asymmetric algorithms that a guard can be told to accept; there is no `none` and no shared secret. */
export const supportedAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const
export type Algorithm = (typeof supportedAlgorithms)[number]

/** What proofs of a key are signed by (RFC 9449 §4.2); FAPI 2.0 allows no other. */
export const proofAlgorithms = Object.freeze(['ES256', 'PS256', 'EdDSA'] as const)

/** One public key of the issuer, for one algorithm. */
export interface VerificationKey {
  /** The key's public members, which identify it in the next key set. */
  readonly fingerprint: string
  /** Says whether the signature of a compact JWS is this key's. Never throws, never rejects. */
  readonly verify: (token: string) => boolean | Promise<boolean>
  /** True when the issuer no longer publishes the key: its tokens are no longer accepted. */
  retired: boolean
}

/** The public members of a JWK that fits an algorithm (RFC 7517 §4.2–4.4, RFC 7518 §3), or undefined. */
export function publicJwkFor(jwk: unknown, alg: Algorithm): (JWK & { kid: string }) | undefined {
  if (typeof jwk !== 'object' || jwk === null) return undefined
  const { kid, use, key_ops, alg: ownAlg, ...more } = jwk as Record<string, unknown>
  // The issuer publishes it for verifiers of another service's tokens, during a move, and signs nothing with it.
  if (more.tessera_foreign !== undefined) return undefined
  if (typeof kid !== 'string' || kid === '') return undefined
  if (use !== undefined && use !== 'sig') return undefined
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return undefined
  if (ownAlg !== undefined && ownAlg !== alg) return undefined
  const members = keyMembers(more, alg)
  return members && { kid, ...members }
}

/** What makes a public key of that algorithm (RFC 7518 §6), in the order of its thumbprint (RFC 7638 §3.2), or undefined. */
export function keyMembers(jwk: Readonly<Record<string, unknown>>, alg: Algorithm): JWK | undefined {
  const { kty, n, e, crv, x, y } = jwk
  if (alg.startsWith('RS') || alg.startsWith('PS')) {
    // RFC 7518 §3.3: a key of 2048 bits or larger MUST be used; 2048 bits are 342 characters.
    if (kty !== 'RSA' || typeof n !== 'string' || n.length < 342 || typeof e !== 'string') return undefined
    return { e, kty, n }
  }
  if (typeof x !== 'string') return undefined
  if (alg.startsWith('ES')) {
    const curve = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }[alg as 'ES256' | 'ES384' | 'ES512']
    return kty === 'EC' && crv === curve && typeof y === 'string' ? { crv: curve, kty, x, y } : undefined
  }
  return kty === 'OKP' && crv === 'Ed25519' ? { crv, kty, x } : undefined
}

/**
 * Imports a public key once, so that each check after it only verifies.
 * @throws when the members are not a key of that algorithm.
 */
export async function importVerificationKey(jwk: JWK, alg: Algorithm): Promise<VerificationKey> {
  const verify = verifyWithNode(jwk, alg) ?? (await verifyWithWebCrypto(jwk, alg))
  return { fingerprint: JSON.stringify(jwk), verify, retired: false }
}

/**
 * Verification by node:crypto, undefined where there is none. It takes 20 µs for RSA and 90 µs for ECDSA; WebCrypto
 * takes 55 and 205 µs, of which as much is on the main thread.
 */
function verifyWithNode(jwk: JWK, alg: Algorithm): VerificationKey['verify'] | undefined {
  if (typeof process === 'undefined') return undefined
  const crypto = process.getBuiltinModule?.('node:crypto')
  if (crypto === undefined || !(alg.startsWith('RS') || (alg.startsWith('ES') && isNode()))) return undefined
  const key = crypto.createPublicKey({ key: { ...jwk }, format: 'jwk' })
  // RFC 7518 §3.3. The check of the length above lets a key of 2,040 bits through.
  if (alg.startsWith('RS') && (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048)
    throw new Error('An RSA key needs 2048 bits')
  const digest = `sha${alg.slice(2)}`
  // RFC 7518 §3.4: an ECDSA signature is its two numbers side by side, not DER. RSA ignores the option.
  const verifier = { key, dsaEncoding: 'ieee-p1363' } as const
  return (token) => {
    const dot = token.lastIndexOf('.')
    try {
      const signature = Buffer.from(token.slice(dot + 1), 'base64url')
      return crypto.verify(digest, Buffer.from(token.slice(0, dot), 'latin1'), verifier, signature)
    } catch {
      return false
    }
  }
}

/** Deno and Bun have a node:crypto of their own, which does not know `dsaEncoding` in every version. */
function isNode(): boolean {
  return !('deno' in process.versions || 'bun' in process.versions)
}

async function verifyWithWebCrypto(jwk: JWK, alg: Algorithm): Promise<VerificationKey['verify']> {
  // A JWK of an asymmetric key type is never imported to bytes.
  const key = (await importJWK(jwk, alg)) as CryptoKey
  return async (token) => {
    try {
      await compactVerify(token, key, { algorithms: [alg] })
      return true
    } catch {
      return false
    }
  }
}
