/** How kysely asks the embedded database, which other processes may be writing. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import { sqliteFailure } from './failure.ts'
import type { OpenedFile } from './sqlite-file.ts'

/** Of one file, whose driver waits for other processes. */
export class FileDialect extends SqliteDialect {
  readonly #driver: Driver

  constructor(database: SqliteDatabase, driver: Driver) {
    super({ database })
    this.#driver = driver
  }

  /** Together with `begin immediate` this lets one process migrate while the others wait for it. */
  override createAdapter(): DialectAdapter {
    return Object.defineProperty(super.createAdapter(), 'supportsTransactionalDdl', { value: true })
  }

  override createDriver(): Driver {
    return this.#driver
  }
}

const longestPause = 16

/** Waits for another process's write without holding up this process's other requests, and not for ever. */
export class PatientDriver extends SqliteDriver {
  readonly #connection: DatabaseSyncInstance
  readonly #patience: number
  readonly #file: OpenedFile
  readonly #committed: () => void
  /** When another process last held the write lock, by `performance.now()`. */
  #met = -Infinity

  constructor(
    connection: DatabaseSyncInstance,
    database: SqliteDatabase,
    { patience, file, committed }: { patience: number; file: OpenedFile; committed: () => void },
  ) {
    super({ database })
    this.#connection = connection
    this.#patience = patience
    this.#file = file
    this.#committed = committed
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    // Counted from here: who has queued in this process does not begin to wait anew.
    return await this.#acquire(performance.now() + this.#patience)
  }

  async #acquire(until: number): Promise<DatabaseConnection> {
    this.#file.expectThere()
    const connection = await super.acquireConnection()
    return {
      executeQuery: <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
        try {
          // It throws at once or has its result at once: the usual way costs no further promise.
          return connection.executeQuery<R>(query)
        } catch (error) {
          return this.#again(() => connection.executeQuery<R>(query), until, error)
        }
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }

  /** Begins a transaction for whoever goes on with the connection itself; `releaseConnection` lets others to it. */
  async beginHere(until: number): Promise<void> {
    const connection = await this.#acquire(until)
    try {
      await this.beginTransaction(connection)
    } catch (error) {
      await this.releaseConnection()
      throw error
    }
  }

  /** Whether another process has been in the way within so many ms. */
  metOther(within: number): boolean {
    return this.#met > performance.now() - within
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#committed()
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
      this.#met = performance.now()
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
