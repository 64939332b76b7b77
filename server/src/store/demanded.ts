import type { Kysely } from 'kysely'
import type { Schema } from '../database/schema.ts'
import { policyOf } from '../protocol/policy.ts'

/** Whether any policy wants a sign-in by the upstreams of an organisation, or of the installation. */
export async function isDemanded(trx: Kysely<Schema>, organisation_uuid: string | null): Promise<boolean> {
  const named = '%"sign_in":"upstream"%'
  const own = await trx
    .selectFrom('organisations')
    .select('policy')
    .where('uuid', '=', organisation_uuid ?? '')
    .executeTakeFirst()
  if (policyOf(own?.policy ?? null)?.sign_in === 'upstream') return true
  const everywhere = await trx
    .selectFrom('installation')
    .select('name')
    .where('name', '=', 'policy')
    .where('kept', 'like', named)
    .union(trx.selectFrom('roles').select('code as name').where('policy', 'like', named))
    .union(trx.selectFrom('clients').select('client_id as name').where('policy', 'like', named))
    .execute()
  return everywhere.length > 0
}
