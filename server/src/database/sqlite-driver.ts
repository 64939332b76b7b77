/** How Kysely asks the embedded database while other processes may write it. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely'
import { sqliteFailure } from './failure.ts'
import { EmbeddedDialect } from './sqlite-compiler.ts'
import type { OpenedFile } from './sqlite-file.ts'

/** The dialect of one file, with a driver that waits for other processes. */
export class FileDialect extends EmbeddedDialect {
  readonly #driver: Driver

  constructor(database: SqliteDatabase, driver: Driver) {
    super({ database })
    this.#driver = driver
  }

  override createDriver(): Driver {
    return this.#driver
  }
}

const longestPause = 16

/** Waits for another process's write, up to `patience` ms, without holding up the other requests of this process. */
export class PatientDriver extends SqliteDriver {
  readonly #connection: DatabaseSyncInstance
  readonly #patience: number
  readonly #file: OpenedFile

  constructor(
    connection: DatabaseSyncInstance,
    database: SqliteDatabase,
    { patience, file }: { patience: number; file: OpenedFile },
  ) {
    super({ database })
    this.#connection = connection
    this.#patience = patience
    this.#file = file
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    // Counted from here, so that the queue of this process counts too.
    return await this.#acquire(performance.now() + this.#patience)
  }

  async #acquire(until: number): Promise<DatabaseConnection> {
    this.#file.expectThere()
    const connection = await super.acquireConnection()
    return {
      executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
        try {
          // The query throws at once or has its result at once: the usual way costs no further promise.
          return connection.executeQuery<R>(query)
        } catch (error) {
          return this.#again(() => connection.executeQuery<R>(query), until, error)
        }
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /** Begins a transaction for a caller that uses the connection itself, until `releaseConnection`. */
  async beginHere(until: number): Promise<void> {
    const connection = await this.#acquire(until)
    try {
      await this.beginTransaction(connection)
    } catch (error) {
      await this.releaseConnection()
      throw error
    }
  }

  /** A read-only transaction sees one moment, and keeps nobody from writing. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings = {},
  ): Promise<void> {
    if (settings.accessMode !== 'read only') return await super.beginTransaction(connection)
    await connection.executeQuery(CompiledQuery.raw('begin deferred'))
  }

  /** A failure such as a full disk may have ended the transaction already; what failed is then the better answer. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#connection.isTransaction) await super.rollbackTransaction(connection)
  }

  /** Tries again as long as another process writes. */
  async #again<T>(work: () => Promise<T>, until: number, failure: unknown): Promise<T> {
    let last = failure
    for (
      let pause = 1;
      isBusy(last) && performance.now() < until;
      pause = Math.min(2 * pause, longestPause)
    ) {
      await this.#pause(pause * (0.5 + Math.random()))
      try {
        return await work()
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  /** Outside a transaction the connection is of use to others meanwhile: readers need no lock. */
  async #pause(milliseconds: number): Promise<void> {
    if (this.#connection.isTransaction) return await wait(milliseconds)
    await super.releaseConnection()
    try {
      await wait(milliseconds)
    } finally {
      await super.acquireConnection()
    }
  }
}

/** Another process writes; the statement did nothing. */
export function isBusy(error: unknown): boolean {
  return sqliteFailure(error) === 'busy'
}
