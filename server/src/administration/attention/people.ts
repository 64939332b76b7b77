import type { Reach } from '../../access/reach.ts'
import { unitsFrom } from '../../access/reach.ts'
import type { Store } from '../../database/store.ts'
import { iamWildcard } from '../../protocol/permission.ts'
import { usableProfiles } from '../../store/usable.ts'
import { day, type Finder, mostFound } from './finder.ts'

/** The profiles that count now, within the reach. */
async function profilesWithin({ db }: Store, { organisationUuid, unitUuid }: Reach, now: number) {
  const units = unitUuid === undefined ? [] : [...(await unitsFrom(db, unitUuid))]
  return usableProfiles(db, now)
    .$if(organisationUuid !== undefined, (query) =>
      query.where('profiles.organisation_uuid', '=', organisationUuid ?? ''),
    )
    .$if(unitUuid !== undefined, (query) => query.where('profiles.unit_uuid', 'in', units))
}

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
  // What a role gives is told to who holds that.
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
