import { sql } from 'kysely'
import type { AuditKind } from '../protocol/audit-kinds.ts'
import type { Store } from '../database/store.ts'
import { settled } from './link.ts'

/** How many records of a kind there are, by time. */
export interface Counted {
  kind: AuditKind
  /** A multiple of the step; epoch milliseconds. */
  from: number
  /** Exclusive. */
  to: number
  step: number
  /** Through this client alone, and through clients of this organisation. */
  client: string | undefined
  organisation: string | undefined
}

/** The count of each step, from the first to the last; one range of an index. */
export async function countedRecords(
  store: Store,
  counted: Counted,
): Promise<{ at: number; count: number }[]> {
  await settled(store)
  const { kind, from, to, step, client, organisation } = counted
  // Numbers are bound as they come: without the cast SQLite divides as fractions.
  const bucket = sql<number>`(at - cast(${from} as bigint)) / cast(${step} as bigint)`
  const rows = await store.db
    .selectFrom('audit_records')
    .select((row) => [bucket.as('bucket'), row.fn.countAll<number>().as('count')])
    .where('kind', '=', kind)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(client !== undefined, (query) => query.where('client_id', '=', client ?? ''))
    .$if(organisation !== undefined, (query) => query.where(throughClientsOf(organisation ?? '')))
    .groupBy(sql.ref('bucket'))
    .execute()
  const counts = new Map(rows.map((row) => [Number(row.bucket), Number(row.count)]))
  const steps = Math.ceil((to - from) / step)
  return Array.from({ length: steps }, (_, at) => ({ at: from + at * step, count: counts.get(at) ?? 0 }))
}

/** A client that has taken the name of one before does not count what came through that. */
const throughClientsOf = (organisation: string) => sql<boolean>`exists (
  select 1 from clients where clients.client_id = audit_records.client_id
  and clients.organisation_uuid = ${organisation} and clients.created_at <= audit_records.at)`
