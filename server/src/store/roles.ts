import { expandPermissions } from '../protocol/permission.ts'
import type { Reading } from './in-transaction.ts'

/** The permissions of a role, wildcard written out, from memory as long as nothing changed. */
export async function permissionsOfRole(store: Reading, role_code: string): Promise<readonly string[]> {
  return await store.cache.get(`role ${role_code}`, async () => {
    const rows = await store.db
      .selectFrom('role_permissions')
      .select('permission')
      .where('role_code', '=', role_code)
      .execute()
    return expandPermissions(rows.map((row) => row.permission))
  })
}
