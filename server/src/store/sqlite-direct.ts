/** What the path of a token asks of the embedded database: without a promise for each query. */
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
