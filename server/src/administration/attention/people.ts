import type { Reach } from '../../access/reach.ts'
import { unitsFrom } from '../../access/reach.ts'
import type { Store } from '../../database/store.ts'
import { iamWildcard } from '../../protocol/permission.ts'
import { heldProfiles, usableProfiles } from '../../store/usable.ts'
import type { Beyond } from '../../database/schema-admin.ts'
import { day, type Finder, mostFound } from './finder.ts'

type HeldProfiles = ReturnType<typeof heldProfiles>

const unitsOf = async ({ db }: Store, { unit_uuid }: Reach) =>
  unit_uuid === undefined ? [] : [...(await unitsFrom(db, unit_uuid))]

const placedWithin = (
  query: HeldProfiles,
  { organisation_uuid, unit_uuid }: Reach,
  units: readonly string[],
): HeldProfiles =>
  query
    .$if(organisation_uuid !== undefined, (all) =>
      all.where('profiles.organisation_uuid', '=', organisation_uuid ?? ''),
    )
    .$if(unit_uuid !== undefined, (all) => all.where('profiles.unit_uuid', 'in', units))

/** The profiles that count now, within the reach. */
const profilesWithin = async (store: Store, reach: Reach, now: number) =>
  placedWithin(usableProfiles(store.db, now), reach, await unitsOf(store, reach))

export const endingProfiles: Finder = async ({ store }, { authority: { reach }, now }) => {
  const rows = await (await profilesWithin(store, reach, now))
    .select(['profiles.uuid', 'profiles.user_uuid', 'profiles.expires_at'])
    .select(['users.name', 'roles.name as role_name'])
    .where('profiles.expires_at', '<=', now + 7 * day)
    .orderBy('profiles.expires_at')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ uuid: id, name, role_name, user_uuid, expires_at: since }) => ({
    target: { kind: 'profile', id, name: `${name}: ${role_name}`, user_uuid },
    since,
  }))
}

/** What makes somebody an administrator here: who gives profiles, gives what they hold. */
const giving = 'iam.profiles.create'

export const administratorsWithoutFactor: Finder = async ({ store }, { authority, now }) => {
  // What a role gives is told to its holders.
  if (!authority.holds([giving])) return []
  // Read first, so that PostgreSQL sees that few hold them: it would begin at all people.
  const givers = await store.db
    .selectFrom('role_permissions')
    .select('role_code')
    .distinct()
    .where('permission', 'in', [giving, iamWildcard])
    .execute()
  if (givers.length === 0) return []
  const rows = await (await profilesWithin(store, authority.reach, now))
    .select(['users.uuid', 'users.name'])
    .distinct()
    .where(
      'profiles.role_code',
      'in',
      givers.map((one) => one.role_code),
    )
    .where('users.second_factor', '=', 0)
    .orderBy('users.uuid')
    .limit(mostFound + 1)
    .execute()
  return rows.map(({ uuid: id, name }) => ({ target: { kind: 'user', id, name }, since: null }))
}

/** Profiles of accounts that nobody has proved, which are more than those could give who made them. */
const beyondMakers =
  (beyond: Beyond): Finder =>
  async ({ store }, { authority: { reach } }) => {
    const rows = await placedWithin(heldProfiles(store.db), reach, await unitsOf(store, reach))
      .select(['profiles.uuid', 'profiles.user_uuid', 'users.unproved_since'])
      .select(['users.name', 'roles.name as role_name'])
      .where('profiles.beyond', '=', beyond)
      .where('users.active', '=', 1)
      .orderBy('profiles.uuid')
      .limit(mostFound + 1)
      .execute()
    return rows.map(({ uuid: id, name, role_name, user_uuid, unproved_since: since }) => ({
      target: { kind: 'profile', id, name: `${name}: ${role_name}`, user_uuid },
      since,
    }))
  }

export const waitingProfiles = beyondMakers('waits')
export const unprovedAccounts = beyondMakers('counts')
