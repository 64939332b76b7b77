import { type Kysely, sql } from 'kysely'

/**
 * additive: sign-in through an organisation's own provider, its domains, and directories that provision. A process of the
 * version before knows no reach: it opens every profile to who signed in through an upstream, so none is set up before
 * all processes are of this version.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(added))
    for (const column of columns) await sql.raw(`alter table ${table} add column ${column}`).execute(db)
  for (const [name, columns] of Object.entries(tables))
    await sql.raw(`create table ${name} (${columns})`).execute(db)
  // Always there, as the policy is.
  await sql`insert into installation (name, kept) values ('break_glass', '{}') on conflict do nothing`.execute(
    db,
  )
  for (const [name, on] of Object.entries(indexes)) await sql.raw(`create ${name} on ${on}`).execute(db)
}

const added = {
  // Organisations whose upstreams open this one too, and who gets in when those fail: JSON lists of uuids.
  organisations: [`accepts text not null default '[]'`, `break_glass text not null default '[]'`],
  // The organisation whose proof a credential was set under: it reaches no further. Null: everywhere.
  users: ['password_reach text', 'kept_by text', 'disabled_by text'],
  factors: ['reach text'],
  trusted_devices: ['reach text'],
  recovery_codes: ['reach text'],
  consents: ['reach text'],
  profiles: ['counts_until bigint', 'suspended bigint not null default 0'],
}

const user = 'text not null references users (uuid) on delete cascade'
const organisation = 'text not null references organisations (uuid) on delete cascade'
const upstream = 'text not null references upstreams (uuid) on delete cascade'
const directory = 'text not null references directories (uuid) on delete cascade'
const times = 'created_at bigint not null, updated_at bigint not null'

const tables = {
  upstreams: `
    uuid text primary key not null, organisation_uuid text references organisations (uuid) on delete cascade,
    code text not null, name text not null, kind text not null, active bigint not null, issuer text, client_id text,
    secret text, secret_expires_at bigint, private_key text, metadata_url text, metadata text, url text, bind_dn text,
    base text, subject text, attributes text, mapping text not null, provision text not null, guests bigint not null,
    assurance text, assurance_trusted bigint not null, recheck_days bigint, logout text not null,
    domains text not null, managed_by text, version bigint not null default 1, ${times}`,
  upstream_states: `
    upstream_uuid text primary key not null references upstreams (uuid) on delete cascade, documents text,
    fetched_at bigint, failing_since bigint, stood_at bigint, problem text, last_sign_in_at bigint, last_sign_in_by text`,
  upstream_links: `
    upstream_uuid ${upstream}, subject text not null, user_uuid ${user}, created_at bigint not null,
    by_hand bigint not null, last_sign_in_at bigint not null, groups text, claims text, groups_at bigint, told text,
    constraint upstream_links_pk primary key (upstream_uuid, subject),
    constraint upstream_links_one unique (user_uuid, upstream_uuid)`,
  upstream_requests: `
    id text primary key not null, upstream_uuid ${upstream}, about text not null, purpose text not null,
    browser_hash text not null, data text not null, created_at bigint not null, expires_at bigint not null`,
  upstream_sessions: `
    sid text not null, upstream_uuid ${upstream}, upstream_sid text, subject text not null, id_token text,
    expires_at bigint not null, constraint upstream_sessions_pk primary key (sid, upstream_uuid)`,
  domains: `
    uuid text primary key not null, organisation_uuid ${organisation}, name text not null, given bigint not null,
    holds bigint not null, token text not null, proved_at bigint, checked_at bigint, missing_since bigint,
    version bigint not null default 1, ${times},
    constraint domains_claim unique (organisation_uuid, name)`,
  directories: `
    uuid text primary key not null, organisation_uuid ${organisation}, code text not null, name text not null,
    active bigint not null, subject text, mapping text not null, version bigint not null default 1, ${times},
    constraint directories_code unique (organisation_uuid, code)`,
  directory_tokens: `
    id text primary key not null, directory_uuid ${directory}, hash text not null, created_at bigint not null,
    expires_at bigint not null, last_used_at bigint, constraint directory_tokens_hash unique (hash)`,
  scim_resources: `
    id text primary key not null, directory_uuid ${directory}, kind text not null, name_key text not null,
    external_id text, data text not null, user_uuid text references users (uuid) on delete set null,
    active bigint not null, deleted_at bigint, version bigint not null default 1, ${times}`,
  scim_members: `
    group_id text not null references scim_resources (id) on delete cascade,
    user_id text not null references scim_resources (id) on delete cascade,
    constraint scim_members_pk primary key (group_id, user_id)`,
  profile_sources: `
    profile_uuid text not null references profiles (uuid) on delete cascade, kind text not null,
    source_uuid text not null, constraint profile_sources_pk primary key (profile_uuid, kind, source_uuid)`,
  suspensions: `
    user_uuid ${user}, organisation_uuid ${organisation}, source_uuid text not null, created_at bigint not null,
    constraint suspensions_pk primary key (user_uuid, organisation_uuid, source_uuid)`,
}

const indexes = {
  'unique index upstreams_code': `upstreams (coalesce(organisation_uuid, ''), code)`,
  'index upstreams_organisation': 'upstreams (organisation_uuid)',
  'index upstream_requests_upstream': 'upstream_requests (upstream_uuid)',
  'index upstream_requests_expires_at': 'upstream_requests (expires_at)',
  'index upstream_sessions_sid': 'upstream_sessions (upstream_uuid, upstream_sid)',
  'index upstream_sessions_expires_at': 'upstream_sessions (expires_at)',
  'unique index domains_holder': 'domains (name) where holds = 1',
  'unique index scim_resources_name':
    'scim_resources (directory_uuid, kind, name_key) where deleted_at is null',
  'unique index scim_resources_external':
    'scim_resources (directory_uuid, kind, external_id) where deleted_at is null and external_id is not null',
  'index scim_resources_user': 'scim_resources (user_uuid)',
  'index scim_resources_deleted': 'scim_resources (deleted_at) where deleted_at is not null',
  'index scim_members_user': 'scim_members (user_id)',
  'index directory_tokens_directory': 'directory_tokens (directory_uuid)',
  'index profile_sources_source': 'profile_sources (source_uuid)',
  'index suspensions_organisation': 'suspensions (organisation_uuid)',
  'index suspensions_source': 'suspensions (source_uuid)',
}
