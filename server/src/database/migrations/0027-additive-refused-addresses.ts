import { type Kysely, sql } from 'kysely'

/** additive: addresses that a client asked for and has not registered. A process of the version before keeps none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table refused_addresses (
    id text primary key not null, client_id text not null references clients (client_id) on delete cascade,
    organisation_uuid text, field text not null, address text, at bigint not null, expires_at bigint not null
  )`.execute(db)
  await sql`create index refused_addresses_client_id on refused_addresses (client_id)`.execute(db)
  await sql`create index refused_addresses_at on refused_addresses (at)`.execute(db)
  await sql`create index refused_addresses_expires_at on refused_addresses (expires_at)`.execute(db)
}
