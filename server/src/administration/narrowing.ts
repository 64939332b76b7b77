import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'

/**
 * Lists that are narrowed to what another index finds: users of a role, clients of a service. A page begins in the order
 * of the list, which is filled soon by what many are; few are looked up one by one.
 */
export interface Narrowing {
  /** The condition that an id is in all sets. */
  isOne: Condition
  /** The condition of a statement that begins at the fewest ids; undefined: they are too many. */
  few(): Promise<Condition | undefined>
}

export type Condition = (id: RawBuilder<unknown>) => RawBuilder<unknown>

/** What an index finds. */
export interface Set {
  /** `select` of all ids. */
  all: RawBuilder<unknown>
  /** The condition on an id. PostgreSQL makes no join of a scalar subquery, and expects many rows for `>`. */
  has: Condition
}

/** Are read in the order of the list before the few are looked up. */
const readAtFirst = 5000
/** Looking up so many takes less time than reading a page out of all when more of them fit. */
const fewAtMost = 10_000

/** What is in all of the sets; none of them: everything. */
export function narrowedTo(db: Kysely<Schema>, sets: readonly Set[]): Narrowing | undefined {
  if (sets.length === 0) return undefined
  const conditions = (id: RawBuilder<unknown>, found?: Set) =>
    sql.join(
      sets.map((set) => (set === found ? sql`${id} in (${set.all})` : set.has(id))),
      sql` and `,
    )
  let found: Promise<Set | undefined> | undefined
  return {
    isOne: (id) => conditions(id),
    async few() {
      found ??= fewestOf(db, sets)
      const few = await found
      return few && ((id) => conditions(id, few))
    },
  }
}

async function fewestOf(db: Kysely<Schema>, sets: readonly Set[]): Promise<Set | undefined> {
  let [found, least]: [Set | undefined, number] = [undefined, fewAtMost + 1]
  for (const set of sets) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (${set.all} limit ${least}) as few`.execute(db)
    const count = Number(rows[0]?.count)
    if (count < least) [found, least] = [set, count]
  }
  return found
}

/** The reads of a list. */
export interface ListReader<R> {
  /** The key of what follows so many in order; undefined: nothing does. */
  keyAfter(count: number): Promise<string | undefined>
  /** The next that fit, up to this key. `few`: the condition names them, so that they are not found by their order. */
  read(how: { isOne: Condition; until?: string | undefined; few?: boolean }): Promise<R[]>
}

/** The next that are among what it is narrowed to, at most `limit`. */
export async function readNarrowed<R>(
  narrowing: Narrowing | undefined,
  limit: number,
  { keyAfter, read }: ListReader<R>,
): Promise<R[]> {
  if (narrowing === undefined) return await read({ isOne: () => sql`true` })
  const { isOne } = narrowing
  const until = await keyAfter(readAtFirst)
  const rows = await read({ isOne, until })
  if (until === undefined || rows.length >= limit) return rows
  const few = await narrowing.few()
  return await read(few === undefined ? { isOne } : { isOne: few, few: true })
}
