import { type Kysely, type RawBuilder, sql } from 'kysely'
import { emailKey } from '../protocol/email-address.ts'
import { isUuid, nameKey, wordsFrom } from '../protocol/values.ts'
import type { Flag } from '../database/flag.ts'
import type { Schema } from '../database/schema.ts'
import type { WordsRow } from '../database/schema-admin.ts'
import { type After, firstOf, type Page } from '../database/page.ts'
import { type Narrowing, readNarrowed } from './narrowing.ts'

/**
 * Lists that are ordered by one key, and searched by the beginning of it or of any word of a name. Each page is a range
 * of an index, however long the list is: what the first key matches comes first, then what the name begins with, then
 * what only a later word of it does.
 */
export interface Listing {
  /** `select … as id, …` with a condition, to which more is added. */
  source: RawBuilder<unknown>
  /** The column that is selected as `id`. */
  id: string
  /** The column that orders it and has an index of its own; compared by its bytes, as words are. */
  first: 'email_key' | 'code'
  search: string | undefined
  active: Flag | undefined
  words: WordsOf
  /** Undefined: to nothing else. */
  narrowing?: Narrowing | undefined
}

/** The words by which the same things are found. */
export interface WordsOf {
  kind: WordsRow['kind']
  /** Undefined: everywhere. */
  place: string | undefined
  /** A condition on `words.id`. */
  only: RawBuilder<unknown>
}

/** A thing that was found: the keys of a cursor, and what it is. */
interface Entry {
  by: (typeof order)[number]
  first: string
  /** The name, or what of it begins with the word. */
  name: string
  id: string
}

/** Follows every character that a text can hold: what begins with a prefix lies between it and this after it. */
const end = '\u{10FFFF}'

/** The next that are found, at most `limit`, as `read` yields them by their ids. */
export async function pageFound<R extends { uuid: string }>(
  db: Kysely<Schema>,
  listing: Listing,
  after: After,
  limit: number,
  read: (ids: string[]) => Promise<R[]>,
): Promise<Page<R>> {
  const { rows: ids, next } = await idsFound(db, listing, after, limit)
  return { rows: ids.length === 0 ? [] : inOrderOf(ids, await read(ids), ({ uuid }) => uuid), next }
}

async function idsFound(
  db: Kysely<Schema>,
  listing: Listing,
  after: After,
  limit: number,
): Promise<Page<string>> {
  const named = await byId(db, listing)
  if (named !== undefined) return { rows: [named], next: undefined }
  const entries: Entry[] = []
  const want = limit + 1
  const [begin, first = '', name = ''] = after ?? []
  const from = Math.max(
    0,
    order.findIndex((by) => by === begin),
  )
  for (const [index, by] of order.entries()) {
    if (index < from || entries.length >= want || (index > 0 && listing.search === undefined)) continue
    const last = index === from && begin !== undefined ? { first, name } : undefined
    entries.push(...(await found[by](db, listing, last, want - entries.length)))
  }
  const { rows, next } = firstOf(entries, limit, (entry) => [entry.by, entry.first, entry.name])
  return { rows: rows.map((entry) => entry.id), next }
}

/** A search for a uuid means the thing that has it. */
async function byId(
  db: Kysely<Schema>,
  { source, id, search = '', active, narrowing }: Listing,
): Promise<string | undefined> {
  const uuid = search.trim().toLowerCase()
  if (!isUuid(uuid)) return undefined
  const { rows } = await sql<SearchHit>`
    ${source} and ${sql.ref(id)} = ${uuid} and ${isActive(sql.ref('active'), active)}
    and ${narrowing?.isOne(sql.ref(id)) ?? sql`true`}`.execute(db)
  return rows[0]?.id
}

type Last = Pick<Entry, 'first' | 'name'>

interface SearchHit {
  id: string
  first_key: string
}

async function byFirst(
  db: Kysely<Schema>,
  { source, id, first, search, active, narrowing }: Listing,
  after: Last | undefined,
  limit: number,
): Promise<Entry[]> {
  const found = (few: boolean, until?: string) => {
    const key = few ? unindexed(first) : sql.ref(first)
    const activity = few ? sql`active + 0` : sql.ref('active')
    const conditions = sql`${source}
      and ${active === undefined ? sql`true` : sql`${activity} = ${active}`}
      and ${search === undefined ? isUpTo(key, until) : beginsWith(key, firstPrefix(first, search), until)}
      and ${after === undefined ? sql`true` : sql`${key} > ${after.first}`}`
    return { key, conditions }
  }
  const rows = await readNarrowed<SearchHit>(narrowing, limit, {
    async keyAfter(count) {
      const { key, conditions } = found(false)
      const rest = await sql<SearchHit>`${conditions} order by ${key} limit 1 offset ${count}`.execute(db)
      return rest.rows[0]?.first_key
    },
    async read({ isOne, until, few = false }) {
      const { key, conditions } = found(few, until)
      const read = sql<SearchHit>`${conditions} and ${isOne(sql.ref(id))}
        order by ${key} limit ${limit}`
      return (await read.execute(db)).rows
    },
  })
  return rows.map((row) => ({ by: 'first', id: row.id, first: row.first_key, name: '' }))
}

