import type { Kysely } from 'kysely'
import { type Scope, scopesOf } from '../protocol/scope.ts'
import { type Origin, record } from './audit.ts'
import { waitForExchanges } from './exchange-lock.ts'
import type { Store } from './open.ts'
import type { Schema } from './schema.ts'

/** The scopes that a person allowed a client, remembered (decisions 2). */
export async function consentedScopes(store: Store, userUuid: string, clientId: string): Promise<Scope[]> {
  const row = await store.db
    .selectFrom('consents')
    .select('scope')
    .where('user_uuid', '=', userUuid)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row === undefined ? [] : scopesOf(row.scope)
}

/**
 * Remembers a consent, and records it; it adds to what was allowed the same client before.
 * Concurrency: of parallel calls each keeps what the others add. A client that is removed meanwhile was allowed nothing,
 * and is waited for, or waits: whoever takes its client_id later is not known to anybody.
 */
export async function rememberConsent(
  store: Store,
  consent: { userUuid: string; clientId: string; scopes: readonly Scope[]; now: number; by: Origin },
): Promise<void> {
  const { userUuid, clientId, scopes, now, by } = consent
  await store.db.transaction().execute(async (trx) => {
    const client = await trx
      .selectFrom('clients')
      .select('client_id')
      .where('client_id', '=', clientId)
      .$if(store.dialect === 'postgres', (query) => query.forKeyShare())
      .executeTakeFirst()
    if (client === undefined) return
    const theirs = { user_uuid: userUuid, client_id: clientId }
    // Also holds on to it, so that another who allows something waits. Of one that was there the scope stays.
    const { scope } = await trx
      .insertInto('consents')
      .values({ ...theirs, scope: '', granted_at: now })
      .onConflict((conflict) => conflict.columns(['user_uuid', 'client_id']).doUpdateSet({ granted_at: now }))
      .returning('scope')
      .executeTakeFirstOrThrow()
    const earlier = scopesOf(scope)
    const allowed = [...new Set([...earlier, ...scopes])]
    await trx
      .updateTable('consents')
      .set({ scope: allowed.join(' ') })
      .where('user_uuid', '=', userUuid)
      .where('client_id', '=', clientId)
      .execute()
    const about = { target: { kind: 'client', id: clientId }, userUuid, clientId }
    const values = { before: scope === '' ? undefined : { scopes: earlier }, after: { scopes: allowed } }
    await record(store, { at: now, kind: 'consent.given', ...by, ...about, ...values }, trx)
  })
}

/**
 * Withdraws a consent, and with it the client's token families of this person and the codes that would open others,
 * within a transaction that records it. Yields the scopes that had been allowed; undefined: there was none.
 */
export async function withdrawWithin(
  trx: Kysely<Schema>,
  { userUuid, clientId, now }: { userUuid: string; clientId: string; now: number },
): Promise<Scope[] | undefined> {
  const removed = await trx
    .deleteFrom('consents')
    .where('user_uuid', '=', userUuid)
    .where('client_id', '=', clientId)
    .returning('scope')
    .executeTakeFirst()
  if (removed === undefined) return undefined
  await trx
    .deleteFrom('authorization_codes')
    .where('user_uuid', '=', userUuid)
    .where('client_id', '=', clientId)
    .where('consumed_at', 'is', null)
    .execute()
  await waitForExchanges(trx)
  await trx
    .updateTable('token_families')
    .set({ revoked_at: now, revoked_reason: 'consent_withdrawn' })
    .where('user_uuid', '=', userUuid)
    .where('client_id', '=', clientId)
    .where('revoked_at', 'is', null)
    .execute()
  return scopesOf(removed.scope)
}
