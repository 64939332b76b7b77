/** PostgreSQL: a pool that gives back no connection whose state is not known. */
import { Socket } from 'node:net'
import {
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  sql,
} from 'kysely'
import pg from 'pg'
import type { DatabaseLimits, UnmigratedStore } from './store.ts'
import { Batches } from './postgres-batches.ts'
import { openBeside, transactionOn } from './postgres-beside.ts'
import { connect } from './postgres-connect.ts'
import { hostsOf } from './postgres-hosts.ts'
import { RetryingKysely, retried } from './postgres-retry.ts'
import { commit, Reserved, unflushed } from './postgres-reserved.ts'
import { listen, Standstill } from './postgres-standstill.ts'
import { Naming, plain, type Statement } from './postgres-statements.ts'
import { Watch } from './postgres-watch.ts'
import { answerOf, statementOf, type Steps, type Turn } from './prepared.ts'
import { runSteps } from './steps.ts'

/** int8 arrives as text by default; epoch milliseconds and counts fit a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

export function openPostgres(
  url: string,
  { pool: max, connectTimeout, statementTimeout }: DatabaseLimits,
): UnmigratedStore {
  const sockets = new Set<Socket>()
  const watch: Watch = new Watch(hostsOf(url), {
    open: openBeside,
    drop: () => sockets.forEach((socket) => socket.destroy()),
  })
  class ToChosenHost extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: watch.url })
    }
  }
  const pool: pg.Pool = new pg.Pool({
    Client: ToChosenHost,
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
      await watch.admit(client)
      await client.query(`set lock_timeout = ${Math.ceil(statementTimeout / 2)}`)
    },
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    // A connection may break between two statements, too: the next statement says so.
    client.on('error', () => undefined)
    listen(client)
  })
  const standstill = new Standstill(() => connect(pool, connectTimeout))
  const listeners: (() => void)[] = []
  const onRecorded = () => listeners.forEach((listener) => listener())
  const onUnanswered = () => giveUpIdle(pool)
  const reserve = async (named: boolean, isUpkeep = false) => {
    await watch.chosen()
    const client = await connect<pg.PoolClient>(pool, connectTimeout)
    const acknowledged = isUpkeep ? undefined : watch.acknowledged
    if (watch.problem === undefined)
      return new Reserved(client, { named, standstill, acknowledged, onUnanswered, onRecorded })
    client.release(true)
    throw watch.problem
  }
  const kysely = (isUpkeep: boolean) =>
    new RetryingKysely({
      dialect: new CarefulDialect({ connect: () => reserve(false, isUpkeep), end: () => pool.end() }),
    })
  const [db, upkeep] = [kysely(false), kysely(true)]
  const connections = () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  const naming = new Naming()
  const trying = <Result>(work: (connection: Reserved) => Promise<Result>, isUpkeep = false) =>
    retried(() =>
      naming.trying(async (named) => {
        const connection = await reserve(named, isUpkeep)
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
    upkeep,
    connections,
    read: (steps) =>
      runSteps(steps, (turn) =>
        turn.asked.length === 1 ? reads.answers(turn) : trying((connection) => allOf(connection, turn)),
      ),
    write: (steps, durability) =>
      trying(
        (connection) => inTransaction(connection, steps(), durability === 'losable' ? [unflushed] : []),
        durability === 'upkeep',
      ),
    writeOne: (steps, durability) =>
      runSteps(steps(), (turn) => (durability === 'losable' ? losable : writes).answers(turn)),
    onRecorded: (listener) => void listeners.push(listener),
    async isWritable() {
      const { rows } = await sql<{ off: boolean }>`select ${isWritable} as off`.execute(db)
      return rows[0]?.off === true
    },
    look: () => watch.look(),
    afterLoss: (work) => watch.afterLoss((client) => transactionOn(client, work)),
    async close() {
      standstill.close()
      watch.close()
      // A goodbye that nobody answers must not keep the process.
      for (const socket of sockets) socket.unref()
      await db.destroy()
    },
  }
}

const isWritable = sql`current_setting('transaction_read_only') = 'off'`

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
  // Callers that wait take idle connections first. More than are left would open new connections.
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

const begin = plain('begin')
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
