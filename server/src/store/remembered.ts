/** Entries of one generation. Two are kept: what is asked for stays, whatever else is asked for once. */
const most = 10_000

/**
 * What changes seldom, kept in memory until the revision of the database moves. Whoever asks compares the
 * revision first, so a change counts from the moment it is committed.
 */
export class Remembered {
  readonly #revision: () => number | Promise<number>
  #seen = -1
  #young = new Map<string, unknown>()
  #old: ReadonlyMap<string, unknown> = new Map()

  /** `revision` yields at once where it can: it is asked for every request. */
  constructor(revision: () => number | Promise<number>) {
    this.#revision = revision
  }

  /** The value of this key, read by `load` when it is not in memory. Undefined is never kept. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const pending = this.#revision()
    const revision = typeof pending === 'number' ? pending : await pending
    if (revision !== this.#seen) this.#forget(revision)
    const known = this.#young.get(key)
    if (known !== undefined) return known as T
    if (this.#young.size >= most) this.#age()
    // What is read from here on belongs to this revision or a later one, never into the map of a later one.
    const young = this.#young
    const value = (this.#old.get(key) as T | undefined) ?? (await load())
    if (value !== undefined) young.set(key, value)
    return value
  }

  #forget(revision: number): void {
    this.#seen = revision
    this.#young = new Map()
    this.#old = new Map()
  }

  #age(): void {
    this.#old = this.#young
    this.#young = new Map()
  }
}
