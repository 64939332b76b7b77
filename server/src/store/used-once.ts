import type { Kysely } from 'kysely'
import { preparedRow } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { lastly } from '../database/steps.ts'
import { proofLife, proofSkew } from '../protocol/dpop.ts'
import { hashSecret } from '../protocol/identifier.ts'

/** What counts once: whose it is, what it is called, and until when it would count (epoch milliseconds). */
interface Single {
  holder: string
  id: string
  expiresAt: number
}

const insertion = (db: Kysely<Schema>, key: string, expires_at: number) =>
  db
    .insertInto('client_assertions')
    .values({ key, expires_at })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')

const insertOnce = preparedRow<{ key: string; expiresAt: number }, { key: string }>((db, slot) =>
  insertion(db, slot('key'), slot('expiresAt')),
)

const keyOf = ({ holder, id }: Single) => hashSecret(`${holder} ${id}`)

/**
 * Notes that something was used, until it runs out; false: it had been before.
 *
 * Concurrency: one conditional insert, so of any number of parallel uses, in any process, one succeeds (RFC 7523 §3).
 */
export async function useOnce(store: Store, single: Single): Promise<boolean> {
  const row = { key: keyOf(single), expiresAt: single.expiresAt }
  const [used] = await store.write(() => lastly(insertOnce(row)))
  return used !== undefined
}

/** Uses up a proof of possession (RFC 9449 §11.1), which is not too old yet; false: it was used before. */
export async function useProof(
  store: Store,
  jkt: string,
  { jti, iat }: { jti: string; iat: number },
): Promise<boolean> {
  const expiresAt = Math.ceil((iat + proofLife + proofSkew) * 1000)
  // No client is called so.
  return await useOnce(store, { holder: `dpop\n${jkt}`, id: jti, expiresAt })
}

/** Notes it within the transaction that does what it asks for: undone with that, it can come again. */
export async function useOnceWithin(trx: Kysely<Schema>, single: Single): Promise<boolean> {
  const used = await insertion(trx, keyOf(single), single.expiresAt).executeTakeFirst()
  return used !== undefined
}
