import type { AccessParts, DeclaredState, DeclaredTable } from '../store/declared-state.ts'
import { type DeclaredWrites, declaredTables, keyColumns } from '../store/declared-write.ts'
import { compareRoles, compareServices, dropFromOtherClients } from './compare-access.ts'
import { compareClients } from './compare-clients.ts'
import { compareOrganisations } from './compare-organisations.ts'
import { compareUsers } from './compare-users.ts'
import { Comparison, type Settings } from './comparison.ts'
import type { Declared } from './declared.ts'
import type { PasswordDecisions } from './passwords.ts'
import { pruneClients, prunePlaces, pruneRoles, pruneServices, pruneUsers, Unnamed } from './prune.ts'
import { PlaceCodes } from './place-codes.ts'

/**
 * What the file makes different. Pure: nothing is written. Throws `DeclaredFileError` when the file contradicts
 * what is stored, and `StateMoved` when the decisions about passwords are out of date.
 */
export function compare(
  declared: Declared,
  state: DeclaredState,
  passwords: PasswordDecisions,
  settings: Settings,
): Comparison {
  const comparison = new Comparison(declared, state, settings)
  const unnamed = new Unnamed(comparison, declared)
  const pruned = new Set(unnamed.services.map((row) => row.code))
  const vanished = compareServices(comparison, declared.services, pruned)
  for (const permission of pruneServices(comparison, unnamed)) vanished.add(permission)
  compareRoles(comparison, declared.roles, vanished, pruneRoles(comparison, unnamed))
  compareOrganisations(comparison, declared.organisations)
  const { organisations, units } = comparison.writes
  const codes = new PlaceCodes([state, { organisations: organisations.insert, units: units.insert }])
  compareUsers(comparison, codes, declared.users, passwords)
  compareClients(comparison, codes, declared.clients)
  prunePlaces(comparison, unnamed)
  pruneUsers(comparison, codes, unnamed)
  const without = new Set([
    ...declared.clients.map((one) => one.clientId),
    ...pruneClients(comparison, unnamed),
  ])
  dropFromOtherClients(comparison, without, { permissions: vanished, services: pruned })
  comparison.problems.throwIfAny()
  return comparison
}

export function changesAnything(writes: DeclaredWrites): boolean {
  return declaredTables.some((table) => {
    const { insert, update, remove } = writes[table]
    return insert.length + update.length + remove.length > 0
  })
}

/** The roles, organisations and units whose change is felt by everybody who holds a profile by them. */
export function changedParts(writes: DeclaredWrites): AccessParts {
  const { roles, role_permissions: held, organisations, units } = writes
  const switched = <Row extends { active: 0 | 1 }>(updates: { before: Row; set: Partial<Row> }[]) =>
    updates.filter((one) => one.set.active !== undefined).map((one) => one.before)
  const changedRoles = [
    ...switched(roles.update).map((row) => row.code),
    ...[...held.insert, ...held.remove].map((row) => row.role_code),
  ]
  return {
    roleCodes: [...new Set(changedRoles)],
    organisationUuids: switched(organisations.update).map((row) => row.uuid),
    unitUuids: switched(units.update).map((row) => row.uuid),
  }
}

/** The state as it is after the writes. */
export function afterWrites(state: DeclaredState, writes: DeclaredWrites): DeclaredState {
  const tables = declaredTables.map((table) => [table, rowsAfter(table, state[table], writes[table])])
  return Object.fromEntries(tables) as DeclaredState
}

function rowsAfter(
  table: DeclaredTable,
  rows: readonly object[],
  changes: DeclaredWrites[DeclaredTable],
): object[] {
  const keyOf = (row: object) =>
    JSON.stringify(keyColumns[table].map((column) => (row as Record<string, unknown>)[column]))
  const after = new Map(rows.map((row) => [keyOf(row), row]))
  for (const row of changes.remove) after.delete(keyOf(row))
  for (const { before, set } of changes.update) after.set(keyOf(before), { ...before, ...set })
  for (const row of changes.insert) after.set(keyOf(row), row)
  return [...after.values()]
}
