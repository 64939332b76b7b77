import { sql } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import { profile as catalogued } from '../../catalogue/profile.ts'
import type { ChangesOf } from '../../catalogue/thing.ts'
import { wrongField } from '../../protocol/problem.ts'
import type { Flag } from '../../database/flag.ts'
import type { Store } from '../../database/store.ts'
import { waitsAs } from '../../store/waited.ts'
import { writeChange, writeNew, writeRemoval } from '../../store/write/write.ts'
import type { ProfileRow } from '../../database/schema.ts'
import { isUuid } from '../../protocol/values.ts'
import {
  type PermissionGrant,
  isMember,
  organisationListed,
  permissionsOf,
  type Reach,
  unitsFrom,
  withinReach,
} from '../../access/reach.ts'
import { checkNewProfile } from '../placement.ts'
import { refuseBeyond } from './beyond.ts'
import { refuseGiven } from './removal.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { managerOf } from '../managed.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { unindexed } from '../search.ts'
import { changeOne, createOne, type One, removeOne, type Resource } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { compared, differs } from '../version.ts'

type Profile = Row<'profiles'>

export const profiles: Resource<Profile> = {
  thing: 'profile',
  path: '/profiles',
  key: 'uuid',
  isId: isUuid,
  async find(db, uuid, { reach }) {
    const row = await rowOf(db, 'profiles', { uuid })
    if (row === undefined) return undefined
    const isWithin = await withinReach(db, reach)
    return isWithin(row) ? row : undefined
  },
  held: async (trx, row) => [await heldBy(trx, row)],
  shown: (row) => shownOf(catalogued, row),
  gone: waitsAs,
  about: async (trx, { uuid, user_uuid, organisation_uuid }) => ({
    id: uuid,
    user_uuid,
    organisation_uuid,
    managedBy: await managerOf(trx, 'users', user_uuid),
  }),
}

/** What a profile within the reach permits. */
const heldBy = async (trx: Transacting, { role_code }: Profile): Promise<PermissionGrant> => ({
  permissions: await permissionsOf(trx, role_code),
  within: true,
})

export interface ProfileFilter {
  user_uuid?: readonly string[] | undefined
  role_code?: string | undefined
  organisation_uuid?: string | undefined
  organisation_unit_uuid?: string | undefined
  active?: Flag | undefined
  /** Lists only profiles that end before this, in epoch milliseconds. Profiles without an end are left out. */
  expires_before?: number | undefined
}

/** The next profiles within the reach by uuid, at most `limit`; with `expires_before` by their ends. */
export async function listProfiles(
  { db }: Store,
  reach: Reach,
  {
    organisation_uuid: asked,
    organisation_unit_uuid: unit_uuid,
    user_uuid,
    role_code,
    active,
    expires_before,
  }: ProfileFilter,
  after: After,
  limit: number,
): Promise<Page<Profile>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null) return emptyPage
  const units = reach.unit_uuid === undefined ? undefined : [...(await unitsFrom(db, reach.unit_uuid))]
  // Given people are looked up one by one: SQLite would rather go through all of an organisation or a role.
  const column = (name: 'role_code' | 'organisation_uuid' | 'unit_uuid') =>
    user_uuid === undefined ? sql.ref<string>(name) : unindexed(name)
  const matching = rowsOf(db, 'profiles', { user_uuid })
    .$if(role_code !== undefined, (query) => query.where(column('role_code'), '=', role_code ?? ''))
    .$if(organisation_uuid !== undefined, (query) =>
      query.where(column('organisation_uuid'), '=', organisation_uuid ?? ''),
    )
    .$if(unit_uuid !== undefined, (query) => query.where(column('unit_uuid'), '=', unit_uuid ?? ''))
    .$if(units !== undefined, (query) => query.where(column('unit_uuid'), 'in', units ?? []))
    // Written out: those that are disabled have an index of their own.
    .$if(active !== undefined, (query) => query.where(sql<boolean>`active = ${sql.lit(active)}`))
  if (expires_before === undefined) return await pageBy(matching, ['uuid'], { after, limit })
  const ending = matching.where('expires_at', '<', expires_before)
  return await pageBy(ending, ['expires_at', 'uuid'], { after, limit })
}

/** Gives somebody a profile. Throws when they have it already, or the administrator may not give it. */
export async function createProfile(
  store: Store,
  by: By,
  columns: ProfileRow,
  repeatable: Repeatable<Profile> | undefined,
): Promise<Created<Profile>> {
  return await createOne(store, by, profiles, repeatable, async (trx) => {
    const { user_uuid: uuid } = columns
    if (!(await isThere(trx, 'users', { uuid })) || !(await isMember(trx, uuid, by.authority.reach)))
      throw wrongField('user_uuid', 'There is no such user.')
    await checkNewProfile(trx, columns, by.authority)
    await refuseSame(trx, columns)
    await refuseBeyond(trx, columns)
    return await writeNew(trx, 'profiles', columns, compared(by))
  })
}

/** Nobody holds the same role twice at one place: a declared file tells profiles apart by these. */
async function refuseSame(trx: Transacting, profile: ProfileRow): Promise<void> {
  const { uuid, user_uuid, role_code, organisation_uuid, unit_uuid } = profile
  const rows = await rowsOf(trx, 'profiles', { user_uuid, role_code }).where('uuid', '!=', uuid).execute()
  const same = rows.some((row) => row.organisation_uuid === organisation_uuid && row.unit_uuid === unit_uuid)
  if (same) throw wrongField('role_code', 'They hold this role at this place already.', 'conflict')
}

/**
 * Changes a profile; what it gave ends when it is disabled, has run out, before or now, or comes to hold by a role or
 * unit that is disabled.
 */
export async function updateProfile(
  store: Store,
  by: By,
  one: One,
  set: ChangesOf<typeof catalogued>,
): Promise<Profile> {
  return await changeOne(store, by, profiles, one, async (trx, before) => {
    if (!differs(before, set)) return before
    const wanted = { ...before, ...set }
    const moved = wanted.unit_uuid !== before.unit_uuid
    if (moved) by.authority.moves([await heldBy(trx, before)])
    if (moved || wanted.role_code !== before.role_code) {
      await checkNewProfile(trx, wanted, by.authority)
      await refuseSame(trx, wanted)
      await refuseBeyond(trx, wanted)
    }
    return await writeChange(trx, 'profiles', before, set, compared(by))
  })
}

/** Takes a profile away, and ends what it gave. */
export async function deleteProfile(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, profiles, one, async (trx, before) => {
    await refuseGiven(trx, before)
    await writeRemoval(trx, 'profiles', before, compared(by))
  })
}
