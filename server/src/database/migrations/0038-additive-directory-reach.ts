import { type Kysely, sql } from 'kysely'

/** additive: whether somebody who did not administer everything made a token of a directory. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table directories add column limited_reach bigint not null default 0`.execute(db)
}
