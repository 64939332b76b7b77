import { preparedRow } from '../database/prepared.ts'
import type { Store } from '../database/store.ts'
import { lastly } from '../database/steps.ts'
import { hashSecret } from '../protocol/identifier.ts'

const insertOnce = preparedRow<{ key: string; expiresAt: number }, { key: string }>((db, slot) =>
  db
    .insertInto('client_assertions')
    .values({ key: slot('key'), expires_at: slot('expiresAt') })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key'),
)

/**
 * Notes that a client used an assertion, until it runs out; false: it had done so before.
 *
 * Concurrency: one conditional insert, so of any number of parallel uses, in any process, one succeeds (RFC 7523 §3).
 */
export async function useAssertion(
  store: Store,
  { client_id, jti, expiresAt }: { client_id: string; jti: string; expiresAt: number },
): Promise<boolean> {
  const row = { key: hashSecret(`${client_id} ${jti}`), expiresAt }
  const [used] = await store.write(() => lastly(insertOnce(row)))
  return used !== undefined
}
