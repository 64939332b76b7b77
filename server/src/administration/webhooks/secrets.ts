import { sql } from 'kysely'
import { notFound, Problem } from '../../protocol/problem.ts'
import type { Store } from '../../database/store.ts'
import type { By, Transacting } from '../by.ts'
import { change, changeOnce, type Created, type Repeatable } from '../change.ts'
import type { Authority } from '../authority.ts'
import type { Versions } from '../version.ts'
import { type AdministeredWebhook, shownWebhook } from './fields.ts'
import { about, insertWebhookSecret, type NewWebhookSecret, webhookToChange } from './verbs.ts'

export type ShownWebhookSecret = AdministeredWebhook['secrets'][number]

const most = 2

/**
 * Gives a webhook another secret; the one before ends at `previousEndsAt`. Throws when there are two that count: the
 * old and the new of a rotation. Concurrency: see `change`; of parallel calls none adds a third.
 */
export async function addWebhookSecret(
  store: Store,
  by: By,
  { uuid, secret, previousEndsAt }: { uuid: string; secret: NewWebhookSecret; previousEndsAt: number },
  repeatable: Repeatable<ShownWebhookSecret> | undefined,
): Promise<Created<ShownWebhookSecret>> {
  return await changeOnce(store, by, repeatable, async (trx) => {
    const before = await webhookToChange(trx, uuid, by.authority, undefined)
    const over = before.secrets.filter((one) => one.expires_at !== null && one.expires_at <= by.now)
    for (const { id } of over) await trx.deleteFrom('webhook_secrets').where('id', '=', id).execute()
    if (before.secrets.length - over.length >= most) {
      throw new Problem(
        'conflict',
        'The webhook has two secrets. Remove the one that is not used any more first.',
      )
    }
    await trx
      .updateTable('webhook_secrets')
      .set({ expires_at: previousEndsAt })
      .where('webhook_uuid', '=', uuid)
      .execute()
    await insertWebhookSecret(trx, { ...secret, webhookUuid: uuid, now: by.now })
    const after = await changed(trx, before, by.authority, by)
    const told = {
      ...about(after),
      before: shownWebhook(before),
      after: shownWebhook(after),
      secrets: ['secret'],
    }
    return { result: { id: secret.id, webhook_uuid: uuid, created_at: by.now, expires_at: null }, told }
  })
}

/** Takes a secret away at once, but not the last: what is sent is always signed. */
export async function removeWebhookSecret(
  store: Store,
  by: By,
  { uuid, id, versions }: { uuid: string; id: string; versions: Versions },
): Promise<void> {
  await change(store, by, async (trx) => {
    const before = await webhookToChange(trx, uuid, by.authority, versions)
    if (!before.secrets.some((one) => one.id === id)) throw notFound('secret')
    const others = before.secrets.filter((one) => one.id !== id)
    if (!others.some((one) => one.expires_at === null)) {
      throw new Problem('conflict', 'It is the secret that counts. Add another one first.')
    }
    await trx.deleteFrom('webhook_secrets').where('id', '=', id).execute()
    const after = await changed(trx, before, by.authority, by)
    const told = {
      ...about(after),
      before: shownWebhook(before),
      after: shownWebhook(after),
      secrets: ['secret'],
    }
    return { result: undefined, told }
  })
}

async function changed(
  trx: Transacting,
  { uuid }: AdministeredWebhook,
  authority: Authority,
  by: By,
): Promise<AdministeredWebhook> {
  await trx
    .updateTable('webhooks')
    .set({ updated_at: by.now, version: sql<number>`version + 1` })
    .where('uuid', '=', uuid)
    .execute()
  return await webhookToChange(trx, uuid, authority, undefined)
}
