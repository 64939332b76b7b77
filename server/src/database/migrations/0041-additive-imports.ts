import { type Kysely, sql } from 'kysely'

/** additive: which import people came by. A process of the version before adds people of none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table imports (
    uuid text primary key not null, name text not null, created_at bigint not null, created_by text not null,
    organisation_uuid text, unit_uuid text, request_id text)`.execute(db)
  await sql`create index imports_created_at on imports (created_at)`.execute(db)
  await sql`alter table users add column import_uuid text`.execute(db)
  await sql`create index users_import_uuid on users (import_uuid) where import_uuid is not null`.execute(db)
}
