import { notFound, Problem } from '../../protocol/problem.ts'
import { linkWithin } from '../../audit/link.ts'
import { record } from '../../audit/record.ts'
import type { Store } from '../../database/store.ts'
import type { DeliveryState } from '../../database/schema-webhooks.ts'
import { newDelivery } from '../../webhooks/outbox.ts'
import type { By, Row } from '../by.ts'
import { administering, change, originOf } from '../change.ts'
import { firstOf, type Page } from '../../database/page.ts'
import { toChange } from '../resource.ts'
import type { AdministeredWebhook } from './fields.ts'
import { webhooks } from './verbs.ts'

export type Delivery = Row<'webhook_deliveries'>

/** The next deliveries of a webhook, that of the newest record first. */
export async function listDeliveries(
  { db }: Store,
  { uuid, state }: { uuid: string; state: DeliveryState | undefined },
  before: number | undefined,
  limit: number,
): Promise<Page<Delivery>> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_uuid', '=', uuid)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
    .$if(before !== undefined, (query) => query.where('sequence', '<', before ?? 0))
    .orderBy('sequence', 'desc')
    .limit(limit + 1)
    .execute()
  return firstOf(rows, limit, ({ sequence }) => [String(sequence)])
}

/**
 * Puts a delivery in line again, whatever came of it, with all its attempts before it, and records that. Concurrency:
 * see `change`. What an attempt that is under way comes to does not count any more, unless it arrives.
 */
export async function replayDelivery(
  store: Store,
  by: By,
  { uuid, id }: { uuid: string; id: string },
): Promise<Delivery> {
  return await change(store, by, async (trx) => {
    const webhook = await toChange(trx, webhooks, { id: uuid, versions: undefined }, by)
    const row = await trx
      .updateTable('webhook_deliveries')
      .set({ state: 'pending', attempts: 0, next_at: by.now, ended_at: null, expires_at: null })
      .where('id', '=', id)
      .where('webhook_uuid', '=', uuid)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) throw notFound('delivery')
    const detail = { delivery: id, sequence: row.sequence, kind: row.kind }
    const event = { kind: 'webhook_delivery.replayed' as const, ...about(webhook), detail }
    return { result: row, events: [event] }
  })
}

/** Records that somebody tests a webhook, and puts that very record in line for it, whatever kinds it wants. */
export async function testWebhook(store: Store, by: By, { uuid }: { uuid: string }): Promise<Delivery> {
  return await administering(store, by, async (trx) => {
    const webhook = await toChange(trx, webhooks, { id: uuid, versions: undefined }, by)
    if (webhook.active === 0) {
      throw new Problem('conflict', 'The webhook is disabled: nothing is sent to it. Enable it first.')
    }
    const origin = { at: by.now, ...originOf(by) }
    await record(store, { ...origin, kind: 'webhook_delivery.tested', ...about(webhook) }, trx)
    // The delivery needs the number of the record.
    const { sequence } = await linkWithin(trx, store.auditKey())
    // The row comes after the head of the audit. Nobody else writes it, so nobody is waited for.
    return await trx
      .insertInto('webhook_deliveries')
      .values(newDelivery(uuid, { sequence, kind: 'webhook_delivery.tested' }, by.now))
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

const about = ({ uuid: id, organisation_uuid }: AdministeredWebhook) => ({
  target: { kind: 'webhook', id },
  organisation_uuid: organisation_uuid ?? undefined,
})
