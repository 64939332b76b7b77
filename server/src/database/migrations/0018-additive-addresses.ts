import { type Kysely, sql } from 'kysely'

/**
 * additive: addresses that people gave up, and that stay theirs while they can undo it. A process of the version before
 * holds nobody's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table held_addresses (
    email_key text primary key not null, user_uuid text not null references users (uuid) on delete cascade,
    email text not null, changed_at bigint not null, expires_at bigint not null)`.execute(db)
  for (const column of ['user_uuid', 'expires_at'])
    await sql.raw(`create index held_addresses_${column} on held_addresses (${column})`).execute(db)
}
