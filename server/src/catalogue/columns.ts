import { scopesOf } from '../protocol/scope.ts'
import { instantOf } from '../protocol/values.ts'
import type { FieldKind, ListKind } from './kinds.ts'
import type { ChangesOf, ColumnsOf, NewOf, RowOf, SaidOf, ShownOf, Thing } from './thing.ts'

/** How rows have the things: 0 or 1, epoch milliseconds, lists as JSON text. */

/** A thing as it is shown. */
export function shownOf<T extends Thing>(thing: T, row: RowOf<T>): ShownOf<T> {
  const columns = row as Readonly<Record<string, unknown>>
  const shown = Object.entries(thing).map(([name, { kind, column = name }]) => [
    name,
    shownValue(kind, columns[column]),
  ])
  return Object.fromEntries(shown) as ShownOf<T>
}

/** What makes the columns of a new one, as bodies have it. */
export function saidOf<T extends Thing>(thing: T, columns: ColumnsOf<T>): SaidOf<T> {
  const stored = columns as Readonly<Record<string, unknown>>
  const said = Object.entries(thing)
    .filter(([, { set }]) => set !== 'never')
    .map(([name, { kind, column = name }]) => [name, shownValue(kind, stored[column])])
  return Object.fromEntries(said) as SaidOf<T>
}

/** The columns of a new one, with what is initial where nothing is said. */
export function newColumns<T extends Thing>(thing: T, said: NewOf<T>): ColumnsOf<T> {
  const values = said as Readonly<Record<string, unknown>>
  const columns = Object.entries(thing)
    .filter(([, { set }]) => set !== 'never')
    .map(([name, { kind, initial = null, column = name }]) => [
      column,
      storedValue(kind, values[name] ?? initial),
    ])
  return Object.fromEntries(columns) as ColumnsOf<T>
}

/** The columns that a change sets: those of what is said. */
export function changedColumns<T extends Thing>(thing: T, said: SaidOf<T>): ChangesOf<T> {
  const values = said as Readonly<Record<string, unknown>>
  const columns = Object.entries(thing)
    .filter(([name, { set }]) => set === undefined && values[name] !== undefined)
    .map(([name, { kind, column = name }]) => [column, storedValue(kind, values[name])])
  return Object.fromEntries(columns) as ChangesOf<T>
}

/** A value that was checked, as its column has it. */
function storedValue(kind: FieldKind, value: unknown): unknown {
  if (value === null) return null
  if (kind.is === 'flag') return value === true ? 1 : 0
  if (kind.is === 'instant') return instantOf(String(value)) ?? null
  if (kind.is === 'scope') return [...new Set(scopesOf(String(value)))].join(' ')
  if (kind.is === 'json') return JSON.stringify(value)
  if (kind.is === 'list') return storedList(kind, value as readonly string[])
  return value
}

function storedList({ sorted, apart }: ListKind, list: readonly string[]): unknown {
  if (apart === true) return list
  return JSON.stringify(sorted === true ? list.toSorted() : list)
}

/** A value of a column as it is shown. */
export function shownValue(kind: FieldKind, stored: unknown): unknown {
  if (kind.is === 'presence') return stored !== null
  if (stored === null || (kind.is === 'day' && stored === '')) return null
  if (kind.is === 'flag') return stored === 1
  if (kind.is === 'instant') return new Date(Number(stored)).toISOString()
  if (kind.is === 'json') return JSON.parse(String(stored)) as unknown
  if (kind.is === 'list' && kind.apart !== true) return JSON.parse(String(stored)) as string[]
  return stored
}
