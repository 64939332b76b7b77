import { shownOf } from '../../catalogue/columns.ts'
import type { ChangesOf } from '../../catalogue/thing.ts'
import { unit } from '../../catalogue/unit.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { codeProblem, isUuid } from '../../protocol/values.ts'
import type { Store } from '../../database/store.ts'
import { write, writeChange, writeNew } from '../../store/write/write.ts'
import type { Flag } from '../../database/flag.ts'
import type { UnitRow } from '../../database/schema.ts'
import {
  heldAt,
  isOrganisationWithin,
  organisationListed,
  type Reach,
  unitsFrom,
  withinReach,
} from '../../access/reach.ts'
import type { Authority } from '../authority.ts'
import type { By, Row, Transacting } from '../by.ts'
import type { Created, Repeatable } from '../change.ts'
import { managerOf } from '../managed.ts'
import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { type ProfilesOf, profilesOf, refuseTooMany } from '../profiles/removal.ts'
import { profiles as profileResource } from '../profiles/verbs.ts'
import { changeOne, createOne, type One, removeOne, type Resource, toldOfGone } from '../resource.ts'
import { isThere, rowOf, rowsOf } from '../../database/rows.ts'
import { unitsAbove } from '../../access/unit-tree.ts'
import { isFound } from '../search.ts'
import { compared, differs } from '../version.ts'

type Unit = Row<'units'>

export const units: Resource<Unit> = {
  thing: 'unit',
  path: '/units',
  key: 'uuid',
  isId: isUuid,
  async find(db, uuid, { reach }) {
    const row = await rowOf(db, 'units', { uuid })
    if (row === undefined) return undefined
    const isWithin = await withinReach(db, reach)
    return isWithin({ organisation_uuid: row.organisation_uuid, unit_uuid: uuid }) ? row : undefined
  },
  shown: (row) => shownOf(unit, row),
  about: async (trx, { uuid, organisation_uuid }) => ({
    id: uuid,
    organisation_uuid,
    managedBy: await managerOf(trx, 'organisations', organisation_uuid),
  }),
}

export interface UnitFilter {
  organisation_uuid?: string | undefined
  parent_uuid?: readonly string[] | undefined
  /** Below no other. */
  top?: Flag | undefined
  active?: Flag | undefined
  /** The beginning of a code or a word of a name, or a uuid; without an organisation a uuid alone. */
  q?: string | undefined
  /** Lists only units with these uuids. */
  uuid?: readonly string[] | undefined
}

/** The next units within the reach by organisation and code, at most `limit`. */
export async function listUnits(
  { db }: Store,
  reach: Reach,
  { organisation_uuid: asked, parent_uuid, top, active, q, uuid }: UnitFilter,
  after: After,
  limit: number,
): Promise<Page<Unit>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null) return emptyPage
  const reached = reach.unit_uuid === undefined ? undefined : [...(await unitsFrom(db, reach.unit_uuid))]
  const id = q?.trim().toLowerCase()
  const matching = rowsOf(db, 'units', { organisation_uuid, parent_uuid, active, uuid })
    .$if(top !== undefined, (query) => query.where('parent_uuid', top === 1 ? 'is' : 'is not', null))
    .$if(reached !== undefined, (query) => query.where('uuid', 'in', reached ?? []))
    .$if(organisation_uuid === undefined && id !== undefined, (query) => query.where('uuid', '=', id ?? ''))
  return await pageBy(matching, ['organisation_uuid', 'code'], {
    after,
    limit,
    ...(q !== undefined && { isFound: (row) => row.uuid === id || isFound(q, row.code, row.name) }),
  })
}

/** Adds a unit. Throws when its code is taken in the organisation, or there is no such place within the reach. */
export async function createUnit(
  store: Store,
  by: By,
  asked: UnitRow,
  repeatable: Repeatable<Unit> | undefined,
): Promise<Created<Unit>> {
  const { reach } = by.authority
  return await createOne(store, by, units, repeatable, async (trx) => {
    if (!(await isOrganisationWithin(trx, asked.organisation_uuid, reach)))
      throw wrongField('organisation_uuid', 'There is no such organisation.')
    await checkParent(trx, asked, by.authority)
    const columns = { ...asked, code: await ownCode(trx, asked.code, reach) }
    const { organisation_uuid, code } = columns
    if (await isThere(trx, 'units', { organisation_uuid, code }))
      throw wrongField('code', 'Another unit of this organisation has this code.', 'conflict')
    return await writeNew(trx, 'units', columns, compared(by))
  })
}

