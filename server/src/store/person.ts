import type { Compilable, SelectQueryBuilder } from 'kysely'
import type { Store } from './open.ts'
import { prepared } from './prepared.ts'
import type { Flag, Schema } from './schema.ts'
import type { Profile, User } from './users.ts'

/** A user, active or not, and the profiles that they may act under now. */
export interface PersonNow {
  user: User
  /** Ordered by organisation, unit and role as people read them. */
  profiles: Profile[]
}

/** A user with one of their profiles, or with none: what a query made by `withPerson` adds to its rows. */
export interface PersonRow {
  person_uuid: string
  email: string
  email_verified: Flag
  person_name: string
  given_name: string | null
  family_name: string | null
  preferred_username: string | null
  picture: string | null
  locale: string | null
  zoneinfo: string | null
  password_hash: string | null
  last_profile_uuid: string | null
  person_active: Flag
  person_updated_at: number
  usable_uuid: string | null
  role_code: string
  organisation_uuid: string | null
  unit_uuid: string | null
  role_name: string
  organisation_name: string | null
  unit_name: string | null
  role_active: Flag | null
  organisation_active: Flag | null
  unit_active: Flag | null
}

type OfUsers = SelectQueryBuilder<Schema, 'users', object>

/**
 * Adds the person to a query that has `users`: what is asked of a code, a token or a session is next asked of whom
 * it belongs to, and one question costs less than two.
 */
export function withPerson(query: object, now: number): Compilable<PersonRow> {
  // The builder's type names every table that it has; the columns here are of `users` and of what is joined here.
  return (query as OfUsers)
    .leftJoin('profiles', (on) =>
      on
        .onRef('profiles.user_uuid', '=', 'users.uuid')
        .on('profiles.active', '=', 1)
        .on((w) => w.or([w('profiles.expires_at', 'is', null), w('profiles.expires_at', '>', now)])),
    )
    .leftJoin('roles', 'roles.code', 'profiles.role_code')
    .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
    .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')
    .select([
      'users.uuid as person_uuid',
      'users.email',
      'users.email_verified',
      'users.name as person_name',
      'users.given_name',
      'users.family_name',
      'users.preferred_username',
      'users.picture',
      'users.locale',
      'users.zoneinfo',
      'users.password_hash',
      'users.last_profile_uuid',
      'users.active as person_active',
      'users.updated_at as person_updated_at',
      'profiles.uuid as usable_uuid',
      'profiles.role_code',
      'profiles.organisation_uuid',
      'profiles.unit_uuid',
      'roles.name as role_name',
      'roles.active as role_active',
      'organisations.name as organisation_name',
      'organisations.active as organisation_active',
      'units.name as unit_name',
      'units.active as unit_active',
    ])
}

const selectPerson = prepared<{ uuid: string; now: number }, PersonRow>((db, slot) =>
  withPerson(db.selectFrom('users').where('users.uuid', '=', slot('uuid')), slot('now')),
)

/** The person with this id. */
export async function findPerson(store: Store, uuid: string, now: number): Promise<PersonNow | undefined> {
  const rows = await store.read(selectPerson({ uuid, now }))
  const [first] = rows
  return first === undefined ? undefined : asPerson(first, rows)
}

/**
 * The person of these rows: all are of one, with a profile each. A profile can be used when it, its role, its
 * organisation and its unit are active and it has not expired (decisions 2).
 */
export function asPerson(first: PersonRow, rows: readonly PersonRow[]): PersonNow {
  const profiles = rows.filter(isUsable).map(asProfile)
  // Sorted here, not in SQL: the databases collate text differently.
  if (profiles.length > 1) profiles.sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1))
  return { user: asUser(first), profiles }
}

/** A profile without an organisation or unit has none that could be disabled. */
function isUsable(row: PersonRow): row is PersonRow & { usable_uuid: string } {
  return (
    row.usable_uuid !== null &&
    row.role_active === 1 &&
    row.organisation_active !== 0 &&
    row.unit_active !== 0
  )
}

function asUser(row: PersonRow): User {
  return {
    uuid: row.person_uuid,
    email: row.email,
    emailVerified: row.email_verified === 1,
    name: row.person_name,
    givenName: row.given_name ?? undefined,
    familyName: row.family_name ?? undefined,
    preferredUsername: row.preferred_username ?? undefined,
    picture: row.picture ?? undefined,
    locale: row.locale ?? undefined,
    zoneinfo: row.zoneinfo ?? undefined,
    updatedAt: row.person_updated_at,
    active: row.person_active === 1,
    passwordHash: row.password_hash ?? undefined,
    lastProfileUuid: row.last_profile_uuid ?? undefined,
  }
}

function asProfile(row: PersonRow & { usable_uuid: string }): Profile {
  return {
    profileUuid: row.usable_uuid,
    roleCode: row.role_code,
    organisationUuid: row.organisation_uuid ?? undefined,
    unitUuid: row.unit_uuid ?? undefined,
    roleName: row.role_name,
    organisationName: row.organisation_name ?? undefined,
    unitName: row.unit_name ?? undefined,
  }
}

const sortText = (profile: Profile) =>
  `${profile.organisationName ?? ''}\0${profile.unitName ?? ''}\0${profile.roleName}\0${profile.profileUuid}`
