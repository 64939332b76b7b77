/**
 * Whether a profile or a client counts now (decisions 2 and 10). Each condition stands here once: as a test of what was
 * read, and as SQL. The name of a condition is the reason why something does not count.
 */
import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Flag } from '../database/flag.ts'
import { type Entry, enters } from './entry.ts'
import type { Profile } from './users.ts'
import type { Schema } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'

/** A profile with what it depends on. Null: it has none, so none that could be disabled. */
export interface ProfileState {
  user_active: Flag
  profile_active: Flag
  expires_at: number | null
  role_active: Flag
  organisation_active: Flag | null
  unit_active: Flag | null
  beyond: Beyond | null
  suspended: Flag
  counts_until: number | null
}

/** Whether somebody may prove who they are: who asked to be removed may undo that by it, and nothing else counts. */
export const maySignIn = sql<boolean>`(users.active = 1 or users.deletion_at is not null)`

/** Whether the organisation that something belongs to is active, or it belongs to none; `organisations` is joined. */
export const inActiveOrganisation = (table: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(`${table}.organisation_uuid`)} is null or organisations.active = 1)`

/** The tables in `sql` are those of `heldProfiles`. */
const ofProfile = {
  // Not `= 1`, by which SQLite would begin at the index of active people, who are nearly all.
  user_active: { holds: (one: ProfileState) => one.user_active === 1, sql: () => sql`users.active <> 0` },
  profile_active: {
    holds: (one: ProfileState) => one.profile_active === 1,
    sql: () => sql`profiles.active = 1`,
  },
  profile_not_expired: {
    holds: (one: ProfileState, now: number) => one.expires_at === null || one.expires_at > now,
    sql: (now: number) => sql`(profiles.expires_at is null or profiles.expires_at > ${now})`,
  },
  role_active: { holds: (one: ProfileState) => one.role_active === 1, sql: () => sql`roles.active = 1` },
  organisation_active: {
    holds: (one: ProfileState) => one.organisation_active !== 0,
    sql: () => inActiveOrganisation('profiles'),
  },
  unit_active: {
    holds: (one: ProfileState) => one.unit_active !== 0,
    sql: () => sql`(profiles.unit_uuid is null or units.active = 1)`,
  },
  // The profile is more than the account's maker could give, and nobody has proved the account yet.
  account_proved: {
    holds: (one: ProfileState) => one.beyond !== 'waits',
    sql: () => sql`(profiles.beyond is null or profiles.beyond <> 'waits')`,
  },
  // A directory, or a look at an upstream, says that the person is away.
  person_not_suspended: {
    holds: (one: ProfileState) => one.suspended === 0,
    sql: () => sql`profiles.suspended = 0`,
  },
  // Nobody has signed in through the upstream that gives it for too long.
  proof_recent: {
    holds: (one: ProfileState, now: number) => one.counts_until === null || one.counts_until > now,
    sql: (now: number) => sql`(profiles.counts_until is null or profiles.counts_until > ${now})`,
  },
}

export type ProfileReason = keyof typeof ofProfile

const profileConditions = Object.entries(ofProfile) as [ProfileReason, (typeof ofProfile)[ProfileReason]][]

/** Each condition of a profile, with whether it holds. */
export function profileChecks(
  profile: ProfileState,
  now: number,
): { check: ProfileReason; holds: boolean }[] {
  return profileConditions.map(([check, { holds }]) => ({ check, holds: holds(profile, now) }))
}

/** Whether the person may act under the profile now. */
export const isUsableProfile = (profile: ProfileState, now: number): boolean =>
  profileConditions.every(([, { holds }]) => holds(profile, now))

/** All profiles, with the tables that say whether they count. */
export const heldProfiles = (db: Kysely<Schema>) =>
  db
    .selectFrom('profiles')
    .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
    .innerJoin('roles', 'roles.code', 'profiles.role_code')
    .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
    .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')

/** Keeps the profiles that count, in a query with these tables; `now` may be a slot. */
export const onlyUsable = <Query extends { where(condition: Expression<SqlBool>): Query }>(
  query: Query,
  now: number,
): Query => profileConditions.reduce((all, [, { sql }]) => all.where(sql(now) as Expression<SqlBool>), query)

export const usableProfiles = (db: Kysely<Schema>, now: number) => onlyUsable(heldProfiles(db), now)

/** A client with whether its organisation is active. Null: it belongs to none. */
export interface ClientState {
  active: Flag
  organisation_active: Flag | null
}

/** Each condition of a client, with whether it holds. */
export const clientChecks = ({ active, organisation_active }: ClientState) => [
  { check: 'client_active' as const, holds: active === 1 },
  { check: 'client_organisation_active' as const, holds: organisation_active !== 0 },
]

export const isUsableClient = (client: ClientState): boolean =>
  clientChecks(client).every(({ holds }) => holds)

/** The clients that count, as `c`. */
export const usableClients = (db: Kysely<Schema>) =>
  db
    .selectFrom('clients as c')
    .leftJoin('organisations', 'organisations.uuid', 'c.organisation_uuid')
    .where('c.active', '=', 1)
    .where(inActiveOrganisation('c'))

/**
 * Whether a profile counts at a client: a client of an organisation takes the profiles of that organisation alone
 * (decisions 10), and each client those that its `allowed` lets in (decisions 35).
 */
export const isWithinClient = (
  profile: Pick<Profile, 'role_code' | 'organisation_uuid' | 'unit_uuid'>,
  client: { organisation_uuid: string | null; entry: Entry | undefined },
): boolean =>
  (client.organisation_uuid === null || client.organisation_uuid === profile.organisation_uuid) &&
  enters(profile, client.entry)

/**
 * The first half of `isWithinClient` in SQL. Of `allowed`: narrowing it ends codes and tokens that it lets in no more,
 * whoever uses one is asked again, and what gives a family another profile asks within its transaction.
 */
export function withinClient(profile: string, client: string): RawBuilder<boolean> {
  const place = sql.ref(`${client}.organisation_uuid`)
  return sql<boolean>`(${place} is null or ${place} = ${sql.ref(`${profile}.organisation_uuid`)})`
}
