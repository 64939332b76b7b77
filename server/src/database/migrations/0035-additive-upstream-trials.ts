import { type Kysely, sql } from 'kysely'

/**
 * additive: sign-ins that are tried, of an upstream or of one that is only drafted. A draft is no row of `upstreams`, so
 * those who are sent to one refer to none: the table of these is written anew without its reference.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table upstream_trials (
    id text primary key not null, hash text not null, upstream_uuid text not null, draft_of text, made_by text not null,
    return_to text, browser_hash text, outcome text, created_at bigint not null, expires_at bigint not null,
    constraint upstream_trials_hash unique (hash))`.execute(db)
  await sql`create index upstream_trials_expires_at on upstream_trials (expires_at)`.execute(db)
  await sql`create table upstream_requests_new (
    id text primary key not null, upstream_uuid text not null, about text not null, purpose text not null,
    browser_hash text not null, data text not null, created_at bigint not null, expires_at bigint not null)`.execute(
    db,
  )
  await sql`insert into upstream_requests_new
    select id, upstream_uuid, about, purpose, browser_hash, data, created_at, expires_at from upstream_requests`.execute(
    db,
  )
  await sql`drop table upstream_requests`.execute(db)
  await sql`alter table upstream_requests_new rename to upstream_requests`.execute(db)
  await sql`create index upstream_requests_upstream on upstream_requests (upstream_uuid)`.execute(db)
  await sql`create index upstream_requests_expires_at on upstream_requests (expires_at)`.execute(db)
}
