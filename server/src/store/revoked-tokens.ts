import { type AuditEvent, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { Reading } from './in-transaction.ts'

/** Marks one access token as revoked until it would have expired, and records it, once. */
export async function revokeToken(
  store: Store,
  { jti, expiresAt }: { jti: string; expiresAt: number },
  event: Omit<AuditEvent, 'kind' | 'target'>,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const revoked = await trx
      .insertInto('revoked_tokens')
      .values({ jti, expires_at: expiresAt })
      .onConflict((conflict) => conflict.column('jti').doNothing())
      .returning('jti')
      .executeTakeFirst()
    if (revoked === undefined) return
    const target = { kind: 'access_token', id: jti }
    await record(store, { ...event, kind: 'access_token.revoked', target }, trx)
  })
}

export async function isTokenRevoked(store: Reading, jti: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('revoked_tokens')
    .select('jti')
    .where('jti', '=', jti)
    .executeTakeFirst()
  return row !== undefined
}
