import { expandPermissions } from '../protocol/permission.ts'
import type { Reading } from './in-transaction.ts'

/** The permissions of a role, wildcard written out, from memory as long as nothing changed. */
export async function permissionsOfRole(store: Reading, roleCode: string): Promise<readonly string[]> {
  return await store.cache.get(`role ${roleCode}`, async () => {
    const rows = await store.db
      .selectFrom('role_permissions')
      .select('permission')
      .where('role_code', '=', roleCode)
      .execute()
    return expandPermissions(rows.map((row) => row.permission))
  })
}
