import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../database/store.ts'
import { type CountedKind, countedSoFar, hour } from './counting.ts'
import { settled } from './link.ts'

/** How many records of a kind there are, by time. */
export interface Counted {
  kind: CountedKind
  /** A multiple of the step, which is one of an hour; epoch milliseconds. */
  from: number
  /** Exclusive. */
  to: number
  step: number
  /** Counts only records of this client, and of clients of this organisation. */
  client: string | undefined
  organisation: string | undefined
}

/** So many are read beside what was counted before; while there are more, as after an upgrade, all are counted. */
const most = 20_000

/**
 * The count of each step, from the first to the last: that of whole hours, as it was counted before, and the records
 * since and of the last hour. One statement, so that nothing is counted twice.
 */
export async function countedRecords(
  store: Store,
  counted: Counted,
): Promise<{ at: number; count: number }[]> {
  await settled(store)
  const { from, to, step } = counted
  const { counted: position, head } = await countedSoFar(store.db)
  const whole = head - position > most ? from : Math.max(from, to - (to % hour))
  const parts = [
    ...(whole > from ? [kept({ ...counted, to: whole }), since({ ...counted, to: whole })] : []),
    live({ ...counted, from: whole }),
  ]
  // Numbers are bound as they come: without the cast SQLite divides as fractions.
  const { rows } = await sql<{ bucket: number; count: number }>`
    select (at - cast(${from} as bigint)) / cast(${step} as bigint) as bucket, sum(count) as count
    from (${sql.join(parts, sql` union all `)}) as parts group by bucket`.execute(store.db)
  const counts = new Map(rows.map((row) => [Number(row.bucket), Number(row.count)]))
  const steps = Math.ceil((to - from) / step)
  return Array.from({ length: steps }, (_, at) => ({ at: from + at * step, count: counts.get(at) ?? 0 }))
}

/** The counts of hours, but of archived months. A client that took the name of an earlier one has none of these. */
function kept({ kind, from, to, client, organisation }: Counted): RawBuilder<unknown> {
  const own = sql`clients.organisation_uuid = ${organisation} and clients.created_at <= since`
  const name = organisation === undefined ? sql`${client ?? ''}` : sql`clients.client_id`
  return sql`select hour as at, count from audit_counts ${organisation === undefined ? sql`` : sql`join clients on ${own}`}
    where audit_counts.client_id = ${name} and ${client === undefined ? sql`true` : sql`audit_counts.client_id = ${client}`}
    and kind = ${kind} and hour >= ${from} and hour < ${to}
    and month > (select coalesce(max(month), '') from audit_months where archived_at is not null)`
}

/** Records that are not counted yet, by their numbers. */
const since = (counted: Counted) => sql`select at, 1 as count from audit_records
  where sequence > (select count from audit_counts where client_id = '' and kind = '')
  and ${found(sql`kind || ''`, sql`at + 0`, counted)}`

/** Records by time: a range of an index. */
const live = (counted: Counted) => sql`select at, 1 as count from audit_records
  where ${found(sql`kind`, sql`at`, counted)}`

const found = (
  ofKind: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
  { kind, from, to, client, organisation }: Counted,
) => sql`${ofKind} = ${kind} and ${at} >= ${from} and ${at} < ${to}
  and ${client === undefined ? sql`true` : sql`client_id = ${client}`}
  and ${organisation === undefined ? sql`true` : throughClientsOf(organisation)}`

/** A client that has taken the name of one before does not count what came through that. `+ 0`: by no index. */
const throughClientsOf = (organisation: string) => sql<boolean>`exists (
  select 1 from clients where clients.client_id = audit_records.client_id
  and clients.organisation_uuid = ${organisation} and clients.created_at <= audit_records.at + 0)`
