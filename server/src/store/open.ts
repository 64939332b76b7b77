/**
 * `store/` owns the tables, the migrations and the verbs that change them. It is the only room that knows SQL,
 * kysely and drivers. It never hashes a password, calls the network, decides a rule of the protocol, or lets a
 * transaction out of a verb.
 *
 * This file is the only one that knows a driver.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type DialectAdapter, Kysely, PostgresDialect, type SqliteDatabase, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import pg from 'pg'
import { migrate } from './migrate.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>

export interface Store {
  readonly db: Database
  readonly dialect: 'sqlite' | 'postgres'
  /** The names of the migrations that opening it made. */
  readonly migrated: readonly string[]
  /** Of this process, for the metrics. */
  connections(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** Before its tables are known to be up to date. */
type Opened = Omit<Store, 'migrated'>

/** What one process asks of PostgreSQL at the most; times in ms. */
export interface DatabaseLimits {
  pool: number
  connectTimeout: number
  statementTimeout: number
}

const usualLimits: DatabaseLimits = { pool: 10, connectTimeout: 5000, statementTimeout: 10_000 }

/** int8 arrives as text by default; epoch milliseconds and counts fit a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Opens `sqlite:PATH` or `postgres://…` and brings its tables up to date.
 * Throws when the database can't be opened, in words for whoever set its address.
 */
export async function openStore(url: string, limits = usualLimits): Promise<Store> {
  let store: Opened | undefined
  try {
    store = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url, limits)
    return { ...store, migrated: await migrate(store) }
  } catch (error) {
    await store?.close()
    throw new Error(`The database can't be opened: check TESSERA_DATABASE_URL (${reasonOf(error)}).`, {
      cause: error,
    })
  }
}

/** A host with several addresses fails with several reasons and, on top of them, an empty message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

function openSqlite(path: string): Opened {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true })
    // It will hold password hashes: for its owner alone. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600))
  }
  const connection = connectSqlite(path)
  const db = new Kysely<Schema>({ dialect: new LibsqlDialect({ database: keepingStatements(connection) }) })
  const connections = () => ({ open: 1, idle: 0, waiting: 0 })
  return { db, dialect: 'sqlite', connections, close: () => db.destroy() }
}

/** A connection with the settings that every one must have. */
export function connectSqlite(path: string): Libsql.Database {
  const connection = new Libsql(path)
  // busy_timeout first: without it a second process dies when the first switches to the write-ahead log.
  connection.pragma('busy_timeout = 10000')
  connection.pragma('journal_mode = WAL')
  // FULL: what was answered is on the disk. A power cut loses nothing that a client was told.
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  return connection
}

/** Together with `begin immediate` this lets one process migrate while the others wait for it. */
class LibsqlDialect extends SqliteDialect {
  override createAdapter(): DialectAdapter {
    return Object.defineProperty(super.createAdapter(), 'supportsTransactionalDdl', { value: true })
  }
}

/** Prepares each statement once, and begins every transaction with the write lock in hand. */
function keepingStatements(connection: Libsql.Database): SqliteDatabase {
  const statements = new Map<string, Libsql.Statement>()
  return {
    prepare(sql: string) {
      // A deferred transaction that reads and then writes fails with SQLITE_BUSY when another process wrote
      // in between; no time-out helps it.
      const text = sql === 'begin' ? 'begin immediate' : sql
      let statement = statements.get(text)
      if (statement === undefined) {
        statement = connection.prepare(text)
        if (statements.size < 500) statements.set(text, statement)
      }
      return asKyselyStatement(statement)
    },
    close() {
      statements.clear()
      // What is in the log goes into the file, so that a copy of the file alone is whole.
      connection.pragma('wal_checkpoint(TRUNCATE)')
      connection.close()
    },
  }
}

function asKyselyStatement(statement: Libsql.Statement): ReturnType<SqliteDatabase['prepare']> {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  }
}

function openPostgres(url: string, { pool: max, connectTimeout, statementTimeout }: DatabaseLimits): Opened {
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
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const connections = () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount })
  return { db, dialect: 'postgres', connections, close: () => db.destroy() }
}
