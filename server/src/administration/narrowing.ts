import { type Kysely, type RawBuilder, sql } from 'kysely'
import { listOf } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'

/**
 * Lists that are narrowed to what another index finds: users of a role, clients of a service. A page begins in the order
 * of the list, which is filled soon by what many are; few are looked up one by one.
 */
export interface Narrowing {
  /** The condition that an id is in all sets. */
  isOne: Condition
  /** The condition of a statement that begins at the ids of the smallest set; undefined: none is that small. */
  fewest(): Promise<Condition | undefined>
  /** A condition of the same kind for a set that is larger, and not yet too large. */
  few(): Promise<Condition | undefined>
}

type Condition = (id: RawBuilder<unknown>) => RawBuilder<unknown>

/** What an index finds. */
export interface Set {
  /** `select … as id` of all. */
  all: RawBuilder<unknown>
  /** The condition on an id. PostgreSQL makes no join of a scalar subquery, and expects many rows for `>`. */
  has: Condition
}

/** Rows that are read in the order of the list before it is asked how few fit: what many are fills a page by then. */
const readAtFirst = 500
/** The most of a set that is looked up at once. */
const fewest = 2000
/** Rows that are read in the order of the list before a larger set is looked up. */
const readThen = 5000
/** Looking up more takes longer than reading a page out of all. */
const fewAtMost = 10_000

/** What is in all of the sets; none of them: everything. */
export function narrowedTo(db: Kysely<Schema>, sets: readonly Set[]): Narrowing | undefined {
  if (sets.length === 0) return undefined
  const conditions = (id: RawBuilder<unknown>, found?: Set, ids = found?.all) =>
    sql.join(
      sets.map((set) => (set === found ? sql`${id} in (${ids})` : set.has(id))),
      sql` and `,
    )
  let listed: Promise<Condition | undefined> | undefined
  let counted: Promise<Condition | undefined> | undefined
  return {
    isOne: (id) => conditions(id),
    async fewest() {
      const found = async (): Promise<Condition | undefined> => {
        const few = await listedOf(db, sets)
        return few && ((id) => conditions(id, few.set, listOf(db, few.ids)))
      }
      return await (listed ??= found())
    },
    async few() {
      const found = async (): Promise<Condition | undefined> => {
        const few = await fewestOf(db, sets)
        return few && ((id) => conditions(id, few))
      }
      return await (counted ??= found())
    },
  }
}

/** The smallest set with its ids, where it is small. */
async function listedOf(
  db: Kysely<Schema>,
  sets: readonly Set[],
): Promise<{ set: Set; ids: string[] } | undefined> {
  let found: { set: Set; ids: string[] } | undefined
  for (const set of sets) {
    const most = found?.ids.length ?? fewest + 1
    const { rows } = await sql<{ id: string }>`${set.all} limit ${most}`.execute(db)
    if (rows.length < most) found = { set, ids: rows.map(({ id }) => id) }
  }
  return found
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
export interface ListReader<R, Key = string> {
  /** The key of what follows so many in order; undefined: nothing does. */
  keyAfter(count: number): Promise<Key | undefined>
  /** The next that fit, up to this key. `few`: the condition names them, so that they are not found by their order. */
  read(how: { isOne: Condition; until?: Key | undefined; few?: boolean }): Promise<R[]>
}

/** The next that are among what it is narrowed to, at most `limit`. */
export async function readNarrowed<R, Key = string>(
  narrowing: Narrowing | undefined,
  limit: number,
  { keyAfter, read }: ListReader<R, Key>,
): Promise<R[]> {
  if (narrowing === undefined) return await read({ isOne: () => sql`true` })
  const { isOne } = narrowing
  const inOrder = async (count: number): Promise<R[] | undefined> => {
    const until = await keyAfter(count)
    const rows = await read({ isOne, until })
    return until === undefined || rows.length >= limit ? rows : undefined
  }
  const first = await inOrder(readAtFirst)
  if (first !== undefined) return first
  const listed = await narrowing.fewest()
  if (listed !== undefined) return await read({ isOne: listed, few: true })
  const then = await inOrder(readThen)
  if (then !== undefined) return then
  const few = await narrowing.few()
  return await read(few === undefined ? { isOne } : { isOne: few, few: true })
}
