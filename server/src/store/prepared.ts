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
import { type Join, joinOf } from './joined.ts'
import { nameOf, type Statement } from './postgres-statements.ts'
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
 * answer it. For the path of a token; elsewhere a plain query reads better. Yields its rows,
 * whose columns are read by name: on SQLite a spread copies none of them.
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
  fill(values: object): unknown[]
  /** PostgreSQL alone. */
  name: string | undefined
  /** PostgreSQL alone: several of it in one statement, where that can be. */
  joined: Join | undefined
}

export class Prepared {
  readonly #build: Build<never, unknown>
  /** It has one row at the most. */
  readonly isSingle: boolean
  readonly #compiled: Partial<Record<DialectName, CompiledSteps>> = {}

  constructor(build: Build<never, unknown>, single: boolean) {
    this.#build = build
    this.isSingle = single
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
    const slots = parameters.map((one) => (one instanceof Slot ? one.name : undefined))
    const isPostgres = dialect === 'postgres'
    return {
      compiled,
      sql: compiled.sql,
      fill,
      name: isPostgres ? nameOf(compiled.sql) : undefined,
      joined: isPostgres ? joinOf(compiled, slots) : undefined,
    }
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

/** What a verb is given of the rows of its query. */
export const answerOf = ({ query }: Asked, rows: readonly object[]) => (query.isSingle ? rows[0] : rows)

/** One query as PostgreSQL is asked it. */
export function statementOf({ query, values }: Asked): Statement {
  const { sql, name, fill } = query.for('postgres')
  return { text: sql, name, values: fill(values) }
}

/** One query through Kysely. */
export async function answer(db: Kysely<Schema>, dialect: DialectName, asked: Asked): Promise<unknown> {
  const { query, values } = asked
  const { compiled, fill } = query.for(dialect)
  const { rows } = await db.executeQuery<object>({ ...compiled, parameters: fill(values) })
  return answerOf(asked, rows)
}
