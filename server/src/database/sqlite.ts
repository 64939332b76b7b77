/** The embedded database: one connection that writes, which never makes the process wait for another process. */
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, type SqliteDatabase } from 'kysely'
import type { UnmigratedStore } from './store.ts'
import { answersOf, type Steps } from './prepared.ts'
import type { Schema } from './schema.ts'
import { Commits } from './sqlite-commits.ts'
import { FileDialect, isBusy, PatientDriver } from './sqlite-driver.ts'
import { OpenedFile } from './sqlite-file.ts'
import { SqliteStatements } from './sqlite-statements.ts'

/** Opens a file, and makes it when it is not there. `patience`: how long a write waits for another process's, ms. */
export function openSqlite(path: string, patience: number): UnmigratedStore {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true })
    makeFile(path)
  }
  const connection = impatient(connectSqlite(path))
  const file = new OpenedFile(path, () => emptyLog(connection))
  const database = keepingStatements(connection, file)
  // Reads what is committed while the first connection is in a transaction. Otherwise the first one reads too: its own
  // commits leave its cache valid, while this one must read all pages again. A database in memory has one connection.
  const beside = path === ':memory:' ? undefined : impatient(connectSqlite(path))
  const driver = new PatientDriver(connection, database, { patience, file })
  const db = new Kysely<Schema>({ dialect: new FileDialect(database, driver) })
  const turns = {
    begin: (until: number) => driver.beginHere(until),
    end: () => driver.releaseConnection(),
  }
  const statements = new SqliteStatements(connection)
  const statementsBeside = beside && new SqliteStatements(beside)
  const commits = new Commits(statements, turns, patience)
  const reader = () => {
    file.expectThere()
    return (connection.isTransaction ? statementsBeside : statements) ?? statements
  }
  return {
    db,
    upkeep: db,
    connections: () => ({ open: 1, idle: 0, waiting: 0 }),
    read: (steps) => readNow(reader, db, steps),
    write: (steps) => commits.write(steps),
    writeOne: (steps) => commits.write(steps),
    isWritable: async () => true,
    // A file is never put back to an earlier state under those who have it open.
    look: async () => undefined,
    afterLoss: (work) => db.transaction().execute(work),
    // Nothing waits there.
    onRecorded: () => undefined,
    async close() {
      beside?.close()
      await db.destroy()
    },
  }
}

/** What is in the log goes into the file: by its name it would be taken for the log of another one. True: it did. */
function emptyLog(connection: DatabaseSyncInstance): boolean {
  try {
    return connection.prepare('pragma wal_checkpoint(TRUNCATE)').get()?.busy === 0
  } catch {
    // A transaction is under way, or the disk is full.
    return false
  }
}

/** SQLite waits in the thread that serves everybody; `PatientDriver` waits beside it. */
function impatient(connection: DatabaseSyncInstance): DatabaseSyncInstance {
  connection.exec('pragma busy_timeout = 0')
  return connection
}

/** Runs a verb that reads. It seldom has to wait, while another process opens or closes the file; Kysely's driver does. */
async function readNow<Result>(
  choose: () => SqliteStatements,
  db: Kysely<Schema>,
  steps: Steps<Result>,
): Promise<Result> {
  const reader = choose()
  let next = steps.next()
  while (next.done !== true) {
    let answers: unknown[]
    try {
      answers = next.value.asked.map((one) => reader.answer(one))
    } catch (error) {
      if (!isBusy(error)) throw error
      answers = await answersOf(db, next.value)
    }
    next = steps.next(answers)
  }
  return next.value
}

/**
 * Makes the file for its owner alone: it will hold password hashes. SQLite gives its other files the same mode. A file
 * that is there is never opened: closing it would give up the locks of every connection that this process has to it.
 */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** A connection with the settings that every one must have. */
export function connectSqlite(path: string): DatabaseSyncInstance {
  const connection = opened(path)
  connection.exec(`pragma busy_timeout = ${openingPatience}`)
  useLog(connection)
  // FULL: what was answered is on the disk. A power cut loses nothing that a client was told.
  connection.exec('pragma synchronous = FULL')
  connection.exec('pragma foreign_keys = ON')
  // The upper pages of the indexes of a million people fit in, and little is kept where there are few: -KiB.
  connection.exec('pragma cache_size = -16384')
  return connection
}

/**
 * Switches a new file to its write-ahead log. Of two processes that do so at once, SQLite refuses one without waiting,
 * whatever its busy_timeout is: it must give up its lock for the other one. It tries again for as long.
 */
function useLog(connection: DatabaseSyncInstance): void {
  const until = performance.now() + openingPatience
  for (;;) {
    try {
      connection.exec('pragma journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() > until) throw error
    }
  }
}

/** How long to wait for another process while a file is opened, ms. */
const openingPatience = 10_000

/** The driver does not say which file. */
function opened(path: string): DatabaseSyncInstance {
  try {
    return new DatabaseSync(path)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${path}: ${reason}`, { cause: error })
  }
}

/** Statements that are kept prepared. Some lists make a statement of another length each time. */
const mostStatements = 500

/** Keeps statements prepared, and begins every transaction with the write lock. */
function keepingStatements(connection: DatabaseSyncInstance, file: OpenedFile): SqliteDatabase {
  const statements = new Map<string, StatementSyncInstance>()
  return {
    prepare(sql: string) {
      // A deferred transaction that reads and then writes fails with SQLITE_BUSY when another process wrote
      // in between; no time-out helps it.
      const text = sql === 'begin' ? 'begin immediate' : sql
      let statement = statements.get(text)
      if (statement === undefined) {
        statement = connection.prepare(text)
        const [oldest] = statements.size < mostStatements ? [] : statements.keys()
        if (oldest !== undefined) statements.delete(oldest)
        statements.set(text, statement)
      }
      return asKyselyStatement(statement)
    },
    close() {
      statements.clear()
      // What is in the log goes into the file, so that a copy of the file alone is whole. Not where that is another
      // one, whose log it is by now.
      if (file.look()) {
        connection.exec('pragma busy_timeout = 1000')
        connection.exec('pragma wal_checkpoint(TRUNCATE)')
      }
      connection.close()
    },
  }
}

function asKyselyStatement(statement: StatementSyncInstance): ReturnType<SqliteDatabase['prepare']> {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  }
}
