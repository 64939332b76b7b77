import { sql } from 'kysely'
import type { Flag } from '../../database/flag.ts'
import { rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import type { AdministeredClient } from './fields.ts'
import { withSecrets } from './verbs.ts'
import { builtInPattern } from '../../protocol/built-in-clients.ts'
import type { ClientType } from '../../protocol/client-type.ts'
import { organisationListed, type Reach } from '../../access/reach.ts'
import { type After, emptyPage, firstOf, type Page, pageBy } from '../../database/page.ts'
import { foundByWords, inOrderOf } from '../search.ts'

export interface ClientFilter {
  organisation_uuid?: string | undefined
  type?: ClientType | undefined
  active?: Flag | undefined
}

/** The next clients within the reach by client_id, at most `limit`. */
export async function listClients(
  { db }: Store,
  reach: Reach,
  { organisation_uuid: asked, ...filter }: ClientFilter,
  after: After,
  limit: number,
): Promise<Page<AdministeredClient>> {
  const organisation_uuid = organisationListed(reach, asked)
  if (organisation_uuid === null || reach.unitUuid !== undefined) return emptyPage
  const registered = rowsOf(db, 'clients', { ...filter, organisation_uuid })
  const matching = registered.where('client_id', 'not like', builtInPattern)
  const { rows, next } = await pageBy(matching, ['client_id'], { after, limit })
  return { rows: await withSecrets(db, rows), next }
}

/**
 * The next clients whose client_id, or any word of whose name, begins with `search`, in the order of what begins so,
 * at most `limit`. A page is a range of `words`, however many clients there are.
 */
export async function searchClients(
  { db }: Store,
  reach: Reach,
  search: string,
  { organisation_uuid: asked, type, active }: ClientFilter,
  after: After,
  limit: number,
): Promise<Page<AdministeredClient>> {
  const place = organisationListed(reach, asked)
  if (place === null || reach.unitUuid !== undefined) return emptyPage
  const only =
    type === undefined ? sql`true` : sql`(select type from clients where client_id = words.id) = ${type}`
  const words = { kind: 'client', place, only } as const
  const [last, key = ''] = after ?? []
  const from = last === undefined ? undefined : { words: last, key }
  const found = await foundByWords(db, words, { search, active, later: 0 }, from, limit + 1)
  const page = firstOf(found, limit, (one) => [one.words, one.id])
  if (page.rows.length === 0) return emptyPage
  const ids = page.rows.map((one) => one.id)
  const rows = await rowsOf(db, 'clients', { client_id: ids }).execute()
  const inOrder = inOrderOf(ids, rows, (row) => row.client_id)
  return { rows: await withSecrets(db, inOrder), next: page.next }
}
