import { type Kysely, type RawBuilder, sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'
import type { Schema } from '../schema.ts'

/**
 * Lists that are ordered by one key, and searched by the beginning of it or of any word of a name. Each page is a range
 * of an index, however long the list is: what the first key matches comes first, then what the name begins with, then
 * what only a later word of it does.
 */
export interface Listing {
  /** `select … as id, …` with a condition, to which more is added. */
  source: RawBuilder<unknown>
  /** The column that orders it and has an index of its own; compared by its bytes, as `name_key` is. */
  first: 'email_key' | 'code'
  search: string | undefined
  active: boolean | undefined
  later: LaterWords
}

/** The names of the same list from each of their later words on; see migration 0010. */
export interface LaterWords {
  table: 'user_words' | 'member_words' | 'organisation_words'
  /** What tells whose they are. */
  keys: readonly string[]
  /** `select … as id, …` of the table as `later` and what is listed as `named`, with a condition. */
  source: RawBuilder<unknown>
}

/** Where a page begins: after this entry. */
export interface SearchCursor {
  by: 'first' | 'name' | 'word'
  first: string
  /** The name, or what of it begins with the word. */
  name: string
}

interface Entry extends SearchCursor {
  id: string
}

/** Follows every character that a text can hold: what begins with a prefix lies between it and this after it. */
const end = '\u{10FFFF}'

/** The ids of the next entries, at most `limit`, and where the page after them begins. */
export async function listPage(
  db: Kysely<Schema>,
  listing: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<{ ids: string[]; next: SearchCursor | undefined }> {
  const entries: Entry[] = []
  const want = limit + 1
  const from = after === undefined ? 0 : order.indexOf(after.by)
  for (const [index, by] of order.entries()) {
    if (index < from || entries.length >= want || (index > 0 && listing.search === undefined)) continue
    entries.push(...(await found[by](db, listing, index === from ? after : undefined, want - entries.length)))
  }
  const page = entries.slice(0, limit)
  const last = entries.length > limit ? page.at(-1) : undefined
  return {
    ids: page.map((entry) => entry.id),
    next: last && { by: last.by, first: last.first, name: last.name },
  }
}

interface Found {
  id: string
  first_key: string
  name_key: string
}

async function byFirst(
  db: Kysely<Schema>,
  { source, first, search, active }: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Entry[]> {
  const key = sql.ref(first)
  const { rows } = await sql<Found>`
    ${source}
    and ${active === undefined ? sql`true` : sql`active = ${active ? 1 : 0}`}
    and ${search === undefined ? sql`true` : beginsWith(key, emailKey(search))}
    and ${after === undefined ? sql`true` : sql`${key} > ${after.first}`}
    order by ${key} limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'first', id: row.id, first: row.first_key, name: row.name_key }))
}

async function byName(
  db: Kysely<Schema>,
  { source, first, search = '', active }: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Entry[]> {
  const key = sql.ref(first)
  const name = sql.ref('name_key')
  const prefix = emailKey(search)
  const { rows } = await sql<Found>`
    ${source}
    and ${isActive(sql.ref('active'), active)}
    and ${beginsWith(name, prefix)} and not (${beginsWith(key, prefix)})
    and ${after === undefined ? sql`true` : sql`(${name}, ${key}) > (${after.name}, ${after.first})`}
    order by ${name}, ${key} limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'name', id: row.id, first: row.first_key, name: row.name_key }))
}

async function byWord(
  db: Kysely<Schema>,
  { first, search = '', active, later }: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Entry[]> {
  const key = sql.ref(`later.${first}`)
  const words = sql.ref('later.words')
  const prefix = emailKey(search)
  const same = later.keys.map((one) => sql`${sql.ref(`earlier.${one}`)} = ${sql.ref(`later.${one}`)}`)
  // Of several words of one name that begin so, the one that comes first in this order counts.
  const { rows } = await sql<Found>`
    ${later.source}
    and ${isActive(sql.ref('named.active'), active)}
    and ${beginsWith(words, prefix)}
    and not (${beginsWith(key, prefix)}) and not (${beginsWith(sql.ref('named.name_key'), prefix)})
    and not exists (
      select 1 from ${sql.table(later.table)} as earlier
      where ${sql.join(same, sql` and `)} and earlier.words >= ${prefix} and earlier.words < ${words}
    )
    and ${after === undefined ? sql`true` : sql`(${words}, ${key}) > (${after.name}, ${after.first})`}
    order by ${words}, ${key} limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'word', id: row.id, first: row.first_key, name: row.name_key }))
}

/** What is found, in this order. */
const found = { first: byFirst, name: byName, word: byWord }
const order = ['first', 'name', 'word'] as const

/** As a range: for `=` SQLite would read all that are active and put them in order; nearly all are. */
export function isActive(column: RawBuilder<unknown>, active: boolean | undefined): RawBuilder<unknown> {
  if (active === undefined) return sql`true`
  return active ? sql`${column} >= 1` : sql`${column} <= 0`
}

export function beginsWith(column: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> {
  return sql`${column} >= ${prefix} and ${column} < ${prefix + end}`
}

/** The rows in the order of their ids. What was removed between the two statements is left out. */
export function inOrderOf<R extends { uuid: string }>(ids: readonly string[], rows: readonly R[]): R[] {
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  return ids.flatMap((id) => byUuid.get(id) ?? [])
}
