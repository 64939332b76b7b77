import { hashSecret } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'

/**
 * Notes that a client used an assertion, until it runs out; false: it had done so before.
 *
 * Concurrency: one conditional insert, so of any number of parallel uses, in any process, one succeeds (RFC 7523 §3).
 */
export async function useAssertion(
  { db }: Store,
  { clientId, jti, expiresAt }: { clientId: string; jti: string; expiresAt: number },
): Promise<boolean> {
  const used = await db
    .insertInto('client_assertions')
    .values({ key: hashSecret(`${clientId} ${jti}`), expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst()
  return used !== undefined
}
