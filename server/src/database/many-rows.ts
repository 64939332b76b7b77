/**
 * Statements that write any number of rows: the rows travel as one value, a list in JSON, and the text is the same for
 * all. With a statement for each, whoever writes twenty thousand people holds the others up for seconds.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { chunksOf } from './chunks.ts'
import { dialectOf } from './dialect.ts'
import type { Schema } from './schema.ts'

export type AnyRow = Readonly<Record<string, unknown>>

/** The most rows in one statement: an embedded one stops the event loop, and PostgreSQL ends long ones. */
const most = 2000

/** Adds the rows. */
export async function insertRows(
  trx: Kysely<Schema>,
  table: keyof Schema,
  columns: readonly string[],
  rows: readonly object[],
): Promise<void> {
  for (const chunk of chunksOf(rows as readonly AnyRow[], most)) {
    const given = asTable(trx, table, columns, chunk)
    await sql`insert into ${sql.table(table)} (${names(columns)}) select ${names(columns)} from ${given}`.execute(
      trx,
    )
  }
}

/** Gives each row, found by its `keys`, its own values of `columns`, and does `also` with it; yields how many were found. */
export async function updateRows(
  trx: Kysely<Schema>,
  table: keyof Schema,
  {
    keys,
    columns,
    also,
  }: { keys: readonly string[]; columns: readonly string[]; also: RawBuilder<unknown>[] },
  rows: readonly AnyRow[],
): Promise<number> {
  let found = 0
  const set = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`given.${column}`)}`)
  const same = keys.map((key) => sql`${sql.ref(`${table}.${key}`)} = ${sql.ref(`given.${key}`)}`)
  for (const chunk of chunksOf(rows, most)) {
    const given = asTable(trx, table, [...keys, ...columns], chunk)
    const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${sql.join([...set, ...also])}
      from ${given} where ${sql.join(same, sql` and `)}`.execute(trx)
    found += Number(numAffectedRows)
  }
  return found
}

/** Removes the rows with these `keys` of which `also` is true; yields how many. */
export async function deleteRows(
  trx: Kysely<Schema>,
  table: keyof Schema,
  keys: readonly string[],
  rows: readonly AnyRow[],
  also: RawBuilder<unknown> = sql`true`,
): Promise<number> {
  let removed = 0
  for (const chunk of chunksOf(rows, most)) {
    const given = asTable(trx, table, keys, chunk)
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)}
      where (${names(keys)}) in (select ${names(keys)} from ${given}) and ${also}`.execute(trx)
    removed += Number(numAffectedRows)
  }
  return removed
}

/** Texts as `in (…)` takes them: one value, however many they are. */
export const listOf = (db: Kysely<Schema>, texts: readonly string[]): RawBuilder<unknown> =>
  dialectOf(db) === 'postgres'
    ? sql`select json_array_elements_text(${JSON.stringify(texts)}::json)`
    : sql`select value from json_each(${JSON.stringify(texts)})`

const names = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

/** The rows as a table `given` of these columns, with the types that the table has. */
function asTable(
  trx: Kysely<Schema>,
  table: keyof Schema,
  columns: readonly string[],
  rows: readonly AnyRow[],
): RawBuilder<unknown> {
  if (dialectOf(trx) === 'postgres') {
    const json = JSON.stringify(rows, [...columns])
    return sql`json_populate_recordset(null::${sql.table(table)}, ${json}::json) as given`
  }
  // Each row is a list: SQLite looks for a name among all that stand before it.
  const json = JSON.stringify(rows.map((row) => columns.map((column) => row[column] ?? null)))
  const extracted = columns.map(
    (column, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)}) as ${sql.ref(column)}`,
  )
  // Kept first, so that each row is written out once and not for each column.
  return sql`(with listed as materialized (select value from json_each(${json}))
    select ${sql.join(extracted)} from listed) as given`
}
