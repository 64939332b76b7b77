import { rowOf } from '../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { unitsFrom, withinReach, type Reach } from './reach.ts'

/** The place that a question about access names: an organisation by uuid or code, a unit by uuid. */
export interface PlaceAsked {
  reach: Reach
  organisation: string | undefined
  unitUuid?: string | undefined
}

/** A place where something is held. Undefined fields may be anything; null: it is over more than one of those. */
export interface Spot {
  /** The uuid of the place; empty: over the whole installation, or everywhere. */
  key: string
  organisationUuid?: string | null
  unitUuid?: string | null
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
  const organisationUuid = unit?.organisation_uuid ?? organisation ?? reach.organisationUuid
  if (organisationUuid === undefined) return [{ key: '' }]
  if ((organisation ?? organisationUuid) !== organisationUuid) return undefined
  const spots: Spot[] = []
  if (reach.organisationUuid === undefined) spots.push({ key: '', organisationUuid: null })
  if (unit === undefined && reach.unitUuid === undefined)
    spots.push({ key: organisationUuid, organisationUuid })
  else spots.push(...(await spotsAtUnits(db, reach, { organisationUuid, unitUuid: unit?.uuid })))
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
  return row === undefined || row.uuid !== (reach.organisationUuid ?? row.uuid) ? null : row.uuid
}

async function unitAsked(db: Kysely<Schema>, { reach, unitUuid }: PlaceAsked) {
  if (unitUuid === undefined) return undefined
  const row = await rowOf(db, 'units', { uuid: unitUuid })
  const isWithin = await withinReach(db, reach)
  const within =
    row !== undefined && isWithin({ organisation_uuid: row.organisation_uuid, unit_uuid: unitUuid })
  return within ? row : null
}

/** The units below the one that is asked about, itself, and those above it; of a unit's administrator, within theirs. */
async function spotsAtUnits(
  db: Kysely<Schema>,
  reach: Reach,
  { organisationUuid, unitUuid }: { organisationUuid: string; unitUuid: string | undefined },
): Promise<Spot[]> {
  const reached = reach.unitUuid === undefined ? undefined : await unitsFrom(db, reach.unitUuid)
  const units = unitUuid === undefined ? reached : await unitsAround(db, unitUuid)
  const within = [...(units ?? [])].filter((uuid) => reached?.has(uuid) ?? true)
  const spots: Spot[] = within.map((uuid) => ({ key: uuid, unitUuid: uuid }))
  return reached === undefined
    ? [{ key: organisationUuid, organisationUuid, unitUuid: null }, ...spots]
    : spots
}

async function unitsAround(db: Kysely<Schema>, unitUuid: string): Promise<Set<string>> {
  const { rows } = await sql<{ uuid: string }>`
    with recursive above (uuid, parent_uuid) as (
      select uuid, parent_uuid from units where uuid = ${unitUuid}
      union
      select units.uuid, units.parent_uuid from above join units on units.uuid = above.parent_uuid
    )
    select uuid from above`.execute(db)
  return new Set([...(await unitsFrom(db, unitUuid)), ...rows.map((row) => row.uuid)])
}
