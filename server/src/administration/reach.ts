import { type Kysely, sql } from 'kysely'
import { expandPermissions } from '../protocol/permission.ts'
import { Problem, wrongField } from '../protocol/problem.ts'
import type { Store } from '../database/store.ts'
import { isThere } from './rows.ts'
import type { ProfileRow, Schema } from '../database/schema.ts'
import type { Authority, Held, Reach } from './authority.ts'

type Reading = Kysely<Schema>

/** Where a profile holds. */
export interface Place {
  organisation_uuid: string | null
  unit_uuid: string | null
}

const selectUnitsFrom = (unitUuid: string) => sql<{ uuid: string }>`
  with recursive below (uuid) as (
    select uuid from units where uuid = ${unitUuid}
    union
    select units.uuid from below join units on units.parent_uuid = below.uuid
  )
  select uuid from below`

/** The uuids of a unit and of all below it. */
export async function unitsFrom(db: Reading, unitUuid: string): Promise<Set<string>> {
  const { rows } = await selectUnitsFrom(unitUuid).execute(db)
  return new Set(rows.map((row) => row.uuid))
}

/** Tells whether places are within a reach. */
export async function withinReach(db: Reading, reach: Reach): Promise<(place: Place) => boolean> {
  const { organisationUuid, unitUuid } = reach
  if (organisationUuid === undefined) return () => true
  if (unitUuid === undefined) return (place) => place.organisation_uuid === organisationUuid
  const units = await unitsFrom(db, unitUuid)
  return (place) => place.unit_uuid !== null && units.has(place.unit_uuid)
}

/** The profiles of a user, wherever they are. */
export async function profilesHeldBy(
  db: Reading,
  userUuid: string,
  reach: Reach,
): Promise<(Held & { uuid: string })[]> {
  const isWithin = await withinReach(db, reach)
  const rows = await db.selectFrom('profiles').selectAll().where('user_uuid', '=', userUuid).execute()
  const held = []
  for (const row of rows) {
    const permissions = await permissionsOf(db, row.role_code)
    held.push({ uuid: row.uuid, permissions, within: isWithin(row) })
  }
  return held
}

/** What is held at an organisation, at a unit, or at a unit and all below it: by each role that somebody has there. */
export async function heldAt(
  db: Reading,
  at: { organisation: string } | { unit: string } | { unitsFrom: string },
): Promise<Held[]> {
  const where =
    'organisation' in at
      ? sql`organisation_uuid = ${at.organisation}`
      : 'unit' in at
        ? sql`unit_uuid = ${at.unit}`
        : sql`unit_uuid in (${selectUnitsFrom(at.unitsFrom)})`
  const { rows } = await sql<{ role_code: string }>`
    select distinct role_code from profiles where ${where}`.execute(db)
  const held: Held[] = []
  for (const { role_code } of rows)
    held.push({ permissions: await permissionsOf(db, role_code), within: true })
  return held
}

/** The permissions of a role as they are in this transaction, wildcard written out. */
export async function permissionsOf(db: Reading, roleCode: string): Promise<string[]> {
  const rows = await db
    .selectFrom('role_permissions')
    .select('permission')
    .where('role_code', '=', roleCode)
    .execute()
  return expandPermissions(rows.map((row) => row.permission))
}

/** Whether a user has a profile within the reach. Somebody without any is seen by the whole installation alone. */
export async function isMember(db: Reading, userUuid: string, reach: Reach): Promise<boolean> {
  const place = reach.unitUuid ?? reach.organisationUuid
  if (place === undefined) return true
  return await isThere(db, 'members', { place_uuid: place, user_uuid: userUuid })
}

/** Whether there is such an organisation within the reach. */
export const isOrganisationWithin = async (db: Reading, uuid: string, reach: Reach): Promise<boolean> =>
  uuid === (reach.organisationUuid ?? uuid) && (await isThere(db, 'organisations', { uuid }))

