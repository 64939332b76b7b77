import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { Schema } from '../../database/schema.ts'
import type { WrittenRow } from './rows.ts'

/** A new profile of somebody whom a source has suspended in its organisation does not count either. */
export async function markSuspended(
  trx: Kysely<Schema>,
  profiles: readonly WrittenRow<'profiles'>[],
): Promise<void> {
  if (profiles.length === 0) return
  const one = await trx.selectFrom('suspensions').select('user_uuid').limit(1).executeTakeFirst()
  if (one === undefined) return
  for (const some of chunksOf(profiles.map(({ uuid }) => uuid)))
    await trx
      .updateTable('profiles')
      .set({ suspended: 1 })
      .where('uuid', 'in', some)
      .where(
        sql<boolean>`exists (select 1 from suspensions where suspensions.user_uuid = profiles.user_uuid
          and suspensions.organisation_uuid = profiles.organisation_uuid)`,
      )
      .execute()
}
