/** What mappings of upstreams and directories give, and goes. */
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../../database/schema.ts'

/**
 * Takes the rules out that give a role that is gone: whoever wrote them could give that one, and nobody said that they may
 * give another that is made under its code.
 */
export async function unmapRoles(trx: Kysely<Schema>, roles: ReadonlySet<string>): Promise<void> {
  if (roles.size === 0) return
  for (const table of ['upstreams', 'directories'] as const) {
    const rows = await trx
      .selectFrom(table)
      .select(['uuid', 'mapping'])
      .where('mapping', '<>', '[]')
      .execute()
    for (const { uuid, mapping } of rows) {
      const rules = JSON.parse(mapping) as { role: string }[]
      const left = rules.filter(({ role }) => !roles.has(role))
      if (left.length === rules.length) continue
      await trx
        .updateTable(table)
        .set({ mapping: JSON.stringify(left), version: sql<number>`version + 1` })
        .where('uuid', '=', uuid)
        .execute()
    }
  }
}
