import { type Kysely, sql } from 'kysely'

/** additive: what people bring along. A process of the version before notes no removal, and tells nobody's former subject. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table removed_users (hash text primary key not null)`.execute(db)
  await sql`alter table users add column former_sub text`.execute(db)
  await sql`create unique index users_former_sub on users (former_sub)`.execute(db)
}
