import { sql } from 'kysely'
import { textList } from '../clients.ts'
import type { Transacting } from './change.ts'

/** Takes permissions that vanish from the roles that give them and the clients that list them. */
export async function dropPermissions(
  trx: Transacting,
  permissions: readonly string[],
  now: number,
): Promise<void> {
  if (permissions.length === 0) return
  const roles = await trx
    .deleteFrom('role_permissions')
    .where('permission', 'in', permissions)
    .returning('role_code')
    .execute()
  for (const code of new Set(roles.map((row) => row.role_code))) {
    await trx
      .updateTable('roles')
      .set({ version: sql<number>`version + 1` })
      .where('code', '=', code)
      .execute()
  }
  await dropFromClients(trx, 'permissions', permissions, now)
}

/** An empty list of permissions stays a list: whoever had one may do no more than before. */
export async function dropFromClients(
  trx: Transacting,
  column: 'permissions' | 'services',
  gone: readonly string[],
  now: number,
): Promise<void> {
  const clients = await trx
    .selectFrom('clients')
    .select(['client_id', column])
    .where(column, 'is not', null)
    .execute()
  for (const client of clients) {
    const before = textList(client[column] ?? '[]')
    const after = before.filter((one) => !gone.includes(one))
    if (after.length === before.length) continue
    await trx
      .updateTable('clients')
      .set({ [column]: JSON.stringify(after), updated_at: now, version: sql<number>`version + 1` })
      .where('client_id', '=', client.client_id)
      .execute()
  }
}
