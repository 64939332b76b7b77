import { sql } from 'kysely'
import type { Store } from '../../database/store.ts'
import type { Row } from '../by.ts'
import type { AdministeredClient } from './fields.ts'
import { withSecrets } from './verbs.ts'
import type { Reach } from '../authority.ts'
import { foundByWords } from '../search.ts'

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
 * at most `limit`. A page is a range of `words`, however many clients there are.
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
  const { search, type, active } = filter
  const only =
    type === undefined ? sql`true` : sql`(select type from clients where client_id = words.id) = ${type}`
  const words = { kind: 'client', place: listed.place, only } as const
  const from = after && { words: after.words, key: after.clientId }
  const found = await foundByWords(db, words, { search, active, later: 0 }, from, limit + 1)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  const next = last && { words: last.words, clientId: last.id }
  if (page.length === 0) return { rows: [], next }
  const ids = page.map((one) => one.id)
  const rows = await db.selectFrom('clients').selectAll().where('client_id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.client_id, row]))
  // What was removed between the two statements is left out.
  const inOrder: Row<'clients'>[] = ids.flatMap((id) => byId.get(id) ?? [])
  return { rows: await withSecrets(db, inOrder), next }
}
