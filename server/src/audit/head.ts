import type { Kysely } from 'kysely'
import type { ChainHead } from '../database/audit-key.ts'
import { preparedRow } from '../database/prepared.ts'
import type { AuditRecordRow } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'

export const headless = 'The head of the audit is missing: run tessera audit verify, and see docs/audit.md.'

const selectHead = (db: Kysely<Schema>) =>
  db.selectFrom('audit_head').select(['sequence', 'hash']).where('name', '=', 'chain')

/** The number and hash of the last record; undefined when the row that keeps them is gone. */
export const findHead = (db: Kysely<Schema>): Promise<ChainHead | undefined> =>
  selectHead(db).executeTakeFirst()

/** Throws when the row that keeps the head is gone. */
export const auditHead = ({ db }: Pick<Store, 'db'>): Promise<ChainHead> =>
  selectHead(db).executeTakeFirstOrThrow(() => new Error(headless))

/** The head within a transaction that may move it, and the month that records are linked in. */
export interface HeldHead extends ChainHead {
  /** Null: none was begun. */
  month: string | null
}

/** The partition on PostgreSQL; text that is empty is that of the time before there were any. */
export const partitionOf = ({ month }: HeldHead): string => month ?? ''

/** The head, which nobody else moves until the end of the transaction. */
export const heldHead = (trx: Kysely<Schema>): Promise<HeldHead> =>
  selectHead(trx)
    .select('month')
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Error(headless))

const selectFree = (db: Kysely<Schema>) => selectHead(db).select('month').forUpdate().skipLocked()

/** The head, locked for this transaction; undefined while another transaction holds it. */
export async function freeHead(trx: Kysely<Schema>): Promise<HeldHead | undefined> {
  const head = await selectFree(trx).executeTakeFirst()
  // A row that is gone can't be held by anybody.
  if (head === undefined) await auditHead({ db: trx })
  return head
}

/** The free head, in a verb. A row that is gone counts as held. */
export const takeHead = preparedRow<object, HeldHead>(selectFree)

/** The record of a number. Prepared: with many partitions, planning takes longer than looking into each. */
export const recordAt = preparedRow<{ sequence: number }, AuditRecordRow>((db, slot) =>
  db.selectFrom('audit_records').selectAll().where('sequence', '=', slot('sequence')),
)

/** Whether the chain still contains an earlier head, or has archived it. */
export async function goesThrough(store: Store, { sequence, hash }: ChainHead): Promise<boolean> {
  if (sequence === 0) return true
  const row = await store.read(recordAt({ sequence }))
  if (row !== undefined) return row.hash === hash
  const archived = store.db
    .selectFrom('audit_months')
    .select('month')
    .where('last', '>=', sequence)
    .where('archived_at', 'is not', null)
  return (await archived.limit(1).executeTakeFirst()) !== undefined
}
