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
  if (compiled.query.kind === 'SelectQueryNode') return joinedSelect(compiled, slots)
  if (compiled.query.kind === 'InsertQueryNode') return joinedInsert(compiled, slots)
  return undefined
}

const placeholders = /\$(\d+)/g

/**
 * A subquery for each: the planner then goes by an index for each, as it does for one. The values come as one JSON
 * parameter, and the rows of each as JSON; they keep their types, for they are text, numbers and null.
 */
function joinedSelect({ sql, parameters }: CompiledQuery, slots: readonly (string | undefined)[]): Join {
  const constants: unknown[] = []
  const query = sql.replaceAll(placeholders, (_, number: string) => {
    const index = Number(number) - 1
    const slot = slots[index]
    return slot === undefined ? `$${constants.push(parameters[index]) + 1}` : `asked."${slot}"`
  })
  const names = [...new Set(slots.filter((slot) => slot !== undefined))]
  let kept: Pick<Statement, 'text' | 'name'> | undefined
  return (all) => {
    kept ??= keptSelect(query, names, all[0] ?? {})
    return {
      ...kept,
      values: [JSON.stringify(all.map((values, at) => ({ ...values, at }))), ...constants],
      answers: (rows) => rows.map((row) => (row as { rows: object[] | null }).rows ?? []),
    }
  }
}

/** Of the values of such a query none is null, so the first that come tell the types. */
function keptSelect(query: string, names: readonly string[], values: object) {
  const given = values as Readonly<Record<string, unknown>>
  const columns = names.map((name) => `"${name}" ${typeof given[name] === 'number' ? 'bigint' : 'text'}`)
  const text = [
    `select (select json_agg(answer) from (${query}) as answer) as rows`,
    `from json_to_recordset($1) as asked(${[...columns, '"at" integer'].join(', ')}) order by "at"`,
  ].join(' ')
  return { text, name: nameOf(text) }
}

/** A row of values for each, which yields nothing. */
function joinedInsert(
  { sql, parameters }: CompiledQuery,
  slots: readonly (string | undefined)[],
): Join | undefined {
  const [, into, row] = /^(insert into .+? values )(\([^()]*\))$/.exec(sql) ?? []
  if (into === undefined || row === undefined) return undefined
  return (all) => ({
    text: into + all.map((_, index) => shifted(row, index * slots.length)).join(', '),
    values: all.flatMap((values) => {
      const given = values as Readonly<Record<string, unknown>>
      return slots.map((slot, index) => (slot === undefined ? parameters[index] : given[slot]))
    }),
    answers: () => all.map(() => []),
  })
}

const shifted = (row: string, by: number) =>
  row.replaceAll(placeholders, (_, number: string) => `$${Number(number) + by}`)
