import type { Compilable, SelectQueryBuilder } from 'kysely'
import { prepared } from '../database/prepared.ts'
import { revisionThen } from '../database/revision.ts'
import { type Policy, policyOf } from '../protocol/policy.ts'
import type { Flag } from '../database/flag.ts'
import type { Schema } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'
import { isUsableProfile } from './usable.ts'
import { type Profile, type User, userColumns } from './users.ts'
import type { Reading } from './in-transaction.ts'

/** A user, active or not, and the profiles that they may act under now. */
export interface PersonNow {
  user: User
  /** Rows that have all of `PersonRow`; ordered by organisation, unit and role as people read them. */
  profiles: Profile[]
  /** Whether one waits until somebody proves whose the account is. */
  waits: boolean
  /** The revision of what is kept in memory, at the same moment. */
  revision: number
}

/** A user with one of their profiles, or with none: what a query made by `withPerson` adds to its rows. */
export interface PersonRow extends User, Omit<Profile, 'held_uuid'> {
  revision: number
  held_uuid: string | null
  held_active: Flag
  held_beyond: Beyond | null
  held_suspended: Flag
  role_active: Flag
  organisation_active: Flag | null
  unit_active: Flag | null
}

type OfUsers = SelectQueryBuilder<Schema, 'users', object>

/**
 * Adds the person to a query that has `users`: what is asked of a code, a token or a session is next asked of its
 * person, and one query costs less than two.
 */
export function withPerson(query: object): Compilable<PersonRow> {
  // The builder's type names every table that it has; the columns here are of `users` and of what is joined here.
  return (query as OfUsers)
    .leftJoin('profiles', 'profiles.user_uuid', 'users.uuid')
    .leftJoin('roles', 'roles.code', 'profiles.role_code')
    .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
    .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')
    .select([
      revisionThen,
      ...userColumns.map((name) => `users.${name}` as const),
      'profiles.uuid as held_uuid',
      'profiles.active as held_active',
      'profiles.expires_at as held_until',
      'profiles.beyond as held_beyond',
      'profiles.suspended as held_suspended',
      'profiles.counts_until as held_counts_until',
      'profiles.role_code',
      'profiles.organisation_uuid',
      'profiles.unit_uuid',
      'roles.name as role_name',
      'roles.active as role_active',
      'organisations.code as organisation_code',
      'organisations.name as organisation_name',
      'organisations.active as organisation_active',
      'units.code as unit_code',
      'units.name as unit_name',
      'units.active as unit_active',
      'roles.policy as role_policy',
      'organisations.policy as organisation_policy',
    ])
}

const selectPerson = prepared<{ uuid: string }, PersonRow>((db, slot) =>
  withPerson(db.selectFrom('users').where('users.uuid', '=', slot('uuid'))),
)

/** The person with this id. */
export async function findPerson(store: Reading, uuid: string, now: number): Promise<PersonNow | undefined> {
  const rows = await store.read(selectPerson({ uuid }))
  const [first] = rows
  return first === undefined ? undefined : asPerson(first, rows, now)
}

/** The person of these rows: all are of one, with a profile each. */
export function asPerson(first: PersonRow, rows: readonly PersonRow[], now: number): PersonNow {
  const profiles = rows.filter((row) => isUsable(row, now))
  // Sorted here, not in SQL: the databases collate text differently.
  if (profiles.length > 1) profiles.sort((a, b) => (sortText(a) < sortText(b) ? -1 : 1))
  return {
    user: first,
    profiles,
    waits: rows.some((row) => row.held_beyond === 'waits'),
    revision: first.revision,
  }
}

function isUsable(row: PersonRow, now: number): row is PersonRow & Profile {
  if (row.held_uuid === null) return false
  const { active: user_active, held_active: profile_active, held_until: expires_at } = row
  const { role_active, organisation_active, unit_active, held_beyond: beyond } = row
  const { held_suspended: suspended, held_counts_until: counts_until } = row
  const places = { role_active, organisation_active, unit_active }
  const told = { beyond, suspended, counts_until }
  return isUsableProfile({ user_active, profile_active, expires_at, ...places, ...told }, now)
}

const none: readonly Policy[] = []

export type ProfilePolicies = Pick<Profile, 'role_policy' | 'organisation_policy'>

/** How strongly people have to sign in for a profile: of its role and its organisation. */
export const policiesOf = ({
  role_policy: ofRole,
  organisation_policy: ofOrganisation,
}: ProfilePolicies): readonly Policy[] =>
  ofRole === null && ofOrganisation === null
    ? none
    : [ofRole, ofOrganisation].flatMap((text) => policyOf(text) ?? [])

const sortText = (profile: Profile) =>
  `${profile.organisation_name ?? ''}\0${profile.unit_name ?? ''}\0${profile.role_name}\0${profile.held_uuid}`
