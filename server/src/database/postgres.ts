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
import { isRefusedName, Naming, plain, type Statement } from './postgres-statements.ts'
import { type Kept, Message, type Read } from './postgres-message.ts'
import { answerOf, statementOf, type Steps, type Turn } from './prepared.ts'
import { runSteps } from './steps.ts'

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
  const trying = <Result>(work: (connection: Reserved) => Promise<Result>) =>
    retried(() =>
      naming.trying(async (named) => {
        const connection = await reserve(named)
        return await work(connection).finally(() => connection.release())
      }),
    )
  const reads = new Batches(
    (statement) => trying(async (connection) => only(await connection.ask([statement]))),
    connectTimeout,
  )
  const writes = new Batches(
    (statement) => trying(async (connection) => only(await connection.put([statement]))),
    connectTimeout,
  )
  const losable = new Batches(
    (statement) =>
      trying(async (connection) => only((await connection.put([unflushed, statement])).slice(1))),
    connectTimeout,
  )
  return {
    db,
    connections,
    read: (steps) =>
      runSteps(steps, (turn) =>
        turn.asked.length === 1 ? reads.answers(turn) : trying((connection) => allOf(connection, turn)),
      ),
    write: (steps, durability) =>
      trying((connection) => inTransaction(connection, steps(), durability === 'losable' ? [unflushed] : [])),
    writeOne: (steps, durability) =>
      runSteps(steps(), (turn) => (durability === 'losable' ? losable : writes).answers(turn)),
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

const only = ([rows = []]: readonly object[][]): object[] => rows

/** Several queries that read, in one message. */
async function allOf(connection: Reserved, { asked }: Turn): Promise<unknown[]> {
  const answers = await connection.ask(asked.map(statementOf))
  return asked.map((one, index) => answerOf(one, answers[index] ?? []))
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

/**
 * Runs a verb in one transaction. Its first turn takes `begin` along and its last one `commit`; a verb of one turn needs
 * neither. Throws what failed first. A transaction that can't be rolled back ends with its connection.
 */
async function inTransaction<Result>(
  connection: Reserved,
  steps: Steps<Result>,
  first: readonly Statement[],
): Promise<Result> {
  let isOpen = false
  try {
    let next = steps.next()
    while (next.done !== true) {
      const { asked, isLast } = next.value
      const before = isOpen ? [] : isLast ? first : [begin, ...first]
      const after = isOpen && isLast ? [commit] : []
      isOpen ||= !isLast
      const answers = await connection.put([...before, ...asked.map(statementOf), ...after])
      if (isLast) isOpen = false
      const ofAsked = asked.map((one, index) => answerOf(one, answers[before.length + index] ?? []))
      next = steps.next(ofAsked)
      if (isLast && next.done !== true) throw new Error('A verb went on after its last turn.')
    }
    if (isOpen) await connection.put([commit])
    return next.value
  } catch (error) {
    if (isOpen) await connection.put([rollback]).catch(() => undefined)
    throw error
  }
}

/** Of this transaction: a commit does not wait for the disk, or for a standby. */
const unflushed = plain("select set_config('synchronous_commit', 'off', true)")
const begin = plain('begin')
const commit = plain('commit')
const rollback = plain('rollback')

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
    return this.#answered(
      [sql],
      async () => (await this.#client.query(sql, [...parameters])) as unknown as PostgresQueryResult<R>,
    )
  }

  /** The same for statements that read. */
  async ask(statements: readonly Statement[]): Promise<object[][]> {
    return await this.#message(statements, true)
  }

  /** Statements in one message; yields the rows of each. Outside of a transaction they are one. */
  async put(statements: readonly Statement[]): Promise<object[][]> {
    return await this.#message(statements, false)
  }

  release(): void {
    const isInDoubt = this.#unanswered !== undefined || this.#client.getTransactionStatus() !== 'I'
    const release = () => this.#client.release(isInDoubt || this.#isStale)
    // Otherwise the server would have one more at work than the pool has connections, for each that is given up.
    if (this.#end === undefined) release()
    else void this.#end.then(release)
  }

  #message(statements: readonly Statement[], isRead: boolean): Promise<object[][]> {
    const kept = this.#named ? keptBy(this.#client) : undefined
    return this.#answered(
      isRead ? [] : statements.map(({ text }) => text),
      () =>
        new Promise((resolve, reject) => {
          const message = new Message(statements, { kept, readerOf, isRead }, (error, rows = []) => {
            this.#isStale ||= error !== undefined && message.prepares
            if (error === undefined) resolve(rows)
            else reject(error)
          })
          this.#client.query(message)
        }),
    )
  }

  /** Asks what `texts` may write. */
  async #answered<Answer>(texts: readonly string[], ask: () => Promise<Answer>): Promise<Answer> {
    if (!texts.some(isCommit)) return await this.#asked(ask)
    this.#standstill.expectMoving()
    const isOpen = this.#client.getTransactionStatus() !== 'I' || texts.includes('begin')
    if (isOpen && !texts.includes('commit')) return await this.#asked(ask)
    return await this.#standstill.commit(this.#client, texts, () => this.#asked(ask))
  }

  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#unanswered !== undefined) throw this.#unanswered
    try {
      return await ask()
    } catch (error) {
      if (error instanceof Error && !(error instanceof pg.DatabaseError) && !isRefusedName(error)) {
        this.#unanswered = error
        this.#end = cancel(this.#client)
        this.#onUnanswered()
      }
      this.#isStale ||= isRefusedName(error) || isReadOnly(error)
      throw error
    }
  }
}

const readerOf = (type: number): Read => pg.types.getTypeParser(type, 'text')

const keptStatements = new WeakMap<pg.PoolClient, Kept>()

/** What the connection keeps prepared. */
function keptBy(client: pg.PoolClient): Kept {
  const kept = keptStatements.get(client) ?? new Map()
  keptStatements.set(client, kept)
  return kept
}

/** The server is a replica now: the next connection may find one that writes. */
const isReadOnly = (error: unknown) => error instanceof pg.DatabaseError && error.code === '25006'
