import type { Kysely } from 'kysely'
import { type AuditKind, auditedThings } from '../protocol/audit-kinds.ts'
import type { Schema } from '../database/schema.ts'
import { findHead } from './head.ts'

/** The number of records, as this transaction sees it. */
export const lengthOfAudit = async (trx: Kysely<Schema>): Promise<number> =>
  (await findHead(trx))?.sequence ?? 0

const changes: readonly AuditKind[] = [
  ...auditedThings.flatMap((thing) => [
    `${thing}.created` as const,
    `${thing}.changed` as const,
    `${thing}.removed` as const,
  ]),
  'declared.applied',
  'database.restored',
]

/** Whether anything that is administered changed after a record: each change is recorded in its own transaction. */
export async function administeredSince(trx: Kysely<Schema>, sequence: number): Promise<boolean> {
  const change = await trx
    .selectFrom('audit_records')
    .select('sequence')
    .where('sequence', '>', sequence)
    .where('kind', 'in', changes)
    .limit(1)
    .executeTakeFirst()
  return change !== undefined
}
