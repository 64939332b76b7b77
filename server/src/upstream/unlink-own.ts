import { type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import { rowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { liveWithout } from '../store/upstream-sessions.ts'
import { unlink } from './ended.ts'
import { aboutLink, linkOfPerson } from './links.ts'

/**
 * Removes a person's own link, with all that rests on it. Their session goes on by what else they have proved in it, and
 * that is a way in which they keep. False, and nothing happens: there is no such link, or the session has ended or rests on
 * it alone. Concurrency: one at a time, so that of two sessions that remove each other's link one does.
 */
export async function unlinkOwn(
  store: Store,
  { user_uuid, sid, upstream_uuid }: { user_uuid: string; sid: string; upstream_uuid: string },
  how: { now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const upstream = await rowOf(trx, 'upstreams', { uuid: upstream_uuid })
    const link = await linkOfPerson(trx, upstream_uuid, user_uuid)
    if (upstream === undefined || link === undefined) return false
    if (!(await liveWithout(trx, { sid, user_uuid }, upstream_uuid))) return false
    const ended = await unlink(trx, upstream, [user_uuid], how)
    const removed = {
      at: how.now,
      kind: 'link.removed',
      ...how.by,
      ...aboutLink(upstream, user_uuid),
    } as const
    await recordAll(store, [...ended, removed], trx)
    return true
  })
}
