import { type Algorithm, supportedAlgorithms } from './verification-key.ts'

/** The part of `fetch` that the guard uses. */
export type FetchLike = (
  url: string,
  init: { headers: Record<string, string>; redirect: 'manual'; signal: AbortSignal },
) => Promise<Response>

export interface GuardOptions {
  /** The issuer, exactly as its discovery document names it; https, or http on loopback. */
  readonly issuer: string
  /** The service's own audience; a token must contain it. */
  readonly audience: string
  /** Accepted signature algorithms, asymmetric ones only. Default: those of Tessera, `['RS256', 'ES256']`. */
  readonly algorithms?: readonly Algorithm[] | undefined
  /**
   * Accepts access tokens whose `typ` is `JWT` as well, for a service that is declared with `access_token_typ: JWT`.
   * Default: false. An ID token is refused all the same: it lacks claims that an access token must have.
   */
  readonly acceptTypJwt?: boolean | undefined
  /**
   * Tells clients where tokens come from (RFC 9728): a 401 names the address of the metadata, and a route table answers
   * there. The audience must be the address under which clients know this service. Default: false.
   */
  readonly resourceMetadata?: boolean | undefined
  /**
   * Takes tokens that are bound to a key, with a proof of it (DPoP, RFC 9449). Without it they are refused; tokens that are
   * not bound are taken either way.
   */
  readonly dpop?: DpopOptions | undefined
  /** How far the issuer's clock may be ahead, for `iat` and `nbf`, in ms; never stretches `exp`. Default 5,000. */
  readonly clockToleranceMs?: number | undefined
  /** After this time the keys are fetched again, in ms. Default 600,000 (10 min). */
  readonly keysMaxAgeMs?: number | undefined
  /** The least time between two fetches for an unknown `kid`, in ms. Default 30,000. */
  readonly unknownKeyCooldownMs?: number | undefined
  /** After a failed fetch the next is tried no earlier than this, in ms. Default 5,000. */
  readonly retryCooldownMs?: number | undefined
  /** A fetch is given up after this time, in ms. Default 5,000. */
  readonly fetchTimeoutMs?: number | undefined
  /** How many verified tokens are remembered, about 3 KB each; 0 remembers none. Default 10,000. */
  readonly rememberedTokens?: number | undefined
  /** Longest accepted token, in characters. Default 16,384. */
  readonly maxTokenLength?: number | undefined
  /** The clock, in ms since 1970. Default `Date.now`. */
  readonly now?: (() => number) | undefined
  /** Fetches the discovery document and the keys. Default: the global `fetch`. */
  readonly fetch?: FetchLike | undefined
  /**
   * Told of every failed fetch of the keys, for the log. What it throws is ignored. Without it, each new reason is
   * written to `console.error` once.
   */
  readonly onKeysFailure?: ((problem: Error) => void) | undefined
}

export interface DpopOptions {
  /**
   * The address under which clients know this service, such as `https://api.example.com`: a proof must be for it. With the
   * path that a proxy cuts off, where one does.
   */
  readonly origin: string
  /** How old a proof may be, in ms. Default 300,000 (5 min). */
  readonly proofMaxAgeMs?: number | undefined
}

interface DpopSettings {
  readonly origin: string
  readonly proofMaxAgeMs: number
}

/** The options, checked and completed. */
export type GuardSettings = {
  readonly [K in keyof Omit<GuardOptions, 'onKeysFailure' | 'dpop'>]-?: NonNullable<GuardOptions[K]>
} & Pick<GuardOptions, 'onKeysFailure'> & { readonly dpop: DpopSettings | undefined }

