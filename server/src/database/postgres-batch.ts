/** One statement of PostgreSQL that asks what several callings of the same query would. */
import {
  ExpressionWrapper,
  type InsertQueryNode,
  type OperationNode,
  sql,
  ValueListNode,
  ValuesNode,
} from 'kysely'
import { nameOf, type Statement } from './postgres-statements.ts'
import { builders, fill, type Prepared, Slot } from './prepared.ts'

/** Makes the statement of the values of each calling. It answers in their order, one row with the `rows` of each. */
export type Batch = (all: readonly object[]) => Statement

/** The values of all callings, as JSON. */
const given = new Slot('given')

/** Undefined: the query does not fit into a batch. */
export function batchOf(query: Prepared): Batch | undefined {
  const names = new Set<string>()
  const { query: node } = query.build('postgres', (name) => {
    names.add(name)
    return sql.ref(`asked.${name}`)
  })
  if (names.size === 0) return undefined
  if (node.kind === 'SelectQueryNode') return batch((first) => manySelects(node, [...names], first))
  const inserts = node.kind === 'InsertQueryNode' ? manyInserts(node, names) : undefined
  return inserts && batch(() => inserts)
}

/** Compiles the statement at its first use. */
function batch(build: (first: QueryValues) => ReturnType<typeof sql>): Batch {
  let kept: { text: string; name: string; parameters: readonly unknown[] } | undefined
  return (all) => {
    if (kept === undefined) {
      const { sql: text, parameters } = build({ ...all[0] }).compile(builders.postgres)
      kept = { text, name: nameOf(text), parameters }
    }
    const { text, name, parameters } = kept
    return { text, name, values: fill(parameters, { given: JSON.stringify(all) }) }
  }
}

type QueryValues = Readonly<Record<string, unknown>>

/**
 * A subquery for each calling: the planner then uses an index for each, as it does for one. The first values tell
 * the types, because no value of such a query is null.
 */
function manySelects(query: OperationNode, names: readonly string[], first: QueryValues) {
  const columns = names.map(
    (name) => sql`${sql.ref(name)} ${sql.raw(typeof first[name] === 'number' ? 'bigint' : 'text')}`,
  )
  return sql`select (select json_agg(answer) from ${new ExpressionWrapper(query)} as answer) as rows
    from rows from (json_to_recordset(${given}) as (${sql.join(columns)}))
      with ordinality as asked(${sql.join([...names, 'at'].map((name) => sql.ref(name)))})
    order by "at"`
}

/** One insert of many rows, with the types of the table. Undefined: it has a conflict clause or yields rows. */
function manyInserts(insert: InsertQueryNode, names: ReadonlySet<string>) {
  const { into, columns = [], values, onConflict, returning } = insert
  if (into === undefined || values === undefined || onConflict !== undefined || returning !== undefined)
    return undefined
  const [row, ...others] = ValuesNode.is(values) ? values.values : []
  if (row === undefined || others.length > 0 || !ValueListNode.is(row)) return undefined
  const known = new Set(columns.map(({ column }) => column.name))
  if (![...names].every((name) => known.has(name))) return undefined
  const one = sql.join(row.values.map((value) => new ExpressionWrapper(value)))
  const rows = sql`select ${one} from json_populate_recordset(null::${new ExpressionWrapper(into)}, ${given}) as asked`
  return sql`${new ExpressionWrapper({ ...insert, values: rows.toOperationNode() } as OperationNode)}`
}
