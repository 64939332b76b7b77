import { type Kysely, sql } from 'kysely'

/**
 * additive: links that are used once, mails that wait, and removed second factors, which rest so that their removal can
 * be undone. A process of the version before makes none of them, and removes factors for good.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, columns] of Object.entries(tables))
    await sql.raw(`create table ${name} (${columns})`).execute(db)
  for (const [name, on] of Object.entries(indexes)) await sql.raw(`create index ${name} on ${on}`).execute(db)
}

const user = 'text references users (uuid) on delete cascade'

const tables = {
  links: `
    hash text primary key not null, purpose text not null, subject text not null, user_uuid ${user},
    data text not null, created_at bigint not null, expires_at bigint not null,
    constraint links_subject unique (purpose, subject)`,
  mails: `
    id text primary key not null, kind text not null, recipient text not null, recipient_key text not null,
    user_uuid ${user}, link_hash text, body text, state text not null, attempts bigint not null default 0,
    next_at bigint not null, expires_at bigint not null, created_at bigint not null, ended_at bigint,
    forgotten_at bigint, error text`,
  removed_factors: `
    id text primary key not null, user_uuid text not null references users (uuid) on delete cascade,
    kept text not null, secret text, removed_at bigint not null`,
}

const indexes = {
  links_user: 'links (user_uuid)',
  links_expires_at: 'links (expires_at)',
  mails_user: 'mails (user_uuid)',
  mails_due: "mails (next_at) where state = 'waiting'",
  mails_state: 'mails (state, id)',
  mails_recipient: 'mails (recipient_key, created_at)',
  mails_forgotten_at: 'mails (forgotten_at) where forgotten_at is not null',
  removed_factors_user: 'removed_factors (user_uuid)',
  removed_factors_removed_at: 'removed_factors (removed_at)',
}
