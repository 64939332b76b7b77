import type { Kysely } from 'kysely'
import { serviceOf } from '../protocol/permission.ts'
import { chunksOf } from '../database/chunks.ts'
import { insertRows } from '../database/many-rows.ts'
import type { ClientRow, Schema } from '../database/schema.ts'
import { textList } from './clients.ts'
import { indexWords } from './words.ts'

/**
 * Writes anew by which words and origins these clients are found, and what those of them may do that are active machines.
 * Part of every change of clients.
 */
export async function indexClients(trx: Kysely<Schema>, clientIds: readonly string[]): Promise<void> {
  await indexWords(trx, 'client', clientIds)
  for (const chunk of chunksOf(clientIds)) {
    for (const table of ['client_permissions', 'client_origins'] as const)
      await trx.deleteFrom(table).where('client_id', 'in', chunk).execute()
    const clients = await trx.selectFrom('clients').selectAll().where('client_id', 'in', chunk).execute()
    const origins = clients.flatMap(({ client_id, allowed_origins }) =>
      textList(allowed_origins).map((origin) => ({ origin, client_id })),
    )
    await insertRows(trx, 'client_origins', ['origin', 'client_id'], origins)
    await insertRows(trx, 'client_permissions', permissionColumns, clients.flatMap(permissionsOf))
  }
}

const permissionColumns = ['client_id', 'permission', 'client_name', 'organisation_uuid'] as const

function permissionsOf({ type, active, services, permissions, ...client }: ClientRow) {
  if (type !== 'machine' || active === 0) return []
  const assigned = textList(services)
  const listed = new Set(textList(permissions ?? '[]').filter((one) => assigned.includes(serviceOf(one))))
  const { client_id, client_name, organisation_uuid } = client
  return [...listed].map((permission) => ({ client_id, client_name, organisation_uuid, permission }))
}
