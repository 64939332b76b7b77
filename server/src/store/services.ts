import type { ServiceRow } from '../database/schema.ts'
import type { Reading } from './in-transaction.ts'

export type ClientService = Omit<ServiceRow, 'description'>

/** Every service, from memory as long as nothing changed: they are few, and many clients have the same. */
export async function allServices(store: Reading): Promise<ClientService[]> {
  return await store.cache.get('services', () =>
    store.db
      .selectFrom('services')
      .select(['code', 'name', 'audience', 'access_token_alg', 'access_token_typ'])
      .orderBy('code')
      .execute(),
  )
}