/**
 * A code names one unit of an organisation, so a code that is taken would tell the administrator of a unit which others
 * there are. The codes that they give begin with that of their unit, and so are never those of others.
 */
async function ownCode(trx: Transacting, code: string, { unit_uuid }: Reach): Promise<string> {
  if (unit_uuid === undefined) return code
  const own = await trx.selectFrom('units').select('code').where('uuid', '=', unit_uuid).executeTakeFirst()
  const prefix = `${own?.code}--`
  if (code.startsWith(prefix)) return code
  const whole = prefix + code
  if (codeProblem(whole) === undefined) return whole
  throw wrongField('code', `It is too long: the code of your unit comes before it, ${whole}.`)
}

/** The unit above must be of the same organisation, within the reach, and not below the unit itself. */
async function checkParent(
  trx: Transacting,
  { uuid, organisation_uuid, parent_uuid: parentUuid }: Omit<UnitRow, 'code'>,
  authority: Authority,
): Promise<void> {
  if (parentUuid === null) {
    if (authority.reach.unit_uuid === undefined) return
    throw wrongField('parent_uuid', 'It is needed: you administer a unit and those below it.')
  }
  const parent = await units.find(trx, parentUuid, authority)
  if (parent === undefined || parent.organisation_uuid !== organisation_uuid) {
    throw wrongField('parent_uuid', 'There is no such unit in this organisation.')
  }
  if ((await unitsFrom(trx, uuid)).has(parentUuid)) {
    throw wrongField('parent_uuid', 'It is the unit itself, or below it.', 'conflict')
  }
}

/** Changes or moves a unit; disabling it ends what people are signed in to by it. */
export async function updateUnit(store: Store, by: By, one: One, set: ChangesOf<typeof unit>): Promise<Unit> {
  return await changeOne(store, by, units, one, async (trx, before) => {
    if (!differs(before, set)) return before
    const { uuid } = before
    const moved = set.parent_uuid !== undefined && set.parent_uuid !== before.parent_uuid
    if (moved) {
      await checkParent(trx, { ...before, ...set }, by.authority)
      by.authority.moves(await heldAt(trx, { unitsFrom: uuid }))
    }
    if (set.active !== undefined && set.active !== before.active)
      by.authority.changes(await heldAt(trx, { unit: uuid }))
    return await writeChange(trx, 'units', before, set, compared(by))
  })
}

/** Removes a unit with the profiles at it. Throws while there are units below it. */
export async function deleteUnit(store: Store, by: By, one: One): Promise<void> {
  await removeOne(store, by, units, one, async (trx, before) => {
    const { uuid } = before
    if (by.authority.reach.unit_uuid === uuid)
      throw new Problem('forbidden', 'You administer this unit; somebody above it can remove it.')
    if (await isThere(trx, 'units', { parent_uuid: uuid }))
      throw new Problem('conflict', 'There are units below it. Move or remove them first.')
    by.authority.changes(await heldAt(trx, { unit: uuid }))
    const gone: ProfilesOf = ['unit_uuid', uuid]
    await refuseTooMany(trx, by, gone)
    const profiles = await profilesOf(trx, gone)
    await write(trx, { units: { remove: [before] }, profiles: { remove: profiles } }, compared(by))
    return {
      others: profiles.map((row) => toldOfGone(profileResource, row)),
      removedWith: { profiles: profiles.length },
    }
  })
}

/** The units of an organisation, each before the one above it: so they can be removed. */
export async function unitsUpwards(trx: Transacting, organisation_uuid: string): Promise<Unit[]> {
  const rows = await rowsOf(trx, 'units', { organisation_uuid }).execute()
  const above = unitsAbove(rows)
  return rows.toSorted((one, other) => above(other.uuid).length - above(one.uuid).length)
}
