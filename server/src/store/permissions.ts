import type { Store } from '../database/store.ts'

export interface DescribedPermission {
  code: string
  description: string
}

/** The permissions that a declared service knows, by code, from memory as long as nothing changed. */
export async function permissionsOfService(
  store: Store,
  serviceCode: string,
): Promise<readonly DescribedPermission[]> {
  return await store.cache.get(`permissions of ${serviceCode}`, () =>
    store.db
      .selectFrom('permissions')
      .select(['code', 'description'])
      .where('service_code', '=', serviceCode)
      .orderBy('code')
      .execute(),
  )
}
