import { sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'
import type { Store } from '../open.ts'
import type { Row } from './change.ts'
import { type AdministeredClient, withSecrets } from './clients.ts'
import type { Reach } from './reach.ts'
import { beginsWith, isActive } from './search.ts'

export interface ClientFilter {
  reach: Reach
  organisationUuid?: string | undefined
  type?: 'public' | 'machine' | undefined
  active?: boolean | undefined
}

/** The organisation whose clients are listed; without `place`: all of them. Undefined: none are. */
function placeToList({ reach, organisationUuid }: ClientFilter): { place: string | undefined } | undefined {
  if (reach.unitUuid !== undefined) return undefined
  const place = reach.organisationUuid ?? organisationUuid
  return organisationUuid === undefined || organisationUuid === place ? { place } : undefined
}

/** The next clients by client_id, at most `limit`. */
export async function listClients(
  { db }: Store,
  filter: ClientFilter,
  after: string | undefined,
  limit: number,
): Promise<{ rows: AdministeredClient[]; next: string | undefined }> {
  const listed = placeToList(filter)
  if (listed === undefined) return { rows: [], next: undefined }
  const { type, active } = filter
  let query = db.selectFrom('clients').selectAll()
  if (listed.place !== undefined) query = query.where('organisation_uuid', '=', listed.place)
  if (type !== undefined) query = query.where('type', '=', type)
  if (active !== undefined) query = query.where('active', '=', active ? 1 : 0)
  if (after !== undefined) query = query.where('client_id', '>', after)
  const rows = await query
    .orderBy('client_id')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? page.at(-1)?.client_id : undefined
  return { rows: await withSecrets(db, page), next }
}

/** Where a page of what was found begins: after what begins so, of this client. */
export interface FoundClient {
  words: string
  clientId: string
}

/**
 * The next clients whose client_id, or any word of whose name, begins with `search`, in the order of what begins so,
 * at most `limit`. A page is a range of `client_words`, however many clients there are.
 */
export async function searchClients(
  store: Store,
  filter: ClientFilter & { search: string },
  after: FoundClient | undefined,
  limit: number,
): Promise<{ rows: AdministeredClient[]; next: FoundClient | undefined }> {
  const listed = placeToList(filter)
  if (listed === undefined) return { rows: [], next: undefined }
  const { db } = store
  const found = await beginnings(store, { ...filter, ...listed }, after, limit + 1)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const next = last && { words: last.words, clientId: last.client_id }
  if (page.length === 0) return { rows: [], next }
  const ids = page.map((one) => one.client_id)
  const rows = await db.selectFrom('clients').selectAll().where('client_id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.client_id, row]))
  // What was removed between the two statements is left out.
  const inOrder: Row<'clients'>[] = ids.flatMap((id) => byId.get(id) ?? [])
  return { rows: await withSecrets(db, inOrder), next }
}

/** A cross join, which SQLite makes in this order: a range of the words, and whose each is. */
async function beginnings(
  { db, dialect }: Store,
  asked: ClientFilter & { search: string; place: string | undefined },
  after: FoundClient | undefined,
  limit: number,
): Promise<{ client_id: string; words: string }[]> {
  const { type, active, place } = asked
  // Words are compared by their bytes: by those PostgreSQL has no index of clients, and would read all of them.
  const whose = sql.raw(dialect === 'postgres' ? 'later.client_id collate "default"' : 'later.client_id')
  const prefix = emailKey(asked.search)
  // Of several of one client that begin so, the one that comes first in this order counts.
  const { rows } = await sql<{ client_id: string; words: string }>`
    select later.client_id, later.words from client_words as later cross join clients as named
    where ${place === undefined ? sql`true` : sql`later.organisation_uuid = ${place}`}
    and ${beginsWith(sql.ref('later.words'), prefix)} and named.client_id = ${whose}
    and ${type === undefined ? sql`true` : sql`named.type = ${type}`}
    and ${isActive(sql.ref('named.active'), active)}
    and not exists (
      select 1 from client_words as earlier
      where earlier.client_id = later.client_id and earlier.words >= ${prefix} and earlier.words < later.words
    )
    and ${after === undefined ? sql`true` : sql`(later.words, later.client_id) > (${after.words}, ${after.clientId})`}
    order by later.words, later.client_id limit ${limit}`.execute(db)
  return rows
}
