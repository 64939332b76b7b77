/**
 * `keys/` owns the signing keys: makes, loads, rotates and publishes them, and signs. Private keys never leave
 * this room, and rest encrypted. It knows nothing of what it signs.
 */
import { type AccessTokenTyp, isAccessToken } from '../protocol/access-token-typ.ts'
import { type SigningAlg, signingAlgs } from '../protocol/signing-alg.ts'
import type { Origin } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { type ForeignJwk } from './foreign-key.ts'
import { foreignKeys } from './foreign-keys.ts'
import { addKeys, KeysTooLate, publishedKeys, publishUntil } from './kept-keys.ts'
import { keyTimes } from './key-times.ts'
import { signatureCost, type SignatureCost } from './signature-cost.ts'
import { isSignature, loadKey, makeKey, type PublicJwk, signatureOf, type SigningKey } from './signing-key.ts'

export interface KeyRingOptions {
  store: Store
  /** Encrypts; the previous one still opens what it encrypted. */
  secret: string
  previousSecret?: string | undefined
  now: () => number
  /** A new key is published this long before it signs, ms: gateways keep the key set for hours. */
  keyLead: number
  /** The longest life of a token, ms: how long a key stays published after its last signature. */
  longestTokenLife: number
}

/** The keys in memory, of each algorithm, as the database had them when they were last loaded. */
export class KeyRing {
  readonly #options: KeyRingOptions
  /** The keys by algorithm, RSA first: a verifier that takes the first key alone finds the usual one. */
  #keys: readonly SigningKey[] = []
  /** Keys of other services: published, and used for nothing here. */
  #foreign: readonly { jwk: ForeignJwk; publishedUntil: number }[] = []
  /** The headers of tokens, by key and type. */
  readonly #headers = new Map<string, string>()

  private constructor(options: KeyRingOptions) {
    this.#options = options
  }

