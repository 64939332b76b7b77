import { rowsOf } from '../database/rows.ts'
import type { RowChanges } from '../store/write/rows.ts'
import { write } from '../store/write/write.ts'
import type { ClientRow } from '../database/schema.ts'
import { exchangeIn } from '../protocol/exchange.ts'
import { clientWithout } from '../store/client-without.ts'
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

/** Takes permissions and services that vanish from the clients that list them, or are such a service for others. */
export async function dropFromClients(
  trx: Transacting,
  by: By,
  gone: Readonly<Record<'permissions' | 'services', readonly string[]>>,
): Promise<AuditedChange[]> {
  const vanished = { permissions: new Set(gone.permissions), services: new Set(gone.services) }
  const clients = await rowsOf(trx, 'clients', {}).execute()
  const told: AuditedChange[] = []
  const update: RowChanges<Row<'clients'>>['update'] = []
  for (const client of clients) {
    const set = clientWithout(client, vanished)
    if (set === undefined) continue
    update.push({ before: client, set: { ...set, updated_at: by.now } })
    const { client_id: id, organisation_uuid } = client
    const [before, after] = [listsOf(client), listsOf(set)]
    told.push({ thing: 'client', id, organisation_uuid, managedBy: null, before, after })
  }
  await write(trx, { clients: { update } }, compared(by))
  return told
}

type Lists = Pick<ClientRow, 'permissions' | 'services' | 'acts_as' | 'exchange' | 'grant_types'>

const listsOf = ({ permissions, services, acts_as, exchange, grant_types }: Lists) => ({
  permissions: permissions === null ? null : textList(permissions),
  services: textList(services),
  acts_as,
  exchange: exchange === null ? null : { ...exchangeIn(exchange) },
  grant_types: textList(grant_types),
})
