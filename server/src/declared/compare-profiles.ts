import { newColumns } from '../catalogue/columns.ts'
import { profile as profileThing } from '../catalogue/profile.ts'
import type { ProfileRow } from '../database/schema.ts'
import { shownOf } from './kinds.ts'
import { unitKey } from './names.ts'
import { byKey } from '../access/by-key.ts'
import { waitsAs } from '../store/waited.ts'
import type { Comparison } from './comparison.ts'
import type { DeclaredProfile, DeclaredUser } from './declared.ts'

interface OfUser {
  user_uuid: string
  rows: readonly ProfileRow[]
}

/** The profiles of one user; those that the file does not list are removed. */
export function compareProfiles(
  comparison: Comparison,
  user: DeclaredUser,
  { user_uuid, rows }: OfUser,
): void {
  const columns = new Map(user.profiles.map((one) => [one, columnsOf(comparison, { ...one, user_uuid })]))
  const matches = matchProfiles(comparison, user, columns, rows)
  for (const [profile, row] of columns) {
    const before = matches.get(profile)
    const uuid = before?.uuid ?? newProfileUuid(comparison, profile)
    const about = { uuid, user_uuid, organisation_uuid: row.organisation_uuid }
    const id = profileId(comparison, user.email, row)
    comparison.put('profile', before, row, { id, about, uuid: profile.uuid, created: { uuid } })
  }
  const kept = new Set(matches.values())
  for (const row of rows) if (!kept.has(row)) takeProfile(comparison, user.email, row)
}

const profileId = ({ codes }: Comparison, email: string, row: Columns) => `${email} as ${codes.roleAt(row)}`

/** Removes a profile that the file does not list. */
export function takeProfile(comparison: Comparison, email: string, row: ProfileRow, pruned = false): void {
  const { uuid, user_uuid, organisation_uuid } = row
  const id = profileId(comparison, email, row)
  const was = { ...shownOf('profile', row, comparison.codes), ...waitsAs(row) }
  comparison.take('profile', row, { id, uuid, user_uuid, organisation_uuid, was }, pruned)
}

/** Which stored profile each declared one is: by uuid, otherwise by role, organisation and unit. */
function matchProfiles(
  comparison: Comparison,
  user: DeclaredUser,
  columns: ReadonlyMap<DeclaredProfile, Columns>,
  rows: readonly ProfileRow[],
): Map<DeclaredProfile, ProfileRow> {
  const matches = new Map<DeclaredProfile, ProfileRow>()
  const byUuid = byKey(rows, (row) => row.uuid)
  const left = new Set(rows)
  for (const profile of user.profiles) {
    const row = byUuid.get(profile.uuid ?? '')
    if (row === undefined) continue
    matches.set(profile, row)
    left.delete(row)
  }
  for (const [profile, { role_code, organisation_uuid, unit_uuid }] of columns) {
    if (matches.has(profile)) continue
    const row = [...left].find(
      (one) =>
        one.role_code === role_code &&
        one.organisation_uuid === organisation_uuid &&
        one.unit_uuid === unit_uuid,
    )
    if (row === undefined) continue
    comparison.expectUuid(profile, row, `this profile of ${user.email}`)
    matches.set(profile, row)
    left.delete(row)
  }
  return matches
}

function newProfileUuid(
  { settings, problems, profiles }: Comparison,
  { line, uuid }: DeclaredProfile,
): string {
  // The user's own profiles were matched before, so it is somebody else's.
  if (uuid !== undefined && profiles.has(uuid))
    problems.add(line, `the uuid ${uuid} is that of another user's profile; a uuid never changes`)
  return uuid ?? settings.newUuid()
}

type Columns = ReturnType<typeof columnsOf>

function columnsOf(comparison: Comparison, profile: DeclaredProfile & { user_uuid: string }) {
  const { organisation, unit } = profile
  return newColumns(profileThing, {
    ...profile,
    organisation_uuid: comparison.uuidOf(organisation),
    organisation_unit_uuid: comparison.uuidOf(unitKey(organisation, unit)),
  })
}
