import { type Origin, record } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import type { WebhookSecretRow } from '../database/schema-webhooks.ts'

/** An encrypted secret of a webhook. */
export type KeptSecret = Pick<WebhookSecretRow, 'id' | 'webhook_uuid' | 'secret'>

export const keptSecret = ['id', 'webhook_uuid', 'secret'] as const

export async function allWebhookSecrets(store: Store): Promise<KeptSecret[]> {
  return await store.db.selectFrom('webhook_secrets').select(keptSecret).orderBy('id').execute()
}

/** Replaces an encrypted secret, and records that. Concurrency: nothing happens when another process did so first. */
export async function reencryptWebhookSecret(
  store: Store,
  id: string,
  { from, to, now, by }: { from: string; to: string; now: number; by: Origin },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('webhook_secrets')
      .set({ secret: to })
      .where('id', '=', id)
      .where('secret', '=', from)
      .returning('webhook_uuid')
      .executeTakeFirst()
    if (row === undefined) return
    const target = { kind: 'webhook', id: row.webhook_uuid }
    await record(store, { at: now, kind: 'webhook_secret.reencrypted', ...by, target, detail: { id } }, trx)
  })
}
