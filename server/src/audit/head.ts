import type { Kysely } from 'kysely'
import type { ChainHead } from '../database/audit-key.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

/** The number and hash of the last record; undefined when the row that keeps them is gone. */
export async function findHead(db: Kysely<Schema>): Promise<ChainHead | undefined> {
  return await db
    .selectFrom('audit_head')
    .select(['sequence', 'hash'])
    .where('name', '=', 'chain')
    .executeTakeFirst()
}

/** Throws when the row that keeps the head is gone. */
export async function auditHead({ db }: Pick<Store, 'db'>): Promise<ChainHead> {
  const head = await findHead(db)
  if (head === undefined) throw new Error('The head of the audit is missing: run tessera audit verify.')
  return head
}

/** Whether the chain still contains an earlier head. */
export async function goesThrough({ db }: Store, { sequence, hash }: ChainHead): Promise<boolean> {
  if (sequence === 0) return true
  const row = await db
    .selectFrom('audit_records')
    .select('hash')
    .where('sequence', '=', sequence)
    .executeTakeFirst()
  return row?.hash === hash
}
