import {
  type AliasedRawBuilder,
  type Compilable,
  type CompiledQuery,
  Kysely,
  PostgresDialect,
  sql,
} from 'kysely'
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
export type SlotOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

type Build<Values, Row> = (db: Kysely<Schema>, slot: SlotOf<Values>) => Compilable<Row>

/** One query of a verb with its values. */
export interface BoundQuery {
  query: Prepared
  values: object
}

/** Queries that are asked at once, in their order: none needs the answer of another. */
export interface Turn {
  asked: readonly BoundQuery[]
  /** The verb asks nothing more, so its transaction is committed in the same message. */
  isLast: boolean
}

/**
 * A verb of the token path: it yields its queries turn by turn and gets the answer to each. `Store.read` and
 * `Store.write` run it. It holds no promise, so the embedded database runs it in one go.
 */
export type Steps<Result> = Generator<Turn, Result, readonly unknown[]>

/**
 * A query that is compiled once and then only filled in: building one takes longer than SQLite takes to answer it.
 * Serves the token path; elsewhere a plain query reads better. Yields its rows. Read their columns by name: on
 * SQLite a spread copies none of them.
 */
export function prepared<Values extends object, Row>(
  build: Build<Values, Row>,
): (values: Values) => Steps<Row[]> {
  const query = new Prepared(build, false)
  return function* (values) {
    const [rows] = yield { asked: [{ query, values }], isLast: false }
    return rows as Row[]
  }
}

/** A prepared query that has one row at the most, which it yields. */
export function preparedRow<Values extends object, Row>(
  build: Build<Values, Row>,
): (values: Values) => Steps<Row | undefined> {
  const query = new Prepared(build, true)
  return function* (values) {
    const [row] = yield { asked: [{ query, values }], isLast: false }
    return row as Row | undefined
  }
}

/** A row to insert, whose every column is a slot of its name. */
export const slotRow = <Row, Name extends keyof Row & string>(
  names: readonly Name[],
  slot: SlotOf<Row>,
): Pick<Row, Name> => Object.fromEntries(names.map((name) => [name, slot(name)])) as Pick<Row, Name>

/** Slots as the columns of a select: the row is inserted where the query finds one. */
export const slotColumns = <Row, Name extends keyof Row & string>(
  names: readonly Name[],
  slot: SlotOf<Row>,
): AliasedRawBuilder<unknown, Name>[] => names.map((name) => sql`${slot(name)}`.as(name))

/** A query compiled for a dialect. */
interface Compiled {
  compiled: CompiledQuery
  sql: string
  /** The name under which PostgreSQL keeps it prepared. */
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
  /** The query has one row at the most. */
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

/** Builders that compile queries and run nothing. */
export const builders: Readonly<Record<DialectName, Kysely<Schema>>> = {
  sqlite: new Kysely({ dialect: new EmbeddedDialect({ database: unused }) }),
  postgres: new Kysely({ dialect: new PostgresDialect({ pool: unused }) }),
}

/** What a verb is given of the rows of its query. */
export const answerOf = ({ query }: BoundQuery, rows: readonly object[]) => (query.isSingle ? rows[0] : rows)

/** One query as PostgreSQL is asked it. */
export function statementOf({ query, values }: BoundQuery): Statement {
  const { sql, name, fill } = query.for('postgres')
  return { text: sql, name, values: fill(values) }
}

/** The queries of a turn through Kysely, one after the other. */
export async function answersOf(db: Kysely<Schema>, { asked }: Turn): Promise<unknown[]> {
  const answers: unknown[] = []
  for (const one of asked) {
    const { compiled, fill } = one.query.for(dialectOf(db))
    const { rows } = await db.executeQuery<object>({ ...compiled, parameters: fill(one.values) })
    answers.push(answerOf(one, rows))
  }
  return answers
}
