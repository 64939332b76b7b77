import { type Kysely, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import { briefly } from './migration-runner.ts'
import type { Schema } from './schema.ts'

/**
 * Drops the partitions whose last record is no later than this; `tell` is told what it waits for. SQLite has none.
 * Needs the table for a moment alone, and gives up and tries again while somebody reads in a long transaction.
 */
export async function dropPartitions(
  db: Kysely<Schema>,
  last: number,
  tell: (text: string) => void,
): Promise<void> {
  if (dialectOf(db) === 'sqlite') return
  await briefly(db, 'the removal of records', tell, async (trx) => {
    // Another process may be dropping them.
    await sql`lock table audit_records in access exclusive mode`.execute(trx)
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_records'::regclass
    `.execute(trx)
    for (const partition of rows.map(({ name }) => sql.raw(name))) {
      const found = await sql<{ end: number | null }>`select max(sequence) as end from ${partition}`.execute(
        trx,
      )
      const end = found.rows[0]?.end ?? null
      if (end !== null && end <= last) await sql`drop table ${partition}`.execute(trx)
    }
  })
}
