import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'

/** additive: reads the records there are, beside what is read and written, so that the next one need not. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  if (dialect === 'sqlite') return
  await sql`alter table audit_records validate constraint audit_records_first`.execute(db)
}