  /** Loads the keys, and makes those that are missing. Throws when the secret does not open them. */
  static async open(options: KeyRingOptions): Promise<KeyRing> {
    const ring = new KeyRing(options)
    await ring.reload()
    if (ring.#isIncomplete()) await ring.rotate()
    return ring
  }

  /** Reads the keys anew: another process may have rotated. */
  async reload(): Promise<void> {
    const { store, now, secret, previousSecret } = this.#options
    const known = new Map(this.#keys.map((key) => [key.kid, key]))
    // Somewhat longer than they are published: an expired ID token still says who, as an id_token_hint.
    const stored = await publishedKeys(store, now() - keyTimes.hints)
    const keys = stored.map((row) => {
      const loaded = known.get(row.kid)
      return loaded === undefined
        ? loadKey(row, [secret, previousSecret])
        : { ...loaded, signsFrom: row.signs_from, publishedUntil: row.published_until ?? Infinity }
    })
    const foreign = await foreignKeys(store, now())
    this.#keys = signingAlgs.flatMap((alg) => keys.filter((key) => key.alg === alg))
    this.#foreign = foreign.map(({ public_jwk: jwk, published_until: publishedUntil }) => ({
      jwk: JSON.parse(jwk) as ForeignJwk,
      publishedUntil,
    }))
  }

  /**
   * Adds a key of each algorithm. They are published at once and sign when every verifier has had time to fetch
   * them; those before them stay published until their last token has expired. Several processes that rotate at the
   * same time rotate once. Yields the ids of the newest keys. `by` is for the audit: the service itself, when nobody
   * asked for it. `at: 'once'` is for an emergency: they sign as soon as every process publishes them, before those that
   * wait for their turn; a verifier that keeps the key set, and never asks for a key it does not know, refuses them.
   */
  async rotate(by: Origin = {}, at: 'once' | 'turn' = 'turn'): Promise<string[]> {
    const { store, now, secret, longestTokenLife } = this.#options
    const last = at === 'once' ? undefined : this.#lastSignsFrom()
    // The newest are read before keys are made: a reload meanwhile may bring those of another process.
    const expected = this.#newest().map((key) => key.kid)
    const began = now()
    const signsFrom = Math.max(began, last ?? began) + this.#lead(at)
    const keys = await Promise.all(signingAlgs.map((alg) => makeKey(alg, { secret, now: now(), signsFrom })))
    const publishedUntil = signsFrom + longestTokenLife + keyTimes.clockSkew
    // Later they would sign before every verifier has had time to fetch them.
    const inTime = () => now() - began < (at === 'once' ? keyTimes.makingKeysNow : keyTimes.makingKeys)
    try {
      await addKeys(store, keys, expected, { signsFrom, publishedUntil, by, inTime })
    } catch (error) {
      if (!(error instanceof KeysTooLate)) throw error
      await this.reload()
      return await this.rotate(by, at)
    }
    await this.reload()
    return this.#newest().map((key) => key.kid)
  }

  /** How long new keys are published before they sign. The first ever sign at once: nobody knows others. */
  #lead(at: 'once' | 'turn'): number {
    if (this.#keys.length === 0) return 0
    return at === 'once' ? keyTimes.leadNow : this.#options.keyLead
  }

  /** Epoch milliseconds since when the current RSA key signs. */
  signsSince(): number {
    return this.#signer('RS256').signsFrom
  }

  /** Rotates when the newest keys are older than `maxAge` ms, or one is missing. */
  async rotateIfDue(maxAge: number): Promise<void> {
    await this.reload()
    await this.#keepPublished()
    const age = this.#options.now() - (this.#lastSignsFrom() ?? -Infinity)
    if (this.#isIncomplete() || age >= maxAge) await this.rotate()
  }

  /**
   * Keeps keys that were followed published as long as their tokens may live by this process's settings. The process
   * that rotated may have had others, such as a command, or one before a restart with a longer life.
   */
  async #keepPublished(): Promise<void> {
    const { store, now, longestTokenLife } = this.#options
    const short = this.#keys.flatMap(({ kid, alg, signsFrom, publishedUntil }) => {
      const next = this.#keys.find((one) => one.alg === alg && one.signsFrom > signsFrom)
      if (next === undefined || next.signsFrom <= now()) return []
      const until = next.signsFrom + longestTokenLife + keyTimes.clockSkew
      return publishedUntil < until ? [{ kid, until }] : []
    })
    for (const { kid, until } of short) await publishUntil(store, kid, until)
    if (short.length > 0) await this.reload()
  }

  /** Our keys (RFC 7517 §5): public members of every one that is still needed. */
  jwks(): { keys: PublicJwk[] } {
    const now = this.#options.now()
    return { keys: this.#keys.filter((key) => isPublished(key, now)).map((key) => key.jwk) }
  }

  /** The key set for verifiers, ours first, and how long it may be cached, ms: no foreign key outlives its end there. */
  published(): { keys: (PublicJwk | ForeignJwk)[]; cachedFor: number } {
    const now = this.#options.now()
    const foreign = this.#foreign.filter((key) => isPublished(key, now))
    const ends = foreign.map(({ publishedUntil }) => publishedUntil - now)
    return {
      keys: [...this.jwks().keys, ...foreign.map(({ jwk }) => jwk)],
      cachedFor: Math.min(keyTimes.jwksCache, ...ends),
    }
  }

  /** What a signature of the key that signs now costs on this machine. */
  signatureCost(): SignatureCost {
    return signatureCost(this.#signer('RS256'))
  }

  /** Signs claims as a compact JWT (RFC 7519). */
  async sign(typ: AccessTokenTyp | 'logout+jwt', claims: object, alg: SigningAlg): Promise<string> {
    const key = this.#signer(alg)
    const input = `${this.#header(key, typ)}.${encode(claims)}`
    const signature = await signatureOf(key, Buffer.from(input))
    return `${input}.${signature.toString('base64url')}`
  }

  /**
   * The claims of a JWT that this service signed with a key that is still published, or undefined. Checks the
   * signature and what kind of token it is only; expiry and audience are the caller's.
   */
  verified(jwt: string, kind: 'ID token' | 'access token'): Record<string, unknown> | undefined {
    const [header, payload, signature, ...more] = jwt.split('.')
    if (header === undefined || payload === undefined || signature === undefined || more.length > 0)
      return undefined
    const { alg, kid, typ } = decode(header) ?? {}
    if (kind === 'ID token' && typ !== 'JWT') return undefined
    const key = this.#keys.find((one) => one.kid === kid)
    // RFC 8725 §3.1: a key is for one algorithm, whatever the token says.
    if (key === undefined || key.alg !== alg) return undefined
    if (kind === 'access token' && !isPublished(key, this.#options.now())) return undefined
    const bytes = Buffer.from(signature, 'base64url')
    // Other spellings of the same signature are other tokens: refuse them. An ECDSA signature has a twin that counts
    // as much (r, n - s); nothing hangs on it, for a token is known by its jti.
    if (bytes.toString('base64url') !== signature) return undefined
    if (!isSignature(key, Buffer.from(`${header}.${payload}`), bytes)) return undefined
    const claims = decode(payload)
    if (claims === undefined || isAccessToken(typ, claims) !== (kind === 'access token')) return undefined
    return claims
  }

  /** The header of the JWTs of this key and type: always the same bytes. */
  #header(key: SigningKey, typ: string): string {
    const known = `${key.kid} ${typ}`
    let header = this.#headers.get(known)
    if (header === undefined) {
      header = encode({ alg: key.alg, typ, kid: key.kid })
      this.#headers.set(known, header)
    }
    return header
  }

  /** The key that signs now. */
  #signer(alg: SigningAlg): SigningKey {
    const now = this.#options.now()
    const ofAlg = this.#keys.filter((one) => one.alg === alg)
    const key = ofAlg.findLast((one) => one.signsFrom <= now) ?? ofAlg[0]
    if (key === undefined) throw new Error('There is no signing key.')
    return key
  }

  /** The keys that have no successor. */
  #newest(): SigningKey[] {
    return this.#keys.filter((key) => key.publishedUntil === Infinity)
  }

  /** An algorithm lacks its key in an empty database, or where somebody removed one. */
  #isIncomplete(): boolean {
    const newest = this.#newest()
    return signingAlgs.some((alg) => !newest.some((key) => key.alg === alg))
  }

  #lastSignsFrom(): number | undefined {
    return this.#keys.length === 0 ? undefined : Math.max(...this.#keys.map((key) => key.signsFrom))
  }
}

const isPublished = (key: Pick<SigningKey, 'publishedUntil'>, now: number) => key.publishedUntil > now

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
