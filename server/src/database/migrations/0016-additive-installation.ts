import { type Kysely, sql } from 'kysely'

/**
 * additive: what is set for the whole installation is changed on condition of the version that was read, and can be
 * managed by a declared file. The row of its policy is always there.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['version bigint not null default 1', 'managed_by text'])
    await sql.raw(`alter table installation add column ${column}`).execute(db)
  await sql`insert into installation (name, kept) values ('policy', '{}') on conflict do nothing`.execute(db)
}
