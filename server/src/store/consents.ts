import { type Scope, scopesOf } from '../protocol/scope.ts'
import { emailKey } from '../protocol/values.ts'
import type { Store } from './open.ts'

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

/** Remembers a consent; it replaces an earlier one for the same client. */
export async function rememberConsent(
  store: Store,
  consent: { userUuid: string; clientId: string; scopes: readonly Scope[]; now: number },
): Promise<void> {
  const granted = { scope: consent.scopes.join(' '), granted_at: consent.now }
  await store.db
    .insertInto('consents')
    .values({ user_uuid: consent.userUuid, client_id: consent.clientId, ...granted })
    .onConflict((conflict) => conflict.columns(['user_uuid', 'client_id']).doUpdateSet(granted))
    .execute()
}

/**
 * Withdraws a consent, and with it the client's token families of this person and the codes that would open
 * others, in one transaction. False: there was none, and nothing changed.
 */
export async function withdrawConsent(
  store: Store,
  userUuid: string,
  clientId: string,
  now: number,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const removed = await trx
      .deleteFrom('consents')
      .where('user_uuid', '=', userUuid)
      .where('client_id', '=', clientId)
      .returning('client_id')
      .executeTakeFirst()
    if (removed === undefined) return false
    await trx
      .deleteFrom('authorization_codes')
      .where('user_uuid', '=', userUuid)
      .where('client_id', '=', clientId)
      .where('consumed_at', 'is', null)
      .execute()
    await trx
      .updateTable('token_families')
      .set({ revoked_at: now, revoked_reason: 'consent_withdrawn' })
      .where('user_uuid', '=', userUuid)
      .where('client_id', '=', clientId)
      .where('revoked_at', 'is', null)
      .execute()
    return true
  })
}

export interface Consent {
  email: string
  clientId: string
  scopes: Scope[]
  grantedAt: number
}

/** The consents that people gave, newest first; of one person where an address is given. */
export async function listConsents(store: Store, email?: string): Promise<Consent[]> {
  const rows = await store.db
    .selectFrom('consents')
    .innerJoin('users', 'users.uuid', 'consents.user_uuid')
    .select(['users.email', 'consents.client_id', 'consents.scope', 'consents.granted_at'])
    .$if(email !== undefined, (query) => query.where('users.email_key', '=', emailKey(email ?? '')))
    .orderBy('granted_at', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    email: row.email,
    clientId: row.client_id,
    scopes: scopesOf(row.scope),
    grantedAt: row.granted_at,
  }))
}
