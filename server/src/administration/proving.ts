/** What a dry run asks and tells of the workloads that prove to be a client by tokens of another issuer. */
import type { Kysely } from 'kysely'
import * as z from 'zod'
import { isOwnedWithin, type Reach } from '../access/reach.ts'
import { rowsOf } from '../database/rows.ts'
import type { ClientRow, Schema } from '../database/schema.ts'

export const proves = z
  .array(z.object({ client_id: z.string(), who: z.string().nullable(), beware: z.array(z.string()) }))
  .describe(
    'Who exactly can prove to be a client by tokens of another issuer, where that changes; null: nobody. `beware` says why that is more than it looks.',
  )

/** The clients that have something in a column: what is declared or removed elsewhere changes them too. */
export async function clientsWith(trx: Kysely<Schema>, reach: Reach, column: 'allowed' | 'federated') {
  const rows = await trx.selectFrom('clients').selectAll().where(column, 'is not', null).execute()
  return rows.filter((row) => isOwnedWithin(reach, row))
}

/** What who proves to be these clients depends on, as the transaction has it. `all`: those of any issuer as well. */
export async function provableNow(
  trx: Kysely<Schema>,
  { clients, reach, all }: { clients: readonly ClientRow[]; reach: Reach; all: boolean },
) {
  const others = all ? await clientsWith(trx, reach, 'federated') : []
  const seen = [...clients.filter((row) => isOwnedWithin(reach, row)), ...others]
  return {
    clients: [...new Map(seen.map((row) => [row.client_id, row])).values()],
    installation: await rowsOf(trx, 'installation', { name: 'assertion_issuers' }).execute(),
  }
}
