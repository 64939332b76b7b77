import type { Kysely } from 'kysely'
import { wantsKind } from '../protocol/event-kinds.ts'
import { chunksOf } from '../database/chunks.ts'
import { textList } from '../store/clients.ts'
import { newId } from '../protocol/identifier.ts'
import type { Store } from '../database/store.ts'
import type { Schema } from '../database/schema.ts'

/** How many records one transaction reads. */
const step = 500

/** The subscriptions that count: active, and of no disabled organisation. */
export function liveWebhooks(db: Kysely<Schema>) {
  return db
    .selectFrom('webhooks')
    .leftJoin('organisations', 'organisations.uuid', 'webhooks.organisation_uuid')
    .where('webhooks.active', '=', 1)
    .where((w) => w.or([w('webhooks.organisation_uuid', 'is', null), w('organisations.active', '=', 1)]))
}

/**
 * The audit is the outbox of webhooks: reads the next records in their order, and adds a delivery for each subscription
 * that wants one of them. Yields whether there may be more.
 *
 * Concurrency: many processes may call it. The position moves by one conditional statement in the transaction
 * that adds the deliveries, so each record is read once; records become visible in their order (see `append`), so none
 * is missed. Subscriptions are read after the position moved, so none that was there at the time of a record is missed.
 */
export async function fillOutbox(store: Store, now: number): Promise<boolean> {
  const { head, position } = await ends(store)
  if (head <= position) return false
  const { first } = await liveWebhooks(store.db)
    .select((select) => select.fn.min<number | null>('since').as('first'))
    .executeTakeFirstOrThrow()
  // The position stays while there is no subscription. A new one begins at the end of the audit.
  if (first === null) return false
  const reached = Math.min(head, Math.max(position, first) + step)
  await store.upkeep.transaction().execute(async (trx) => {
    const moved = await trx
      .updateTable('webhook_outbox')
      .set({ position: reached })
      .where('name', '=', 'audit')
      .where('position', '=', position)
      .returning('name')
      .executeTakeFirst()
    if (moved !== undefined) await addDeliveries(trx, { position, reached, now })
  })
  return reached < head
}

async function ends({ db }: Store): Promise<{ head: number; position: number }> {
  return await db
    .selectFrom(['audit_head', 'webhook_outbox'])
    .select(['audit_head.sequence as head', 'webhook_outbox.position'])
    .where('audit_head.name', '=', 'chain')
    .where('webhook_outbox.name', '=', 'audit')
    .executeTakeFirstOrThrow(() => new Error('The head of the audit, or what follows it, is missing.'))
}

async function addDeliveries(
  trx: Kysely<Schema>,
  { position, reached, now }: { position: number; reached: number; now: number },
): Promise<void> {
  const webhooks = await liveWebhooks(trx)
    .select(['webhooks.uuid', 'webhooks.kinds', 'webhooks.organisation_uuid', 'webhooks.since'])
    // A webhook can't be removed before its deliveries are there, to be removed with it.
    .forKeyShare('webhooks')
    .execute()
  if (webhooks.length === 0) return
  const records = await trx
    .selectFrom('audit_records')
    .select(['sequence', 'kind', 'organisation_uuid'])
    .where('sequence', '>', Math.max(position, Math.min(...webhooks.map(({ since }) => since))))
    .where('sequence', '<=', reached)
    .orderBy('sequence')
    .execute()
  const wanted = webhooks.map((webhook) => ({ ...webhook, kinds: textList(webhook.kinds) }))
  const rows = records.flatMap((record) =>
    wanted
      .filter(
        ({ since, organisation_uuid: own, kinds }) =>
          record.sequence > since &&
          (own === null || own === record.organisation_uuid) &&
          wantsKind(kinds, record.kind),
      )
      .map(({ uuid }) => newDelivery(uuid, record, now)),
  )
  for (const some of chunksOf(rows)) {
    await trx
      .insertInto('webhook_deliveries')
      .values(some)
      // A test's delivery is added by the request for the test.
      .onConflict((conflict) => conflict.columns(['webhook_uuid', 'sequence']).doNothing())
      .execute()
  }
}

/** The row of a delivery that is due at once. */
export const newDelivery = (
  webhookUuid: string,
  { sequence, kind }: { sequence: number; kind: string },
  now: number,
) => ({
  id: newId(now),
  webhook_uuid: webhookUuid,
  sequence,
  kind,
  state: 'pending' as const,
  attempts: 0,
  next_at: now,
  created_at: now,
})
