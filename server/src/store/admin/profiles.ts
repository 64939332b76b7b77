import { notFound, wrongField } from '../../protocol/problem.ts'
import { indexMembers } from '../members.ts'
import type { Store } from '../open.ts'
import { revokeFamiliesOf, revokeUnusableProfile } from '../revoke-unusable.ts'
import type { ProfileRow } from '../schema.ts'
import { keepingAdministrators } from './administrators.ts'
import {
  type By,
  change,
  changeOnce,
  type Created,
  type Repeatable,
  type Row,
  type Show,
  type Transacting,
} from './change.ts'
import { managerOf } from './managed.ts'
import {
  type Authority,
  checkNewProfile,
  isMember,
  permissionsOf,
  type Reach,
  unitsFrom,
  withinReach,
} from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

type Profile = Row<'profiles'>

export interface ProfileFilter {
  reach: Reach
  userUuid?: string | undefined
  roleCode?: string | undefined
  organisationUuid?: string | undefined
  unitUuid?: string | undefined
}

/** The next profiles by uuid, at most `limit`. */
export async function listProfiles(
  { db }: Store,
  { reach, ...filter }: ProfileFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: Profile[]; next: string | undefined }> {
  const units = reach.unitUuid === undefined ? undefined : [...(await unitsFrom(db, reach.unitUuid))]
  const conditions = [
    ['user_uuid', filter.userUuid],
    ['role_code', filter.roleCode],
    ['organisation_uuid', filter.organisationUuid],
    ['organisation_uuid', reach.organisationUuid],
    ['unit_uuid', filter.unitUuid],
  ] as const
  let query = db.selectFrom('profiles').selectAll()
  for (const [column, value] of conditions) {
    if (value !== undefined) query = query.where(column, '=', value)
  }
  if (units !== undefined) query = query.where('unit_uuid', 'in', units)
  if (after !== undefined) query = query.where('uuid', '>', after)
  const rows = await query
    .orderBy('uuid')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? page.at(-1)?.uuid : undefined }
}

/** A profile within the reach. */
export async function readProfile(store: Store, uuid: string, reach: Reach): Promise<Profile | undefined> {
  return await profileWithin(store.db, uuid, reach)
}

async function profileWithin(db: Transacting, uuid: string, reach: Reach): Promise<Profile | undefined> {
  const row = await db.selectFrom('profiles').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  if (row === undefined) return undefined
  const isWithin = await withinReach(db, reach)
  return isWithin(row) ? row : undefined
}

/** Gives somebody a profile. Throws when they have it already, or who asks may not give it. */
export async function createProfile(
  store: Store,
  by: By,
  authority: Authority,
  columns: ProfileRow,
  { show, repeatable }: { show: Show<Profile>; repeatable: Repeatable<Profile> | undefined },
): Promise<Created<Profile>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const user = await trx
      .selectFrom('users')
      .select('uuid')
      .where('uuid', '=', columns.user_uuid)
      .executeTakeFirst()
    if (user === undefined || !(await isMember(trx, columns.user_uuid, authority.reach))) {
      throw wrongField('user_uuid', 'There is no such user.')
    }
    await checkNewProfile(trx, columns, authority)
    await refuseSame(trx, columns)
    const made = await trx.insertInto('profiles').values(columns).returningAll().executeTakeFirstOrThrow()
    await indexMembers(trx, [columns.user_uuid])
    return { result: made, told: { ...(await aboutProfile(trx, made)), after: show(made) } }
  })
}

/** Nobody holds the same role twice at one place: a declared file tells profiles apart by these. */
async function refuseSame(trx: Transacting, profile: ProfileRow): Promise<void> {
  const { uuid, user_uuid, role_code, organisation_uuid, unit_uuid } = profile
  const rows = await trx
    .selectFrom('profiles')
    .selectAll()
    .where('user_uuid', '=', user_uuid)
    .where('role_code', '=', role_code)
    .where('uuid', '!=', uuid)
    .execute()
  const same = rows.some((row) => row.organisation_uuid === organisation_uuid && row.unit_uuid === unit_uuid)
  if (same) throw wrongField('role_code', 'They hold this role at this place already.', 'conflict')
}

export type ProfileChange = Partial<Pick<ProfileRow, 'role_code' | 'unit_uuid' | 'active' | 'expires_at'>>

/**
 * Changes a profile in the version that was read; what it gave ends when it is disabled, has run out, before or now, or
 * comes to hold by a role or unit that is disabled.
 * Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateProfile(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: ProfileChange },
  show: Show<Profile>,
): Promise<Profile> {
  return await change(store, by, async (trx) => {
    const before = await profileToChange(trx, uuid, authority, versions)
    if (!differs(before, set)) return { result: before, told: undefined }
    const wanted = { ...before, ...set }
    if (wanted.role_code !== before.role_code || wanted.unit_uuid !== before.unit_uuid) {
      await checkNewProfile(trx, wanted, authority)
      await refuseSame(trx, wanted)
    }
    const after = await keepingAdministrators(trx, by.now, async () => await write(trx, before, set))
    // Of one that had run out by itself too: whoever lifts its end gives back nothing that has ended.
    const hadRunOut = (before.expires_at ?? Infinity) <= by.now
    if (hadRunOut) await revokeFamiliesOf(trx, { uuid }, by.now, 'profile_disabled')
    else await revokeUnusableProfile(trx, after, by.now)
    if (after.unit_uuid !== before.unit_uuid) await indexMembers(trx, [after.user_uuid])
    return {
      result: after,
      told: { ...(await aboutProfile(trx, after)), before: show(before), after: show(after) },
    }
  })
}

async function profileToChange(
  trx: Transacting,
  uuid: string,
  authority: Authority,
  versions: Versions,
): Promise<Profile> {
  const row = await profileWithin(trx, uuid, authority.reach)
  if (row === undefined) throw notFound('profile')
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  authority.changes([{ uuid, permissions: await permissionsOf(trx, row.role_code), within: true }])
  return row
}

async function write(trx: Transacting, before: Profile, set: ProfileChange): Promise<Profile> {
  const after = await trx
    .updateTable('profiles')
    .set({ ...set, version: before.version + 1 })
    .where('uuid', '=', before.uuid)
    .where('version', '=', before.version)
    .returningAll()
    .executeTakeFirst()
  if (after === undefined) throw staleVersion()
  return after
}

/** Takes a profile away, and ends what it gave. */
export async function deleteProfile(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions }: { uuid: string; versions: Versions },
  show: Show<Profile>,
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await profileToChange(trx, uuid, authority, versions)
    await keepingAdministrators(trx, by.now, async () => {
      await revokeFamiliesOf(trx, { uuid }, by.now, 'profile_removed')
      await trx.deleteFrom('profiles').where('uuid', '=', uuid).execute()
    })
    await indexMembers(trx, [before.user_uuid])
    return { result: undefined, told: { ...(await aboutProfile(trx, before)), before: show(before) } }
  })
}

/** What the audit is told of every change of a profile. */
export const aboutProfile = async (trx: Transacting, { uuid, user_uuid, organisation_uuid }: Profile) => ({
  thing: 'profile' as const,
  id: uuid,
  userUuid: user_uuid,
  organisationUuid: organisation_uuid,
  managedBy: await managerOf(trx, 'users', user_uuid),
})
