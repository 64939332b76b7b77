import { type Kysely, sql } from 'kysely'
import type { AuditKeeper } from '../audit-key.ts'

type Dialect = 'sqlite' | 'postgres'

/**
 * additive: the tables of 0.1.0. Immutable once a version with it is released: what changes later is a migration of its
 * own.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect, keeper: AuditKeeper): Promise<void> {
  for (const [name, columns] of Object.entries(tables(dialect)))
    await sql.raw(`create table ${name} (${columns})${roomIn(name, dialect)}`).execute(db)
  for (const [name, columns] of Object.entries(indexes))
    await sql.raw(`create index ${name} on ${columns}`).execute(db)
  for (const trigger of refusals[dialect]) await sql.raw(trigger).execute(db)
  const start = { sequence: 0, hash: '0'.repeat(64) }
  await sql`insert into audit_head (name, sequence, hash) values ('chain', 0, ${start.hash})`.execute(db)
  await sql`insert into audit_keys (name, kept) values ('chain', ${keeper.make(start, [])})`.execute(db)
  await sql`insert into revisions (name, value) values ('catalogue', 0), ('administration', 0)`.execute(db)
  await sql`insert into webhook_outbox (name, position) values ('audit', 0)`.execute(db)
}

/** How full the pages of a table are made, in percent. */
const filled: Readonly<Record<string, number>> = { authorization_codes: 85, sessions: 85, token_families: 80 }

/** PostgreSQL writes no index for a changed row that finds room on its page, where no indexed column changes. */
const roomIn = (table: string, dialect: Dialect) =>
  dialect === 'postgres' && table in filled ? ` with (fillfactor = ${filled[table]})` : ''

function tables(dialect: Dialect): Record<string, string> {
  // Compared by its bytes on both databases, so that a prefix is a range of an index.
  const bytes = dialect === 'postgres' ? 'text collate "C"' : 'text'
  // SQLite takes only `integer` for the row's own number.
  const sequence = dialect === 'postgres' ? 'bigint' : 'integer'
  const growing = dialect === 'postgres' ? 'bigint generated always as identity' : 'integer'
  return {
    ...accessModel(bytes),
    ...clients(bytes),
    ...signIn,
    ...tokens,
    ...audit(sequence, growing),
    ...webhooks,
  }
}

const accessModel = (bytes: string) => ({
  services: `
    code text primary key not null, name text not null, audience text not null unique,
    access_token_alg text not null, managed_by text, version bigint not null default 1`,
  permissions: `
    code text primary key not null, service_code text not null references services (code) on delete cascade,
    description text not null, version bigint not null default 1`,
  roles: `
    code text primary key not null, name text not null, active bigint not null,
    managed_by text, version bigint not null default 1`,
  role_permissions: `
    role_code text not null references roles (code) on delete cascade, permission text not null,
    constraint role_permissions_pk primary key (role_code, permission)`,
  organisations: `
    uuid text primary key not null, code ${bytes} not null unique, name text not null,
    active bigint not null, managed_by text, version bigint not null default 1`,
  units: `
    uuid text primary key not null, organisation_uuid text not null references organisations (uuid) on delete cascade,
    parent_uuid text references units (uuid), code text not null, name text not null, active bigint not null,
    version bigint not null default 1, constraint units_code unique (organisation_uuid, code)`,
  users: `
    uuid text primary key not null, email text not null, email_key ${bytes} not null unique,
    email_verified bigint not null, name text not null, given_name text,
    family_name text, preferred_username text, picture text, locale text, zoneinfo text, password_hash text,
    declared_password_hash text, limited_reach bigint not null default 1, active bigint not null,
    last_profile_uuid text, created_at bigint not null, updated_at bigint not null,
    managed_by text, version bigint not null default 1`,
  profiles: `
    uuid text primary key not null, user_uuid text not null references users (uuid) on delete cascade,
    role_code text not null references roles (code), organisation_uuid text references organisations (uuid),
    unit_uuid text references units (uuid), active bigint not null, expires_at bigint,
    version bigint not null default 1`,
  members: `
    place_uuid text not null, user_uuid text not null, email_key ${bytes} not null, active bigint not null,
    constraint members_pk primary key (place_uuid, user_uuid)`,
  words: `
    kind text not null, id text not null, place text not null, later bigint not null, words ${bytes} not null,
    key ${bytes} not null, constraint words_pk primary key (kind, id, place, later, words)`,
})

