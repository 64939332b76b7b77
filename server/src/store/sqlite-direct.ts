/** What the path of a token asks of the embedded database: without a promise for each query, several verbs in one commit. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import type { Asked, Steps } from './prepared.ts'

/** Keeps a statement for each query of one connection. */
export class Direct {
  readonly #connection: DatabaseSyncInstance
  readonly #statements = new Map<string, StatementSyncInstance>()

  constructor(connection: DatabaseSyncInstance) {
    this.#connection = connection
  }

  /** Runs a verb from its beginning to its end. */
  run<Result>(steps: Steps<Result>): Result {
    let next = steps.next()
    while (next.done !== true) next = steps.next(this.answer(next.value))
    return next.value
  }

  /** One query: its rows, or the first of them. */
  answer({ query, values }: Asked): unknown {
    const { sql, single, fill } = query.for('sqlite')
    const statement = this.statement(sql)
    const parameters = fill(values)
    return single ? statement.get(...parameters) : statement.all(...parameters)
  }

  statement(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#connection.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }
}

/** What waits for its commit. */
interface Waiting {
  /** By `performance.now()`, ms. */
  since: number
  /** From the beginning: a verb may have to run again. */
  run(): void
  settle(): void
  fail(error: unknown): void
}

/** The connection, while nobody else in this process uses it, with the write lock of the file in hand. */
export interface Turns {
  /** Waits for both without holding up anybody, until this moment of `performance.now()`. */
  begin(until: number): Promise<void>
  end(): Promise<void>
}

/** Verbs in one commit at the most: the event loop stands still for each of them. */
const mostTogether = 64

/**
 * Several verbs in one durable commit: those that arrive while the event loop takes in what the network brought.
 * Each is told of its end when all of them are on the disk, so none is acknowledged before it is durable. When one
 * of them fails nothing of that commit stays, and each runs again in a commit of its own.
 */
export class Commits {
  readonly #direct: Direct
  readonly #turns: Turns
  /** How long a verb waits for the write lock, ms. */
  readonly #patience: number
  readonly #waiting: Waiting[] = []
  #running = false

  constructor(direct: Direct, turns: Turns, patience: number) {
    this.#direct = direct
    this.#turns = turns
    this.#patience = patience
  }

  /** Runs a verb in a transaction. `steps` is called anew for each try, and does nothing but ask. */
  write<Result>(steps: () => Steps<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let result: Result
      this.#waiting.push({
        since: performance.now(),
        run: () => {
          result = this.#direct.run(steps())
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
        this.#giveUp(first.since, error)
        continue
      }
      // Whoever came while it waited goes along.
      const together = this.#waiting.splice(0, mostTogether)
      const failure = await this.#commit(together)
      if (failure === undefined) continue
      if (together.length === 1) first.fail(failure.error)
      else for (const one of together) await this.#alone(one)
    }
    this.#running = false
  }

  /** Who has waited as long as the first, or nearly, will not get the lock either. */
  #giveUp(since: number, error: unknown): void {
    const patient = this.#waiting.findIndex((one) => one.since > since + this.#patience / 10)
    for (const one of this.#waiting.splice(0, patient === -1 ? this.#waiting.length : patient))
      one.fail(error)
  }

  async #alone(one: Waiting): Promise<void> {
    try {
      await this.#turns.begin(performance.now() + this.#patience)
    } catch (error) {
      one.fail(error)
      return
    }
    const failure = await this.#commit([one])
    if (failure !== undefined) one.fail(failure.error)
  }

  /** Undefined: all of them are on the disk, and know it. */
  async #commit(together: readonly Waiting[]): Promise<{ error: unknown } | undefined> {
    try {
      for (const one of together) one.run()
      this.#direct.statement('commit').run()
    } catch (error) {
      this.#rollBack()
      return { error }
    } finally {
      await this.#turns.end()
    }
    for (const one of together) one.settle()
    return undefined
  }

  /** A failure such as a full disk may have ended the transaction already. */
  #rollBack(): void {
    try {
      this.#direct.statement('rollback').run()
    } catch {
      // There is none any more.
    }
  }
}
