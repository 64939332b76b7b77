import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import type { FactorRow } from '../database/schema-factors.ts'

/** How long “this was not me” counts after a notice, and a removed factor rests, ms. */
export const repudiable = 7 * 24 * 3_600_000

/** Removed factors rest, so that somebody who did not remove theirs gets it back: for as long as the notice says. */
export async function keepRemoved(trx: Kysely<Schema>, ids: readonly string[], now: number): Promise<void> {
  const rows = await trx.selectFrom('factors').selectAll().where('id', 'in', ids).execute()
  for (const { id, user_uuid, secret, ...row } of rows) {
    const removed = { user_uuid, secret, kept: JSON.stringify(row), removed_at: now }
    await trx
      .insertInto('removed_factors')
      .values({ id, ...removed })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(removed))
      .execute()
  }
}

/** Puts a removed factor back, as it was; undefined: it rests no more, or its passkey was set up again. */
export async function putBack(
  trx: Kysely<Schema>,
  id: string,
  user_uuid: string,
): Promise<Pick<FactorRow, 'id' | 'kind' | 'name'> | undefined> {
  const removed = await trx
    .deleteFrom('removed_factors')
    .where('id', '=', id)
    .where('user_uuid', '=', user_uuid)
    .returning(['kept', 'secret'])
    .executeTakeFirst()
  if (removed === undefined) return undefined
  const kept = JSON.parse(removed.kept) as Omit<FactorRow, 'id' | 'user_uuid' | 'secret' | 'failures'>
  const row = await trx
    .insertInto('factors')
    .values({ ...kept, id, user_uuid, secret: removed.secret })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'kind', 'name'])
    .executeTakeFirst()
  if (row !== undefined)
    await trx.updateTable('users').set({ second_factor: 1 }).where('uuid', '=', user_uuid).execute()
  return row
}
