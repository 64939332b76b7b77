/** What a directory reads: one resource, or a page of a list (RFC 7644 §3.4.2). */
import { sql } from 'kysely'
import type { Store } from '../database/store.ts'
import type { ByDirectory } from './directory.ts'
import { invalidValue } from './errors.ts'
import { listCondition } from './filter.ts'
import { membersOfGroups, sizesOfGroups } from './groups.ts'
import { isKind, type ResourceRow } from './rows.ts'
import type { Kind } from './schemas.ts'
import { type Selection, selected, selectionIn, selects, shownResource } from './shown.ts'

/** Resources of one page at the most, and members in it. */
export const mostResults = 200
const usualResults = 100
const mostMembers = 20_000

export interface Showing {
  base: string
  selection: Selection
}

/** Resources as they are shown. */
export async function shownRows(
  { db }: Pick<Store, 'db'>,
  kind: Kind,
  rows: readonly ResourceRow[],
  { base, selection }: Showing,
): Promise<object[]> {
  const ids = rows.map(({ id }) => id)
  const members =
    kind.name === 'Group' && selects(selection, 'members') ? await membersOfGroups(db, ids) : undefined
  return rows.map((row) =>
    selected(shownResource(kind, row, { base, members: members?.get(row.id) }), selection),
  )
}

export const listResponse = (
  all: readonly object[],
  { total, startIndex }: { total: number; startIndex: number },
) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults: total,
  startIndex,
  itemsPerPage: all.length,
  Resources: all,
})

/** A page of the list that a query asks for. A page that would have too many members ends before. */
export async function listedResources(
  store: Store,
  { directory_uuid }: ByDirectory,
  kind: Kind,
  { query, base }: { query: URLSearchParams; base: string },
): Promise<object> {
  const selection = selectionIn(kind, query)
  const startIndex = Math.max(1, numberIn(query, 'startIndex', 1))
  const count = Math.min(mostResults, Math.max(0, numberIn(query, 'count', usualResults)))
  const filter = query.get('filter')
  const condition = filter === null ? undefined : await listCondition(kind, filter)
  const found = store.db
    .selectFrom('scim_resources')
    .where('directory_uuid', '=', directory_uuid)
    .where('kind', '=', isKind(kind.name))
    .where('deleted_at', 'is', null)
    .$if(condition !== undefined, (all) => all.where(condition ?? sql<boolean>`true`))
  const { total } = await found.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .selectAll()
    .orderBy('id')
    .limit(count)
    .offset(startIndex - 1)
    .execute()
  const page =
    kind.name === 'Group' && selects(selection, 'members') ? await withinMembers(store, rows) : rows
  const shown = await shownRows(store, kind, page, { base, selection })
  return listResponse(shown, { total: Number(total), startIndex })
}

async function withinMembers({ db }: Store, rows: readonly ResourceRow[]): Promise<ResourceRow[]> {
  const sizes = await sizesOfGroups(
    db,
    rows.map(({ id }) => id),
  )
  let members = 0
  const end = rows.findIndex(({ id }, index) => {
    members += sizes.get(id) ?? 0
    return index > 0 && members > mostMembers
  })
  return end === -1 ? [...rows] : rows.slice(0, end)
}

function numberIn(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name)
  if (text === null || text === '') return usual
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(name, 'it is a number.')
  return Number(text)
}
