/** Rows by the values of their columns. */
import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'

type TableRow<T extends keyof Schema> = Selectable<Schema[T]>
type RowFilter<T extends keyof Schema> = {
  [C in keyof TableRow<T>]?: TableRow<T>[C] | readonly TableRow<T>[C][] | undefined
}

/** The rows of a table that have these values; of a list one of them, of undefined any. */
export function rowsOf<T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  values: RowFilter<T>,
): SelectQueryBuilder<Schema, T, TableRow<T>> {
  // Kysely's types can't follow a table that is a parameter.
  const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  let query = untyped.selectFrom(table as string).selectAll()
  for (const [column, value] of Object.entries(values)) {
    if (value !== undefined) query = query.where(column, Array.isArray(value) ? 'in' : '=', value)
  }
  return query as unknown as SelectQueryBuilder<Schema, T, TableRow<T>>
}

/** The row of a table that has these values. */
export async function rowOf<T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  values: RowFilter<T>,
): Promise<TableRow<T> | undefined> {
  return (await rowsOf(db, table, values).limit(1).execute())[0] as TableRow<T> | undefined
}

/** Whether a table has a row with these values. */
export const isThere = async <T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  values: RowFilter<T>,
): Promise<boolean> => (await rowOf(db, table, values)) !== undefined
