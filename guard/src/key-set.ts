import { discoverJwksUri, fetchKeySet } from './issuer-documents.ts'
import type { GuardSettings } from './options.ts'
import {
  type Algorithm,
  importVerificationKey,
  publicJwkFor,
  type VerificationKey,
} from './verification-key.ts'

type Keys = ReadonlyMap<string, VerificationKey>

/** The issuer's keys, refreshed by the requests that need them; there is no timer. Nothing here ever rejects. */
export class KeySet {
  readonly #settings: GuardSettings
  #keys: Keys | undefined
  #jwksUri: string | undefined
  #loading: Promise<void> | undefined
  #loadedAt = 0
  #failedAt: number | undefined
  #missedAt: number | undefined
  /** The last reason that was written to the console. */
  #told: string | undefined

  constructor(settings: GuardSettings) {
    this.#settings = settings
  }

  /** Says whether there are keys, old ones included. */
  get loaded(): boolean {
    return this.#keys !== undefined
  }

  /** How long until the next fetch after a failure, in ms. */
  get retryAfterMs(): number {
    const { now, retryCooldownMs } = this.#settings
    return this.#failedAt === undefined ? retryCooldownMs : this.#failedAt + retryCooldownMs - now()
  }

  /**
   * Starts a fetch when the keys are due.
   * @returns a promise only when a decision must wait for it: there are no keys yet, or they are older than twice
   *   their age because nobody asked. While the issuer is down, nobody waits.
   */
  freshen(): Promise<void> | undefined {
    const { keysMaxAgeMs } = this.#settings
    if (this.#keys !== undefined && !this.#passed(this.#loadedAt, keysMaxAgeMs)) return undefined
    if (this.#loading === undefined && this.#mayRetry()) void this.#load(true)
    if (this.#keys === undefined) return this.#loading
    return this.#failedAt === undefined && this.#passed(this.#loadedAt, 2 * keysMaxAgeMs)
      ? this.#loading
      : undefined
  }

  /** The key of that name, `unknown` when the issuer has none, `unavailable` when no keys could be had. */
  async find(alg: Algorithm, kid: string): Promise<VerificationKey | 'unknown' | 'unavailable'> {
    const waiting = this.freshen()
    if (waiting !== undefined) await waiting
    if (this.#keys === undefined) return 'unavailable'
    const id = keyId(alg, kid)
    const known = this.#keys.get(id)
    if (known !== undefined) return known
    // The keys were just fetched for this request.
    if (waiting === undefined) await this.#askForUnknown()
    else this.#missedAt = this.#settings.now()
    return this.#keys.get(id) ?? 'unknown'
  }

  /**
   * An unknown kid may be of a new key, or invented to make the service call the issuer. So one request starts a fetch,
   * and the others share its answer until the cooldown is over.
   */
  async #askForUnknown(): Promise<void> {
    const due = this.#passed(this.#missedAt, this.#settings.unknownKeyCooldownMs) && this.#mayRetry()
    if (this.#loading === undefined && due) {
      this.#missedAt = this.#settings.now()
      void this.#load(false)
    }
    await this.#loading
  }

  /** All requests during a fetch share it. */
  #load(rediscover: boolean): Promise<void> {
    this.#loading ??= this.#run(rediscover).finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  async #run(rediscover: boolean): Promise<void> {
    const settings = this.#settings
    const startedAt = settings.now()
    try {
      if (rediscover || this.#failedAt !== undefined) this.#jwksUri = undefined
      this.#jwksUri ??= await discoverJwksUri(settings)
      const jwks = await fetchKeySet(this.#jwksUri, settings)
      this.#keys = await importKeys(jwks, settings.algorithms, this.#keys)
      this.#loadedAt = startedAt
      this.#failedAt = undefined
      this.#told = undefined
    } catch (problem) {
      // The old keys stay in use, so that the service works while the issuer is down.
      this.#failedAt = settings.now()
      this.#missedAt = undefined
      this.#report(problem instanceof Error ? problem : new Error(String(problem)))
    }
  }

  #report(problem: Error): void {
    const { onKeysFailure = (why: Error) => this.#tell(why) } = this.#settings
    try {
      onKeysFailure(problem)
    } catch {
      // A failing log must not refuse requests.
    }
  }

  /** Writes each reason once, until a fetch succeeds. */
  #tell({ message }: Error): void {
    if (message === this.#told) return
    this.#told = message
    const follows = this.loaded
      ? 'no new keys, so the keys in hand are used'
      : 'no keys, so requests with a token are answered 503'
    console.error(`@tessera/guard: ${follows}. ${message.replaceAll(/\p{Cc}/gu, '?')}`)
  }

  #mayRetry(): boolean {
    return this.#passed(this.#failedAt, this.#settings.retryCooldownMs)
  }

  /** A negative time, after the clock was set back, counts as passed. */
  #passed(since: number | undefined, period: number): boolean {
    if (since === undefined) return true
    const elapsed = this.#settings.now() - since
    return elapsed >= period || elapsed < 0
  }
}

/** Imports what is new, keeps what is known, and retires what the issuer no longer publishes. */
async function importKeys(
  jwks: readonly unknown[],
  algorithms: readonly Algorithm[],
  before: Keys | undefined,
): Promise<Keys> {
  const keys = new Map<string, VerificationKey>()
  for (const candidate of jwks) {
    for (const alg of algorithms) {
      const jwk = publicJwkFor(candidate, alg)
      if (jwk === undefined) continue
      const id = keyId(alg, jwk.kid)
      if (keys.has(id)) continue
      const known = before?.get(id)
      if (known?.fingerprint === JSON.stringify(jwk)) keys.set(id, known)
      else await importVerificationKey(jwk, alg).then((key) => keys.set(id, key), ignoreUnusable)
    }
  }
  for (const [id, key] of before ?? []) {
    if (keys.get(id) !== key) key.retired = true
  }
  return keys
}

/** One key that can't be imported must not cost the others (RFC 7517 §5). */
function ignoreUnusable(): void {}

function keyId(alg: Algorithm, kid: string): string {
  return `${alg} ${kid}`
}
