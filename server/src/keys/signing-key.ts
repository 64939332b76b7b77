import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type SignKeyObjectInput,
  sign,
  type VerifyKeyObjectInput,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningAlg } from '../protocol/signing-alg.ts'
import type { ClosedKey } from '../database/audit-key.ts'
import { OtherSecret } from '../database/failure.ts'
import type { StoredKey } from './kept-keys.ts'
import { decrypt, encrypt } from './encryption.ts'

export interface PublicJwk extends JsonWebKey {
  kid: string
  use: 'sig'
  alg: SigningAlg
}

/** A key in memory. */
export interface SigningKey {
  kid: string
  alg: SigningAlg
  privateKey: SignKeyObjectInput
  publicKey: VerifyKeyObjectInput
  jwk: PublicJwk
  signsFrom: number
  /** Infinity: it has no successor yet. */
  publishedUntil: number
}

/** A JWS holds the two numbers of an ECDSA signature side by side, and no DER (RFC 7518 §3.4). RSA does not care. */
const dsaEncoding = 'ieee-p1363'

const generate = promisify(generateKeyPair)
const signInPool = promisify(sign) as (
  digest: string,
  data: Buffer,
  key: SignKeyObjectInput,
) => Promise<Buffer>

/**
 * The signature of a JWS (RFC 7515 §5.1). RSA takes ten times as long as the way to the thread pool and back, so it
 * goes there; ECDSA takes less than that way.
 */
export function signatureOf(key: SigningKey, data: Buffer): Buffer | Promise<Buffer> {
  return key.alg === 'ES256'
    ? sign('sha256', data, key.privateKey)
    : signInPool('sha256', data, key.privateKey)
}

export function isSignature(key: SigningKey, data: Buffer, signature: Buffer): boolean {
  return verify('sha256', data, key.publicKey, signature)
}

/** A new key, ready to be kept. */
export async function makeKey(
  alg: SigningAlg,
  { secret, now, signsFrom }: { secret: string; now: number; signsFrom: number },
): Promise<StoredKey> {
  const { publicKey, privateKey } = await (alg === 'ES256'
    ? generate('ec', { namedCurve: 'P-256' })
    : generate('rsa', { modulusLength: 2048 }))
  const kid = crypto.randomUUID()
  const jwk: PublicJwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg }
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    kid,
    alg,
    public_jwk: JSON.stringify(jwk),
    private_key: encryptedKey(pem, kid, secret),
    created_at: now,
    signs_from: signsFrom,
    published_until: null,
  }
}

/** Throws when none of the secrets opens it. */
export function loadKey(row: StoredKey, secrets: readonly (string | undefined)[]): SigningKey {
  const pem = opened(row, secrets)
  const jwk = JSON.parse(row.public_jwk) as PublicJwk
  return {
    kid: row.kid,
    alg: row.alg,
    privateKey: { key: createPrivateKey(pem), dsaEncoding },
    publicKey: { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding },
    jwk,
    signsFrom: row.signs_from,
    publishedUntil: row.published_until ?? Infinity,
  }
}

const purpose = 'tessera signing keys'

/** A private key as it rests. */
export const encryptedKey = (pem: string, kid: string, secret: string): string =>
  encrypt(pem, kid, { purpose, secret })

/** The private key in PEM. Throws when none of the secrets opens it. */
export function opened(row: ClosedKey, secrets: readonly (string | undefined)[]): string {
  const pem = decrypt(row.private_key, row.kid, { purpose, secrets })
  if (pem !== undefined) return pem
  throw new OtherSecret(
    'The signing keys in the database were encrypted with another secret. Set TESSERA_SECRET (or TESSERA_SECRET_FILE) to the secret that this database was started with last, or TESSERA_SECRET_PREVIOUS to it when the secret has changed.',
  )
}
