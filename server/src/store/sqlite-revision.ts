import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'

/**
 * Reads the revision by a statement of its own: ten microseconds, where a query takes thirty. Whoever asks in the same
 * turn of the event loop is told the same, unless this process committed something meanwhile: what another one has
 * committed can't have been heard of before the next turn.
 */
export class RevisionReader {
  readonly #committed: () => DatabaseSyncInstance | undefined
  readonly #statements = new Map<DatabaseSyncInstance, StatementSyncInstance>()
  #known: number | undefined

  /** `committed` yields a connection that is in no transaction, which would tell of what may never be committed. */
  constructor(committed: () => DatabaseSyncInstance | undefined) {
    this.#committed = committed
  }

  known(): number | undefined {
    if (this.#known !== undefined) return this.#known
    const connection = this.#committed()
    if (connection === undefined) return undefined
    this.#known = this.#read(connection)
    setImmediate(() => this.forget())
    return this.#known
  }

  forget(): void {
    this.#known = undefined
  }

  #read(connection: DatabaseSyncInstance): number | undefined {
    try {
      let statement = this.#statements.get(connection)
      if (statement === undefined) {
        statement = connection.prepare("select value from revisions where name = 'catalogue'")
        this.#statements.set(connection, statement)
      }
      return (statement.get() as { value: number } | undefined)?.value
    } catch {
      // The table is not there yet, or the file can't be read just now; the query says which.
      return undefined
    }
  }
}
