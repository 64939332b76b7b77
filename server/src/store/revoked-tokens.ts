import type { Store } from './open.ts'

/** Marks one access token as revoked until it would have expired. */
export async function revokeToken(store: Store, jti: string, expiresAt: number): Promise<void> {
  await store.db
    .insertInto('revoked_tokens')
    .values({ jti, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute()
}

export async function isTokenRevoked(store: Store, jti: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('revoked_tokens')
    .select('jti')
    .where('jti', '=', jti)
    .executeTakeFirst()
  return row !== undefined
}
