import type { Store } from './open.ts'

export interface Service {
  code: string
  name: string
  audience: string
}

/** The services with these codes; a code that does not exist is left out. */
export async function servicesByCode(store: Store, codes: readonly string[]): Promise<Service[]> {
  if (codes.length === 0) return []
  return await store.db
    .selectFrom('services')
    .selectAll()
    .where('code', 'in', codes)
    .orderBy('code')
    .execute()
}

/** The permissions of a role as they are stored: codes, or the wildcard `iam.*`. */
export async function permissionsOfRole(store: Store, roleCode: string): Promise<string[]> {
  const rows = await store.db
    .selectFrom('role_permissions')
    .select('permission')
    .where('role_code', '=', roleCode)
    .execute()
  return rows.map((row) => row.permission)
}