const clients = (bytes: string) => ({
  clients: `
    client_id text primary key not null, type text not null, application_type text not null,
    client_name text not null, active bigint not null, first_party bigint not null,
    scope text not null, redirect_uris text not null, post_logout_redirect_uris text not null,
    grant_types text not null, services text not null, permissions text,
    organisation_uuid text references organisations (uuid), allowed_origins text not null, client_uri text,
    logo_uri text, contacts text not null, backchannel_logout_uri text, access_token_lifetime bigint,
    refresh_idle_lifetime bigint, refresh_absolute_lifetime bigint, token_generation bigint not null default 0,
    limited_reach bigint not null default 1, created_at bigint not null, updated_at bigint not null,
    managed_by text, version bigint not null default 1`,
  client_origins: `
    origin text not null, client_id text not null references clients (client_id) on delete cascade,
    constraint client_origins_pk primary key (origin, client_id)`,
  client_secrets: `
    id text primary key not null, client_id text not null references clients (client_id) on delete cascade,
    secret_hash text not null, limited_reach bigint not null default 1, created_at bigint not null,
    expires_at bigint`,
  client_permissions: `
    client_id ${bytes} not null references clients (client_id) on delete cascade, permission text not null,
    client_name text not null, organisation_uuid text,
    constraint client_permissions_pk primary key (client_id, permission)`,
})

const signIn = {
  sessions: `
    sid text primary key not null, cookie_hash text not null unique, user_uuid text not null,
    auth_time bigint not null, acr text not null, amr text not null, created_at bigint not null,
    last_seen_at bigint not null, expires_at bigint not null, ended_at bigint, known_end bigint not null default 0`,
  devices: `
    id_hash text primary key not null, user_uuid text not null, created_at bigint not null,
    last_used_at bigint not null`,
  authorization_requests: `
    id text primary key not null, browser_hash text not null, client_id text not null, redirect_uri text not null,
    parameters text not null, signed_in_sid text, profile_uuid text, consented bigint not null,
    created_at bigint not null, expires_at bigint not null`,
  consents: `
    user_uuid text not null, client_id text not null, scope text not null, services text not null default '[]',
    permissions text not null default '[]', redirect_hosts text not null default '[]', granted_at bigint not null,
    constraint consents_pk primary key (user_uuid, client_id)`,
  limits: 'key text primary key not null, count bigint not null, expires_at bigint not null',
  throttles: `
    key text primary key not null, failures bigint not null, next_at bigint not null, expires_at bigint not null`,
  setup_links: `
    id text primary key not null, secret_hash text not null, created_at bigint not null, expires_at bigint not null,
    used_at bigint`,
}

const tokens = {
  signing_keys: `
    kid text primary key not null, alg text not null, public_jwk text not null, private_key text not null,
    created_at bigint not null, signs_from bigint not null, published_until bigint,
    constraint signing_keys_signs_from unique (alg, signs_from)`,
  authorization_codes: `
    id text primary key not null, secret_hash text not null, client_id text not null, user_uuid text not null,
    sid text not null, profile_uuid text not null, redirect_uri text not null, code_challenge text not null,
    nonce text not null, scope text not null, resource text, auth_time bigint not null, acr text not null,
    amr text not null, created_at bigint not null, expires_at bigint not null, consumed_at bigint, family_id text`,
  token_families: `
    id text primary key not null, client_id text not null, user_uuid text not null, sid text not null,
    profile_uuid text not null, scope text not null, resource text, auth_time bigint not null, acr text not null,
    amr text not null, family_hash text not null, current_hash text not null, predecessors text not null,
    created_at bigint not null, last_used_at bigint not null, idle_expires_at bigint not null,
    expires_at bigint not null, revoked_at bigint, revoked_reason text, known_end bigint not null default 0`,
  revoked_tokens: 'jti text primary key not null, expires_at bigint not null',
  logout_notices: `
    id text primary key not null, client_id text not null, uri text not null, sub text not null, sid text not null,
    attempts bigint not null, next_at bigint not null, created_at bigint not null`,
  repeatable_answers: `
    key_hash text primary key not null, request_hash text not null, answer text not null,
    expires_at bigint not null`,
  revisions: 'name text primary key not null, value bigint not null',
}

