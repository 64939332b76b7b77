import { type Kysely, type RawBuilder, sql } from 'kysely'
import { dialectOf } from './dialect.ts'
import type { Schema } from './schema.ts'

/** The position of a NUL in these columns together, 0 for none. PostgreSQL stores none. */
export function positionOfNul(db: Kysely<Schema>, columns: readonly string[]): RawBuilder<number> {
  if (dialectOf(db) === 'postgres') return sql`0`
  const texts = columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`)
  return sql`instr(${sql.join(texts, sql` || `)}, char(0))`
}
