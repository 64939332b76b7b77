import type { Kysely } from 'kysely'
import type { AuditEvent, Origin } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import { repudiable } from '../store/removed-factors.ts'
import type { ToldLink } from '../store/undo.ts'
import { unlink } from './ended.ts'
import { aboutLink } from './links.ts'

/**
 * Removes the links that somebody in the account may have made: those by hand of the last seven days, and those that a
 * notice told of, with what rests on them. Part of a verb that holds the administration. Yields what is to be recorded.
 */
export async function unlinkRecent(
  trx: Kysely<Schema>,
  user_uuid: string,
  { told, ...how }: { told: readonly ToldLink[]; now: number; by: Origin },
): Promise<AuditEvent[]> {
  const links = await trx
    .selectFrom('upstream_links')
    .innerJoin('upstreams', 'upstreams.uuid', 'upstream_links.upstream_uuid')
    .select(['upstreams.uuid', 'upstreams.organisation_uuid', 'by_hand', 'upstream_links.created_at as at'])
    .where('upstream_links.user_uuid', '=', user_uuid)
    .orderBy('upstreams.uuid')
    .execute()
  const { now, by } = how
  const events: AuditEvent[] = []
  for (const { by_hand: byHand, at, ...upstream } of links) {
    const isTold = told.some((one) => one.upstream === upstream.uuid && one.at === at)
    if (!isTold && (byHand === 0 || at < now - repudiable)) continue
    events.push(...(await unlink(trx, upstream, [user_uuid], how)))
    events.push({ at: now, kind: 'link.removed', ...by, ...aboutLink(upstream, user_uuid) })
  }
  return events
}
