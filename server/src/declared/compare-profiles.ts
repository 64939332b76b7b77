import type { ProfileRow } from '../store/schema.ts'
import { unitKey } from './access-section.ts'
import { byKey, type Comparison, fieldsBetween, flagOf, type Shown } from './comparison.ts'
import type { DeclaredProfile, DeclaredUser } from './declared.ts'
import type { PlaceCodes } from './place-codes.ts'

type Columns = Omit<ProfileRow, 'uuid' | 'user_uuid'>

/** The profiles of one user; those that the file does not list are removed. */
export function compareProfiles(
  comparison: Comparison,
  codes: PlaceCodes,
  user: DeclaredUser,
  { userUuid, rows }: { userUuid: string; rows: readonly ProfileRow[] },
): void {
  const matches = matchProfiles(comparison, user, rows)
  const idOf = (row: Columns) => `${user.email} as ${codes.roleAt(row)}`
  const about = (uuid: string, row: Columns) => ({ uuid, userUuid, organisationUuid: row.organisation_uuid })
  for (const profile of user.profiles) {
    const columns = columnsOf(comparison, profile)
    const before = matches.get(profile)
    if (before === undefined) {
      const uuid = newProfileUuid(comparison, profile)
      comparison.create('profiles', { uuid, user_uuid: userUuid, ...columns })
      const after = { uuid: profile.uuid ?? null, ...shownOf(columns, codes) }
      const fields = fieldsBetween(undefined, after)
      comparison.tell('profile', 'create', idOf(columns), fields, about(uuid, columns))
    } else if (comparison.update('profiles', before, columns)) {
      const fields = fieldsBetween(shownOf(before, codes), shownOf(columns, codes))
      comparison.tell('profile', 'change', idOf(columns), fields, about(before.uuid, columns))
    }
  }
  const kept = new Set(matches.values())
  for (const row of rows) {
    if (kept.has(row)) continue
    comparison.remove('profiles', row)
    const was = shownOf(row, codes)
    comparison.tell('profile', 'remove', idOf(row), [], { ...about(row.uuid, row), was })
  }
}

/** Which stored profile each declared one is: by uuid, otherwise by role, organisation and unit. */
function matchProfiles(
  comparison: Comparison,
  user: DeclaredUser,
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
  for (const profile of user.profiles) {
    if (matches.has(profile)) continue
    const { role_code, organisation_uuid, unit_uuid } = columnsOf(comparison, profile)
    const row = [...left].find(
      (one) =>
        one.role_code === role_code &&
        one.organisation_uuid === organisation_uuid &&
        one.unit_uuid === unit_uuid,
    )
    if (row === undefined) continue
    if (profile.uuid !== undefined) {
      const reason = `this profile of ${user.email} is stored with the uuid ${row.uuid}, not ${profile.uuid}; a uuid never changes`
      comparison.problems.add(profile.line, reason)
    }
    matches.set(profile, row)
    left.delete(row)
  }
  return matches
}

function newProfileUuid(comparison: Comparison, profile: DeclaredProfile): string {
  const uuid = profile.uuid ?? comparison.settings.newUuid()
  // The user's own profiles were matched before, so it is somebody else's.
  if (comparison.storedProfiles.has(uuid)) {
    comparison.problems.add(
      profile.line,
      `the uuid ${uuid} is that of another user's profile; a uuid never changes`,
    )
  }
  return uuid
}

function columnsOf(comparison: Comparison, profile: DeclaredProfile): Columns {
  const { role, organisation, unit } = profile
  return {
    role_code: role,
    organisation_uuid: comparison.organisationUuids.get(organisation ?? '') ?? null,
    unit_uuid: comparison.unitUuids.get(unitKey(organisation ?? '', unit ?? '')) ?? null,
    active: flagOf(profile.active),
    expires_at: profile.expiresAt ?? null,
  }
}

function shownOf(row: Columns, codes: PlaceCodes): Shown {
  return {
    role: row.role_code,
    organisation: codes.organisation(row.organisation_uuid),
    unit: codes.unit(row.unit_uuid),
    active: row.active === 1,
    expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }
}
