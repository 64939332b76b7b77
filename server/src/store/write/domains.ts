/** Which organisation has a domain, when that changes with something else than the domain itself. */
import type { Kysely } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'
import type { Writes } from './rows.ts'

/**
 * A disabled organisation has no domain; enabled again, it has those that the installation gave it and nobody else has
 * since. Those that it proved are looked at anew.
 */
export async function settleHolders(trx: Kysely<Schema>, { organisations }: Writes): Promise<void> {
  const turned = (active: 0 | 1) =>
    organisations.update
      .filter(({ before, set }) => set.active === active && before.active !== active)
      .map(({ before }) => before.uuid)
  for (const uuids of chunksOf(turned(0)))
    await trx.updateTable('domains').set({ holds: 0 }).where('organisation_uuid', 'in', uuids).execute()
  for (const uuids of chunksOf(turned(1)))
    await trx
      .updateTable('domains')
      .set({ holds: 1 })
      .where('organisation_uuid', 'in', uuids)
      .where('given', '=', 1)
      .where('name', 'not in', trx.selectFrom('domains').select('name').where('holds', '=', 1))
      .execute()
}
