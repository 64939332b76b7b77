import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/**
 * additive: what partitions of the audit are made by. A column with one value for all rows writes none of them. SQLite
 * has no partitions.
 */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'sqlite') return
  await sql`alter table audit_records add column month text not null default ''`.execute(db)
  await sql`alter table audit_records add constraint audit_records_first check (month = '') not valid`.execute(
    db,
  )
}
