import { type Kysely, sql } from 'kysely'

/** additive: clients that are documents. A process of the version before takes them for public clients as registered. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table clients add column metadata text not null default 'registered'`.execute(db)
  await sql`alter table clients add column redirect_hosts text not null default '[]'`.execute(db)
  await sql`alter table clients add column document text`.execute(db)
  await sql`alter table clients add column document_methods text`.execute(db)
  await sql`create table client_documents (
    client_id text primary key not null references clients (client_id) on delete cascade,
    fetched_at bigint, fresh_until bigint not null default 0, tried_at bigint not null default 0,
    busy bigint not null default 0, failure text, gone_at bigint
  )`.execute(db)
}
