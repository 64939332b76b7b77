import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { liveWebhooks } from './outbox.ts'

/**
 * Removes the deliveries of records up to `last`, which are archived: they can't be sent again. Throws while one of these
 * records is still to be sent.
 */
export async function forgetDeliveries(trx: Kysely<Schema>, last: number): Promise<void> {
  const { first } = await liveWebhooks(trx)
    .select((select) => select.fn.min<number | null>('since').as('first'))
    .executeTakeFirstOrThrow()
  const { position } = await trx
    .selectFrom('webhook_outbox')
    .select('position')
    .where('name', '=', 'audit')
    .executeTakeFirstOrThrow()
  const due = trx.selectFrom('webhook_deliveries').select('id').where('sequence', '<=', last)
  const waits = await due.where('state', '=', 'pending').limit(1).executeTakeFirst()
  if (waits !== undefined || (first !== null && Math.max(first, position) < last))
    throw new Error(
      'Webhooks are still to be sent records of this month: let a service run until they are, or disable the webhook.',
    )
  await trx.deleteFrom('webhook_deliveries').where('sequence', '<=', last).execute()
}
