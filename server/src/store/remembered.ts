/** Entries kept at the most; beyond it everything is read anew, which is slower and never wrong. */
const most = 20_000

/**
 * What changes seldom, kept in memory until the revision of the database moves. Whoever asks compares the
 * revision first, so a change counts from the moment it is committed.
 */
export class Remembered {
  readonly #revision: () => number | Promise<number>
  #seen = -1
  #values = new Map<string, unknown>()

  /** `revision` yields at once where it can: it is asked for every request. */
  constructor(revision: () => number | Promise<number>) {
    this.#revision = revision
  }

  /** The value of this key, read by `load` when it is not in memory. Undefined is never kept. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    const pending = this.#revision()
    const revision = typeof pending === 'number' ? pending : await pending
    if (revision !== this.#seen || this.#values.size >= most) {
      this.#seen = revision
      this.#values = new Map()
    }
    // What is read from here on belongs to this revision or a later one, never into the map of a later one.
    const values = this.#values
    const known = values.get(key)
    if (known !== undefined) return known as T
    const loaded = await load()
    if (loaded !== undefined) values.set(key, loaded)
    return loaded
  }
}
