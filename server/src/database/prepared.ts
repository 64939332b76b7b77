import { type Compilable, type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { type DialectName, dialectOf } from './dialect.ts'
import { nameOf, type Statement } from './postgres-statements.ts'
import type { Schema } from './schema.ts'
import { EmbeddedDialect } from './sqlite-compiler.ts'

/** Stands in a query for a value that each run gives. */
export class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** `slot('id')` is a value of the right type to the builder, and a place to fill to the query. */
type SlotOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

type Build<Values, Row> = (db: Kysely<Schema>, slot: SlotOf<Values>) => Compilable<Row>

/**
 * A verb of the token path: it yields its queries one after another and gets the rows of each. `Store.read` and
 * `Store.write` run it. It holds no promise, so the embedded database runs it in one go.
 */
export type Steps<Result> = Generator<Asked, Result, unknown>

/** One query of a verb with its values. */
export interface Asked {
  query: Prepared
  values: object
}

/**
 * A query that is compiled once and then only filled in: building one takes longer than SQLite takes to answer it.
 * For the token path; elsewhere a plain query reads better. Yields its rows. Read their columns by name: on SQLite a
 * spread copies none of them.
 */
export function prepared<Values extends object, Row>(
  build: Build<Values, Row>,
): (values: Values) => Steps<Row[]> {
  const query = new Prepared(build, false)
  return function* (values) {
    return (yield { query, values }) as Row[]
  }
}

/** The same for a query that has one row at the most, which it yields. */
export function preparedRow<Values extends object, Row>(
  build: Build<Values, Row>,
): (values: Values) => Steps<Row | undefined> {
  const query = new Prepared(build, true)
  return function* (values) {
    return (yield { query, values }) as Row | undefined
  }
}

/** A query compiled for a dialect. */
interface Compiled {
  compiled: CompiledQuery
  sql: string
  /** By which PostgreSQL keeps it prepared. */
  name: string
  fill(values: object): unknown[]
}

/** The parameters of a compiled query with values in the place of its slots. */
export function fill(parameters: readonly unknown[], values: object): unknown[] {
  const given = values as Readonly<Record<string, unknown>>
  return parameters.map((one) => (one instanceof Slot ? given[one.name] : one))
}

export class Prepared {
  readonly #build: Build<never, unknown>
  /** It has one row at the most. */
  readonly isSingle: boolean
  readonly #compiled: Partial<Record<DialectName, Compiled>> = {}

  constructor(build: Build<never, unknown>, single: boolean) {
    this.#build = build
    this.isSingle = single
  }

  for(dialect: DialectName): Compiled {
    return (this.#compiled[dialect] ??= this.#compile(dialect))
  }

  /** Compiles it with what `slot` makes in the place of each value. */
  build(dialect: DialectName, slot: (name: string) => unknown): CompiledQuery {
    return this.#build(builders[dialect], slot as never).compile()
  }

  #compile(dialect: DialectName): Compiled {
    const compiled = this.build(dialect, (name) => new Slot(name))
    const { sql, parameters } = compiled
    return { compiled, sql, name: nameOf(sql), fill: (values) => fill(parameters, values) }
  }
}

const unused = () => Promise.reject(new Error('This Kysely compiles and runs nothing.'))

/** They compile and run nothing. */
export const builders: Readonly<Record<DialectName, Kysely<Schema>>> = {
  sqlite: new Kysely({ dialect: new EmbeddedDialect({ database: unused }) }),
  postgres: new Kysely({ dialect: new PostgresDialect({ pool: unused }) }),
}

/** Runs a verb query by query, where each is a promise. */
export async function runSteps<Result>(
  steps: Steps<Result>,
  answered: (asked: Asked) => Promise<unknown>,
): Promise<Result> {
  let next = steps.next()
  while (next.done !== true) next = steps.next(await answered(next.value))
  return next.value
}

/** What a verb is given of the rows of its query. */
export const answerOf = ({ query }: Asked, rows: readonly object[]) => (query.isSingle ? rows[0] : rows)

/** One query as PostgreSQL is asked it. */
export function statementOf({ query, values }: Asked): Statement {
  const { sql, name, fill } = query.for('postgres')
  return { text: sql, name, values: fill(values) }
}

/** One query through Kysely. */
export async function answer(db: Kysely<Schema>, asked: Asked): Promise<unknown> {
  const { query, values } = asked
  const { compiled, fill } = query.for(dialectOf(db))
  const { rows } = await db.executeQuery<object>({ ...compiled, parameters: fill(values) })
  return answerOf(asked, rows)
}
