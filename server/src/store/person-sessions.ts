import type { Store } from '../database/store.ts'
import type { SessionEnd } from './sessions.ts'
import { endWithin } from './sessions.ts'
import { recordAll } from '../audit/record.ts'

/** A session as its own person sees it. */
export interface OwnSession {
  sid: string
  createdAt: number
  lastSeenAt: number
  /** What people know the browser by; undefined: it began with a version before. */
  browser: string | undefined
  /** The network address of the sign-in. */
  network: string | undefined
}

/** The sessions of a person that have not ended, the last used first. */
export async function liveSessionsOf({ db }: Store, user_uuid: string, now: number): Promise<OwnSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['sid', 'created_at', 'last_seen_at', 'browser', 'network'])
    .where('user_uuid', '=', user_uuid)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_seen_at', 'desc')
    .orderBy('sid')
    .execute()
  return rows.map((row) => ({
    sid: row.sid,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    browser: row.browser ?? undefined,
    network: row.network ?? undefined,
  }))
}

/** Ends a session of this person and no other's, with its token families; false: there is none such. */
export async function endOwnSession(
  store: Store,
  { user_uuid, sid }: { user_uuid: string; sid: string },
  ending: SessionEnd,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const own = await trx
      .selectFrom('sessions')
      .select('sid')
      .where('sid', '=', sid)
      .where('user_uuid', '=', user_uuid)
      .executeTakeFirst()
    if (own === undefined) return false
    const events = await endWithin(trx, sid, ending)
    await recordAll(store, events, trx)
    return events.length > 0
  })
}
