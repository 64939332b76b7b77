import { type Kysely, sql } from 'kysely'

/** additive: who was invited. A process of the version before knows of none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table invitations (
      uuid text primary key not null, email text not null, email_key text not null, name text, locale text,
      profiles text not null, organisation_uuid text references organisations (uuid) on delete cascade,
      client_id text, invited_by text not null, state text not null, created_at bigint not null,
      updated_at bigint not null, expires_at bigint not null, version bigint not null default 1, managed_by text
    )`.execute(db)
  for (const column of ['email_key', 'organisation_uuid', 'expires_at'])
    await sql`create index ${sql.ref(`invitations_${column}`)} on invitations (${sql.ref(column)})`.execute(
      db,
    )
}
