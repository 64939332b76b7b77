import { type Kysely, sql } from 'kysely'

/** additive: device codes, which no version before has. The sweep finds them by their ids. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table device_codes (
    id text primary key not null, secret_hash text not null, user_code text not null unique, client_id text not null,
    scope text not null, resource text, state text not null, poll_interval bigint not null,
    next_poll_at bigint not null, created_at bigint not null, expires_at bigint not null
  )`.execute(db)
}
