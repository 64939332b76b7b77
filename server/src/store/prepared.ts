import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** Stands in a query where a value will be, each time that it runs. */
class Slot {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/** `slot('id')` is a value of the right type to the builder, and a place to fill to the query. */
type SlotOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

/**
 * A query that is built and compiled once per database and then only filled in: building one takes longer than
 * SQLite takes to answer it. For the path of a token; elsewhere a plain query reads better.
 */
export function prepared<Values extends object, Row>(
  build: (db: Kysely<Schema>, slot: SlotOf<Values>) => Compilable<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<Row[]> {
  // By adapter, which a database and its transactions share.
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  const slot: SlotOf<Values> = (name) => new Slot(name) as never
  return async (db, values) => {
    const { adapter } = db.getExecutor()
    let query = compiled.get(adapter)
    if (query === undefined) {
      query = build(db, slot).compile()
      compiled.set(adapter, query)
    }
    const filled = new Map<string, unknown>(Object.entries(values))
    const parameters = query.parameters.map((one) => (one instanceof Slot ? filled.get(one.name) : one))
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
