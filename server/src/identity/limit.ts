import { ProtocolError } from '../protocol/errors.ts'
import { hashSecret } from '../store/identifier.ts'
import type { Store } from '../store/open.ts'
import { addToLimit, isOver } from '../store/limits.ts'

const window = 60_000
/** A key whose count is below this part of the limit is not worth telling other processes of. */
const worthSharing = 1 / 8

interface Count {
  total: number
  /** Counted here, and not told yet. */
  unshared: number
  endsAt: number
}

/**
 * How often something may happen for one key in a minute, over all processes (decisions 8); 0 turns it off.
 *
 * `countAtOnce` writes, and is for what is seldom and dangerous. `count` counts in memory and is shared now and
 * then, where it is a lot, so that a request that succeeds pays no write; between two shares each process may let
 * through as many as the limit by itself.
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

  /** Counts one, for every process to see at once. True: with it the limit is reached, in all processes this once. */
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

  /** Tells other processes what was counted in memory, and learns what they counted; a background job. */
  async share(): Promise<void> {
    // First, so that no memory is filled while the database is away.
    for (const [key, { endsAt }] of this.#counts) {
      if (isOver(endsAt, this.#now(), window)) this.#counts.delete(key)
    }
    for (const [key, { unshared }] of this.#counts) {
      if (unshared > this.#perMinute * worthSharing) await this.#share(key)
    }
  }

  /** True: what this call added reached the limit. */
  async #share(key: string): Promise<boolean> {
    const count = this.#live(key)
    if (count === undefined) return false
    const by = count.unshared
    count.unshared = 0
    // Hashed: a key holds what a client sent, of any length and any characters.
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
