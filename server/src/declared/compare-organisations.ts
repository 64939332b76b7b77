import type { OrganisationRow, UnitRow } from '../store/schema.ts'
import { unitKey } from './access-section.ts'
import { byKey, type Comparison, fieldsBetween, flagOf, groupBy } from './comparison.ts'
import type { DeclaredOrganisation, DeclaredUnit } from './declared.ts'
import { shown } from './problems.ts'

/** Organisations and their units; also notes their uuids for what refers to them. */
export function compareOrganisations(
  comparison: Comparison,
  organisations: readonly DeclaredOrganisation[],
): void {
  const stored = byKey(comparison.state.organisations, (row) => row.code)
  const units = groupBy(comparison.state.units, (row) => row.organisation_uuid)
  for (const organisation of organisations) {
    const before = stored.get(organisation.code)
    const uuid = compareOrganisation(comparison, organisation, before)
    comparison.organisationUuids.set(organisation.code, uuid)
    comparison.manage('organisations', uuid, before)
    compareUnits(comparison, organisation, uuid, units.get(uuid) ?? [])
  }
}

function compareOrganisation(
  comparison: Comparison,
  organisation: DeclaredOrganisation,
  before: OrganisationRow | undefined,
): string {
  const { code, name, active } = organisation
  if (before !== undefined) {
    refuseOtherUuid(comparison, 'organisation', organisation, before.uuid)
    comparison.update('organisations', before, { name, active: flagOf(active) })
    const shownBefore = { name: before.name, active: before.active === 1 }
    comparison.tellChange(
      'organisation',
      code,
      fieldsBetween(shownBefore, { name, active }),
      about(before.uuid),
    )
    return before.uuid
  }
  const uuid = organisation.uuid ?? comparison.settings.newUuid()
  const holder = comparison.storedOrganisations.get(uuid)
  if (holder !== undefined) {
    const reason = `the uuid ${uuid} is that of the organisation ${shown(holder.code)}; a code can't be changed here`
    comparison.problems.add(organisation.line, reason)
  }
  comparison.create('organisations', { uuid, code, name, active: flagOf(active) })
  const after = { uuid: organisation.uuid ?? null, name, active }
  comparison.tell('organisation', 'create', code, fieldsBetween(undefined, after), about(uuid))
  return uuid
}

const about = (uuid: string) => ({ uuid, organisationUuid: uuid })

function refuseOtherUuid(
  comparison: Comparison,
  kind: string,
  declared: { line: number; code: string; uuid: string | undefined },
  stored: string,
): void {
  if (declared.uuid === undefined || declared.uuid === stored) return
  const reason = `the ${kind} ${shown(declared.code)} is stored with the uuid ${stored}, not ${declared.uuid}; a uuid never changes`
  comparison.problems.add(declared.line, reason)
}

function compareUnits(
  comparison: Comparison,
  organisation: DeclaredOrganisation,
  organisationUuid: string,
  rows: readonly UnitRow[],
): void {
  const left = byKey(rows, (row) => row.code)
  const codes = new Map(rows.map((row) => [row.uuid, row.code]))
  for (const unit of parentsFirst(organisation.units)) {
    const before = left.get(unit.code)
    left.delete(unit.code)
    const parentUuid = comparison.unitUuids.get(unitKey(organisation.code, unit.parent ?? '')) ?? null
    const place = { organisation, organisationUuid, parentUuid }
    const uuid = before === undefined ? createUnit(comparison, unit, place) : before.uuid
    comparison.unitUuids.set(unitKey(organisation.code, unit.code), uuid)
    if (before === undefined) continue
    refuseOtherUuid(comparison, 'unit', unit, before.uuid)
    const { name, active } = unit
    comparison.update('units', before, { name, active: flagOf(active), parent_uuid: parentUuid })
    const shownBefore = {
      name: before.name,
      active: before.active === 1,
      parent: codes.get(before.parent_uuid ?? '') ?? null,
    }
    const fields = fieldsBetween(shownBefore, { name, active, parent: unit.parent ?? null })
    comparison.tellChange('unit', unitKey(organisation.code, unit.code), fields, { uuid, organisationUuid })
  }
  for (const row of left.values()) {
    // Kept, for profiles and records may speak of it; nobody can act under it.
    if (!comparison.update('units', row, { active: 0 })) continue
    const fields = fieldsBetween({ active: true }, { active: false })
    const about = { uuid: row.uuid, organisationUuid }
    comparison.tell('unit', 'change', unitKey(organisation.code, row.code), fields, about)
  }
}

interface UnitPlace {
  organisation: DeclaredOrganisation
  organisationUuid: string
  parentUuid: string | null
}

function createUnit(comparison: Comparison, unit: DeclaredUnit, place: UnitPlace): string {
  const { code, name, active } = unit
  const uuid = unit.uuid ?? comparison.settings.newUuid()
  if (comparison.storedUnits.has(uuid)) {
    comparison.problems.add(unit.line, `the uuid ${uuid} is that of another unit; a uuid never changes`)
  }
  comparison.create('units', {
    uuid,
    organisation_uuid: place.organisationUuid,
    parent_uuid: place.parentUuid,
    code,
    name,
    active: flagOf(active),
  })
  const after = { uuid: unit.uuid ?? null, name, active, parent: unit.parent ?? null }
  const fields = fieldsBetween(undefined, after)
  const { organisationUuid } = place
  comparison.tell('unit', 'create', unitKey(place.organisation.code, code), fields, {
    uuid,
    organisationUuid,
  })
  return uuid
}

/** A unit after the one above it; the format has refused circles. */
function parentsFirst(units: readonly DeclaredUnit[]): DeclaredUnit[] {
  const byCode = byKey(units, (one) => one.code)
  const sorted = new Set<DeclaredUnit>()
  for (const unit of units) {
    const chain: DeclaredUnit[] = []
    let at: DeclaredUnit | undefined = unit
    while (at !== undefined && !sorted.has(at)) {
      chain.push(at)
      at = byCode.get(at.parent ?? '')
    }
    for (const one of chain.reverse()) sorted.add(one)
  }
  return [...sorted]
}
