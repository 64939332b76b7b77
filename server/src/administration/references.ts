import { rowsOf } from '../database/rows.ts'
import type { RowChanges } from '../store/write/rows.ts'
import { write } from '../store/write/write.ts'
import { groupsWithout } from '../protocol/client-claims.ts'
import { textList } from '../store/clients.ts'
import type { By, Row, AuditedChange, Transacting } from './by.ts'
import { compared } from './version.ts'

/**
 * Permissions and services that are removed, taken from the roles and clients that name them. The audit is told of each
 * as if it had been changed by itself.
 */

/** Takes permissions that vanish from the roles that give them. */
export async function dropFromRoles(
  trx: Transacting,
  by: By,
  permissions: readonly string[],
): Promise<AuditedChange[]> {
  if (permissions.length === 0) return []
  const losing = trx.selectFrom('role_permissions').select('role_code').where('permission', 'in', permissions)
  const held = await trx
    .selectFrom('role_permissions')
    .selectAll()
    .where('role_code', 'in', losing)
    .orderBy('permission')
    .execute()
  const codes = [...new Set(held.map((row) => row.role_code))]
  const gone = held.filter((row) => permissions.includes(row.permission))
  await write(trx, { role_permissions: { remove: gone } }, compared(by))
  return codes.map((code) => {
    const before = held.filter((row) => row.role_code === code).map((row) => row.permission)
    const after = before.filter((one) => !permissions.includes(one))
    const values = { before: { permissions: before }, after: { permissions: after } }
    return { thing: 'role' as const, id: code, managedBy: null, ...values }
  })
}

/**
 * Takes permissions and services that vanish from the clients that list them. An empty list of permissions stays a
 * list: its client may do no more than before.
 */
export async function dropFromClients(
  trx: Transacting,
  by: By,
  gone: Readonly<Record<'permissions' | 'services', readonly string[]>>,
): Promise<AuditedChange[]> {
  const clients = await rowsOf(trx, 'clients', {}).execute()
  const told: AuditedChange[] = []
  const update: RowChanges<Row<'clients'>>['update'] = []
  for (const client of clients) {
    const before = {
      permissions: client.permissions === null ? null : textList(client.permissions),
      services: textList(client.services),
    }
    const after = {
      permissions: before.permissions?.filter((one) => !gone.permissions.includes(one)) ?? null,
      services: before.services.filter((one) => !gone.services.includes(one)),
    }
    if (JSON.stringify(after) === JSON.stringify(before)) continue
    const set = {
      groups: groupsWithout(client.groups, (one) => gone.services.includes(one)),
      permissions: after.permissions === null ? null : JSON.stringify(after.permissions),
      services: JSON.stringify(after.services),
      updated_at: by.now,
    }
    update.push({ before: client, set })
    const { client_id: id, organisation_uuid } = client
    told.push({ thing: 'client', id, organisation_uuid, managedBy: null, before, after })
  }
  await write(trx, { clients: { update } }, compared(by))
  return told
}
