import { type After, emptyPage, type Page, pageBy } from '../../database/page.ts'
import { rowOf, rowsOf } from '../../database/rows.ts'
import type { Store } from '../../database/store.ts'
import { notFound } from '../../protocol/problem.ts'
import { unlink } from '../../upstream/ended.ts'
import type { Authority } from '../authority.ts'
import type { By, Row } from '../by.ts'
import { change, originOf } from '../change.ts'
import { toWeaken } from '../factors/verbs.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { upstreams } from '../upstreams/verbs.ts'
import { users } from '../users/verbs.ts'

export type Link = Row<'upstream_links'>

/** The links of somebody at upstreams within the reach, at most `limit`. Throws `not_found`. */
export async function listLinks(
  { db }: Store,
  { user_uuid, authority }: { user_uuid: string; authority: Authority },
  after: After,
  limit: number,
): Promise<Page<Link>> {
  if ((await users.find(db, user_uuid, authority)) === undefined) throw notFound('user')
  const { organisation_uuid, unit_uuid } = authority.reach
  if (unit_uuid !== undefined) return emptyPage
  const own = db
    .selectFrom('upstreams')
    .select('uuid')
    .where('organisation_uuid', '=', organisation_uuid ?? '')
  const links = rowsOf(db, 'upstream_links', { user_uuid }).$if(organisation_uuid !== undefined, (query) =>
    query.where('upstream_uuid', 'in', own),
  )
  return await pageBy(links, ['upstream_uuid'], { after, limit })
}

/**
 * Removes a link: what rests on it ends, and the person signs in by it no more. For whoever could set their password, and
 * never one's own. Concurrency: see `change`.
 */
export async function removeLink(
  store: Store,
  by: By,
  { user_uuid, upstream_uuid }: { user_uuid: string; upstream_uuid: string },
): Promise<void> {
  await change(store, by, async (trx) => {
    await toWeaken(trx, by, user_uuid)
    const upstream = await upstreams.find(trx, upstream_uuid, by.authority)
    const link = await rowOf(trx, 'upstream_links', { user_uuid, upstream_uuid })
    if (upstream === undefined || link === undefined) throw notFound('link')
    wantRecentSignIn(by)
    const ended = await unlink(trx, upstream, [user_uuid], { now: by.now, by: originOf(by) })
    const target = { kind: 'upstream', id: upstream_uuid }
    const about = { target, user_uuid, organisation_uuid: upstream.organisation_uuid ?? undefined }
    return { result: undefined, events: [...ended, { kind: 'link.removed', ...about }] }
  })
}
