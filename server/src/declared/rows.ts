import type { AnyRow } from '../database/many-rows.ts'
import { isTouched, keyColumns, type Writes } from '../store/write/rows.ts'
import { type DeclaredState, type DeclaredTable, declaredTables } from './state.ts'

export const changesAnything = (writes: Writes): boolean =>
  declaredTables.some((table) => isTouched(writes[table]))

/** The state as it is after the writes. */
export function stateAfter(state: DeclaredState, writes: Writes): DeclaredState {
  const tables = declaredTables.map((table) => [table, rowsAfter(table, state[table], writes[table])])
  return Object.fromEntries(tables) as DeclaredState
}

function rowsAfter(
  table: DeclaredTable,
  rows: readonly object[],
  { insert, update, remove }: Writes[DeclaredTable],
): object[] {
  const keyOf = (row: object) => keyColumns[table].map((column) => (row as AnyRow)[column]).join(' ')
  const after = new Map(rows.map((row) => [keyOf(row), row]))
  for (const row of remove) after.delete(keyOf(row))
  for (const { before, set } of update) after.set(keyOf(before), { ...before, ...set })
  for (const row of insert) after.set(keyOf(row), row)
  return [...after.values()]
}
