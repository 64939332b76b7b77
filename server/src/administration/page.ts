/** Pages of lists: the next rows by the keys that order them, and the cursor that says where a page begins. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { wrongField } from '../protocol/problem.ts'

/** A page begins after what has these values of the keys; undefined: at the first. */
export type After = readonly string[] | undefined

export interface Page<R> {
  rows: R[]
  /** Where the next page begins; undefined: this is the last. */
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
  // With a limit of none, the page after begins where this one would have.
  if (limit === 0 && found.length > 0) return { rows: [], next: after ?? keys.map(() => '') }
  return firstOf(found as R[], limit, (row) => keys.map((key) => String(row[key])))
}

/** A cursor as it travels, in a form that nobody is to read; null on the last page. */
export const cursorText = (next: After): string | null =>
  next === undefined ? null : Buffer.from(JSON.stringify(next)).toString('base64url')

/** The values of a cursor that was sent. Throws when it is none of ours; `count` is how many it has. */
export function cursorValues(cursor: string | undefined, count: number): string[] | undefined {
  if (cursor === undefined) return undefined
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(values) && values.length === count && values.every(isKey)) return values
  } catch {
    // The same as another text that is no cursor.
  }
  throw wrongField('cursor', 'It is none; send next_cursor of the page before, with the same parameters.')
}

const isKey = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 1000 && !/\p{Cc}|\p{Cs}/u.test(value)
