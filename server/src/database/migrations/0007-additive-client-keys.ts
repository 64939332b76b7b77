import { type Kysely, sql } from 'kysely'

/** additive: the public keys of clients, and the assertions that were used (RFC 7523), which no version before has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['jwks', 'jwks_uri'])
    await sql`alter table clients add column ${sql.ref(name)} text`.execute(db)
  await sql`create table client_assertions (
    key text primary key not null, expires_at bigint not null
  )`.execute(db)
  await sql`create index client_assertions_expires_at on client_assertions (expires_at)`.execute(db)
}
