import type { Kysely } from 'kysely'
import type { profile } from '../catalogue/profile.ts'
import type { NewOf } from '../catalogue/thing.ts'
import type { Schema } from '../database/schema.ts'
import type { ImportedProfile } from './row.ts'

/** A profile by ids, without whose it is. */
export type PlacedProfile = Omit<NewOf<typeof profile>, 'user_uuid'>

/** The roles, organisations and units that profiles name. */
export interface ImportPlaces {
  roles: ReadonlySet<string>
  /** The uuids by code. */
  organisations: ReadonlyMap<string, string>
  /** The uuids by the organisation's uuid and code. */
  units: ReadonlyMap<string, string>
}

export async function findPlaces(
  db: Kysely<Schema>,
  profiles: readonly ImportedProfile[],
): Promise<ImportPlaces> {
  const roles = distinct(profiles.map((one) => one.role))
  const codes = distinct(profiles.map((one) => one.organisation))
  const foundRoles =
    roles.length === 0 ? [] : await db.selectFrom('roles').select('code').where('code', 'in', roles).execute()
  const organisations =
    codes.length === 0
      ? []
      : await db.selectFrom('organisations').select(['uuid', 'code']).where('code', 'in', codes).execute()
  return {
    roles: new Set(foundRoles.map((row) => row.code)),
    organisations: new Map(organisations.map((row) => [row.code, row.uuid])),
    units: await unitsOf(db, organisations, distinct(profiles.map((one) => one.unit))),
  }
}

const distinct = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.filter((one) => one !== undefined)),
]

async function unitsOf(
  db: Kysely<Schema>,
  organisations: readonly { uuid: string }[],
  codes: readonly string[],
): Promise<ImportPlaces['units']> {
  if (organisations.length === 0 || codes.length === 0) return new Map()
  const rows = await db
    .selectFrom('units')
    .select(['uuid', 'organisation_uuid', 'code'])
    .where(
      'organisation_uuid',
      'in',
      organisations.map((row) => row.uuid),
    )
    .where('code', 'in', codes)
    .execute()
  return new Map(rows.map((row) => [`${row.organisation_uuid} ${row.code}`, row.uuid]))
}

/** Finds the place where a profile holds, or says what there is not. */
export function placeOf(
  { roles, organisations, units }: ImportPlaces,
  { role, organisation, unit, ...rest }: ImportedProfile,
): PlacedProfile | { field: string; reason: string } {
  if (!roles.has(role)) return { field: 'role', reason: 'There is no such role.' }
  const organisation_uuid = organisation === undefined ? null : organisations.get(organisation)
  if (organisation_uuid === undefined)
    return { field: 'organisation', reason: 'There is no such organisation.' }
  const unit_uuid = unit === undefined ? null : units.get(`${organisation_uuid ?? ''} ${unit}`)
  if (unit_uuid === undefined) return { field: 'unit', reason: 'There is no such unit in this organisation.' }
  return {
    role_code: role,
    organisation_uuid,
    organisation_unit_uuid: unit_uuid,
    ...rest,
  }
}
