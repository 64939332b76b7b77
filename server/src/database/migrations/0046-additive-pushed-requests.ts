import { type Kysely, sql } from 'kysely'

/**
 * additive: authorization requests that clients push (RFC 9126), and which clients have to. A process of the version
 * before opens none, and takes the requests of such a client by their parameters.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table clients add column require_pushed_authorization_requests bigint not null default 0`.execute(
    db,
  )
  await sql`create table pushed_requests (
    hash text primary key not null, client_id text not null, redirect_uri text not null, parameters text not null,
    created_at bigint not null, expires_at bigint not null
  )`.execute(db)
  await sql`create index pushed_requests_expires_at on pushed_requests (expires_at)`.execute(db)
}
