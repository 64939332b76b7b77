import { notFound, Problem } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import type { By, Transacting } from '../by.ts'
import { changeOnce, type Created, type Repeatable } from '../change.ts'
import { changeOne, type One, toChange, toldOf } from '../resource.ts'
import { makeRoom } from '../secrets.ts'
import { writeChange } from '../../store/write/write.ts'
import { compared } from '../version.ts'
import type { AdministeredWebhook } from './fields.ts'
import { insertWebhookSecret, type NewWebhookSecret, webhooks, withSecrets } from './verbs.ts'

export type ShownWebhookSecret = AdministeredWebhook['secrets'][number]

const besides = { secrets: ['secret'] }

/**
 * Gives a webhook another secret; the one before ends at `previousEndsAt`. Throws when there are two that count.
 * Concurrency: see `change`; of parallel calls none adds a third.
 */
export async function addWebhookSecret(
  store: Store,
  by: By,
  { uuid, secret, previousEndsAt }: { uuid: string; secret: NewWebhookSecret; previousEndsAt: number },
  repeatable: Repeatable<ShownWebhookSecret> | undefined,
): Promise<Created<ShownWebhookSecret>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const before = await toChange(trx, webhooks, { id: uuid, versions: undefined }, by)
    await makeRoom(trx, 'webhook', before.secrets, by.now)
    await trx
      .updateTable('webhook_secrets')
      .set({ expires_at: previousEndsAt })
      .where('webhook_uuid', '=', uuid)
      .execute()
    const result = await insertWebhookSecret(trx, { ...secret, webhookUuid: uuid, now: by.now })
    const after = await changed(trx, before, by)
    return { result, told: { ...(await toldOf(trx, webhooks, by, { before, after })), ...besides } }
  })
}

/** Takes a secret away at once, but not the last: what is sent is always signed. */
export async function removeWebhookSecret(store: Store, by: By, one: One, id: string): Promise<void> {
  const remove = async (trx: Transacting, before: AdministeredWebhook) => {
    if (!before.secrets.some((secret) => secret.id === id)) throw notFound('secret')
    if (!before.secrets.some((secret) => secret.id !== id && secret.expires_at === null))
      throw new Problem('conflict', 'It is the secret that counts. Add another one first.')
    await trx.deleteFrom('webhook_secrets').where('id', '=', id).execute()
    return await changed(trx, before, by)
  }
  await changeOne(store, by, webhooks, one, remove, besides)
}

async function changed(trx: Transacting, before: AdministeredWebhook, by: By): Promise<AdministeredWebhook> {
  const { secrets: _, ...row } = before
  const after = await writeChange(trx, 'webhooks', row, { updated_at: by.now }, compared(by))
  return (await withSecrets(trx, [after]))[0] ?? { ...after, secrets: [] }
}
