/**
 * `access/` answers who can do something at a place, and why: who reaches what, what is held where, who holds a
 * permission, and what would make it so. It changes nothing and knows no request.
 */
import { type Kysely, sql } from 'kysely'
import { isThere, rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { expandPermissions } from '../protocol/permission.ts'
import { selectUnitsFrom } from '../store/units.ts'

type SchemaReader = Kysely<Schema>

/** The administered part: everything, one organisation, or one unit of it with those below. */
export interface Reach {
  organisation_uuid: string | undefined
  unit_uuid: string | undefined
}

export const everywhere: Reach = { organisation_uuid: undefined, unit_uuid: undefined }

/** A profile or the like, which gives permissions, as the rules ask for it. */
export interface PermissionGrant {
  /** Wildcard written out, whether the role is active or not. */
  permissions: readonly string[]
  /** Whether it is within the reach of the caller. */
  within: boolean
}

/** The organisation or unit of a profile; both null: the whole installation. */
export interface Place {
  organisation_uuid: string | null
  unit_uuid: string | null
}

/** The uuids of a unit and of all below it. */
export async function unitsFrom(db: SchemaReader, unit_uuid: string): Promise<Set<string>> {
  const { rows } = await selectUnitsFrom(sql`${unit_uuid}`).execute(db)
  return new Set(rows.map((row) => row.uuid))
}

/** Tells whether places are within a reach. */
export async function withinReach(db: SchemaReader, reach: Reach): Promise<(place: Place) => boolean> {
  const { organisation_uuid, unit_uuid } = reach
  if (organisation_uuid === undefined) return () => true
  if (unit_uuid === undefined) return (place) => place.organisation_uuid === organisation_uuid
  const units = await unitsFrom(db, unit_uuid)
  return (place) => place.unit_uuid !== null && units.has(place.unit_uuid)
}

/** The profiles of a user, wherever they are. */
export async function profilesHeldBy(
  db: SchemaReader,
  user_uuid: string,
  reach: Reach,
): Promise<(PermissionGrant & { uuid: string })[]> {
  const isWithin = await withinReach(db, reach)
  const rows = await rowsOf(db, 'profiles', { user_uuid }).execute()
  const held = []
  for (const row of rows) {
    const permissions = await permissionsOf(db, row.role_code)
    held.push({ uuid: row.uuid, permissions, within: isWithin(row) })
  }
  return held
}

/** An organisation, a unit, or a unit and all below it. */
export type At = { organisation: string } | { unit: string } | { unitsFrom: string }

/** The SQL condition that a profile is at this place. */
export const isProfileAt = (at: At) =>
  'organisation' in at
    ? sql`organisation_uuid = ${at.organisation}`
    : 'unit' in at
      ? sql`unit_uuid = ${at.unit}`
      : sql`unit_uuid in (${selectUnitsFrom(sql`${at.unitsFrom}`)})`

/** Permissions held at a place: by each role that somebody has there. */
export async function heldAt(db: SchemaReader, at: At): Promise<PermissionGrant[]> {
  const { rows } = await sql<{ role_code: string }>`
    select distinct role_code from profiles where ${isProfileAt(at)}`.execute(db)
  const held: PermissionGrant[] = []
  for (const { role_code } of rows)
    held.push({ permissions: await permissionsOf(db, role_code), within: true })
  return held
}

/** The permissions of a role as they are in this transaction, wildcard written out. */
export async function permissionsOf(db: SchemaReader, role_code: string): Promise<string[]> {
  const rows = await db
    .selectFrom('role_permissions')
    .select('permission')
    .where('role_code', '=', role_code)
    .execute()
  return expandPermissions(rows.map((row) => row.permission))
}

/** Whether a user has a profile within the reach. Somebody without any is seen by the whole installation alone. */
export async function isMember(db: SchemaReader, user_uuid: string, reach: Reach): Promise<boolean> {
  const place = reach.unit_uuid ?? reach.organisation_uuid
  if (place === undefined) return true
  return await isThere(db, 'members', { place_uuid: place, user_uuid })
}

/** Whether there is such an organisation within the reach. */
export const isOrganisationWithin = async (db: SchemaReader, uuid: string, reach: Reach): Promise<boolean> =>
  uuid === (reach.organisation_uuid ?? uuid) && (await isThere(db, 'organisations', { uuid }))

/** The organisation whose things are listed: the one that is asked for; undefined: all; null: it is out of reach. */
export const organisationListed = (
  { organisation_uuid: own }: Reach,
  asked: string | undefined,
): string | null | undefined =>
  own === undefined || asked === undefined || asked === own ? (asked ?? own) : null

/** Whether a client or a webhook is within a reach: a unit has none. */
export const isOwnedWithin = (
  { organisation_uuid, unit_uuid }: Reach,
  owned: Pick<Place, 'organisation_uuid'>,
): boolean =>
  unit_uuid === undefined &&
  (organisation_uuid === undefined || owned.organisation_uuid === organisation_uuid)

/** Whether all that a user holds is within the reach, and something is. */
export async function isWhollyWithin(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
  reach: Reach,
): Promise<boolean> {
  if (!(await isMember(db, user_uuid, reach))) return false
  return (await profilesHeldBy(db, user_uuid, reach)).every((one) => one.within)
}
