import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { UpstreamRefusal } from './refusal.ts'
import type { ReadUpstream } from './upstream.ts'

/** New accounts of one upstream within an hour: a provider that makes people up fills no database. */
const mostNewcomers = 1000
const hour = 3_600_000

/** Throws `throttled` where more came for the first time than a provider of people who exist has. */
export async function refuseTooMany(trx: Kysely<Schema>, { uuid }: ReadUpstream, now: number): Promise<void> {
  const more = await trx
    .selectFrom('upstream_links')
    .select('subject')
    .where('upstream_uuid', '=', uuid)
    .where('created_at', '>', now - hour)
    .offset(mostNewcomers)
    .limit(1)
    .execute()
  if (more.length > 0)
    throw new UpstreamRefusal(
      'throttled',
      `More than ${mostNewcomers} people came for the first time within an hour.`,
    )
}
