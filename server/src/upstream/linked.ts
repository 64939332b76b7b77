import type { Assertion } from './assertion.ts'
import { linkOf } from './links.ts'
import type { Reading } from '../store/in-transaction.ts'
import { type UpstreamNow, upstreamsNow } from '../store/upstreams.ts'

/** An upstream that somebody is linked to, as it is now. */
export interface LinkedUpstream {
  upstream: UpstreamNow
  /** Epoch milliseconds. */
  since: number
}

/** The person to whom a subject at an upstream is linked. */
export async function personLinkedTo(
  { db }: Pick<Reading, 'db'>,
  proved: Pick<Assertion, 'upstream_uuid' | 'subject'>,
): Promise<string | undefined> {
  return (await linkOf(db, proved))?.user_uuid
}

/** The upstreams that a person is linked to, whether they count or not. */
export async function linkedUpstreams(store: Reading, user_uuid: string): Promise<LinkedUpstream[]> {
  const { byUuid } = await upstreamsNow(store)
  // Most installations have none, and then nothing is asked.
  if (byUuid.size === 0) return []
  const rows = await store.db
    .selectFrom('upstream_links')
    .select(['upstream_uuid', 'created_at'])
    .where('user_uuid', '=', user_uuid)
    .orderBy('created_at')
    .orderBy('upstream_uuid')
    .execute()
  return rows.flatMap(({ upstream_uuid, created_at: since }) => {
    const upstream = byUuid.get(upstream_uuid)
    return upstream === undefined ? [] : [{ upstream, since }]
  })
}
