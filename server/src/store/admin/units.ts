import { type Kysely, sql } from 'kysely'
import { notFound, Problem, wrongField } from '../../protocol/problem.ts'
import { emailKey } from '../../protocol/values.ts'
import { indexMembers, membersOf } from '../members.ts'
import type { Store } from '../open.ts'
import { revokeFamiliesOf } from '../revoke-unusable.ts'
import type { Schema, UnitRow } from '../schema.ts'
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
import { type Authority, heldAt, type Reach, unitsFrom, withinReach } from './reach.ts'
import { differs, staleVersion, type Versions } from './version.ts'

type Unit = Row<'units'>

export interface UnitFilter {
  reach: Reach
  organisationUuid?: string | undefined
  parentUuid?: string | undefined
  active?: boolean | undefined
  /** The beginning of a code or a word of a name; within an organisation. */
  search?: string | undefined
}

export interface UnitCursor {
  organisationUuid: string
  code: string
}

/** The next units by organisation and code, at most `limit`. */
export async function listUnits(
  { db }: Store,
  { reach, organisationUuid, parentUuid, active, search }: UnitFilter,
  after: UnitCursor | undefined,
  limit: number,
): Promise<{ rows: Unit[]; next: UnitCursor | undefined }> {
  const reached = await reachedUnits(db, reach)
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
    .$if(search !== undefined, (query) => query.where(beginsWith(search ?? '')))
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(organisation_uuid, code) > (${after?.organisationUuid ?? ''}, ${after?.code ?? ''})`,
      ),
    )
    .orderBy('organisation_uuid')
    .orderBy('code')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, next: last && { organisationUuid: last.organisation_uuid, code: last.code } }
}

async function reachedUnits(db: Kysely<Schema>, { unitUuid }: Reach): Promise<string[] | undefined> {
  return unitUuid === undefined ? undefined : [...(await unitsFrom(db, unitUuid))]
}

/**
 * Few units are looked at, those of one organisation; so it may be as plain as this. SQLite knows the capitals of
 * ASCII alone: a name may begin with another one.
 */
function beginsWith(search: string) {
  const key = emailKey(search).replaceAll(/[\\%_]/g, '\\$&')
  const [first = '', ...rest] = key
  const capital = first.toUpperCase() + rest.join('')
  const named = ['', '% ', '%-'].flatMap((before) => [
    sql<boolean>`lower(name) like ${`${before}${key}%`} escape '\\'`,
    sql<boolean>`name like ${`${before}${capital}%`} escape '\\'`,
  ])
  return sql<boolean>`(code like ${`${key}%`} escape '\\' or ${sql.join(named, sql` or `)})`
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
  authority: Authority,
  columns: UnitRow,
  { show, repeatable }: { show: Show<Unit>; repeatable: Repeatable<Unit> | undefined },
): Promise<Created<Unit>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    await checkOrganisation(trx, columns.organisation_uuid, authority.reach)
    await checkParent(trx, columns, authority.reach)
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
    return { result: made, told: { ...(await about(trx, made)), after: show(made) } }
  })
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
  authority: Authority,
  { uuid, versions, set }: { uuid: string; versions: Versions; set: UnitChange },
  show: Show<Unit>,
): Promise<Unit> {
  return await change(store, by, async (trx) => {
    const before = await unitToChange(trx, uuid, authority.reach, versions)
    if (!differs(before, set)) return { result: before, told: undefined }
    const moved = set.parent_uuid !== undefined && set.parent_uuid !== before.parent_uuid
    if (moved) await checkParent(trx, { ...before, ...set }, authority.reach)
    if (set.active !== undefined && set.active !== before.active) {
      authority.changes(await heldAt(trx, { unit_uuid: uuid }))
    }
    const after = await trx
      .updateTable('units')
      .set({ ...set, version: before.version + 1 })
      .where('uuid', '=', uuid)
      .where('version', '=', before.version)
      .returningAll()
      .executeTakeFirst()
    if (after === undefined) throw staleVersion()
    if (after.active === 0 && before.active === 1) {
      await revokeFamiliesOf(trx, { unit_uuid: uuid }, by.now, 'unit_disabled')
    }
    if (moved) await indexMembers(trx, await membersOf(trx, [uuid]))
    return { result: after, told: { ...(await about(trx, after)), before: show(before), after: show(after) } }
  })
}

export type UnitChange = Partial<Pick<UnitRow, 'name' | 'active' | 'parent_uuid'>>

/** Removes a unit with the profiles at it. Throws while there are units below it. */
export async function deleteUnit(
  store: Store,
  by: By,
  authority: Authority,
  { uuid, versions }: { uuid: string; versions: Versions },
  show: Show<Unit>,
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await unitToChange(trx, uuid, authority.reach, versions)
    if (authority.reach.unitUuid === uuid) {
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
    authority.changes(await heldAt(trx, { unit_uuid: uuid }))
    const people = await membersOf(trx, [uuid])
    await revokeFamiliesOf(trx, { unit_uuid: uuid }, by.now, 'unit_removed')
    const profiles = await trx.deleteFrom('profiles').where('unit_uuid', '=', uuid).executeTakeFirst()
    await trx.deleteFrom('units').where('uuid', '=', uuid).execute()
    await indexMembers(trx, people)
    const removedWith = { profiles: Number(profiles.numDeletedRows) }
    return {
      result: undefined,
      told: { ...(await about(trx, before)), before: show(before), removedWith },
    }
  })
}

async function unitToChange(trx: Transacting, uuid: string, reach: Reach, versions: Versions): Promise<Unit> {
  const row = await unitWithin(trx, uuid, reach)
  if (row === undefined) throw notFound('unit')
  if (versions !== undefined && !versions.includes(row.version)) throw staleVersion()
  return row
}

const about = async (trx: Transacting, { uuid, organisation_uuid }: Unit) => ({
  thing: 'unit' as const,
  id: uuid,
  organisationUuid: organisation_uuid,
  managedBy: await managerOf(trx, 'organisations', organisation_uuid),
})
