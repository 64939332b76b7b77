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
import { narrowedTo, type Set } from '../narrowing.ts'
import { foundByWords, inOrderOf, lists } from '../search.ts'

export interface ClientFilter {
  organisation_uuid?: string | undefined
  type?: ClientType | undefined
  active?: Flag | undefined
  managed_by?: string | undefined
  /** The code of one that it may ask for. */
  service?: string | undefined
  /** One of its own, as it is. */
  redirect_uri?: string | undefined
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
  if (organisation_uuid === null || reach.unit_uuid !== undefined) return emptyPage
  const { service, redirect_uri, ...values } = filter
  const registered = rowsOf(db, 'clients', { ...values, organisation_uuid })
    .where(lists('services', service))
    .where(lists('redirect_uris', redirect_uri))
    .where('client_id', 'not like', builtInPattern)
  // The ids alone: the lists of all clients are read from an index, and none of their wide rows.
  const matching = registered.clearSelect().select('client_id')
  const { rows, next } = await pageBy(matching, ['client_id'], { after, limit })
  return { rows: await clientsOf(db, rows), next }
}

/**
 * The next clients whose client_id, or any word of whose name, begins with `search`, in the order of what begins so,
 * at most `limit`. A page is a range of `words`, however many clients there are.
 */
export async function searchClients(
  { db }: Store,
  reach: Reach,
  search: string,
  { organisation_uuid: asked, active, ...filter }: ClientFilter,
  after: After,
  limit: number,
): Promise<Page<AdministeredClient>> {
  const place = organisationListed(reach, asked)
  if (place === null || reach.unit_uuid !== undefined) return emptyPage
  const words = { kind: 'client', place, only: sql`true` } as const
  const narrowing = narrowedTo(db, filtered({ ...filter, active: active === 0 ? active : undefined }))
  const [last, key = ''] = after ?? []
  const from = last === undefined ? undefined : { words: last, key }
  const found = await foundByWords(db, words, { search, active, later: 0, narrowing }, from, limit + 1)
  const page = firstOf(found, limit, (one) => [one.words, one.id])
  const ids = page.rows.map((one) => ({ client_id: one.id }))
  return { rows: await clientsOf(db, ids), next: page.next }
}

/** The clients as the API shows them, in the order of `found`. */
async function clientsOf(db: Store['db'], found: { client_id: string }[]): Promise<AdministeredClient[]> {
  if (found.length === 0) return []
  const ids = found.map((one) => one.client_id)
  const rows = await rowsOf(db, 'clients', { client_id: ids }).execute()
  return await withSecrets(
    db,
    inOrderOf(ids, rows, (row) => row.client_id),
  )
}

function filtered({ service, redirect_uri, ...values }: ClientFilter): Set[] {
  const equal = Object.entries(values).filter(([, value]) => value !== undefined)
  if (equal.length === 0 && service === undefined && redirect_uri === undefined) return []
  const conditions = sql.join(
    [
      ...equal.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
      lists('services', service),
      lists('redirect_uris', redirect_uri),
    ],
    sql` and `,
  )
  return [
    {
      all: sql`select client_id as id from clients where ${conditions}`,
      has: (id) => sql`(select 1 from clients where client_id = ${id} and ${conditions}) > 0`,
    },
  ]
}
