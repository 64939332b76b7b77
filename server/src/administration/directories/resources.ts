/** What a directory has told of, as its administrators see it: nothing tells whether an account was there before. */
import { sql } from 'kysely'
import type { After, Page } from '../../database/page.ts'
import { pageBy } from '../../database/page.ts'
import type { Store } from '../../database/store.ts'
import { notFound } from '../../protocol/problem.ts'
import type { Authority } from '../authority.ts'
import { directories } from './verbs.ts'

export interface DirectoryResource {
  id: string
  kind: 'User' | 'Group'
  external_id: string | null
  /** JSON: what the directory said. */
  data: string
  active: 0 | 1
  user_uuid: string | null
  /** Whether its person can sign in: they proved the account, have a password, or came through an upstream. */
  signs_in: number | null
  updated_at: number
}

interface Asked {
  uuid: string
  kind?: 'User' | 'Group' | undefined
  authority: Authority
}

/** The next resources of a directory by their ids. Throws `not_found`. */
export async function listResources(
  { db }: Store,
  { uuid, kind, authority }: Asked,
  after: After,
  limit: number,
): Promise<Page<DirectoryResource>> {
  if ((await directories.find(db, uuid, authority)) === undefined) throw notFound('directory')
  const signsIn = sql<number | null>`case when users.limited_reach = 0 or users.password_hash is not null
    or exists (select 1 from upstream_links where upstream_links.user_uuid = users.uuid) then 1 end`
  const rows = db
    .selectFrom('scim_resources')
    .leftJoin('users', 'users.uuid', 'scim_resources.user_uuid')
    .select(['id', 'kind', 'external_id', 'data', 'user_uuid', 'scim_resources.active'])
    .select(['scim_resources.updated_at', signsIn.as('signs_in')])
    .where('directory_uuid', '=', uuid)
    .where('scim_resources.deleted_at', 'is', null)
    .$if(kind !== undefined, (all) => all.where('kind', '=', kind ?? 'User'))
  return await pageBy(rows, ['id'], { after, limit })
}

/** A resource as it is shown. */
export function shownResource(row: DirectoryResource) {
  const { userName, displayName } = JSON.parse(row.data) as Partial<
    Record<'userName' | 'displayName', string>
  >
  const isPerson = row.kind === 'User'
  const hasSignedIn = isPerson && row.signs_in !== null
  return {
    id: row.id,
    kind: row.kind,
    name: (isPerson ? userName : displayName) ?? '',
    external_id: row.external_id,
    active: row.active === 1,
    state: !isPerson ? null : hasSignedIn ? ('signed_in' as const) : ('not_signed_in_yet' as const),
    user_uuid: hasSignedIn ? row.user_uuid : null,
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
