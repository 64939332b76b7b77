import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Schema } from './schema.ts'

export type DialectName = 'sqlite' | 'postgres'

/** Stands in a query where a value will be, each time that it runs. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** `slot('id')` is a value of the right type to the builder, and a place to fill to the query. */
type SlotOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

type Build<Values, Row> = (db: Kysely<Schema>, slot: SlotOf<Values>, dialect: DialectName) => Compilable<Row>

/**
 * A verb of the path of a token: it yields its queries one after another and gets the rows of each. `Store.read`
 * and `Store.write` run it; it holds no promise, so the embedded database runs it in one go.
 */
export type Steps<Result> = Generator<Asked, Result, unknown>

/** One query of a verb with its values. */
export interface Asked {
  query: Prepared
  values: object
}

/**
 * A query that is built and compiled once and then only filled in: building one takes longer than SQLite takes to
 * answer it. For the path of a token; elsewhere a plain query reads better. Yields its rows.
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

/** A query compiled for a dialect; `fill` puts the values in their places. */
export interface CompiledSteps {
  compiled: CompiledQuery
  sql: string
  single: boolean
  fill(values: object): unknown[]
}

export class Prepared {
  readonly #build: Build<never, unknown>
  readonly #single: boolean
  readonly #compiled: Partial<Record<DialectName, CompiledSteps>> = {}

  constructor(build: Build<never, unknown>, single: boolean) {
    this.#build = build
    this.#single = single
  }

  for(dialect: DialectName): CompiledSteps {
    return (this.#compiled[dialect] ??= this.#compile(dialect))
  }

  #compile(dialect: DialectName): CompiledSteps {
    const slot = (name: string) => new Slot(name) as never
    const compiled = this.#build(builders[dialect], slot, dialect).compile()
    const { parameters } = compiled
    const fill = (values: object) => {
      const given = values as Readonly<Record<string, unknown>>
      return parameters.map((one) => (one instanceof Slot ? given[one.name] : one))
    }
    return { compiled, sql: compiled.sql, single: this.#single, fill }
  }
}

/** They compile and never run anything. */
const builders: Readonly<Record<DialectName, Kysely<Schema>>> = {
  sqlite: new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
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

/** One query through Kysely. */
export async function answer(
  db: Kysely<Schema>,
  dialect: DialectName,
  { query, values }: Asked,
): Promise<unknown> {
  const { compiled, single, fill } = query.for(dialect)
  const { rows } = await db.executeQuery({ ...compiled, parameters: fill(values) })
  return single ? rows[0] : rows
}