const auditContent = `
    at bigint not null, kind text not null, actor_kind text not null, actor_id text, actor_profile_uuid text,
    actor_role_code text, actor_organisation_uuid text, address text, request_id text, target_kind text,
    target_id text, user_uuid text, client_id text, sid text, organisation_uuid text, before text, after text,
    detail text`

const audit = (sequence: string, growing: string) => ({
  audit_records: `
    sequence ${sequence} primary key not null, previous text not null, hash text not null, mac text,
    waited bigint, ${auditContent}`,
  // Each row is added, linked and removed within a second.
  audit_waiting: `number ${growing} primary key not null, mac text, ${auditContent}`,
  audit_head: 'name text primary key not null, sequence bigint not null, hash text not null',
  audit_keys: 'name text primary key not null, kept text not null',
})

const webhooks = {
  webhooks: `
    uuid text primary key not null, url text not null, description text not null, kinds text not null,
    organisation_uuid text references organisations (uuid) on delete cascade, active bigint not null,
    since bigint not null, created_at bigint not null, updated_at bigint not null,
    version bigint not null default 1`,
  webhook_secrets: `
    id text primary key not null, webhook_uuid text not null references webhooks (uuid) on delete cascade,
    secret text not null, created_at bigint not null, expires_at bigint`,
  webhook_deliveries: `
    id text primary key not null, webhook_uuid text not null references webhooks (uuid) on delete cascade,
    sequence bigint not null, kind text not null, state text not null, attempts bigint not null,
    next_at bigint not null, created_at bigint not null, ended_at bigint, expires_at bigint, last_status bigint,
    last_error text, constraint webhook_deliveries_record unique (webhook_uuid, sequence)`,
  webhook_outbox: 'name text primary key not null, position bigint not null',
}

