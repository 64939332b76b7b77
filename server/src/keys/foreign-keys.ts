import { type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { ForeignKeyRow } from '../database/schema.ts'
import type { ForeignJwk } from './foreign-key.ts'

/** How far ahead the end may be, ms: whoever holds the private half is this issuer until then. */
export const longestForeign = 24 * 3_600_000

/** The keys of other services that are published at `now`, oldest first. */
export const foreignKeys = async ({ db }: Store, now: number): Promise<ForeignKeyRow[]> =>
  await db
    .selectFrom('foreign_keys')
    .selectAll()
    .where('published_until', '>', now)
    .orderBy('created_at')
    .orderBy('kid')
    .execute()

/**
 * Publishes one until its end, and records it. Throws when the key set has, or had, a key of that name.
 * Concurrency: the name is the key of the table, so one of two wins.
 */
export async function publishForeign(
  store: Store,
  jwk: ForeignJwk,
  { now, until, by }: { now: number; until: number; by: Origin },
): Promise<void> {
  const { kid, alg } = jwk
  await store.db.transaction().execute(async (trx) => {
    const own = await trx.selectFrom('signing_keys').select('kid').where('kid', '=', kid).executeTakeFirst()
    await trx.deleteFrom('foreign_keys').where('kid', '=', kid).where('published_until', '<=', now).execute()
    const row = { kid, public_jwk: JSON.stringify(jwk), created_at: now, published_until: until }
    const added = await trx
      .insertInto('foreign_keys')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .returning('kid')
      .executeTakeFirst()
    if (own !== undefined || added === undefined)
      throw new Error('There is a key with this kid already, and two would be mistaken for each other.')
    const after = { alg, published_until: new Date(until).toISOString() }
    const target = { kind: 'signing_key', id: kid }
    await record(store, { at: now, kind: 'signing_key.imported', ...by, target, after }, trx)
  })
}

/** Takes one back before its end, and records it. Throws when there is none. */
export async function withdrawForeign(store: Store, kid: string, { now, by }: { now: number; by: Origin }) {
  await store.db.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom('foreign_keys')
      .where('kid', '=', kid)
      .returning('kid')
      .executeTakeFirst()
    if (gone === undefined) throw new Error('No public key of another service with this kid is published.')
    const target = { kind: 'signing_key', id: kid }
    await record(store, { at: now, kind: 'signing_key.withdrawn', ...by, target }, trx)
  })
}
