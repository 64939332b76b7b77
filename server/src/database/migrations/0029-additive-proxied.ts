import { type Kysely, sql } from 'kysely'

/** additive: applications behind a proxy. A process of the version before signs nobody in to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['origins', 'headers'])
    await sql`alter table clients add column ${sql.ref(column)} text not null default '[]'`.execute(db)
  await sql`alter table clients add column routes text`.execute(db)
  await sql`alter table clients add column remote_user text not null default 'sub'`.execute(db)
  await sql`create table proxied_origins (
    origin text not null,
    client_id text not null,
    constraint proxied_origins_pk primary key (origin)
  )`.execute(db)
  await sql`create index proxied_origins_client on proxied_origins (client_id)`.execute(db)
}