const indexes = {
  permissions_service: 'permissions (service_code)',
  role_permissions_permission: 'role_permissions (permission)',
  units_parent: 'units (parent_uuid)',
  users_active: 'users (active, email_key)',
  // A file manages few of a million users.
  users_managed: 'users (managed_by) where managed_by is not null',
  profiles_user: 'profiles (user_uuid)',
  profiles_role: 'profiles (role_code, uuid)',
  profiles_organisation: 'profiles (organisation_uuid, uuid)',
  profiles_organisation_role: 'profiles (organisation_uuid, role_code, uuid)',
  profiles_unit: 'profiles (unit_uuid, uuid)',
  profiles_unit_role: 'profiles (unit_uuid, role_code, uuid)',
  members_user: 'members (user_uuid)',
  members_email: 'members (place_uuid, email_key)',
  words_found: 'words (kind, place, later, words, key)',
  members_active: 'members (place_uuid, active, email_key)',
  clients_organisation: 'clients (organisation_uuid)',
  clients_of_organisation: 'clients (organisation_uuid, client_id)',
  clients_of_type: 'clients (type, client_id)',
  clients_active: 'clients (active, client_id)',
  client_origins_client: 'client_origins (client_id)',
  client_secrets_client: 'client_secrets (client_id)',
  client_permissions_permission: 'client_permissions (permission, client_id)',
  client_permissions_organisation: 'client_permissions (organisation_uuid, permission, client_id)',
  // The sweep finds by these what is over. Codes and requests are found by their ids.
  sessions_known_end: 'sessions (known_end)',
  token_families_known_end: 'token_families (known_end)',
  devices_last_used_at: 'devices (last_used_at)',
  limits_expires_at: 'limits (expires_at)',
  throttles_expires_at: 'throttles (expires_at)',
  setup_links_expires_at: 'setup_links (expires_at)',
  revoked_tokens_expires_at: 'revoked_tokens (expires_at)',
  repeatable_answers_expires_at: 'repeatable_answers (expires_at)',
  webhook_deliveries_expires_at: 'webhook_deliveries (expires_at) where expires_at is not null',
  sessions_user: 'sessions (user_uuid)',
  devices_user: 'devices (user_uuid)',
  consents_client: 'consents (client_id, user_uuid)',
  token_families_sid: 'token_families (sid)',
  token_families_user: 'token_families (user_uuid, client_id)',
  token_families_client: 'token_families (client_id, id)',
  logout_notices_next: 'logout_notices (next_at)',
  // What lists are filtered by, each in the order of time.
  audit_records_at: 'audit_records (at, sequence)',
  audit_records_kind: 'audit_records (kind, at, sequence)',
  audit_records_actor_id: 'audit_records (actor_id, at, sequence) where actor_id is not null',
  audit_records_target_id: 'audit_records (target_id, at, sequence) where target_id is not null',
  audit_records_user_uuid: 'audit_records (user_uuid, at, sequence) where user_uuid is not null',
  audit_records_organisation_uuid:
    'audit_records (organisation_uuid, at, sequence) where organisation_uuid is not null',
  webhooks_organisation: 'webhooks (organisation_uuid, uuid)',
  webhook_secrets_webhook: 'webhook_secrets (webhook_uuid)',
  webhook_deliveries_state: 'webhook_deliveries (webhook_uuid, state, sequence)',
  // What waits is little of what there is.
  webhook_deliveries_due: "webhook_deliveries (webhook_uuid, next_at) where state = 'pending'",
}

const refusal = "'audit records are never changed or removed'"

const waitingRefusal = "'audit records that wait are never changed, and removed by being linked alone'"

/** Triggers that refuse to change, replace or remove audit records; `database/audit-triggers.ts` checks them. */
const refusals: Record<Dialect, string[]> = {
  sqlite: [
    `create trigger audit_records_no_update before update on audit_records
     begin select raise(abort, ${refusal}); end`,
    `create trigger audit_records_no_delete before delete on audit_records
     begin select raise(abort, ${refusal}); end`,
    `create trigger audit_records_no_replace before insert on audit_records
     when exists (select 1 from audit_records where sequence = new.sequence)
     begin select raise(abort, ${refusal}); end`,
  ],
  postgres: [
    `create function audit_records_refuse() returns trigger language plpgsql as
     $$begin raise exception ${refusal}; end$$`,
    `create trigger audit_records_no_change before update or delete on audit_records
     for each row execute function audit_records_refuse()`,
    `create trigger audit_records_no_truncate before truncate on audit_records
     for each statement execute function audit_records_refuse()`,
    `create function audit_waiting_refuse() returns trigger language plpgsql as
     $$begin raise exception ${waitingRefusal}; end$$`,
    `create trigger audit_waiting_no_change before update or truncate on audit_waiting
     for each statement execute function audit_waiting_refuse()`,
    // The batch that links them has just become the last records of the chain.
    `create function audit_waiting_linked() returns trigger language plpgsql as
     $$declare start bigint := (select sequence from audit_head where name = 'chain') - (select count(*) from gone); begin if exists (select from gone where not exists (select from audit_records where sequence > start and waited = gone.number)) then raise exception ${waitingRefusal}; end if; return null; end$$`,
    `create trigger audit_waiting_no_loss after delete on audit_waiting
     referencing old table as gone for each statement execute function audit_waiting_linked()`,
  ],
}
