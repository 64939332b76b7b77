import type { Kysely } from 'kysely'
import { serviceOf } from '../protocol/permission.ts'
import { chunksOf } from '../database/chunks.ts'
import { insertRows } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'
import { textList } from './clients.ts'
import { indexWords } from './words.ts'

/**
 * Writes anew by which words these clients are found, and what those of them may do that are active machines. Part of
 * every verb that writes clients.
 */
export async function indexClients(trx: Kysely<Schema>, clientIds: readonly string[]): Promise<void> {
  await indexWords(trx, 'client', clientIds)
  for (const chunk of chunksOf(clientIds)) {
    await trx.deleteFrom('client_permissions').where('client_id', 'in', chunk).execute()
    const machines = await trx
      .selectFrom('clients')
      .select(['client_id', 'client_name', 'organisation_uuid', 'services', 'permissions'])
      .where('client_id', 'in', chunk)
      .where('type', '=', 'machine')
      .where('active', '=', 1)
      .execute()
    const rows = machines.flatMap(({ services, permissions, ...client }) => {
      const assigned = textList(services)
      const listed = new Set(textList(permissions ?? '[]').filter((one) => assigned.includes(serviceOf(one))))
      return [...listed].map((permission) => ({ ...client, permission }))
    })
    const columns = ['client_id', 'permission', 'client_name', 'organisation_uuid']
    await insertRows(trx, 'client_permissions', columns, rows)
  }
}
