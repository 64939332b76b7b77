/**
 * `keys/` owns the signing keys: makes, loads, rotates and publishes them, and signs. Private keys never leave
 * this room, and rest encrypted. It knows nothing of what it signs.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Origin } from '../store/audit.ts'
import type { Store } from '../store/open.ts'
import { addKey, publishedKeys, type StoredKey } from '../store/signing-keys.ts'
import { decryptPrivateKey, encryptPrivateKey } from './encryption.ts'
import { keyTimes } from './key-times.ts'

export interface PublicJwk extends JsonWebKey {
  kid: string
  use: 'sig'
  alg: 'RS256'
}

interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
  jwk: PublicJwk
  signsFrom: number
  publishedUntil: number | undefined
}

const generate = promisify(generateKeyPair)
const signAsync = promisify(sign) as (alg: string, data: Buffer, key: KeyObject) => Promise<Buffer>

export interface KeyRingOptions {
  store: Store
  /** Encrypts; the previous one still opens what it encrypted. */
  secret: string
  previousSecret?: string | undefined
  now: () => number
  /** The longest life of a token, ms: how long a key stays published after its last signature. */
  longestTokenLife: number
}

/** The keys in memory, as the database had them when they were last loaded. */
export class KeyRing {
  readonly #options: KeyRingOptions
  #keys: readonly SigningKey[] = []
  /** `header` of the JWTs by kid and type: always the same bytes. */
  readonly #headers = new Map<string, string>()

  private constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /** Loads the keys; makes the first one in an empty database. Throws when the secret does not open them. */
  static async open(options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(options)
    await ring.reload()
    if (ring.#keys.length === 0) await ring.rotate()
    return ring
  }

  /** Reads the keys anew: another process may have rotated. */
  async reload(): Promise<void> {
    const { store, now, secret, previousSecret } = this.#options
    const known = new Map(this.#keys.map((key) => [key.kid, key]))
    // Somewhat longer than they are published: an expired ID token still says who, as an id_token_hint.
    const stored = await publishedKeys(store, now() - keyTimes.hints)
    this.#keys = stored.map((row) => {
      const loaded = known.get(row.kid)
      return loaded === undefined
        ? load(row, [secret, previousSecret])
        : { ...loaded, publishedUntil: row.publishedUntil }
    })
  }

  /**
   * Adds a key. It is published at once and signs when every verifier has had time to fetch it; its
   * predecessors stay published until the last token that they signed has expired. Several processes that
   * rotate at the same time rotate once. Yields the newest key's id. `by` is for the audit: the service itself,
   * when nobody asked for it.
   */
  async rotate(by: Origin = {}): Promise<string> {
    const { store, now, secret, longestTokenLife } = this.#options
    const newest = this.#keys.at(-1)
    const signsFrom =
      newest === undefined ? now() : Math.max(now(), newest.signsFrom) + keyTimes.publishBeforeUse
    const key = await makeKey(secret, now(), signsFrom)
    const predecessorsUntil = signsFrom + longestTokenLife + keyTimes.clockSkew
    await addKey(store, key, newest?.kid, { predecessorsUntil, by })
    await this.reload()
    return this.#keys.at(-1)?.kid ?? key.kid
  }

  /** Epoch milliseconds since when the current key signs. */
  signsSince(): number {
    return this.#current().signsFrom
  }

  /** Rotates when the newest key is older than `maxAge` ms. */
  async rotateIfDue(maxAge: number): Promise<void> {
    await this.reload()
    const newest = this.#keys.at(-1)
    if (newest === undefined || this.#options.now() - newest.signsFrom >= maxAge) await this.rotate()
  }

  /** The key set (RFC 7517 §5): public members of every key that is still needed. */
  jwks(): { keys: PublicJwk[] } {
    const now = this.#options.now()
    return { keys: this.#keys.filter((key) => isPublished(key, now)).map((key) => key.jwk) }
  }

  /** Signs claims as a compact JWT (RFC 7519), RS256, in the thread pool. `typ` is `JWT` or `at+jwt`. */
  async sign(typ: 'JWT' | 'at+jwt' | 'logout+jwt', claims: object): Promise<string> {
    const key = this.#current()
    const cacheKey = `${key.kid} ${typ}`
    let header = this.#headers.get(cacheKey)
    if (header === undefined) {
      header = encode({ alg: 'RS256', typ, kid: key.kid })
      this.#headers.set(cacheKey, header)
    }
    const input = `${header}.${encode(claims)}`
    const signature = await signAsync('sha256', Buffer.from(input), key.privateKey)
    return `${input}.${signature.toString('base64url')}`
  }

  /**
   * The claims of a JWT that this service signed with a key that is still published, or undefined. Checks the
   * signature and the type only; expiry and audience are the caller's.
   */
  verified(jwt: string, typ: 'JWT' | 'at+jwt'): Record<string, unknown> | undefined {
    const [header, payload, signature, ...more] = jwt.split('.')
    if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
      return undefined
    const { alg, kid, typ: type } = decode(header) ?? {}
    if (alg !== 'RS256' || type !== typ) return undefined
    const key = this.#keys.find((one) => one.kid === kid)
    if (key === undefined || (typ === 'at+jwt' && !isPublished(key, this.#options.now()))) return undefined
    const bytes = Buffer.from(signature, 'base64url')
    // Other spellings of the same signature are other tokens: refuse them, so that a token has one form.
    if (bytes.toString('base64url') !== signature) return undefined
    if (!verify('sha256', Buffer.from(`${header}.${payload}`), key.publicKey, bytes)) return undefined
    return decode(payload)
  }

  #current(): SigningKey {
    const now = this.#options.now()
    const key = this.#keys.findLast((one) => one.signsFrom <= now) ?? this.#keys.at(0)
    if (key === undefined) throw new Error('There is no signing key.')
    return key
  }
}

const isPublished = (key: SigningKey, now: number) => (key.publishedUntil ?? Infinity) > now

async function makeKey(secret: string, now: number, signsFrom: number): Promise<StoredKey> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 })
  const kid = crypto.randomUUID()
  const jwk: PublicJwk = { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return {
    kid,
    alg: 'RS256',
    publicJwk: JSON.stringify(jwk),
    privateKey: encryptPrivateKey(pem, kid, secret),
    createdAt: now,
    signsFrom,
    publishedUntil: undefined,
  }
}

function load(row: StoredKey, secrets: readonly (string | undefined)[]): SigningKey {
  const pem = opened(row, secrets)
  const jwk = JSON.parse(row.publicJwk) as PublicJwk
  return {
    kid: row.kid,
    privateKey: createPrivateKey(pem),
    publicKey: createPublicKey({ key: jwk, format: 'jwk' }),
    jwk,
    signsFrom: row.signsFrom,
    publishedUntil: row.publishedUntil,
  }
}

/** The private key in PEM. Throws when none of the secrets opens it. */
export function opened(row: StoredKey, secrets: readonly (string | undefined)[]): string {
  for (const secret of secrets) {
    if (secret === undefined) continue
    try {
      return decryptPrivateKey(row.privateKey, row.kid, secret)
    } catch {
      // Another secret may open it.
    }
  }
  throw new Error(
    'The signing keys in the database were encrypted with another secret. Set TESSERA_SECRET (or TESSERA_SECRET_FILE) to the secret that this database was started with last, or TESSERA_SECRET_PREVIOUS to it when the secret has changed.',
  )
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
