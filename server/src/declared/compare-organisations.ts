import { newColumns } from '../catalogue/columns.ts'
import { organisation as organisationThing } from '../catalogue/organisation.ts'
import { unit as unitThing } from '../catalogue/unit.ts'
import type { DeclaredRow } from './state.ts'
import { unitKey } from './names.ts'
import { byKey, groupBy } from '../access/by-key.ts'
import { compareOpening } from './compare-upstreams.ts'
import type { Comparison } from './comparison.ts'
import type { DeclaredOrganisation, DeclaredUnit } from './declared.ts'
import { uuidsOfPeople } from './people.ts'
import { shown } from './problems.ts'

/** Organisations and their units; also notes their uuids for what refers to them. */
export function compareOrganisations(
  comparison: Comparison,
  organisations: readonly DeclaredOrganisation[],
): void {
  const { state } = comparison
  const stored = byKey(state.organisations, (row) => row.code)
  const holders = byKey(state.organisations, (row) => row.uuid)
  const units = groupBy(state.units, (row) => row.organisation_uuid)
  const taken = new Set(state.units.map((row) => row.uuid))
  // Organisations may name one another, in any order.
  const known = organisations.map((one) => uuidOf(comparison, one, stored.get(one.code)))
  for (const [index, organisation] of organisations.entries()) {
    const { code: id, line } = organisation
    const before = stored.get(id)
    const uuid = known[index] ?? ''
    const holder = before === undefined ? holders.get(uuid) : undefined
    if (holder !== undefined) {
      const reason = `the uuid ${uuid} is that of the organisation ${shown(holder.code)}; a code can't be changed here`
      comparison.problems.add(line, reason)
    }
    comparison.expectUuid(organisation, before, `the organisation ${shown(id)}`)
    comparison.put(
      'organisation',
      before,
      { ...newColumns(organisationThing, organisation), ...namedBy(comparison, organisation, before) },
      {
        id,
        about: { uuid, organisation_uuid: uuid },
        uuid: organisation.uuid,
        created: { uuid },
      },
    )
    comparison.manage('organisations', before, { kind: 'organisation', id, key: uuid })
    compareUnits(comparison, organisation, { uuid, rows: units.get(uuid) ?? [], taken })
    const isAdopted = comparison.adopts(before)
    compareOpening(comparison, organisation, { uuid, isAdopted })
    if (isAdopted) adoptUnits(comparison, organisation, before, units.get(uuid) ?? [])
  }
}

/** The lists of an organisation, by uuids; one that the file leaves out stays. */
function namedBy(
  comparison: Comparison,
  { accepts, break_glass: people, line }: DeclaredOrganisation,
  before: DeclaredRow<'organisations'> | undefined,
): { accepts: string; break_glass: string } {
  const text = (uuids: readonly string[] | undefined, stored: string | undefined) =>
    uuids === undefined ? (stored ?? '[]') : JSON.stringify(uuids.toSorted())
  return {
    accepts: text(
      accepts?.map((code) => comparison.uuidOf(code) ?? ''),
      before?.accepts,
    ),
    break_glass: text(people && uuidsOfPeople(comparison, people, line), before?.break_glass),
  }
}

/** The uuid of a thing that may be new, under which others find it and its code. */
function uuidOf(
  { settings, uuids, codes }: Comparison,
  declared: { uuid: string | undefined; code: string },
  before: { uuid: string } | undefined,
  key = declared.code,
): string {
  const uuid = before?.uuid ?? declared.uuid ?? settings.newUuid()
  uuids.set(key, uuid)
  codes.add(uuid, declared.code)
  return uuid
}

interface OfOrganisation {
  uuid: string
  rows: readonly DeclaredRow<'units'>[]
  /** The uuids of all units. */
  taken: ReadonlySet<string>
}

function compareUnits(
  comparison: Comparison,
  organisation: DeclaredOrganisation,
  { uuid: organisation_uuid, rows, taken }: OfOrganisation,
): void {
  const left = byKey(rows, (row) => row.code)
  for (const unit of parentsFirst(organisation.units)) {
    const id = unitKey(organisation.code, unit.code)
    const before = left.get(unit.code)
    left.delete(unit.code)
    const uuid = uuidOf(comparison, unit, before, id)
    if (before === undefined && taken.has(uuid)) {
      comparison.problems.add(unit.line, `the uuid ${uuid} is that of another unit; a uuid never changes`)
    }
    comparison.expectUuid(unit, before, `the unit ${shown(unit.code)}`)
    const parent_uuid = comparison.uuidOf(unitKey(organisation.code, unit.parent))
    const columns = newColumns(unitThing, { ...unit, organisation_uuid, parent_uuid })
    const about = { uuid, organisation_uuid }
    comparison.put('unit', before, columns, { id, about, uuid: unit.uuid, created: { uuid } })
  }
  // Kept, for profiles and records may speak of it; nobody can act under it.
  for (const row of left.values())
    comparison.disable('unit', row, {
      id: unitKey(organisation.code, row.code),
      uuid: row.uuid,
      organisation_uuid,
    })
}

/** Units are managed with their organisation. */
function adoptUnits(
  comparison: Comparison,
  organisation: DeclaredOrganisation,
  before: DeclaredRow<'organisations'> | undefined,
  rows: readonly DeclaredRow<'units'>[],
): void {
  const stored = byKey(rows, (row) => row.code)
  for (const { code } of organisation.units) {
    const row = stored.get(code)
    if (row === undefined) continue
    const id = unitKey(organisation.code, code)
    comparison.adopted.push({ kind: 'unit', id, key: row.uuid, managedBy: before?.managed_by ?? null })
  }
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
