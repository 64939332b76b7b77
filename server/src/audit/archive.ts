import type { Kysely } from 'kysely'
import { dropPartitions } from '../database/audit-partitions.ts'
import type { AuditMonth, AuditRecordRow } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { archiveMarkOf } from './chain.ts'
import { forgetCounts } from './counting.ts'
import { type Origin, record } from './record.ts'
import { auditPages } from './verify.ts'

/** Records that one transaction removes. */
const step = 1000

interface ArchiveOrder {
  now: number
  by: Origin
  file: string
}

/** The records of a closed month, in pages. */
export const recordsOf = (store: Store, { first, last }: AuditMonth): AsyncGenerator<AuditRecordRow[]> =>
  auditPages(store, { after: first - 1, last })

/**
 * Says, marked by the key, that a closed month was archived: from then on the triggers let its records be removed, and
 * the audit begins after it. `also` is done in the same transaction.
 *
 * Concurrency: one of several that archive a month at once does so; the others throw.
 */
export async function markArchived(
  store: Store,
  closed: AuditMonth,
  { now, by, file }: ArchiveOrder,
  also: (trx: Kysely<Schema>) => Promise<void>,
): Promise<void> {
  const { month, first, last } = closed
  const key = store.auditKey()
  await store.db.transaction().execute(async (trx) => {
    const marked = await trx
      .updateTable('audit_months')
      .set({ archived_at: now, archive_mac: archiveMarkOf(closed, key) })
      .where('month', '=', month)
      .where('archived_at', 'is', null)
      .returning('month')
      .executeTakeFirst()
    if (marked === undefined) throw archivedMeanwhile(month)
    await also(trx)
    const detail = { month, first, last, file }
    await record(store, { at: now, kind: 'audit.archived', ...by, detail }, trx)
  })
}

/** Removes the records of archived months. A call after one that was killed goes on; `tell` is told what it waits for. */
export async function removeArchived({ db }: Store, tell: (text: string) => void): Promise<void> {
  const { last } = await db
    .selectFrom('audit_months')
    .select((select) => select.fn.max<number | null>('last').as('last'))
    .where('archived_at', 'is not', null)
    .executeTakeFirstOrThrow()
  if (last === null) return
  const left = db.selectFrom('audit_records').select('sequence').where('sequence', '<=', last)
  if ((await left.limit(1).executeTakeFirst()) === undefined) return
  await dropPartitions(db, last, tell)
  for (let removed = step; removed >= step; ) {
    const next = left.orderBy('sequence').limit(step)
    const deletion = db.deleteFrom('audit_records').where('sequence', 'in', next)
    removed = Number((await deletion.executeTakeFirstOrThrow()).numDeletedRows)
  }
  await forgetCounts(db)
}

/** Throws when a month was archived since it was read. */
export async function expectUnarchived({ db }: Store, month: string): Promise<void> {
  const row = db.selectFrom('audit_months').select('archived_at').where('month', '=', month)
  if ((await row.executeTakeFirst())?.archived_at !== null) throw archivedMeanwhile(month)
}

const archivedMeanwhile = (month: string) => new Error(`Somebody else has archived ${month} meanwhile.`)
