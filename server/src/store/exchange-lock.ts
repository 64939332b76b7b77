import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'

/**
 * Exchanges of codes hold it together; who ends what can no longer be used holds it alone. So an exchange is either
 * over, and its family there to be ended, or comes later and finds its client disabled. SQLite has one writer anyway.
 */
const lock = 7_465_737_366

/** Part of the statement with which an exchange begins: the next one sees what was committed before it got the lock. */
export const holdWithOthers = sql<string>`pg_advisory_xact_lock_shared(${sql.lit(lock)})`

/** As an exchange holds it, for who gives a token family another profile. */
export async function holdWithExchanges(trx: Kysely<Schema>): Promise<void> {
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`select ${holdWithOthers}`.execute(trx)
}

/** Waits for the exchanges under way, and lets the next ones wait until this transaction ends. */
export async function waitForExchanges(trx: Kysely<Schema>): Promise<void> {
  if (!(trx.getExecutor().adapter instanceof PostgresAdapter)) return
  await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(trx)
}
