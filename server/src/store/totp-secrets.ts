import { type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'

/** The encrypted secret of an authenticator app: one that counts, is pending, or was removed and may come back. */
interface TotpSecretRow {
  id: string
  secret: string
}

export async function allTotpSecrets(store: Store): Promise<TotpSecretRow[]> {
  // One statement: an app that is removed or comes back meanwhile is in one of the tables.
  const rows = await store.db
    .selectFrom('factors')
    .select(['id', 'secret'])
    .where('secret', 'is not', null)
    .unionAll(store.db.selectFrom('removed_factors').select(['id', 'secret']).where('secret', 'is not', null))
    .orderBy('id')
    .execute()
  return rows.map(({ id, secret }) => ({ id, secret: secret ?? '' }))
}

/** Replaces an encrypted secret, and records that. Concurrency: nothing happens when another process did so first. */
export async function reencryptTotp(
  store: Store,
  id: string,
  { from, to, now, by }: { from: string; to: string; now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const replaced = async (table: 'factors' | 'removed_factors') =>
      await trx
        .updateTable(table)
        .set({ secret: to })
        .where('id', '=', id)
        .where('secret', '=', from)
        .returning('user_uuid')
        .executeTakeFirst()
    const row = (await replaced('factors')) ?? (await replaced('removed_factors'))
    if (row === undefined) return
    const target = { kind: 'factor', id }
    const event = { at: now, kind: 'factor.reencrypted' as const, ...by, target, user_uuid: row.user_uuid }
    await record(store, event, trx)
  })
}
