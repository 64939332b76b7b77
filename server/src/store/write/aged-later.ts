import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/** Lets profiles that an upstream gives, and that counted at a time, count so much longer. */
export async function agedLater(
  trx: Kysely<Schema>,
  upstream_uuid: string,
  { from, by }: { from: number; by: number },
): Promise<void> {
  await trx
    .updateTable('profiles')
    .set({ counts_until: sql<number>`counts_until + ${by}` })
    .where('counts_until', '>', from)
    .where('uuid', 'in', (given) =>
      given.selectFrom('profile_sources').select('profile_uuid').where('source_uuid', '=', upstream_uuid),
    )
    .execute()
}
