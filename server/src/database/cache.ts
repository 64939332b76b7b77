/** Entries of one generation. Two generations are kept, so that what is asked for again stays. */
const most = 10_000

/** The cache as the rest of the house reads it. */
export type CacheReader = Pick<Cache, 'get' | 'at' | 'seen'>

/**
 * Keeps in memory what changes seldom, until the revision of the database moves. Each question compares the revision
 * first, so a change counts from the moment it is committed.
 */
export class Cache {
  readonly #revision: () => Promise<number>
  #seen: number | undefined
  #young = new Map<string, unknown>()
  #old: ReadonlyMap<string, unknown> = new Map()

  constructor(revision: () => Promise<number>) {
    this.#revision = revision
  }

  /** The value of this key, read by `load` when it is not in memory. Undefined is never kept. */
  async get<T>(key: string, load: () => Promise<T>): Promise<T> {
    return await this.#get(await this.#revision(), key, load)
  }

  /** The cache for one request, which read the revision with something else and does not ask for it again. */
  at(revision: number): CacheReader {
    return {
      get: (key, load) => this.#get(revision, key, load),
      at: (another) => this.at(another),
      seen: revision,
    }
  }

  /** The revision that what is in memory is of: a guess, for callers that find out afterwards whether it still was. */
  get seen(): number | undefined {
    return this.#seen
  }

  async #get<T>(revision: number, key: string, load: () => Promise<T>): Promise<T> {
    if (revision !== this.#seen) this.#forget(revision)
    const known = this.#young.get(key)
    if (known !== undefined) return known as T
    if (this.#young.size >= most) this.#age()
    // Kept before reading: a value that was read slowly must not get into the map of a later revision.
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
