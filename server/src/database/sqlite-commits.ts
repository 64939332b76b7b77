/** The writes of the token path in the embedded database: several verbs share one durable commit. */
import type { SqliteStatements } from './sqlite-statements.ts'
import type { Steps } from './prepared.ts'

interface QueuedWrite {
  /** The time that `performance.now()` told, ms. */
  since: number
  /** A verb that failed together with others runs again by itself. */
  isAlone: boolean
  /** Runs the verb from its beginning. */
  run(): void
  settle(): void
  fail(error: unknown): void
}

/** The connection, taken from the rest of this process, in a transaction that holds the write lock of the file. */
export interface Turns {
  /** Waits for the connection and the lock until this moment of `performance.now()`. */
  begin(until: number): Promise<void>
  end(): Promise<void>
}

/** Verbs in one commit at the most: the event loop stands still for each of them. */
const mostTogether = 64

/**
 * Commits together what arrived in one turn of the event loop. Each verb is settled when the commit is on the disk.
 * When one verb fails nothing of the commit stays, and each runs again in a commit of its own.
 */
export class Commits {
  readonly #statements: SqliteStatements
  readonly #turns: Turns
  /** How long a verb waits for the write lock, ms. */
  readonly #patience: number
  #waiting: QueuedWrite[] = []
  #running = false

  constructor(statements: SqliteStatements, turns: Turns, patience: number) {
    this.#statements = statements
    this.#turns = turns
    this.#patience = patience
  }

  /** Runs a verb in a transaction. `steps` is called anew for each try, so it must do nothing but ask. */
  write<Result>(steps: () => Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result
      this.#waiting.push({
        since: performance.now(),
        isAlone: false,
        run: () => {
          result = this.#statements.verb(steps())
        },
        settle: () => resolve(result),
        fail: reject,
      })
      if (this.#running) return
      this.#running = true
      setImmediate(() => void this.#drain())
    })
  }

  async #drain(): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      try {
        await this.#turns.begin(first.since + this.#patience)
      } catch (error) {
        this.#waiting.shift()
        first.fail(error)
        continue
      }
      await this.#commit(this.#waiting.splice(0, first.isAlone ? 1 : mostTogether))
    }
    this.#running = false
  }

  async #commit(together: readonly QueuedWrite[]): Promise<void> {
    try {
      for (const one of together) one.run()
      this.#statements.run('commit')
      for (const one of together) one.settle()
    } catch (error) {
      this.#rollBack()
      if (together.length === 1) together[0]?.fail(error)
      else
        this.#waiting.unshift(...together.map((one) => ({ ...one, isAlone: true, since: performance.now() })))
    } finally {
      await this.#turns.end()
    }
  }

  /** A failure such as a full disk may have ended the transaction already. */
  #rollBack(): void {
    try {
      this.#statements.run('rollback')
    } catch {
      // The transaction has ended already.
    }
  }
}
