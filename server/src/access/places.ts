import { rowOf } from '../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { unitsFrom, withinReach, type Reach } from './reach.ts'

/** The place that a question about access names: an organisation by uuid or code, a unit by uuid. */
export interface PlaceAsked {
  reach: Reach
  organisation: string | undefined
  unit_uuid?: string | undefined
}

/** A place where something is held. Undefined fields may be anything; null: it is over more than one of those. */
export interface Spot {
  /** The uuid of the place; empty: over the whole installation, or everywhere. */
  key: string
  organisation_uuid?: string | null
  unit_uuid?: string | null
}

/**
 * The places that count at the place asked about: those in it and those over it, within the reach. Sorted by key.
 * Undefined: there is no such place within the reach.
 */
export async function spotsOf(db: Kysely<Schema>, asked: PlaceAsked): Promise<Spot[] | undefined> {
  const { reach } = asked
  const organisation = await organisationAsked(db, asked)
  const unit = await unitAsked(db, asked)
  if (organisation === null || unit === null) return undefined
  const organisation_uuid = unit?.organisation_uuid ?? organisation ?? reach.organisation_uuid
  if (organisation_uuid === undefined) return [{ key: '' }]
  if ((organisation ?? organisation_uuid) !== organisation_uuid) return undefined
  const spots: Spot[] = []
  if (reach.organisation_uuid === undefined) spots.push({ key: '', organisation_uuid: null })
  if (unit === undefined && reach.unit_uuid === undefined)
    spots.push({ key: organisation_uuid, organisation_uuid })
  else spots.push(...(await spotsAtUnits(db, reach, { organisation_uuid, unit_uuid: unit?.uuid })))
  return spots.toSorted((a, b) => (a.key < b.key ? -1 : 1))
}

/** null: there is none such within the reach. */
async function organisationAsked(
  db: Kysely<Schema>,
  { reach, organisation }: PlaceAsked,
): Promise<string | null | undefined> {
  if (organisation === undefined) return undefined
  const row = await db
    .selectFrom('organisations')
    .select('uuid')
    .where((w) => w.or([w('uuid', '=', organisation.toLowerCase()), w('code', '=', organisation)]))
    .executeTakeFirst()
  return row === undefined || row.uuid !== (reach.organisation_uuid ?? row.uuid) ? null : row.uuid
}

async function unitAsked(db: Kysely<Schema>, { reach, unit_uuid }: PlaceAsked) {
  if (unit_uuid === undefined) return undefined
  const row = await rowOf(db, 'units', { uuid: unit_uuid })
  const isWithin = await withinReach(db, reach)
  const within = row !== undefined && isWithin({ organisation_uuid: row.organisation_uuid, unit_uuid })
  return within ? row : null
}

/** The units below the one that is asked about, itself, and those above it; of a unit's administrator, within theirs. */
async function spotsAtUnits(
  db: Kysely<Schema>,
  reach: Reach,
  { organisation_uuid, unit_uuid }: { organisation_uuid: string; unit_uuid: string | undefined },
): Promise<Spot[]> {
  const reached = reach.unit_uuid === undefined ? undefined : await unitsFrom(db, reach.unit_uuid)
  const units = unit_uuid === undefined ? reached : await unitsAround(db, unit_uuid)
  const within = [...(units ?? [])].filter((uuid) => reached?.has(uuid) ?? true)
  const spots: Spot[] = within.map((uuid) => ({ key: uuid, unit_uuid: uuid }))
  return reached === undefined
    ? [{ key: organisation_uuid, organisation_uuid, unit_uuid: null }, ...spots]
    : spots
}

async function unitsAround(db: Kysely<Schema>, unit_uuid: string): Promise<Set<string>> {
  const { rows } = await sql<{ uuid: string }>`
    with recursive above (uuid, parent_uuid) as (
      select uuid, parent_uuid from units where uuid = ${unit_uuid}
      union
      select units.uuid, units.parent_uuid from above join units on units.uuid = above.parent_uuid
    )
    select uuid from above`.execute(db)
  return new Set([...(await unitsFrom(db, unit_uuid)), ...rows.map((row) => row.uuid)])
}
