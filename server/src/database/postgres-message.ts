/** Statements that PostgreSQL is sent in one message, so that the service waits once for all of them. */
import { type Statement, staleColumns } from './postgres-statements.ts'

/** The driver's connection, as far as it is needed here. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  parse(query: { name: string; text: string; types: string[] }, more: boolean): void
  bind(values: { statement: string; values: (string | null)[] }, more: boolean): void
  describe(portal: { type: string; name: string }, more: boolean): void
  execute(portal: object, more: boolean): void
  sync(): void
}

export type ColumnParser = (text: string) => unknown

/** What a statement answers: the name of each column, and how its text is read. */
interface Columns {
  readers: readonly { name: string; read: ColumnParser }[]
  /** Each row begins as a copy of it: V8 then gives all of them one hidden class. */
  empty: Readonly<Record<string, unknown>>
}

const noColumns: Columns = { readers: [], empty: {} }

/** The statements that a connection keeps prepared, by name. */
export type PreparedStatements = Map<string, Columns>

type Callback = (error: Error | undefined, rows?: object[][]) => void

interface MessageOptions {
  /** Undefined: nothing is put by its name. */
  kept: PreparedStatements | undefined
  /** How a value of this type is read. */
  readerOf: (type: number) => ColumnParser
  /** Reads can be asked again, so PostgreSQL tells the columns of a kept one only once. */
  isRead: boolean
}

/**
 * Goes through the driver's queue as its own queries do. The statements end with one Sync (PostgreSQL, “Pipelining”): outside
 * of `begin` they are one transaction, in which each sees what was committed before itself, and an error undoes all.
 */
export class Message {
  readonly statements: readonly Statement[]
  readonly #options: MessageOptions
  readonly #rows: object[][]
  #at = 0
  #columns = noColumns
  #failure: Error | undefined
  /** What it prepares, by name: one that it holds twice once. */
  readonly #prepared = new Set<string>()
  /** The driver puts its time limit around it. */
  callback: Callback

  constructor(statements: readonly Statement[], options: MessageOptions, callback: Callback) {
    this.statements = statements
    this.#options = options
    this.#rows = statements.map(() => [])
    this.callback = callback
  }

  /** When it fails, nobody knows what the connection keeps. */
  get prepares(): boolean {
    return this.#prepared.size > 0
  }

  submit(connection: Connection): void {
    connection.stream.cork()
    try {
      for (const statement of this.statements) this.#send(connection, statement)
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    this.#begin()
  }

  #send(connection: Connection, { text, values, name }: Statement): void {
    const { kept, isRead } = this.#options
    const statement = kept === undefined ? '' : (name ?? '')
    const known = kept?.get(statement)
    if (known === undefined && !this.#prepared.has(statement)) {
      connection.parse({ name: statement, text, types: [] }, true)
      if (statement !== '') this.#prepared.add(statement)
    }
    connection.bind({ statement, values: values.map(asText) }, true)
    if (known === undefined || !isRead) connection.describe({ type: 'P', name: '' }, true)
    connection.execute({}, true)
  }

  /** The columns of the statement that is answered next, as far as they are known. */
  #begin(): void {
    this.#columns = this.#options.kept?.get(this.statements[this.#at]?.name ?? '') ?? noColumns
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const readers = fields.map(({ name, dataTypeID }) => ({
      name,
      read: this.#options.readerOf(dataTypeID),
    }))
    this.#columns = { readers, empty: Object.fromEntries(readers.map(({ name }) => [name, null])) }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const { readers, empty } = this.#columns
    // Behind a pooler another connection may have prepared it anew, after another version's migration.
    if (fields.length !== readers.length) this.#failure ??= staleColumns()
    const row = { ...empty }
    for (const [index, { name, read }] of readers.entries()) {
      const text = fields[index]
      if (typeof text === 'string') row[name] = read(text)
    }
    this.#rows[this.#at]?.push(row)
  }

  handleCommandComplete(): void {
    const name = this.statements[this.#at]?.name
    if (name !== undefined) this.#options.kept?.set(name, this.#columns)
    this.#at++
    this.#begin()
  }

  /** The driver tells one of the server here, and then that it is ready, to nobody. */
  handleError(error: Error): void {
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.callback(undefined, this.#rows)
    else this.callback(this.#failure)
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }
}

const asText = (value: unknown) => (value === null || value === undefined ? null : String(value))
