import type { Kysely } from 'kysely'
import type { AuditKey, ChainHead } from '../database/audit-key.ts'
import type { AuditMonth } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Recording } from './append.ts'
import { archiveMarkOf, monthMarkOf } from './chain.ts'
import { freeHead } from './head.ts'

/** The month of a time, UTC, such as 2026-11. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7)

/**
 * Closes the month in which records were linked, when it is over: keeps where the chain ends, marked by the key, and
 * begins the month of `now`. A month without a record leaves no head.
 *
 * Concurrency: who holds the row of the head closes the month; the others do nothing. What was recorded in the month and
 * still waits is linked before: until then this does nothing, and is called again.
 */
export async function closeMonth(store: Recording, now: number): Promise<void> {
  const month = monthOf(now)
  if (!isOver(await openMonth(store.db), month)) return
  const key = store.auditKey()
  await store.db.transaction().execute(async (trx) => {
    const head = await freeHead(trx)
    if (head === undefined) return
    const open = await openMonth(trx)
    if (!isOver(open, month) || (await someWaitFrom(trx, Date.parse(month)))) return
    if (open !== null) await keepHead(trx, key, { month: open, head })
    await trx.updateTable('audit_head').set({ month }).where('name', '=', 'chain').execute()
  })
}

/** Months that are closed, the first one first. */
export const closedMonths = (db: Kysely<Schema>): Promise<AuditMonth[]> =>
  db.selectFrom('audit_months').selectAll().orderBy('last').execute()

/** The month that records are linked in; null: none was begun. */
export async function openMonth(db: Kysely<Schema>): Promise<string | null> {
  const row = await db.selectFrom('audit_head').select('month').where('name', '=', 'chain').executeTakeFirst()
  return row?.month ?? null
}

const isOver = (open: string | null, month: string) => open === null || open < month

/** Whether a record waits that was made before a time. */
async function someWaitFrom(trx: Kysely<Schema>, before: number): Promise<boolean> {
  const waiting = trx.selectFrom('audit_waiting').select('number').where('at', '<', before)
  return (await waiting.limit(1).executeTakeFirst()) !== undefined
}

async function keepHead(
  trx: Kysely<Schema>,
  key: AuditKey,
  { month, head: { sequence: last, hash } }: { month: string; head: ChainHead },
): Promise<void> {
  const before = (await closedMonths(trx)).at(-1)
  const closed = { month, first: (before?.last ?? 0) + 1, last, hash }
  if (closed.first > last) return
  const mac = monthMarkOf(closed, key)
  await trx
    .insertInto('audit_months')
    .values({ ...closed, mac, archived_at: null, archive_mac: null })
    .execute()
}

/** Marks every closed month by another key, as they stand. */
export async function remarkMonths(trx: Kysely<Schema>, key: AuditKey): Promise<void> {
  for (const closed of await closedMonths(trx))
    await trx
      .updateTable('audit_months')
      .set({
        mac: monthMarkOf(closed, key),
        archive_mac: closed.archived_at === null ? null : archiveMarkOf(closed, key),
      })
      .where('month', '=', closed.month)
      .execute()
}
