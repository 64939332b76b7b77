import { discoverJwksUri, fetchKeySet } from './issuer-documents.ts'
import type { GuardSettings } from './options.ts'
import {
  type Algorithm,
  importVerificationKey,
  publicJwkFor,
  type VerificationKey,
} from './verification-key.ts'

/** The issuer's keys, kept up to date by those who ask; there is no timer. */
export interface KeySet {
  /**
   * Starts a fetch when the keys are due.
   * @returns a promise (never rejected) only when a decision must wait for it: there are no keys yet, or they
   *   are older than twice their age because nobody asked. While the issuer is down, nobody waits.
   */
  freshen(): Promise<void> | undefined
  /** The key of that name, `unknown` when the issuer has none, `unavailable` when no keys could be had. */
  find(alg: Algorithm, kid: string): Promise<VerificationKey | 'unknown' | 'unavailable'>
  /** Says whether there are keys, old ones included. */
  loaded(): boolean
  /** How long the next fetch is put off after a failure, in ms. */
  retryAfterMs(): number
}

type Keys = ReadonlyMap<string, VerificationKey>

export function createKeySet(settings: GuardSettings): KeySet {
  const { now, keysMaxAgeMs, retryCooldownMs, unknownKeyCooldownMs } = settings
  let keys: Keys | undefined
  let jwksUri: string | undefined
  let loading: Promise<void> | undefined
  let loadedAt = 0
  let failedAt: number | undefined
  let missedAt: number | undefined

  const passed = (since: number | undefined, period: number): boolean => {
    if (since === undefined) return true
    const elapsed = now() - since
    // A clock that was set back would otherwise put a fetch off until it has caught up.
    return elapsed >= period || elapsed < 0
  }

  async function run(rediscover: boolean): Promise<void> {
    const startedAt = now()
    try {
      if (rediscover || jwksUri === undefined || failedAt !== undefined)
        jwksUri = await discoverJwksUri(settings)
      keys = await importKeys(await fetchKeySet(jwksUri, settings), settings.algorithms, keys)
      loadedAt = startedAt
      failedAt = undefined
    } catch (problem) {
      // The keys in hand stay in use: an issuer that is down must not take its services with it.
      failedAt = now()
      missedAt = undefined
      report(settings, problem)
    }
  }

  /** Everybody who asks during a fetch shares it. */
  function load(rediscover: boolean): Promise<void> {
    loading ??= run(rediscover).finally(() => {
      loading = undefined
    })
    return loading
  }

  function freshen(): Promise<void> | undefined {
    if (keys !== undefined && !passed(loadedAt, keysMaxAgeMs)) return undefined
    if (loading === undefined && passed(failedAt, retryCooldownMs)) void load(true)
    if (keys === undefined) return loading
    return failedAt === undefined && passed(loadedAt, 2 * keysMaxAgeMs) ? loading : undefined
  }

  async function find(alg: Algorithm, kid: string): Promise<VerificationKey | 'unknown' | 'unavailable'> {
    const id = keyId(alg, kid)
    const waited = freshen()
    if (waited !== undefined) await waited
    const known = keys?.get(id)
    if (known !== undefined || keys === undefined) return known ?? 'unavailable'
    if (waited !== undefined) {
      missedAt = now()
      return 'unknown'
    }
    // A kid never seen is how a new key announces itself, and how anybody could make every service call the
    // issuer; so one of them asks, and the others share its answer until the cooldown is over.
    if (
      loading === undefined &&
      passed(missedAt, unknownKeyCooldownMs) &&
      passed(failedAt, retryCooldownMs)
    ) {
      missedAt = now()
      void load(false)
    }
    if (loading !== undefined) await loading
    return keys.get(id) ?? 'unknown'
  }

  const retryAfterMs = () =>
    failedAt === undefined ? retryCooldownMs : Math.max(0, failedAt + retryCooldownMs - now())
  return { freshen, find, loaded: () => keys !== undefined, retryAfterMs }
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

function report(settings: GuardSettings, problem: unknown): void {
  try {
    settings.onKeysFailure(problem instanceof Error ? problem : new Error(String(problem)))
  } catch {
    // A log that fails must not decide over requests.
  }
}
