import { type Kysely, sql } from 'kysely'
import { nameKey, wordsFrom } from '../protocol/values.ts'
import { chunksOf } from '../database/chunks.ts'
import { insertRows } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import type { WordsRow } from '../database/schema-admin.ts'

/** A thing that is searched by its name, at one place where it is found. */
interface SearchedName {
  id: string
  name: string
  /** What orders it among those of the same name. */
  key: string
  /** Null: at no place beside everywhere. */
  place: string | null
}

/** The things of each kind with these ids, once for each place. */
const named = {
  user: (ids: string[]) => sql<SearchedName>`
    select uuid as id, name, users.email_key as key, place_uuid as place
    from users left join members on user_uuid = uuid where uuid in (${sql.join(ids)})`,
  organisation: (ids: string[]) => sql<SearchedName>`
    select uuid as id, name, code as key, null as place from organisations where uuid in (${sql.join(ids)})`,
  client: (ids: string[]) => sql<SearchedName>`
    select client_id as id, client_name as name, client_id as key, organisation_uuid as place
    from clients where client_id in (${sql.join(ids)})`,
}

/**
 * Writes anew the words by which these are found, as their rows are now; of those that are gone none are left. Part of
 * every verb that writes their names, or where they are found.
 */
export async function indexWords(
  trx: Kysely<Schema>,
  kind: WordsRow['kind'],
  ids: readonly string[],
): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    await trx.deleteFrom('words').where('kind', '=', kind).where('id', 'in', chunk).execute()
    const { rows } = await named[kind](chunk).execute(trx)
    await insertRows(trx, 'words', wordsColumns, wordsOf(kind, rows))
  }
}

/**
 * Writes anew where users are found, as their places are now: by the words that are there, of an address and a name that
 * stay.
 */
export async function indexWordsAtPlaces(trx: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    const ofUsers = () => trx.deleteFrom('words').where('kind', '=', 'user')
    await ofUsers().where('id', 'in', chunk).where('place', '<>', '').execute()
    await sql`insert into words (kind, id, place, later, words, key)
      select kind, id, place_uuid, later, words, key from words join members on user_uuid = id
      where kind = 'user' and place = '' and id in (${sql.join(chunk)})`.execute(trx)
  }
}

const wordsColumns = ['kind', 'id', 'place', 'later', 'words', 'key'] as const

function wordsOf(kind: WordsRow['kind'], rows: readonly SearchedName[]): WordsRow[] {
  const everywhere = new Map(rows.map((row) => [row.id, { ...row, place: '' }])).values()
  const somewhere = rows.flatMap(({ place, ...row }) => (place === null ? [] : [{ ...row, place }]))
  return [...everywhere, ...somewhere].flatMap(({ name, ...row }) => {
    const [whole = '', ...rest] = wordsFrom(nameKey(name))
    // A client is found by its id and by any word alike.
    const found =
      kind === 'client'
        ? [...new Set([row.id.toLowerCase(), whole, ...rest])].map((words) => ({ later: 0, words }) as const)
        : [{ later: 0, words: whole } as const, ...rest.map((words) => ({ later: 1, words }) as const)]
    return found.map((one) => ({ kind, ...row, ...one }))
  })
}
