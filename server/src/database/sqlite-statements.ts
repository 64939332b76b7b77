/** Prepared statements of one connection to the embedded database, for verbs that run without a promise per query. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'
import type { BoundQuery, Steps } from './prepared.ts'

interface CachedStatement {
  statement: StatementSyncInstance
  columns: number
  Row: RowClass
}

type RowClass = new (values: readonly unknown[]) => object

export class SqliteStatements {
  readonly #connection: DatabaseSyncInstance
  readonly #kept = new Map<string, CachedStatement>()

  constructor(connection: DatabaseSyncInstance) {
    this.#connection = connection
  }

  /** Runs a verb from its beginning to its end. */
  verb<Result>(steps: Steps<Result>): Result {
    let next = steps.next()
    while (next.done !== true) next = steps.next(next.value.asked.map((asked) => this.answer(asked)))
    return next.value
  }

  /** The rows of one query, or the first of them. */
  answer({ query, values }: BoundQuery): unknown {
    const { sql, fill } = query.for('sqlite')
    const kept = this.#statement(sql)
    const parameters = fill(values)
    if (query.isSingle) return asRow(kept, kept.statement.get(...parameters))
    return kept.statement.all(...parameters).map((row) => asRow(kept, row))
  }

  /** Runs a statement that yields no rows. */
  run(sql: string): void {
    this.#statement(sql).statement.run()
  }

  #statement(sql: string): CachedStatement {
    let kept = this.#kept.get(sql)
    if (kept === undefined) {
      const statement = this.#connection.prepare(sql)
      statement.setReturnArrays(true)
      kept = { statement, ...rowsOf(statement) }
      this.#kept.set(sql, kept)
    }
    return kept
  }
}

function asRow(kept: CachedStatement, values: unknown): object | undefined {
  if (!Array.isArray(values)) return undefined
  // Another process has migrated: `*` stands for a column more.
  if (values.length !== kept.columns) Object.assign(kept, rowsOf(kept.statement))
  return new kept.Row(values)
}

/**
 * A class whose getters read the driver's array. The driver's own objects make an authorization a fifth dearer:
 * the session with its person has forty columns, and a request reads few of them.
 */
function rowsOf(statement: StatementSyncInstance): { columns: number; Row: RowClass } {
  const names = statement.columns().map(({ name }) => name)
  class Row {
    readonly #values: readonly unknown[]
    constructor(values: readonly unknown[]) {
      this.#values = values
    }
    static {
      for (const [index, name] of names.entries()) {
        const get = function (this: Row) {
          return this.#values[index]
        }
        Object.defineProperty(Row.prototype, name, { get, configurable: true })
      }
    }
  }
  return { columns: names.length, Row }
}
