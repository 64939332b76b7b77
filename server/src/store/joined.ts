import type { CompiledQuery } from 'kysely'
import { nameOf, type Statement } from './postgres-statements.ts'

/** One statement that asks what several would, and how to tell their answers apart: the rows of each, in order. */
export interface Joined extends Statement {
  answers(rows: readonly object[]): readonly (readonly object[])[]
}

/** Makes one statement of a query with several values. Undefined: of such a query none can be made. */
export type Join = (all: readonly object[]) => Joined

/** For PostgreSQL. `slots` names the value that stands at each parameter; undefined: it is always the same. */
export function joinOf(compiled: CompiledQuery, slots: readonly (string | undefined)[]): Join | undefined {
  if (slots.every((slot) => slot === undefined)) return undefined
  if (compiled.query.kind === 'SelectQueryNode') return joinedSelect(compiled, slots)
  if (compiled.query.kind === 'InsertQueryNode') return joinedInsert(compiled, slots)
  return undefined
}

const placeholders = /\$(\d+)/g

/**
 * A subquery for each: the planner then goes by an index for each, as it does for one. The values come as one JSON
 * parameter, and the rows of each as JSON; they keep their types, for they are text, numbers and null.
 */
function joinedSelect(compiled: CompiledQuery, slots: readonly (string | undefined)[]): Join {
  const { query, constants } = withoutSlots(compiled, slots)
  const names = [...new Set(slots.filter((slot) => slot !== undefined))]
  let kept: Pick<Statement, 'text' | 'name'> | undefined
  return (all) => {
    kept ??= keptSelect(query, names, all[0] ?? {})
    return {
      text: kept.text,
      name: kept.name,
      values: [JSON.stringify(all), ...constants],
      answers: (rows) => rows.map((row) => (row as { rows: object[] | null }).rows ?? []),
    }
  }
}

/** Of the values of such a query none is null, so the first that come tell the types. */
function keptSelect(query: string, names: readonly string[], values: object) {
  const given = values as Readonly<Record<string, unknown>>
  const columns = names.map((name) => `"${name}" ${typeof given[name] === 'number' ? 'bigint' : 'text'}`)
  const asked = [...names, 'at'].map((name) => `"${name}"`)
  const text = [
    `select (select json_agg(answer) from (${query}) as answer) as rows`,
    `from rows from (json_to_recordset($1) as (${columns.join(', ')})) with ordinality as asked(${asked.join(', ')})`,
    'order by "at"',
  ].join(' ')
  return { text, name: nameOf(text) }
}

/** Rows out of one JSON parameter, by the types of the table; they yield nothing. */
function joinedInsert(compiled: CompiledQuery, slots: readonly (string | undefined)[]): Join | undefined {
  const { query, constants } = withoutSlots(compiled, slots)
  const [, into, table, row] = /^(insert into (".+?") \(.+?\)) values \(([^()]*)\)$/.exec(query) ?? []
  if (into === undefined || table === undefined || row === undefined) return undefined
  // Rows of the table have its columns, and no other names.
  if (!slots.every((slot) => slot === undefined || into.includes(`"${slot}"`))) return undefined
  const text = `${into} select ${row} from json_populate_recordset(null::${table}, $1) as asked`
  const name = nameOf(text)
  return (all) => ({
    text,
    name,
    values: [JSON.stringify(all), ...constants],
    answers: () => all.map(() => []),
  })
}

/** The query with columns of `asked` in the place of its slots, and its other values from the second on. */
function withoutSlots({ sql, parameters }: CompiledQuery, slots: readonly (string | undefined)[]) {
  const constants: unknown[] = []
  const query = sql.replaceAll(placeholders, (_, number: string) => {
    const index = Number(number) - 1
    const slot = slots[index]
    return slot === undefined ? `$${constants.push(parameters[index]) + 1}` : `asked."${slot}"`
  })
  return { query, constants }
}
