import { type Kysely, type RawBuilder, sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'
import type { Schema } from '../schema.ts'

/**
 * Lists that are ordered by one key, and searched by the beginning of it or of a name. Each page is a range of an
 * index, however long the list is: what the first key matches comes first, then what the name alone does.
 */
export interface Listing {
  /** `select … as id, …` with a condition, to which more is added. */
  source: RawBuilder<unknown>
  /** The column that orders it and has an index of its own; compared by its bytes, as `name_key` is. */
  first: 'email_key' | 'code'
  search: string | undefined
}

/** Where a page begins: after this entry. */
export interface SearchCursor {
  by: 'first' | 'name'
  first: string
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
  if (after?.by !== 'name') entries.push(...(await byFirst(db, listing, after, want)))
  if (listing.search !== undefined && entries.length < want) {
    const from = after?.by === 'name' ? after : undefined
    entries.push(...(await byName(db, listing, from, want - entries.length)))
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
  { source, first, search }: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Entry[]> {
  const key = sql.ref(first)
  const { rows } = await sql<Found>`
    ${source}
    and ${search === undefined ? sql`true` : beginsWith(key, emailKey(search))}
    and ${after === undefined ? sql`true` : sql`${key} > ${after.first}`}
    order by ${key} limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'first', id: row.id, first: row.first_key, name: row.name_key }))
}

async function byName(
  db: Kysely<Schema>,
  { source, first, search = '' }: Listing,
  after: SearchCursor | undefined,
  limit: number,
): Promise<Entry[]> {
  const key = sql.ref(first)
  const name = sql.ref('name_key')
  const prefix = emailKey(search)
  const { rows } = await sql<Found>`
    ${source}
    and ${beginsWith(name, prefix)} and not (${beginsWith(key, prefix)})
    and ${after === undefined ? sql`true` : sql`(${name}, ${key}) > (${after.name}, ${after.first})`}
    order by ${name}, ${key} limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'name', id: row.id, first: row.first_key, name: row.name_key }))
}

function beginsWith(column: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> {
  return sql`${column} >= ${prefix} and ${column} < ${prefix + end}`
}

/** The rows in the order of their ids. What was removed between the two statements is left out. */
export function inOrderOf<R extends { uuid: string }>(ids: readonly string[], rows: readonly R[]): R[] {
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  return ids.flatMap((id) => byUuid.get(id) ?? [])
}
