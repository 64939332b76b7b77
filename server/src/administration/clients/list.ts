import { sql } from 'kysely'
import type { Store } from '../../database/store.ts'
import type { AdministeredClient } from './fields.ts'
import { withSecrets } from './verbs.ts'
import type { Reach } from '../../access/reach.ts'
import { type After, emptyPage, firstOf, type Page, pageBy } from '../../database/page.ts'
import { foundByWords, inOrderOf } from '../search.ts'

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
  after: After,
  limit: number,
): Promise<Page<AdministeredClient>> {
  const listed = placeToList(filter)
  if (listed === undefined) return emptyPage
  const { type, active } = filter
  let query = db.selectFrom('clients').selectAll()
  if (listed.place !== undefined) query = query.where('organisation_uuid', '=', listed.place)
  if (type !== undefined) query = query.where('type', '=', type)
  if (active !== undefined) query = query.where('active', '=', active ? 1 : 0)
  const { rows, next } = await pageBy(query, ['client_id'], { after, limit })
  return { rows: await withSecrets(db, rows), next }
}

/**
 * The next clients whose client_id, or any word of whose name, begins with `search`, in the order of what begins so,
 * at most `limit`. A page is a range of `words`, however many clients there are.
 */
export async function searchClients(
  { db }: Store,
  filter: ClientFilter & { search: string },
  after: After,
  limit: number,
): Promise<Page<AdministeredClient>> {
  const listed = placeToList(filter)
  if (listed === undefined) return emptyPage
  const { search, type, active } = filter
  const only =
    type === undefined ? sql`true` : sql`(select type from clients where client_id = words.id) = ${type}`
  const words = { kind: 'client', place: listed.place, only } as const
  const [last, key = ''] = after ?? []
  const from = last === undefined ? undefined : { words: last, key }
  const found = await foundByWords(db, words, { search, active, later: 0 }, from, limit + 1)
  const page = firstOf(found, limit, (one) => [one.words, one.id])
  if (page.rows.length === 0) return emptyPage
  const ids = page.rows.map((one) => one.id)
  const rows = await db.selectFrom('clients').selectAll().where('client_id', 'in', ids).execute()
  return {
    rows: await withSecrets(
      db,
      inOrderOf(ids, rows, (row) => row.client_id),
    ),
    next: page.next,
  }
}