/** @throws TypeError that names the option when one is wrong. */
export function readOptions(options: GuardOptions): GuardSettings {
  const problem = addressProblem(options.issuer)
  if (problem !== undefined) throw new TypeError(`Guard option issuer: ${problem}`)
  if (typeof options.audience !== 'string' || options.audience === '') {
    throw new TypeError('Guard option audience: a text is needed')
  }
  return {
    issuer: options.issuer,
    audience: options.audience,
    algorithms: readAlgorithms(options.algorithms),
    acceptTypJwt: readFlag(options, 'acceptTypJwt'),
    resourceMetadata: readFlag(options, 'resourceMetadata'),
    dpop: readDpop(options.dpop),
    clockToleranceMs: readNumber(options, 'clockToleranceMs', 5_000, 0, 60_000),
    keysMaxAgeMs: readNumber(options, 'keysMaxAgeMs', 600_000, 1_000, 86_400_000),
    unknownKeyCooldownMs: readNumber(options, 'unknownKeyCooldownMs', 30_000, 100, 3_600_000),
    retryCooldownMs: readNumber(options, 'retryCooldownMs', 5_000, 100, 3_600_000),
    fetchTimeoutMs: readNumber(options, 'fetchTimeoutMs', 5_000, 10, 60_000),
    rememberedTokens: readNumber(options, 'rememberedTokens', 10_000, 0, 10_000_000),
    maxTokenLength: readNumber(options, 'maxTokenLength', 16_384, 256, 1_048_576),
    now: options.now ?? Date.now,
    // Looked up at each call, because the global fetch may be replaced later.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    onKeysFailure: options.onKeysFailure,
  }
}

function readDpop(dpop: unknown): DpopSettings | undefined {
  if (dpop === undefined) return undefined
  const given = (typeof dpop === 'object' && dpop !== null ? dpop : {}) as Partial<DpopOptions>
  const problem = addressProblem(given.origin)
  if (problem !== undefined) throw new TypeError(`Guard option dpop.origin: ${problem}`)
  const proofMaxAgeMs = readNumber(given, 'proofMaxAgeMs', 300_000, 1_000, 3_600_000)
  return { origin: String(given.origin), proofMaxAgeMs }
}

/** Why a text is no issuer (OpenID Connect Discovery 1.0 §3: https, no query, no fragment), or undefined. */
function addressProblem(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return 'an absolute URL is needed'
  const url = new URL(address)
  if (!isSecure(url)) return 'https is needed, or http on loopback'
  if (address.includes('?') || address.includes('#')) return 'it must not have a query or a fragment'
  // A token's `iss` is compared by characters, and that of Tessera has none.
  if (address.endsWith('/')) return `it must not end with a slash; write ${address.replace(/\/+$/, '')}`
  if (url.username !== '' || url.password !== '') return 'it must not hold a user name or a password'
  return undefined
}

/** True for https, and for http that stays on this machine. */
export function isSecure(url: URL): boolean {
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}

function readAlgorithms(algorithms: readonly Algorithm[] | undefined): readonly Algorithm[] {
  if (algorithms === undefined) return ['RS256', 'ES256']
  if (!Array.isArray(algorithms) || algorithms.length === 0) {
    throw new TypeError('Guard option algorithms: a list of at least one is needed')
  }
  for (const one of algorithms) {
    if (!supportedAlgorithms.includes(one)) {
      throw new TypeError(`Guard option algorithms: only asymmetric ones are accepted, not ${String(one)}`)
    }
  }
  return [...algorithms]
}

/** A text such as `'false'` must not open what it means to shut. */
function readFlag(options: GuardOptions, name: 'acceptTypJwt' | 'resourceMetadata'): boolean {
  const value: unknown = options[name]
  if (value === undefined || typeof value === 'boolean') return value ?? false
  throw new TypeError(`Guard option ${name}: true or false is needed`)
}

function readNumber<Name extends string>(
  options: { readonly [K in Name]?: number | undefined },
  name: Name,
  fallback: number,
  least: number,
  most: number,
): number {
  const value = options[name] ?? fallback
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw new TypeError(`Guard option ${name}: a number from ${least} to ${most} is needed`)
  }
  return value
}
