import type { Kysely } from 'kysely'
import { preparedRow } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { lastly } from '../database/steps.ts'
import { hashSecret } from '../protocol/identifier.ts'

interface Assertion {
  client_id: string
  jti: string
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

const keyOf = ({ client_id, jti }: Assertion) => hashSecret(`${client_id} ${jti}`)

/**
 * Notes that a client used an assertion, until it runs out; false: it had done so before.
 *
 * Concurrency: one conditional insert, so of any number of parallel uses, in any process, one succeeds (RFC 7523 §3).
 */
export async function useAssertion(store: Store, assertion: Assertion): Promise<boolean> {
  const row = { key: keyOf(assertion), expiresAt: assertion.expiresAt }
  const [used] = await store.write(() => lastly(insertOnce(row)))
  return used !== undefined
}

/** Notes an assertion within the transaction that does what it asks for: undone with that, it can come again. */
export async function useAssertionWithin(trx: Kysely<Schema>, assertion: Assertion): Promise<boolean> {
  const used = await insertion(trx, keyOf(assertion), assertion.expiresAt).executeTakeFirst()
  return used !== undefined
}