/** Whether a client or a webhook is within a reach: a unit has none. */
export const isOwnedWithin = (
  { organisationUuid, unitUuid }: Reach,
  { organisation_uuid }: Pick<Place, 'organisation_uuid'>,
): boolean =>
  unitUuid === undefined && (organisationUuid === undefined || organisation_uuid === organisationUuid)

/** Throws when a client or a webhook may not be of this organisation, or of none. */
export async function checkOwner(
  db: Reading,
  thing: 'client' | 'webhook',
  uuid: string | null,
  { reach }: Authority,
): Promise<void> {
  if (reach.unitUuid !== undefined)
    throw new Problem('forbidden', `A ${thing} belongs to an organisation, and you administer a unit of one.`)
  if (uuid === null) {
    if (reach.organisationUuid === undefined) return
    throw wrongField('organisation_uuid', 'It is needed: you administer one organisation.', 'forbidden')
  }
  if (!(await isOrganisationWithin(db, uuid, reach)))
    throw wrongField('organisation_uuid', 'There is no such organisation.')
}

/** Whether all that a user holds is within the reach, and something is. */
export async function isWhollyWithin(
  { db }: Pick<Store, 'db'>,
  userUuid: string,
  reach: Reach,
): Promise<boolean> {
  if (!(await isMember(db, userUuid, reach))) return false
  return (await profilesHeldBy(db, userUuid, reach)).every((one) => one.within)
}

/** Where a new profile is to hold. Throws when there is no such place within the reach; `prefix` names the field. */
async function checkPlace(db: Reading, place: Place, reach: Reach, prefix = ''): Promise<void> {
  const { organisation_uuid: organisationUuid, unit_uuid: unitUuid } = place
  if (organisationUuid === null) {
    if (unitUuid !== null) {
      throw wrongField(
        `${prefix}organisation_uuid`,
        'A profile at a unit needs the organisation of the unit.',
      )
    }
    if (reach.organisationUuid === undefined) return
    throw new Problem(
      'forbidden',
      'A profile without an organisation holds everywhere, and you administer one organisation; name it in organisation_uuid.',
      { fields: [{ field: `${prefix}organisation_uuid`, detail: 'It is needed.' }] },
    )
  }
  if (!(await isOrganisationWithin(db, organisationUuid, reach)))
    throw wrongField(`${prefix}organisation_uuid`, 'There is no such organisation.')
  const isWithin = (await withinReach(db, reach))(place)
  if (unitUuid === null && !isWithin)
    throw wrongField(
      `${prefix}organisation_unit_uuid`,
      'It is needed: you administer a unit and those below it.',
    )
  if (unitUuid === null) return
  const isUnit = await isThere(db, 'units', { uuid: unitUuid, organisation_uuid: organisationUuid })
  if (!isUnit || !isWithin)
    throw wrongField(`${prefix}organisation_unit_uuid`, 'There is no such unit in this organisation.')
}

/** Throws when a profile with this role at this place may not be given by who asks. */
export async function checkNewProfile(
  db: Reading,
  profile: Pick<ProfileRow, 'role_code' | 'organisation_uuid' | 'unit_uuid'>,
  authority: Authority,
  prefix = '',
): Promise<void> {
  const isRole = await isThere(db, 'roles', { code: profile.role_code })
  const permissions = await permissionsOf(db, profile.role_code)
  const { reach } = authority
  // One refusal for both: of a role that they may not give they do not learn that it is there.
  if (reach.organisationUuid !== undefined && !(isRole && authority.holds(permissions))) {
    throw wrongField(
      `${prefix}role_code`,
      'You can give no such role: there is none, or it gives more than you hold. GET /admin/v1/roles lists those that you can give.',
      'forbidden',
    )
  }
  if (!isRole) throw wrongField(`${prefix}role_code`, 'There is no such role.')
  await checkPlace(db, profile, reach, prefix)
  authority.grants(permissions)
}
