import { type PostgresCursor, type PostgresPoolClient, type PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { addsWaiting } from './audit-waiting.ts'
import { type Acknowledged, type Committed, committing } from './postgres-acknowledged.ts'
import { cancel } from './postgres-cancel.ts'
import { type PreparedStatements, Message, type ColumnParser } from './postgres-message.ts'
import { isCommit, type Standstill } from './postgres-standstill.ts'
import { isRefusedName, plain, type Statement } from './postgres-statements.ts'

export const commit = plain('commit')

/** A commit of this transaction does not wait for the disk, or for a standby. */
export const unflushed = plain("select set_config('synchronous_commit', 'off', true)")

/**
 * A connection while it is taken from the pool. After a statement that the server did not answer it is closed: the
 * server may still be at work on it, in a transaction that would take in what comes next and never be committed.
 */
export class Reserved implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  /** Whether statements are put by their names. */
  readonly #named: boolean
  readonly #standstill: Standstill
  readonly #onUnanswered: () => void
  /** Called after a transaction that added to the audit's records that wait. */
  readonly #onRecorded: () => void
  /** Undefined: what is committed need not be kept. */
  readonly #acknowledged: Acknowledged | undefined
  /** Its transaction may be lost, and its commit waits for nothing. */
  #isLosable = false
  #unanswered: Error | undefined
  /** The end, at the server, of what was not answered. */
  #end: Promise<void> | undefined
  #isStale = false
  #hasRecorded = false

  constructor(
    client: pg.PoolClient,
    options: {
      named: boolean
      standstill: Standstill
      acknowledged: Acknowledged | undefined
      onUnanswered: () => void
      onRecorded: () => void
    },
  ) {
    this.#client = client
    this.#named = options.named
    this.#standstill = options.standstill
    this.#acknowledged = options.acknowledged
    this.#onUnanswered = options.onUnanswered
    this.#onRecorded = options.onRecorded
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    sql: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof sql !== 'string') throw new Error('Cursors are not used here.')
    // What commits by itself here is bookkeeping, whose loss counts as none.
    if (sql === commit.text)
      return this.put([commit]).then(() => ({ command: 'SELECT', rowCount: 0, rows: [] }))
    return this.#answered(
      [sql],
      async () => (await this.#client.query(sql, [...parameters])) as unknown as PostgresQueryResult<R>,
    )
  }

  /** Statements that read, put as `put` does. */
  async ask(statements: readonly Statement[]): Promise<object[][]> {
    return await this.#message(statements, true)
  }

  /** Statements in one message; yields the rows of each. Outside of a transaction they are one. */
  async put(statements: readonly Statement[]): Promise<object[][]> {
    this.#isLosable ||= statements.includes(unflushed)
    if (
      this.#acknowledged === undefined ||
      this.#isLosable ||
      !this.#commits(statements.map(({ text }) => text))
    )
      return await this.#message(statements, false)
    const at = statements.at(-1) === commit ? statements.length - 1 : statements.length
    const acknowledge = this.#acknowledged.sending()
    const answers = await this.#message(statements.toSpliced(at, 0, committing), false)
    const [[own] = []] = answers.splice(at, 1)
    if (own !== undefined) acknowledge(own as Committed)
    return answers
  }

  /** Whether these are the last of their transaction. */
  #commits(texts: readonly string[]): boolean {
    const isOpen = this.#client.getTransactionStatus() !== 'I' || texts.includes('begin')
    return isOpen ? texts.includes(commit.text) : texts.some(isCommit)
  }

  release(): void {
    const isInDoubt = this.#unanswered !== undefined || this.#client.getTransactionStatus() !== 'I'
    const release = () => this.#client.release(isInDoubt || this.#isStale)
    // Otherwise the server would have one more at work than the pool has connections, for each that is given up.
    if (this.#end === undefined) release()
    else void this.#end.then(release)
    if (this.#hasRecorded) this.#onRecorded()
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
    this.#hasRecorded ||= texts.some((text) => text.startsWith(addsWaiting))
    if (this.#isLosable || !texts.some(isCommit)) return await this.#asked(ask)
    this.#standstill.expectMoving()
    if (!this.#commits(texts)) return await this.#asked(ask)
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
      this.#isStale ||= isRefusedName(error) || isLast(error)
      throw error
    }
  }
}

const readerOf = (type: number): ColumnParser => pg.types.getTypeParser(type, 'text')

const keptStatements = new WeakMap<pg.PoolClient, PreparedStatements>()

/** What the connection keeps prepared. */
function keptBy(client: pg.PoolClient): PreparedStatements {
  const kept = keptStatements.get(client) ?? new Map()
  keptStatements.set(client, kept)
  return kept
}

/**
 * SQLSTATE after which nothing more is asked on a connection. The server ends it, which its socket tells a moment later;
 * or the server is a replica now, and the next connection may find one that writes.
 */
const last = /^(57P0.|25P0[34]|25006)$/
const isLast = (error: unknown) => error instanceof pg.DatabaseError && last.test(error.code ?? '')
