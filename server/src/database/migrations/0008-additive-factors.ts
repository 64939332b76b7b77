import { type Kysely, sql } from 'kysely'

/**
 * additive: second factors and passkeys, what each session, code and family was proved by, and policies. A row of before
 * has no proofs: they are computed from its acr, amr and auth_time, which a process of the version before goes on writing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, columns] of Object.entries(tables))
    await sql.raw(`create table ${name} (${columns})`).execute(db)
  for (const [name, on] of Object.entries(indexes)) await sql.raw(`create index ${name} on ${on}`).execute(db)
  for (const [table, columns] of Object.entries(added))
    for (const column of columns) await sql.raw(`alter table ${table} add column ${column}`).execute(db)
}

const user = 'user_uuid text not null references users (uuid) on delete cascade'

const tables = {
  factors: `
    id text primary key not null, ${user}, kind text not null, name text not null, created_at bigint not null,
    last_used_at bigint, confirmed_at bigint, pending_sid text, suspended_at bigint,
    failures bigint not null default 0, secret text, last_step bigint, credential_id text unique, public_key text,
    sign_count bigint, backup_eligible bigint, backup_state bigint, transports text, aaguid text, rp_id text`,
  recovery_codes: `
    ${user}, number bigint not null, hash text not null, used_at bigint,
    constraint recovery_codes_pk primary key (user_uuid, number)`,
  trusted_devices: `
    id_hash text primary key not null, ${user}, label text not null, proved_at bigint not null,
    last_used_at bigint not null`,
  webauthn_challenges: `
    id text primary key not null, challenge text not null, purpose text not null, bound_to text not null,
    user_uuid text references users (uuid) on delete cascade, expires_at bigint not null`,
  installation: 'name text primary key not null, kept text not null',
}

const indexes = {
  factors_user: 'factors (user_uuid)',
  trusted_devices_user: 'trusted_devices (user_uuid)',
  trusted_devices_proved_at: 'trusted_devices (proved_at)',
  webauthn_challenges_user: 'webauthn_challenges (user_uuid)',
  webauthn_challenges_expires_at: 'webauthn_challenges (expires_at)',
}

const proofs = ["proofs text not null default '[]'"]
const policy = ['policy text']

const added = {
  users: [
    'second_factor bigint not null default 0',
    'user_handle text',
    'enrolment_required bigint not null default 0',
    'grace_began_at bigint',
  ],
  sessions: proofs,
  authorization_codes: proofs,
  token_families: proofs,
  organisations: policy,
  roles: policy,
  clients: policy,
}
