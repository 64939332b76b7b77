import { ProtocolError } from '../protocol/errors.ts'
import { hashSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import { addToLimit, isOver } from '../store/limits.ts'

const window = 60_000
/** A count below this part of the limit is not shared with other processes. */
const worthSharing = 1 / 8

interface Count {
  total: number
  /** Counted by this process, and not shared yet. */
  unshared: number
  endsAt: number
}

/**
 * How often something may happen for one key in a minute, over all processes (decisions 8); 0 turns it off.
 *
 * `countAtOnce` writes to the database, and is for rare, dangerous events. `count` counts in memory; a background job
 * shares large counts, so that a request pays no write. Between two shares each process may let through the limit.
 */
export class Limit {
  readonly #store: Store
  readonly #now: () => number
  readonly #name: string
  readonly #perMinute: number
  readonly #counts = new Map<string, Count>()

  constructor({ store, now }: { store: Store; now: () => number }, name: string, perMinute: number) {
    this.#store = store
    this.#now = now
    this.#name = name
    this.#perMinute = perMinute
  }

  /** Throws `too_many_requests` when the limit is reached. */
  check(key: string): void {
    const count = this.#live(key)
    if (this.#perMinute === 0 || count === undefined || count.total < this.#perMinute) return
    const seconds = Math.max(1, Math.ceil((count.endsAt - this.#now()) / 1000))
    throw new ProtocolError('too_many_requests', `Too many requests. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  /** Counts one for all processes. True for the one call that reaches the limit. */
  async countAtOnce(key: string): Promise<boolean> {
    if (this.#perMinute === 0) return false
    this.count(key)
    return await this.#share(key)
  }

  /** Counts one in memory. */
  count(key: string): void {
    if (this.#perMinute === 0) return
    const count = this.#live(key) ?? { total: 0, unshared: 0, endsAt: this.#now() + window }
    count.total++
    count.unshared++
    this.#counts.set(key, count)
  }

  /** Adds what was counted in memory to the shared counts, and reads those; a background job. */
  async share(): Promise<void> {
    // First, so that memory stays bounded while the database can't be reached.
    for (const [key, { endsAt }] of this.#counts) {
      if (isOver(endsAt, this.#now(), window)) this.#counts.delete(key)
    }
    for (const [key, { unshared }] of this.#counts) {
      if (unshared > this.#perMinute * worthSharing) await this.#share(key)
    }
  }

  /** True when this call's share reached the limit. */
  async #share(key: string): Promise<boolean> {
    const count = this.#live(key)
    if (count === undefined) return false
    const by = count.unshared
    count.unshared = 0
    // Hashed, because a key holds what a client sent, of any length.
    const shared = await addToLimit(this.#store, `${this.#name} ${hashSecret(key)}`, {
      by,
      now: this.#now(),
      window,
    }).catch((error: unknown) => {
      count.unshared += by
      throw error
    })
    count.total = shared.count + count.unshared
    count.endsAt = shared.expiresAt
    return shared.count >= this.#perMinute && shared.count - by < this.#perMinute
  }

  #live(key: string): Count | undefined {
    const count = this.#counts.get(key)
    return count === undefined || isOver(count.endsAt, this.#now(), window) ? undefined : count
  }
}