/** Finds by the name, or by a later word of it. */
const byWords = (by: 'name' | 'word') =>
  async function (
    db: Kysely<Schema>,
    { first, search = '', active, words, narrowing }: Listing,
    after: Last | undefined,
    limit: number,
  ): Promise<Entry[]> {
    const others = sql`not (${beginsWith(sql.ref('words.key'), firstPrefix(first, search))}) and ${words.only}`
    const asked = { search, active, later: by === 'word' ? 1 : 0, narrowing } as const
    const from = after && { words: after.name, key: after.first }
    const rows = await foundByWords(db, { ...words, only: others }, asked, from, limit)
    return rows.map((row) => ({ by, id: row.id, first: row.key, name: row.words }))
  }

/** What is found by words that begin so, in their order: a range of an index. */
export async function foundByWords(
  db: Kysely<Schema>,
  { kind, place = '', only }: WordsOf,
  {
    search,
    active,
    later,
    narrowing,
  }: Pick<Listing, 'narrowing'> & { search: string; active: Flag | undefined; later: Flag },
  after: Pick<WordsRow, 'words' | 'key'> | undefined,
  limit: number,
): Promise<WordsFound[]> {
  const prefix = nameKey(search)
  const found = (words: RawBuilder<unknown>, until?: string) => sql`
    select words.id, words.words, words.key from words
    where words.kind = ${kind} and words.place = ${place} and words.later = ${later}
    and ${beginsWith(words, prefix, until)}
    and ${after === undefined ? sql`true` : sql`(${words}, words.key) > (${after.words}, ${after.key})`}`
  // The first of several matching words of one name counts. PostgreSQL makes no join of a scalar subquery.
  const isFirst = sql`(words.later, words.words) = (
    select own.later, own.words from words as own
    where own.kind = ${kind} and own.id = words.id and own.place = ${place}
    and ${beginsWith(sql.ref('own.words'), prefix)}
    order by own.later, own.words limit 1
  )`
  return await readNarrowed<WordsFound>(narrowing, limit, {
    async keyAfter(count) {
      const words = sql.ref('words.words')
      const rest = sql<WordsFound>`${found(words)} order by ${words}, words.key limit 1 offset ${count}`
      return (await rest.execute(db)).rows[0]?.words
    },
    async read({ isOne, until, few = false }) {
      const words = few ? unindexed('words.words') : sql.ref('words.words')
      const read = sql<WordsFound>`${found(words, until)} and ${only}
        and ${isOne(sql.ref('words.id'))} and ${isActive(activeOf[kind], active)} and ${isFirst}
        order by ${words}, words.key limit ${limit}`
      return (await read.execute(db)).rows
    },
  })
}

type WordsFound = Pick<WordsRow, 'id' | 'words' | 'key'>

const activeOf = {
  user: sql`(select active from users where uuid = words.id)`,
  organisation: sql`(select active from organisations where uuid = words.id)`,
  client: sql`(select active from clients where client_id = words.id)`,
}

/** What the first key begins with, for what somebody typed. */
const firstPrefix = (first: Listing['first'], search: string): string =>
  first === 'email_key' ? emailKey(search) : nameKey(search)

/** What is found, in this order. */
const found = { first: byFirst, name: byWords('name'), word: byWords('word') }
const order = ['first', 'name', 'word'] as const

/** A range instead of `=`, for which SQLite would read and sort all active ones, which are nearly all. */
function isActive(column: RawBuilder<unknown>, active: Flag | undefined): RawBuilder<unknown> {
  if (active === undefined) return sql`true`
  return active === 1 ? sql`${column} >= 1` : sql`${column} <= 0`
}

/** A column as a text that no index has. */
export const unindexed = (column: string): RawBuilder<string> => sql`(${sql.ref(column)} || '')`

function beginsWith(column: RawBuilder<unknown>, prefix: string, until?: string): RawBuilder<unknown> {
  return sql`${column} >= ${prefix} and ${until === undefined ? sql`${column} < ${prefix + end}` : isUpTo(column, until)}`
}

const isUpTo = (key: RawBuilder<unknown>, until: string | undefined) =>
  until === undefined ? sql`true` : sql`${key} <= ${until}`

/**
 * Whether a search finds something, of which there are few enough to look at all: by the beginning of its code or of
 * any word of its name. Not in SQL, because SQLite knows the capitals of ASCII alone.
 */
export function isFound(search: string | undefined, code: string, name: string): boolean {
  if (search === undefined) return true
  const prefix = nameKey(search)
  return code.startsWith(prefix) || wordsFrom(nameKey(name)).some((words) => words.startsWith(prefix))
}

/** The rows in the order of their ids. What was removed between the two statements is left out. */
export function inOrderOf<R>(ids: readonly string[], rows: readonly R[], idOf: (row: R) => string): R[] {
  const byIds = new Map(rows.map((row) => [idOf(row), row]))
  return ids.flatMap((id) => byIds.get(id) ?? [])
}

/** The SQL condition that a column is one of these; undefined: all of them. */
export const isAmong = (column: string, uuids: readonly string[] | undefined) =>
  uuids === undefined ? sql`true` : sql`${sql.ref(column)} in (${sql.join(uuids)})`

/** The SQL condition that a JSON list has this text; undefined: no condition. Compares bytes, which `like` does not. */
export function lists(column: string, text: string | undefined): RawBuilder<boolean> {
  if (text === undefined) return sql`true`
  return sql`replace(${sql.ref(column)}, ${JSON.stringify(text)}, '') <> ${sql.ref(column)}`
}
