import type { Kysely, Selectable } from 'kysely'
import type { Schema } from './schema.ts'

/** Whether a table has a row with these values. */
export async function isThere<T extends keyof Schema>(
  db: Kysely<Schema>,
  table: T,
  values: Partial<Selectable<Schema[T]>>,
): Promise<boolean> {
  // Kysely's types can't follow a table that is a parameter.
  const untyped = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  let query = untyped.selectFrom(table as string).select(({ lit }) => lit(1).as('one'))
  for (const [column, value] of Object.entries(values)) query = query.where(column, '=', value)
  return (await query.executeTakeFirst()) !== undefined
}
