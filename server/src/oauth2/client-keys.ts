import { type JwkSet, usableKeys } from '../protocol/jwk-set.ts'
import type { Service } from '../service.ts'
import { withDeadline } from '../webhooks/deadline.ts'
import { read } from '../webhooks/send.ts'

const second = 1000
/** A key that a client takes out of its set counts for so long at the most. */
const freshFor = 600 * second
/** Nothing is asked for again sooner, however many unknown keys are named, and also where it failed. */
const cooldown = 30 * second
const timeout = 5 * second
const mostBytes = 65_536
/** Addresses in memory. */
const mostKept = 1000

interface CachedKeys {
  /** Undefined: it could not be read. */
  keys: Promise<JwkSet | undefined>
  readAt: number
}

/** Reads the key set at a jwks_uri. `isNew`: the caller found no key in the one that is kept. */
export type ClientKeys = (uri: string, isNew?: 'a new one') => Promise<JwkSet | undefined>

/** Key sets of clients, kept in memory by their addresses. Whoever asks at the same time waits for the same answer. */
export function clientKeys(service: Pick<Service, 'settings' | 'now'>): ClientKeys {
  const kept = new Map<string, CachedKeys>()
  return async (uri, isNew) => {
    const before = kept.get(uri)
    const age = before === undefined ? Infinity : service.now() - before.readAt
    // A clock that was set back makes nothing fresh.
    const isOver = age < 0 || age >= (isNew === undefined && (await before?.keys) ? freshFor : cooldown)
    // Somebody may have begun to read it meanwhile.
    const current = kept.get(uri)
    if (current !== undefined && (current !== before || !isOver)) return await current.keys
    const keys = readKeys(service, uri)
    kept.delete(uri)
    kept.set(uri, { keys, readAt: service.now() })
    const [oldest] = kept.keys()
    if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
    return await keys
  }
}

async function readKeys({ settings }: Pick<Service, 'settings'>, url: string): Promise<JwkSet | undefined> {
  const never = new AbortController().signal
  try {
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
    return status === 200 ? usableKeys(bytes.toString('utf8')) : undefined
  } catch {
    return undefined
  }
}
