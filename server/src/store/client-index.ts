import type { Kysely } from 'kysely'
import { serviceOf } from '../protocol/permission.ts'
import { chunksOf } from '../database/chunks.ts'
import { insertRows } from '../database/many-rows.ts'
import type { ClientRow, Schema } from '../database/schema.ts'
import { textList } from './clients.ts'
import { subjectKeyOf } from './federated-subjects.ts'
import { indexWords } from './words.ts'

/**
 * Writes anew by which words and origins these clients are found, those of proxied ones too, and what those of them may do that are active machines.
 * Part of every change of clients.
 */
export async function indexClients(trx: Kysely<Schema>, clientIds: readonly string[]): Promise<void> {
  await indexWords(trx, 'client', clientIds)
  // An origin may move from one of them to another.
  for (const chunk of chunksOf(clientIds))
    for (const table of [
      'client_permissions',
      'client_origins',
      'proxied_origins',
      'federated_subjects',
    ] as const)
      await trx.deleteFrom(table).where('client_id', 'in', chunk).execute()
  for (const chunk of chunksOf(clientIds)) {
    const clients = await trx.selectFrom('clients').selectAll().where('client_id', 'in', chunk).execute()
    for (const [table, column] of [
      ['client_origins', 'allowed_origins'],
      ['proxied_origins', 'origins'],
    ] as const) {
      const origins = clients.flatMap(({ client_id, [column]: listed }) =>
        textList(listed).map((origin) => ({ origin, client_id })),
      )
      await insertRows(trx, table, ['origin', 'client_id'], origins)
    }
    const subjects = clients.flatMap(({ client_id, ...row }) => {
      const key = subjectKeyOf(row)
      return key === undefined ? [] : [{ key, client_id }]
    })
    await insertRows(trx, 'federated_subjects', ['key', 'client_id'], subjects)
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
