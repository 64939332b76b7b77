import { type Kysely, sql } from 'kysely'
import { shownOf } from '../../catalogue/columns.ts'
import type { ChangesOf } from '../../catalogue/thing.ts'
import { unit } from '../../catalogue/unit.ts'
import { Problem, wrongField } from '../../protocol/problem.ts'
import { codeProblem } from '../../protocol/values.ts'
import { indexMembers, membersOf } from '../../store/members.ts'
import type { Store } from '../../database/store.ts'
import { end } from '../../store/ending.ts'
import type { Schema, UnitRow } from '../../database/schema.ts'
import type { By, Row, Told, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import { removeProfiles } from '../profiles/verbs.ts'
import { managerOf } from '../managed.ts'
import type { Reach } from '../authority.ts'
import { heldAt, unitsFrom, withinReach } from '../reach.ts'
import { isFound } from '../search.ts'
import { differs, inVersion, type Versions, writeVersion } from '../version.ts'

type Unit = Row<'units'>

export const shownUnit = (row: Unit) => shownOf(unit, row)

export interface UnitFilter {
  reach: Reach
  organisationUuid?: string | undefined
  parentUuid?: string | undefined
  active?: boolean | undefined
  /** The beginning of a code or a word of a name, or a uuid; without an organisation a uuid alone. */
  search?: string | undefined
  /** These alone. */
  uuids?: readonly string[] | undefined
}

export interface UnitCursor {
  organisationUuid: string
  code: string
}

/** The next units by organisation and code, at most `limit`. */
export async function listUnits(
  { db }: Store,
  { reach, organisationUuid, parentUuid, active, search, uuids }: UnitFilter,
  after: UnitCursor | undefined,
  limit: number,
): Promise<{ rows: Unit[]; next: UnitCursor | undefined }> {
  const reached = await reachedUnits(db, reach)
  const id = search?.trim().toLowerCase()
  const anywhere = (organisationUuid ?? reach.organisationUuid) === undefined
  const rows = await db
    .selectFrom('units')
    .selectAll()
    .$if(reach.organisationUuid !== undefined, (query) =>
      query.where('organisation_uuid', '=', reach.organisationUuid ?? ''),
    )
    .$if(reached !== undefined, (query) => query.where('uuid', 'in', reached ?? []))
    .$if(organisationUuid !== undefined, (query) =>
      query.where('organisation_uuid', '=', organisationUuid ?? ''),
    )
    .$if(parentUuid !== undefined, (query) => query.where('parent_uuid', '=', parentUuid ?? ''))
    .$if(active !== undefined, (query) => query.where('active', '=', active === true ? 1 : 0))
    .$if(anywhere && search !== undefined, (query) => query.where('uuid', '=', id ?? ''))
    .$if(uuids !== undefined, (query) => query.where('uuid', 'in', uuids ?? []))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(organisation_uuid, code) > (${after?.organisationUuid ?? ''}, ${after?.code ?? ''})`,
      ),
    )
    .orderBy('organisation_uuid')
    .orderBy('code')
    .$if(search === undefined, (query) => query.limit(limit + 1))
    .execute()
  const found = rows.filter((row) => row.uuid === id || isFound(search, row.code, row.name))
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return { rows: page, next: last && { organisationUuid: last.organisation_uuid, code: last.code } }
}

async function reachedUnits(db: Kysely<Schema>, { unitUuid }: Reach): Promise<string[] | undefined> {
  return unitUuid === undefined ? undefined : [...(await unitsFrom(db, unitUuid))]
}

/** A unit within the reach. */
export async function readUnit(store: Store, uuid: string, reach: Reach): Promise<Unit | undefined> {
  return await unitWithin(store.db, uuid, reach)
}

async function unitWithin(db: Kysely<Schema>, uuid: string, reach: Reach): Promise<Unit | undefined> {
  const row = await db.selectFrom('units').selectAll().where('uuid', '=', uuid).executeTakeFirst()
  if (row === undefined) return undefined
  const isWithin = await withinReach(db, reach)
  return isWithin({ organisation_uuid: row.organisation_uuid, unit_uuid: uuid }) ? row : undefined
}

/** Adds a unit. Throws when its code is taken in the organisation, or there is no such place within the reach. */
export async function createUnit(
  store: Store,
  by: By,
  asked: UnitRow,
  repeatable: Repeatable<Unit> | undefined,
): Promise<Created<Unit>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkOrganisation(trx, asked.organisation_uuid, by.authority.reach)
    await checkParent(trx, asked, by.authority.reach)
    const columns = { ...asked, code: await ownCode(trx, asked.code, by.authority.reach) }
    const holder = await trx
      .selectFrom('units')
      .select('uuid')
      .where('organisation_uuid', '=', columns.organisation_uuid)
      .where('code', '=', columns.code)
      .executeTakeFirst()
    if (holder !== undefined) {
      throw wrongField('code', 'Another unit of this organisation has this code.', 'conflict')
    }
    const made = await trx.insertInto('units').values(columns).returningAll().executeTakeFirstOrThrow()
    return { result: made, told: { ...(await about(trx, made)), after: shownUnit(made) } }
  })
}

/**
 * A code names one unit of an organisation, so a code that is taken would tell the administrator of a unit which others
 * there are. The codes that they give begin with that of their unit, and so are never those of others.
 */
async function ownCode(trx: Transacting, code: string, { unitUuid }: Reach): Promise<string> {
  if (unitUuid === undefined) return code
  const own = await trx.selectFrom('units').select('code').where('uuid', '=', unitUuid).executeTakeFirst()
  const prefix = `${own?.code}--`
  if (code.startsWith(prefix)) return code
  const whole = prefix + code
  if (codeProblem(whole) === undefined) return whole
  throw wrongField('code', `It is too long: the code of your unit comes before it, ${whole}.`)
}

async function checkOrganisation(trx: Transacting, uuid: string, reach: Reach): Promise<void> {
  const row = await trx.selectFrom('organisations').select('uuid').where('uuid', '=', uuid).executeTakeFirst()
  const reached = reach.organisationUuid === undefined || reach.organisationUuid === uuid
  if (row === undefined || !reached) throw wrongField('organisation_uuid', 'There is no such organisation.')
}

/** The unit above must be of the same organisation, within the reach, and not below the unit itself. */
async function checkParent(
  trx: Transacting,
  { uuid, organisation_uuid: organisationUuid, parent_uuid: parentUuid }: Omit<UnitRow, 'code'>,
  reach: Reach,
): Promise<void> {
  if (parentUuid === null) {
    if (reach.unitUuid === undefined) return
    throw wrongField('parent_uuid', 'It is needed: you administer a unit and those below it.')
  }
  const parent = await unitWithin(trx, parentUuid, reach)
  if (parent === undefined || parent.organisation_uuid !== organisationUuid) {
    throw wrongField('parent_uuid', 'There is no such unit in this organisation.')
  }
  if ((await unitsFrom(trx, uuid)).has(parentUuid)) {
    throw wrongField('parent_uuid', 'It is the unit itself, or below it.', 'conflict')
  }
}

/**
 * Changes or moves a unit in the version that was read; disabling it ends what people are signed in to by it.
 * Concurrency: see `change`; the version is compared in the statement that writes.
 */
export async function updateUnit(
  store: Store,
  by: By,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: ChangesOf<typeof unit> },
): Promise<Unit> {
  return await change(store, by, async (trx) => {
    const before = await unitToChange(trx, uuid, by.authority.reach, versions)
    if (!differs(before, set)) return { result: before, told: undefined }
    const moved = set.parent_uuid !== undefined && set.parent_uuid !== before.parent_uuid
    if (moved) {
      await checkParent(trx, { ...before, ...set }, by.authority.reach)
      by.authority.moves(await heldAt(trx, { unitsFrom: uuid }))
    }
    if (set.active !== undefined && set.active !== before.active) {
      by.authority.changes(await heldAt(trx, { unit: uuid }))
    }
    const after = await writeVersion(trx, 'units', before, set)
    if (after.active === 0 && before.active === 1) {
      await end(trx, { unit: uuid }, { now: by.now, reason: 'unit_disabled' })
    }
    if (moved) await indexMembers(trx, await membersOf(trx, [uuid]))
    return {
      result: after,
      told: { ...(await about(trx, after)), before: shownUnit(before), after: shownUnit(after) },
    }
  })
}

/** Removes a unit with the profiles at it. Throws while there are units below it. */
export async function deleteUnit(
  store: Store,
  by: By,
  { uuid, versions }: { uuid: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await unitToChange(trx, uuid, by.authority.reach, versions)
    if (by.authority.reach.unitUuid === uuid) {
      throw new Problem('forbidden', 'You administer this unit; somebody above it can remove it.')
    }
    const below = await trx
      .selectFrom('units')
      .select('uuid')
      .where('parent_uuid', '=', uuid)
      .executeTakeFirst()
    if (below !== undefined) {
      throw new Problem('conflict', 'There are units below it. Move or remove them first.')
    }
    by.authority.changes(await heldAt(trx, { unit: uuid }))
    const people = await membersOf(trx, [uuid])
    await end(trx, { unit: uuid }, { now: by.now, reason: 'unit_removed' })
    const { told: profiles } = await removeProfiles(trx, ['unit_uuid', uuid])
    await trx.deleteFrom('units').where('uuid', '=', uuid).execute()
    await indexMembers(trx, people)
    const removedWith = { profiles: profiles.length }
    const itself = { ...(await about(trx, before)), before: shownUnit(before), removedWith }
    return { result: undefined, told: [...profiles, itself] }
  })
}

async function unitToChange(trx: Transacting, uuid: string, reach: Reach, versions: Versions): Promise<Unit> {
  return inVersion(await unitWithin(trx, uuid, reach), 'unit', versions)
}

const about = async (trx: Transacting, { uuid, organisation_uuid }: Unit) => ({
  thing: 'unit' as const,
  id: uuid,
  organisationUuid: organisation_uuid,
  managedBy: await managerOf(trx, 'organisations', organisation_uuid),
})

/** Removes the units of an organisation, when nobody has a profile there any more. */
export async function removeUnits(trx: Transacting, organisationUuid: string): Promise<Told[]> {
  const rows = await trx
    .deleteFrom('units')
    .where('organisation_uuid', '=', organisationUuid)
    .returningAll()
    .execute()
  return rows.map((row) => ({
    thing: 'unit' as const,
    id: row.uuid,
    organisationUuid,
    managedBy: null,
    before: shownUnit(row),
  }))
}
