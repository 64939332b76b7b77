import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { AuditKind } from '../protocol/audit-kinds.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { closedMonths } from './months.ts'

/** What is counted by the hour. */
const kinds = ['sign_in.succeeded', 'sign_in.failed'] as const satisfies readonly AuditKind[]
export type CountedKind = (typeof kinds)[number]

export const hour = 3_600_000
/** Records of one transaction, which SQLite's requests wait for; a remainder is left to whoever asks. */
const step = 1000

/** Up to which record they are counted, and where the chain ends. */
export async function countedSoFar(
  db: Kysely<Schema>,
): Promise<{ counted: number; head: number; month: string | null }> {
  return await db
    .selectFrom(['audit_counts', 'audit_head'])
    .select(['count as counted', 'sequence as head', 'audit_head.month'])
    .where('kind', '=', '')
    .where('client_id', '=', '')
    .where('name', '=', 'chain')
    .executeTakeFirstOrThrow(() => new Error('The head of the audit, or what is counted of it, is missing.'))
}

/**
 * Counts the records that were linked since, until few are left.
 *
 * Concurrency: who moves the position has counted what lies before it, in the same transaction; the others do nothing.
 */
export async function countRecords(store: Store, isToStop: () => boolean): Promise<void> {
  while (!isToStop() && (await countNext(store))) await nextTurn()
}

/** False: few are left. */
async function countNext({ upkeep: db }: Store): Promise<boolean> {
  const { counted, head, month: open } = await countedSoFar(db)
  if (head - counted < step || open === null) return false
  // What was closed since the head was read ends no earlier than that.
  const closed = (await closedMonths(db)).find(({ last }) => last > counted)
  const reached = Math.min(counted + step, closed?.last ?? head)
  await db.transaction().execute(async (trx) => {
    const moved = await trx
      .updateTable('audit_counts')
      .set({ count: reached })
      .where('kind', '=', '')
      .where('client_id', '=', '')
      .where('count', '=', counted)
      .executeTakeFirstOrThrow()
    if (Number(moved.numUpdatedRows) > 0) await addCounts(trx, counted, reached, closed?.month ?? open)
  })
  return true
}

/** Adds the counts of each client, as it is registered now, and of all together. */
async function addCounts(trx: Kysely<Schema>, after: number, reached: number, month: string): Promise<void> {
  const added = sql`from audit_records left join clients
    on clients.client_id = audit_records.client_id and clients.created_at <= audit_records.at
    where sequence > ${after} and sequence <= ${reached} and kind || '' in (${sql.join(kinds)})`
  const at = sql`kind, at - at % ${sql.lit(hour)} as hour`
  await sql`insert into audit_counts (client_id, kind, hour, since, month, count)
    select client_id, kind, hour, since, ${month}, count(*) from (
      select '' as client_id, ${at}, -1 as since ${added}
      union all
      select audit_records.client_id, ${at}, coalesce(created_at, -1) as since ${added}
      and audit_records.client_id is not null
    ) as added
    group by client_id, kind, hour, since
    on conflict (client_id, kind, hour, since, month) do update set count = audit_counts.count + excluded.count
  `.execute(trx)
}

/** Removes what was counted of archived months. */
export async function forgetCounts(db: Kysely<Schema>): Promise<void> {
  await db
    .deleteFrom('audit_counts')
    .where('kind', '<>', '')
    .where(sql<boolean>`month <= (select max(month) from audit_months where archived_at is not null)`)
    .execute()
}
