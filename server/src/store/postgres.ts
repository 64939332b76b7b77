/** PostgreSQL: a pool that gives back no connection whose state is not known. */
import {
  type DatabaseConnection,
  type Driver,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import type { DatabaseLimits, Opened } from './open.ts'
import { answer, type Asked, runSteps } from './prepared.ts'
import type { Schema } from './schema.ts'

/** int8 arrives as text by default; epoch milliseconds and counts fit a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function openPostgres(
  url: string,
  { pool: max, connectTimeout, statementTimeout }: DatabaseLimits,
): Opened {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    // The server's own limit can't be heard of when the server is paused or the network is gone.
    query_timeout: statementTimeout + 1000,
    // A transaction whose process was paused must not hold its locks for ever.
    idle_in_transaction_session_timeout: statementTimeout,
    application_name: 'tessera',
    keepAlive: true,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    // So would one that breaks in use, between two statements; the next statement says so.
    client.on('error', () => undefined)
  })
  const db = new Kysely<Schema>({ dialect: new CarefulDialect(pool) })
  const connections = () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  // Always asked for: a notification could come after a request that was made after the change.
  const knownRevision = () => undefined
  return {
    db,
    dialect: 'postgres',
    connections,
    knownRevision,
    read: (steps) => runSteps(steps, (asked) => answerFrom(pool, asked)),
    write: (steps) =>
      db.transaction().execute((trx) => runSteps(steps(), (asked) => answer(trx, 'postgres', asked))),
    writeOne: (steps) => runSteps(steps(), (asked) => answerFrom(pool, asked)),
    close: () => db.destroy(),
  }
}

/** One statement by itself. The pool closes a connection whose statement failed, so nobody gets one in doubt. */
async function answerFrom(pool: pg.Pool, { query, values }: Asked): Promise<unknown> {
  const { sql, single, fill } = query.for('postgres')
  const { rows } = await pool.query<object>(sql, fill(values))
  return single ? rows[0] : rows
}

class CarefulDialect extends PostgresDialect {
  readonly #pool: PostgresPool

  constructor(pool: pg.Pool) {
    const careful = { connect: async () => new Reserved(await pool.connect()), end: () => pool.end() }
    super({ pool: careful })
    this.#pool = careful
  }

  override createDriver(): Driver {
    return new CarefulDriver({ pool: this.#pool })
  }
}

class CarefulDriver extends PostgresDriver {
  /** What failed first is the answer. A transaction that can't be rolled back ends with its connection. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined)
  }
}

/**
 * A connection while somebody has it. After a statement that the server did not answer nobody else gets it:
 * the server may still be at work on it, in a transaction that takes in whatever comes next and is never
 * committed.
 */
class Reserved implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  #unanswered: Error | undefined

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new Error('Cursors are not used here.')
    return this.#answered<R>(sql, parameters)
  }

  release(): void {
    this.#client.release(this.#unanswered !== undefined || this.#client.getTransactionStatus() !== 'I')
  }

  async #answered<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    if (this.#unanswered !== undefined) throw this.#unanswered
    try {
      return (await this.#client.query(sql, [...parameters])) as unknown as PostgresQueryResult<R>
    } catch (error) {
      if (error instanceof Error && !(error instanceof pg.DatabaseError)) this.#unanswered = error
      throw error
    }
  }
}
