/**
 * A list in pieces, one for each statement: SQLite takes 32,766 values in one, PostgreSQL 65,535. `size` is smaller where
 * each of the list has many columns.
 */
export function* chunksOf<T>(list: readonly T[], size = 500): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size)
}
