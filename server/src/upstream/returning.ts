import { hash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { Assertion } from './assertion.ts'
import { inTransaction } from '../store/in-transaction.ts'
import { upstreamsNow } from '../store/upstreams.ts'
import { recheckedUntil } from './recheck.ts'

/** What an upstream told of somebody, as a hash: the same again changes nothing of them. */
export function toldHash({
  fields,
  groups,
  claims,
}: Pick<Assertion, 'fields' | 'groups' | 'claims'>): string {
  const sorted = groups === 'unknown' ? groups : groups.toSorted()
  const byName = (all: Iterable<readonly [string, unknown]>) =>
    [...all].sort(([one], [other]) => (one < other ? -1 : 1))
  const told = [byName(Object.entries(fields)), sorted, byName(claims)]
  return hash('sha256', JSON.stringify(told), 'base64url')
}

/**
 * Notes the sign-in of somebody who is linked and of whom nothing new was told: the profiles that the upstream gives count
 * longer. Undefined, and nothing changed, where there is more to do. Concurrency: a change of the upstream comes before or
 * after.
 */
export async function returning(
  store: Store,
  assertion: Assertion,
  now: number,
): Promise<string | undefined> {
  if (assertion.groups === 'unknown') return undefined
  return await store.db.transaction().execute((trx) => returningWithin(trx, assertion, now))
}

/** `returning` within a transaction. */
export async function returningWithin(
  trx: Kysely<Schema>,
  assertion: Assertion,
  now: number,
): Promise<string | undefined> {
  const { upstream_uuid, subject, groups } = assertion
  if (groups === 'unknown') return undefined
  const upstream = (await upstreamsNow(inTransaction(trx))).byUuid.get(upstream_uuid)
  if (upstream?.counts !== true) return undefined
  const link = await trx
    .selectFrom('upstream_links')
    .innerJoin('users', 'users.uuid', 'upstream_links.user_uuid')
    .select('user_uuid')
    .where('upstream_uuid', '=', upstream_uuid)
    .where('upstream_links.subject', '=', subject)
    .where('told', '=', toldHash(assertion))
    .where('users.active', '=', 1)
    .forUpdate()
    .executeTakeFirst()
  if (link === undefined) return undefined
  await trx
    .updateTable('upstream_links')
    .set({ last_sign_in_at: now, groups_at: now })
    .where('upstream_uuid', '=', upstream_uuid)
    .where('subject', '=', subject)
    .execute()
  await trx
    .updateTable('profiles')
    .set({ counts_until: recheckedUntil(upstream, now) })
    .where('user_uuid', '=', link.user_uuid)
    .where('counts_until', 'is not', null)
    .where('uuid', 'in', (given) =>
      given.selectFrom('profile_sources').select('profile_uuid').where('source_uuid', '=', upstream_uuid),
    )
    .execute()
  return link.user_uuid
}
