import { type Origin, record } from './audit.ts'
import type { Store } from './open.ts'
import type { WebhookSecretRow } from './schema-webhooks.ts'

/** A secret of a webhook, encrypted. */
export type KeptSecret = Pick<WebhookSecretRow, 'id' | 'webhook_uuid' | 'secret'>

export const keptSecret = ['id', 'webhook_uuid', 'secret'] as const

/** Every secret of every webhook. */
export async function allWebhookSecrets(store: Store): Promise<KeptSecret[]> {
  return await store.db.selectFrom('webhook_secrets').select(keptSecret).orderBy('id').execute()
}

/**
 * Replaces how a secret is encrypted, and records it.
 * Concurrency: nothing happens when another process did so meanwhile.
 */
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
