import type { Policy } from '../protocol/policy.ts'
import { policyOf } from '../protocol/policy.ts'
import type { Reading } from './in-transaction.ts'

/** The policy of the installation, from memory as long as nothing changed. */
export async function installationPolicy(store: Reading): Promise<Policy> {
  return await store.cache.get('installation policy', async () => {
    const row = await store.db
      .selectFrom('installation')
      .select('kept')
      .where('name', '=', 'policy')
      .executeTakeFirstOrThrow()
    return policyOf(row.kept) ?? {}
  })
}
