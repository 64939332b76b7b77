/** PostgreSQL: a pool that gives back no connection whose state is not known. */
import { Socket } from 'node:net'
import {
  type DatabaseConnection,
  type Driver,
  type PostgresCursor,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import type { DatabaseLimits, Opened } from './store.ts'
import { Batches } from './postgres-batches.ts'
import { cancel } from './postgres-cancel.ts'
import { connect } from './postgres-connect.ts'
import { RetryingKysely, retried } from './postgres-retry.ts'
import { isCommit, listen, Standstill } from './postgres-standstill.ts'
import { isRefusedName, Naming, type Statement } from './postgres-statements.ts'
import { answerOf, runSteps, statementOf, type Steps } from './prepared.ts'

/** int8 arrives as text by default; epoch milliseconds and counts fit a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function openPostgres(
  url: string,
  { pool: max, connectTimeout, statementTimeout }: DatabaseLimits,
): Opened {
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    connectionString: url,
    stream: () => kept(sockets),
    max,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: statementTimeout,
    // The server's own limit can't be heard of when the server is paused or the network is gone.
    query_timeout: statementTimeout + 1000,
    // A transaction whose process was paused must not hold its locks for ever.
    idle_in_transaction_session_timeout: statementTimeout,
    application_name: 'tessera',
    keepAlive: true,
    // Not in the start-up message, which a pooler would refuse for it.
    onConnect: async (client) => {
      await client.query(`set lock_timeout = ${Math.ceil(statementTimeout / 2)}`)
    },
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    // So would one that breaks in use, between two statements; the next statement says so.
    client.on('error', () => undefined)
    listen(client)
  })
  const standstill = new Standstill(() => connect(pool, connectTimeout))
  const reserve = async (named: boolean) =>
    new Reserved(await connect(pool, connectTimeout), {
      named,
      standstill,
      onUnanswered: () => giveUpIdle(pool),
    })
  const careful = { connect: () => reserve(false), end: () => pool.end() }
  const db = new RetryingKysely({ dialect: new CarefulDialect(careful) })
  const connections = () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  const naming = new Naming()
  const batches = new Batches(
    (statement) =>
      retried(() => naming.trying(async (named) => await alone(await reserve(named), statement))),
    connectTimeout,
  )
  return {
    db,
    connections,
    read: (steps) => runSteps(steps, (asked) => batches.answer(asked)),
    write: (steps) =>
      retried(() => naming.trying(async (named) => await inTransaction(await reserve(named), steps()))),
    writeOne: (steps) => runSteps(steps(), (asked) => batches.answer(asked)),
    async close() {
      standstill.close()
      // A goodbye that nobody answers must not keep the process.
      for (const socket of sockets) socket.unref()
      await db.destroy()
    },
  }
}

function kept(sockets: Set<Socket>): Socket {
  const socket = new Socket()
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

/** One statement, which is a transaction by itself. */
async function alone(connection: Reserved, statement: Statement): Promise<object[]> {
  try {
    return await connection.put(statement)
  } finally {
    connection.release()
  }
}

/** Closes the connections that nobody uses: they may be as dead as the one that did not answer. */
function giveUpIdle(pool: pg.Pool): void {
  // Those who wait take idle ones first. More than are left would open new connections.
  for (let left = pool.idleCount - pool.waitingCount; left > 0; left--)
    pool.connect().then(
      (client) => client.release(true),
      () => undefined,
    )
}

/** Throws what failed first. A transaction that can't be rolled back ends with its connection. */
async function inTransaction<Result>(connection: Reserved, steps: Steps<Result>): Promise<Result> {
  try {
    await connection.put({ text: 'begin', values: [] })
    const result = await runSteps(steps, async (asked) =>
      answerOf(asked, await connection.put(statementOf(asked))),
    )
    await connection.put({ text: 'commit', values: [] })
    return result
  } catch (error) {
    await connection.put({ text: 'rollback', values: [] }).catch(() => undefined)
    throw error
  } finally {
    connection.release()
  }
}

class CarefulDialect extends PostgresDialect {
  readonly #pool: PostgresPool

  constructor(pool: PostgresPool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return new CarefulDriver({ pool: this.#pool })
  }
}

class CarefulDriver extends PostgresDriver {
  /** Lets what failed first be the answer. A transaction that can't be rolled back ends with its connection. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => undefined)
  }
}

/**
 * A connection while it is taken from the pool. After a statement that the server did not answer it is closed: the
 * server may still be at work on it, in a transaction that would take in what comes next and never be committed.
 */
class Reserved implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  /** Whether statements are put by their names. */
  readonly #named: boolean
  readonly #standstill: Standstill
  readonly #onUnanswered: () => void
  #unanswered: Error | undefined
  /** Of what was not answered, at the server. */
  #end: Promise<void> | undefined
  #isStale = false

  constructor(
    client: pg.PoolClient,
    options: { named: boolean; standstill: Standstill; onUnanswered: () => void },
  ) {
    this.#client = client
    this.#named = options.named
    this.#standstill = options.standstill
    this.#onUnanswered = options.onUnanswered
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new Error('Cursors are not used here.')
    return this.#answered<R>({ text: sql, values: [...parameters] })
  }

  /** One statement; yields its rows. */
  async put(statement: Statement): Promise<object[]> {
    return (await this.#answered<object>(statement)).rows
  }

  release(): void {
    const isInDoubt = this.#unanswered !== undefined || this.#client.getTransactionStatus() !== 'I'
    const release = () => this.#client.release(isInDoubt || this.#isStale)
    // Otherwise the server would have one more at work than the pool has connections, for each that is given up.
    if (this.#end === undefined) release()
    else void this.#end.then(release)
  }

  async #answered<R>(statement: Statement): Promise<PostgresQueryResult<R>> {
    const { text } = statement
    if (!isCommit(text)) return await this.#asked<R>(statement)
    this.#standstill.expectMoving()
    if (text !== 'commit' && this.#client.getTransactionStatus() !== 'I')
      return await this.#asked<R>(statement)
    return await this.#standstill.commit(this.#client, () => this.#asked<R>(statement))
  }

  async #asked<R>(statement: Statement): Promise<PostgresQueryResult<R>> {
    if (this.#unanswered !== undefined) throw this.#unanswered
    try {
      const { text, values, name } = statement
      const put = this.#named ? { text, values, name } : { text, values }
      return (await this.#client.query(put)) as unknown as PostgresQueryResult<R>
    } catch (error) {
      if (error instanceof Error && !(error instanceof pg.DatabaseError)) {
        this.#unanswered = error
        this.#end = cancel(this.#client)
        this.#onUnanswered()
      }
      this.#isStale ||= isRefusedName(error) || isReadOnly(error)
      throw error
    }
  }
}

/** The server is a replica now: the next connection may find one that writes. */
const isReadOnly = (error: unknown) => error instanceof pg.DatabaseError && error.code === '25006'
