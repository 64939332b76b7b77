/**
 * What a transaction locks until it ends. A query locks rows by itself, with `forShare` or `forUpdate`. SQLite has one
 * writer, so a transaction that writes there is alone: row locks are left out, and these locks do nothing.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Schema } from './schema.ts'
import type { Store } from './store.ts'

/** A lock that no row stands for. PostgreSQL knows it by a number that no other lock has. */
export class TransactionLock {
  readonly #number: number

  constructor(number: number) {
    this.#number = number
  }

  /** Waits for all others who hold it, and lets the next ones wait. */
  async alone(trx: Kysely<Schema>): Promise<void> {
    if (dialectOf(trx) === 'sqlite') return
    await sql`select pg_advisory_xact_lock(${sql.lit(this.#number)})`.execute(trx)
  }

  /** Waits for one who holds it alone. */
  async together(trx: Kysely<Schema>): Promise<void> {
    if (dialectOf(trx) === 'sqlite') return
    await sql`select 1 where ${this.isHeldTogether(trx)}`.execute(trx)
  }

  /** A condition for a statement, which waits for one who holds the lock alone before it locks its row. */
  isHeldTogether(db: Kysely<Schema>): RawBuilder<boolean> {
    if (dialectOf(db) === 'sqlite') return sql<boolean>`true`
    return sql<boolean>`pg_advisory_xact_lock_shared(${sql.lit(this.#number)}) is not null`
  }
}

/** A transaction that reads everything as it was at one moment, while others write. */
export function atOneMoment({ db }: Pick<Store, 'db'>) {
  // PostgreSQL shows each statement another moment by default. SQLite always shows one.
  return db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read')
}
