import type { UnitRow } from '../database/schema.ts'
import { byKey } from './by-key.ts'

/** Tells of a unit the uuids of those above it, nearest first. */
export function unitsAbove(units: readonly UnitRow[]): (uuid: string) => string[] {
  const byUuid = byKey(units, (row) => row.uuid)
  return (uuid) => {
    const above = new Set<string>()
    let at = byUuid.get(uuid)?.parent_uuid ?? null
    while (at !== null && !above.has(at)) {
      above.add(at)
      at = byUuid.get(at)?.parent_uuid ?? null
    }
    return [...above]
  }
}

/** The units whose parent is another one than before. Those below them move along. */
export function movedUnits(before: readonly UnitRow[], after: readonly UnitRow[]): UnitRow[] {
  const old = byKey(before, (row) => row.uuid)
  return after.filter((row) => old.has(row.uuid) && old.get(row.uuid)?.parent_uuid !== row.parent_uuid)
}
