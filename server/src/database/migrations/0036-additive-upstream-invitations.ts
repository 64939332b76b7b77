import { type Kysely, sql } from 'kysely'

/** additive: links by which an organisation sets up its sign-in itself, with what is entered by them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table upstream_invitations (
    uuid text primary key not null,
    organisation_uuid text not null references organisations (uuid) on delete cascade,
    hash text, state text not null, made_by text not null, upstream_uuid text not null, entry text not null,
    secret text, private_key text, token_hash text, trial_id text, tried_at bigint, opened_at bigint, handed_in_at bigint,
    confirmed_at bigint, created_at bigint not null, updated_at bigint not null, expires_at bigint not null,
    constraint upstream_invitations_hash unique (hash),
    constraint upstream_invitations_upstream unique (upstream_uuid))`.execute(db)
  await sql`create index upstream_invitations_organisation on upstream_invitations (organisation_uuid)`.execute(
    db,
  )
  await sql`create index upstream_invitations_expires_at on upstream_invitations (expires_at)`.execute(db)
}
