/** What a person may open and has allowed, as they see it themself. */
import { recordAll, type Origin } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { Allowance } from '../protocol/allowance.ts'
import { allowanceOf, toldOf, withdrawWithin } from './consents.ts'
import type { Reading } from './in-transaction.ts'
import { inActiveOrganisation } from './usable.ts'

/** What somebody allowed a client. */
export interface Allowed {
  clientId: string
  grantedAt: number
  allowance: Allowance
}

/** The consents of a person, the newest first. */
export async function consentsOf({ db }: Pick<Store, 'db'>, userUuid: string): Promise<Allowed[]> {
  const rows = await db
    .selectFrom('consents')
    .selectAll()
    .where('user_uuid', '=', userUuid)
    .orderBy('granted_at', 'desc')
    .orderBy('client_id')
    .execute()
  return rows.map((row) => ({
    clientId: row.client_id,
    grantedAt: row.granted_at,
    allowance: allowanceOf(row),
  }))
}

/** Withdraws a consent by its own person, with what it gave, and records it; false: there was none. */
export async function withdrawOwnConsent(
  store: Store,
  { userUuid, clientId, now, by }: { userUuid: string; clientId: string; now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const allowed = await withdrawWithin(trx, { userUuid, clientId, now })
    if (allowed === undefined) return false
    const about = { target: { kind: 'client', id: clientId }, userUuid, clientId, before: toldOf(allowed) }
    await recordAll(store, [{ at: now, kind: 'consent.withdrawn', ...by, ...about }], trx)
    return true
  })
}

/** An application with an address of its own, as people open it. */
export interface Opened {
  name: string
  clientUri: string
  organisationUuid: string | undefined
}

/** The applications that have an address, by name; who may enter is asked of their profiles. From memory where it can. */
export async function applicationsWithAddress(store: Reading): Promise<readonly Opened[]> {
  return await store.cache.get('applications', async () => {
    const rows = await store.db
      .selectFrom('clients')
      .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
      .select(['clients.client_name', 'clients.client_uri', 'clients.organisation_uuid'])
      .where('clients.active', '=', 1)
      .where('clients.type', '<>', 'machine')
      .where('clients.client_uri', 'is not', null)
      .where(inActiveOrganisation('clients'))
      .orderBy('clients.client_name')
      .orderBy('clients.client_id')
      .execute()
    return rows.map((row) => ({
      name: row.client_name,
      clientUri: row.client_uri ?? '',
      organisationUuid: row.organisation_uuid ?? undefined,
    }))
  })
}
