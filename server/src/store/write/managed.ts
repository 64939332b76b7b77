/** Which declared file manages a thing. */
import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import type { ManagedTable, Schema } from '../../database/schema.ts'
import { proved } from '../ownership.ts'
import { keyColumns } from './rows.ts'

/** The file that manages a thing from now on; null: none does. `key` is what its row is known by. */
export interface Mark {
  table: ManagedTable
  key: string
  managedBy: string | null
}

/** Notes which file manages a thing. Its version stays: the mark is no change of the thing. */
export async function markManaged(trx: Kysely<Schema>, marks: readonly Mark[]): Promise<void> {
  const tables = [...new Set(marks.map(({ table }) => table))]
  for (const table of tables)
    for (const managedBy of new Set(marks.map((one) => one.managedBy))) {
      const these = marks.filter((one) => one.table === table && one.managedBy === managedBy)
      for (const keys of chunksOf(these.map(({ key }) => key))) {
        await sql`update ${sql.table(table)} set managed_by = ${managedBy}
          where ${sql.ref(keyColumns[table][0])} in (${sql.join(keys)})`.execute(trx)
        if (managedBy !== null) await own(trx, table, keys)
      }
    }
}

/** Marks credentials of adopted things as set by somebody who administers everything. */
async function own(trx: Kysely<Schema>, table: ManagedTable, keys: readonly string[]): Promise<void> {
  if (table === 'users') await trx.updateTable(table).set(proved).where('uuid', 'in', keys).execute()
  if (table !== 'clients') return
  const owned = { limited_reach: 0 } as const
  for (const credentials of ['clients', 'client_secrets'] as const)
    await trx.updateTable(credentials).set(owned).where('client_id', 'in', keys).execute()
}
