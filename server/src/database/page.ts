/** Pages: the next rows by the keys that order them. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** A page begins after what has these values of the keys; undefined: at the first. */
export type After = readonly string[] | undefined

export interface Page<R> {
  rows: R[]
  /** The key of the last row, which the next page begins after; undefined: this is the last page. */
  next: After
}

export const emptyPage: Page<never> = { rows: [], next: undefined }

/** The first `limit` of the rows, which were read until one more; `keysOf` says where a page after one begins. */
export function firstOf<R>(
  rows: readonly R[],
  limit: number,
  keysOf: (row: R) => readonly string[],
): Page<R> {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, next: last && keysOf(last) }
}

/** The next rows by these keys, at most `limit`; `isFound` leaves out some of what was read. */
export async function pageBy<TB extends keyof Schema, R extends object>(
  query: SelectQueryBuilder<Schema, TB, R>,
  keys: readonly (keyof R & string)[],
  { after, limit, isFound }: { after: After; limit: number; isFound?: ((row: R) => boolean) | undefined },
): Promise<Page<R>> {
  const columns = sql.join(keys.map((key) => sql.ref(key)))
  let next = query.orderBy(columns)
  if (after !== undefined) next = next.where(sql<boolean>`(${columns}) > (${sql.join(after)})`)
  const rows = await (isFound === undefined ? next.limit(limit + 1) : next).execute()
  const found = isFound === undefined ? rows : rows.filter(isFound)
  // A page without rows: the next one begins where it would have.
  if (limit === 0 && found.length > 0) return { rows: [], next: after ?? keys.map(() => '') }
  return firstOf(found as R[], limit, (row) => keys.map((key) => String(row[key])))
}
