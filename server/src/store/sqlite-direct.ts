/** What the path of a token asks of the embedded database: without a promise for each query, several verbs in one commit. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import type { Asked, Steps } from './prepared.ts'

/** A statement that is kept, with what makes its rows. */
interface Kept {
  statement: StatementSyncInstance
  columns: number
  Row: RowClass
}

type RowClass = new (values: readonly unknown[]) => object

/** Keeps a statement for each query of one connection. */
export class Direct {
  readonly #connection: DatabaseSyncInstance
  readonly #statements = new Map<string, Kept>()

  constructor(connection: DatabaseSyncInstance) {
    this.#connection = connection
  }

  /** Runs a verb from its beginning to its end. */
  verb<Result>(steps: Steps<Result>): Result {
    let next = steps.next()
    while (next.done !== true) next = steps.next(this.answer(next.value))
    return next.value
  }

  /** One query: its rows, or the first of them. */
  answer({ query, values }: Asked): unknown {
    const { sql, fill } = query.for('sqlite')
    const kept = this.#kept(sql)
    const parameters = fill(values)
    if (query.isSingle) return asRow(kept, kept.statement.get(...parameters))
    return kept.statement.all(...parameters).map((row) => asRow(kept, row))
  }

  /** One that yields no rows. */
  run(sql: string): void {
    this.#kept(sql).statement.run()
  }

  /** Its rows are arrays: the driver takes twice as long to make an object of one. */
  #kept(sql: string): Kept {
    let kept = this.#statements.get(sql)
    if (kept === undefined) {
      const statement = this.#connection.prepare(sql)
      statement.setReturnArrays(true)
      kept = { statement, ...rowsOf(statement) }
      this.#statements.set(sql, kept)
    }
    return kept
  }
}

function asRow(kept: Kept, values: unknown): object | undefined {
  if (!Array.isArray(values)) return undefined
  // Another process has migrated: `*` stands for a column more.
  if (values.length !== kept.columns) Object.assign(kept, rowsOf(kept.statement))
  return new kept.Row(values)
}

/** Its rows read each column where the driver put it: an object with forty properties is dear to make, and to read. */
function rowsOf(statement: StatementSyncInstance): { columns: number; Row: RowClass } {
  const columns = statement.columns()
  class Row {
    readonly #values: readonly unknown[]
    constructor(values: readonly unknown[]) {
      this.#values = values
    }
    static {
      for (const [index, { name }] of columns.entries()) {
        const get = function (this: Row) {
          return this.#values[index]
        }
        Object.defineProperty(Row.prototype, name, { get, configurable: true })
      }
    }
  }
  return { columns: columns.length, Row }
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

/**
 * From one commit to the next at the least, ms: the disk takes about as long, and the event loop stands still for it.
 * Whoever comes when nobody came before does not wait.
 */
const between = 2

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
  /** When the last commit began, by `performance.now()`. */
  #last = -Infinity

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
          result = this.#direct.verb(steps())
        },
        settle: () => resolve(result),
        fail: reject,
      })
      if (this.#running) return
      this.#running = true
      const pause = this.#last + between - performance.now()
      if (pause <= 0) setImmediate(() => void this.#drain())
      else setTimeout(() => void this.#drain(), pause)
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
    this.#last = performance.now()
    try {
      for (const one of together) one.run()
      this.#direct.run('commit')
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
      this.#direct.run('rollback')
    } catch {
      // There is none any more.
    }
  }
}
