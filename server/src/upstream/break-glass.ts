import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'

/** The people who get in when the organisation's upstreams do not. */
export async function breakGlassOf(trx: Kysely<Schema>, organisation_uuid: string): Promise<Set<string>> {
  const row = await trx
    .selectFrom('organisations')
    .select('break_glass')
    .where('uuid', '=', organisation_uuid)
    .executeTakeFirst()
  return new Set(JSON.parse(row?.break_glass ?? '[]') as string[])
}
