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
  close(): Promise<void>
}

/** int8 arrives as text by default; epoch milliseconds and counts fit a double. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Opens `sqlite:PATH` or `postgres://…` and brings its tables up to date.
 * Throws when the database can't be opened, in words for whoever set its address.
 */
export async function openStore(url: string): Promise<Store> {
  let store: Store | undefined
  try {
    store = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url)
    await migrate(store)
    return store
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

function openSqlite(path: string): Store {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true })
    // It will hold password hashes: for its owner alone. SQLite gives its other files the same mode.
    closeSync(openSync(path, 'a', 0o600))
  }
  const connection = new Libsql(path)
  // busy_timeout first: without it a second process dies when the first switches to the write-ahead log.
  connection.pragma('busy_timeout = 10000')
  connection.pragma('journal_mode = WAL')
  // FULL: what was answered is on the disk. A power cut loses nothing that a client was told.
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  const db = new Kysely<Schema>({ dialect: new LibsqlDialect({ database: keepingStatements(connection) }) })
  return { db, dialect: 'sqlite', close: () => db.destroy() }
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

function openPostgres(url: string): Store {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5000,
    statement_timeout: 10_000,
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return { db, dialect: 'postgres', close: () => db.destroy() }
}
