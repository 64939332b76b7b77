import type { Compilable } from 'kysely'
import type { AccessContext, Person } from '../protocol/claims.ts'
import { emailKey } from '../protocol/values.ts'
import type { Store } from './open.ts'
import { prepared } from './prepared.ts'
import type { Flag, UserRow } from './schema.ts'

export interface User extends Person {
  active: boolean
  passwordHash: string | undefined
  lastProfileUuid: string | undefined
}

/** A profile that can be used now, with the names that a person knows it by. */
export interface Profile extends AccessContext {
  roleName: string
  organisationName: string | undefined
  unitName: string | undefined
}

/** The user with this id, active or not. */
export async function findUser(store: Store, uuid: string): Promise<User | undefined> {
  const row = await store.db.selectFrom('users').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  return row === undefined ? undefined : asUser(row)
}

/** The user with this e-mail address, compared by `emailKey`. */
export async function findUserByEmail(store: Store, email: string): Promise<User | undefined> {
  const row = await store.db
    .selectFrom('users')
    .selectAll()
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst()
  return row === undefined ? undefined : asUser(row)
}

/** The e-mail addresses of these users, by their uuids. */
export async function emailsOf(store: Store, uuids: readonly string[]): Promise<Map<string, string>> {
  if (uuids.length === 0) return new Map()
  const rows = await store.db
    .selectFrom('users')
    .select(['uuid', 'email'])
    .where('uuid', 'in', uuids)
    .execute()
  return new Map(rows.map(({ uuid, email }) => [uuid, email]))
}

/** A user with one of their profiles, or with none. */
interface PersonRow extends UserRow {
  profile_uuid: string | null
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

const selectPerson = prepared<{ uuid: string; now: number }, PersonRow>(
  (db, slot) =>
    db
      .selectFrom('users')
      .leftJoin('profiles', (on) =>
        on
          .onRef('profiles.user_uuid', '=', 'users.uuid')
          .on('profiles.active', '=', 1)
          .on((w) =>
            w.or([w('profiles.expires_at', 'is', null), w('profiles.expires_at', '>', slot('now'))]),
          ),
      )
      .leftJoin('roles', 'roles.code', 'profiles.role_code')
      .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
      .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')
      .selectAll('users')
      .select([
        'profiles.uuid as profile_uuid',
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
      .where('users.uuid', '=', slot('uuid')) as Compilable<PersonRow>,
)

/**
 * A user, active or not, and the profiles that they may act under now: profile, role, organisation and unit active,
 * not expired (decisions 2). Ordered by organisation, unit and role as people read them.
 */
export async function findPerson(
  store: Store,
  uuid: string,
  now: number,
): Promise<{ user: User; profiles: Profile[] } | undefined> {
  const rows = await store.read(selectPerson({ uuid, now }))
  const [first] = rows
  if (first === undefined) return undefined
  const profiles = rows.filter(isUsable).map(asProfile)
  // Sorted here, not in SQL: the databases collate text differently.
  if (profiles.length > 1) profiles.sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1))
  return { user: asUser(first), profiles }
}

/** A profile without an organisation or unit has none that could be disabled. */
function isUsable(row: PersonRow): row is PersonRow & { profile_uuid: string } {
  return (
    row.profile_uuid !== null &&
    row.role_active === 1 &&
    row.organisation_active !== 0 &&
    row.unit_active !== 0
  )
}

function asProfile(row: PersonRow & { profile_uuid: string }): Profile {
  return {
    profileUuid: row.profile_uuid,
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

/** Remembers the profile that a person chose, to preselect it next time. */
export async function rememberProfile(store: Store, userUuid: string, profileUuid: string): Promise<void> {
  await store.db
    .updateTable('users')
    .set({ last_profile_uuid: profileUuid })
    .where('uuid', '=', userUuid)
    .execute()
}

/** Replaces a password's hash by one with today's parameters; false when the password changed meanwhile. */
export async function rehashPassword(
  store: Store,
  userUuid: string,
  from: string,
  to: string,
): Promise<boolean> {
  const row = await store.db
    .updateTable('users')
    .set({ password_hash: to })
    .where('uuid', '=', userUuid)
    .where('password_hash', '=', from)
    .returning('uuid')
    .executeTakeFirst()
  return row !== undefined
}

function asUser(row: UserRow): User {
  return {
    uuid: row.uuid,
    email: row.email,
    emailVerified: row.email_verified === 1,
    name: row.name,
    givenName: row.given_name ?? undefined,
    familyName: row.family_name ?? undefined,
    preferredUsername: row.preferred_username ?? undefined,
    picture: row.picture ?? undefined,
    locale: row.locale ?? undefined,
    zoneinfo: row.zoneinfo ?? undefined,
    updatedAt: row.updated_at,
    active: row.active === 1,
    passwordHash: row.password_hash ?? undefined,
    lastProfileUuid: row.last_profile_uuid ?? undefined,
  }
}
