import { isStorageFailure } from '../database/failure.ts'
import { preparedRow } from '../database/prepared.ts'
import type { Store } from '../database/store.ts'

/** A refresh as it was written, where it was committed. */
export interface Rotation {
  /** The family. */
  id: string
  /** The hash of the successor, which is the current token until it is used. */
  successor: string
  /** A list as JSON; the last one is the token that was replaced. */
  predecessors: string
}

/** A token that was replaced. */
export interface Predecessor {
  hash: string
  salt: string
  at: number
  /** The time when nobody was found to have its successor. */
  unanswered?: number
  /** Its successor was given again. */
  again?: true
}

/** The most that are remembered while the database is away. */
const most = 10_000

/** The wait before a second look for what was not found committed, ms. */
const again = 10_000

/** How long after a failure of the database a process may still have a refresh to note, ms. */
const patience = 15_000

/**
 * Refreshes that may have been committed, and whose answer could not be sent: the database was gone before it
 * acknowledged the commit, or the client before the answer. The family keeps a note of it, as soon as the database
 * takes it. A process that is killed before that takes its own with it.
 */
export class Unanswered {
  readonly #store: Store
  readonly #now: () => number
  #left: Left[] = []
  #failedAt = -Infinity

  constructor(store: Store, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Hears of what failed, in any request or job. */
  heard(error: unknown): void {
    if (isStorageFailure(error)) this.#failedAt = this.#now()
  }

  /** Whether this or another process may still have a refresh to note: the database failed a moment ago. */
  mayFollow(): boolean {
    return this.#now() < this.#failedAt + patience
  }

  /** Runs what writes a refresh. Where it fails, it may have been committed. */
  async watch<Result>(rotation: Rotation, write: () => Promise<Result>): Promise<Result> {
    try {
      return await write()
    } catch (error) {
      this.add(rotation)
      throw error
    }
  }

  add(rotation: Rotation): void {
    if (this.#left.length < most) this.#left.push({ rotation, due: 0, isLast: false })
  }

  /**
   * Notes what is left. Concurrency: the note is made where the family still is as the refresh left it, so not where the
   * successor was used, or given again.
   */
  async note(): Promise<void> {
    const now = this.#now()
    for (const one of this.#left.filter(({ due }) => due <= now)) {
      const all = JSON.parse(one.rotation.predecessors) as Predecessor[]
      const by = JSON.stringify([...all.slice(0, -1), { ...all.at(-1), unanswered: now }])
      const noted = await this.#store.writeOne(() => replacePredecessors({ ...one.rotation, by }))
      if (noted !== undefined || one.isLast) this.#left = this.#left.filter((other) => other !== one)
      // The server may still be at work on it.
      else Object.assign(one, { due: now + again, isLast: true })
    }
  }
}

interface Left {
  rotation: Rotation
  /** When to note it. */
  due: number
  isLast: boolean
}

/** Replaces the predecessors of a family whose current token was not used since. */
export const replacePredecessors = preparedRow<Rotation & { by: string }, { id: string }>((db, slot) =>
  db
    .updateTable('token_families')
    .set({ predecessors: slot('by') })
    .where('id', '=', slot('id'))
    .where('current_hash', '=', slot('successor'))
    .where('predecessors', '=', slot('predecessors'))
    .where('revoked_at', 'is', null)
    .returning('id'),
)
