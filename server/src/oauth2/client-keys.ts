import { type JwkSet, usableKeys } from '../protocol/jwk-set.ts'
import { redirectUriProblem } from '../protocol/redirect-uri.ts'
import type { Service } from '../service.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import { read } from '../webhooks/send.ts'

const second = 1000
/** A key that is taken out of its set counts for so long at the most. */
const freshFor = 600 * second
/** Nothing is asked for again sooner, however many unknown keys are named, and also where it failed. */
const cooldown = 30 * second
/** Where nothing else can be read, the keys that were read last count for so long. */
const lastFor = 24 * 3600 * second
const timeout = 5 * second
const mostBytes = 65_536
/** Addresses in memory. */
const mostKept = 1000

/** Where keys are published: at this address, or where the metadata of an issuer says. */
export type KeysAt = string | { issuer: string }

/** The keys, or why they could not be read, for the log. */
type KeysRead = { keys: JwkSet; problem?: undefined } | { keys?: undefined; problem: string }

interface CachedKeys {
  read: Promise<KeysRead>
  readAt: number
  /** The last reading without a problem. */
  good?: { keys: JwkSet; at: number } | undefined
}

/** Reads the key set at an address. `isNew`: the caller found no key in the one that is kept. */
export type ClientKeys = (at: KeysAt, isNew?: 'a new one') => Promise<KeysRead>

/**
 * Key sets of others, kept in memory by their addresses. Whoever asks at the same time waits for the same answer. A wrong
 * answer, or none, changes nothing: see `lastFor`.
 */
export function clientKeys(service: Pick<Service, 'settings' | 'now'>): ClientKeys {
  const kept = new Map<string, CachedKeys>()
  return async (at, isNew) => {
    const name = typeof at === 'string' ? at : `issuer ${at.issuer}`
    const before = kept.get(name)
    // Keys that count are there at once, also while somebody has them read anew for a key that is not among them.
    const goodFor = before?.good === undefined ? Infinity : service.now() - before.good.at
    if (before?.good !== undefined && isNew === undefined && goodFor >= 0 && goodFor < freshFor)
      return before.good
    const age = before === undefined ? Infinity : service.now() - before.readAt
    const isUseless = isNew !== undefined || (await before?.read)?.keys === undefined
    // A clock that was set back makes nothing fresh.
    const isOver = age < 0 || age >= (isUseless || before?.good?.at !== before?.readAt ? cooldown : freshFor)
    // Somebody may have begun to read it meanwhile.
    const current = kept.get(name)
    if (current !== undefined && (current !== before || !isOver)) return await current.read
    const next: CachedKeys = { read: Promise.resolve(nothing), readAt: service.now(), good: current?.good }
    const reading = readLasting(service, at, next)
    const last = isNew === undefined && current !== undefined ? lastingKeys(current, next.readAt) : undefined
    next.read = last === undefined ? reading : Promise.resolve(last)
    // While nothing can be read, nobody waits for another try.
    void reading.then((found) => {
      next.read = Promise.resolve(found)
    })
    kept.delete(name)
    kept.set(name, next)
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    return await next.read
  }
}

const nothing: KeysRead = { problem: 'nothing was read yet' }

/** The key set of now; where that is of no use, the last good one. */
async function readLasting(
  service: Pick<Service, 'settings' | 'now'>,
  at: KeysAt,
  cached: CachedKeys,
): Promise<KeysRead> {
  const found = await readKeys(service, at)
  const { good, readAt } = cached
  if (found.keys !== undefined) cached.good = { keys: found.keys, at: readAt }
  return (found.keys === undefined && counting(good, readAt)) || found
}

/** The keys from before, where the last try failed. */
const lastingKeys = ({ good, readAt }: CachedKeys, now: number): KeysRead | undefined =>
  good?.at === readAt ? undefined : counting(good, now)

const counting = (good: CachedKeys['good'], now: number): KeysRead | undefined =>
  good !== undefined && now - good.at <= lastFor ? { keys: good.keys } : undefined

async function readKeys({ settings }: Pick<Service, 'settings'>, at: KeysAt): Promise<KeysRead> {
  try {
    const url = typeof at === 'string' ? at : await keysOfIssuer(settings, at.issuer)
    const keys = usableKeys(await textAt(settings, url))
    // A set without any is no answer that ends all: who wants that changes what is registered.
    if (keys === undefined || keys.keys.length === 0)
      return { problem: `${url} is no key set with a usable key` }
    return { keys }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Where the metadata of an issuer has its keys (OpenID Connect Discovery 1.0 §4). Throws where it is another's. */
async function keysOfIssuer(settings: Service['settings'], issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const document = JSON.parse(await textAt(settings, url)) as { issuer?: unknown; jwks_uri?: unknown } | null
  // §4.3: it MUST be exactly the issuer that was asked.
  if (document?.issuer !== issuer)
    throw new Error(`${url} is of another issuer: ${JSON.stringify(document?.issuer)}`)
  const { jwks_uri: at } = document
  if (typeof at !== 'string' || redirectUriProblem(at, 'web') !== undefined)
    throw new Error(`${url} names no jwks_uri that is https`)
  return at
}

async function textAt(settings: Service['settings'], url: string): Promise<string> {
  const never = new AbortController().signal
  const { status, bytes } = await withDeadline(timeout, never, (signal) =>
    read(
      {
        url,
        headers: { accept: 'application/jwk-set+json, application/json', 'user-agent': 'Tessera' },
        toPrivateAddresses: settings.webhooksToPrivateAddresses,
        refusal: 'Its address is private or unknown.',
        signal,
      },
      mostBytes,
    ),
  )
  if (status !== 200) throw new Error(`${url} answered ${status}`)
  return bytes.toString('utf8')
}
