/** The records of the audit from which the past of somebody is told, and how far back it reaches. */
import type { Kysely } from 'kysely'
import type { PastRecord, ThingValues } from '../access/moment.ts'
import { recorded } from '../audit/recorded.ts'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import type { AuditContent } from '../database/schema-audit.ts'
import { wrongField } from '../protocol/problem.ts'

/** More of them are not taken back for one answer. */
const most = 2000

/** The moment can not be told; one from `since` on can. */
export const untold = (since: number, why: string) =>
  wrongField('at', `${why} Moments from ${new Date(since).toISOString()} on can be told.`, 'conflict')

/** Throws `conflict` where records of that time or since are not there any more. */
export async function reachesBack(db: Kysely<Schema>, at: number): Promise<void> {
  const archived = await db
    .selectFrom('audit_months')
    .select((select) => select.fn.max<string | null>('month').as('month'))
    .where('archived_at', 'is not', null)
    .executeTakeFirst()
  const from = archived?.month ? monthAfter(archived.month) : 0
  if (at < from) throw untold(from, 'The audit of that time was archived.')
  const lost = await recorded(db)
    .select(['at', 'linked'])
    .where('kind', 'in', ['database.restored', 'database.lost'])
    .where('at', '>', at)
    .execute()
  for (const { at: found, linked } of lost)
    if (at >= (await timeBefore(db, linked)))
      throw untold(found, 'The database lacks what happened then: it was restored, or lost something.')
}

function monthAfter(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return Date.UTC(year, number)
}

/** The time of the record before one in the chain. */
async function timeBefore(db: Kysely<Schema>, sequence: number | null): Promise<number> {
  if (sequence === null) return 0
  const row = await db
    .selectFrom('audit_records')
    .select('at')
    .where('sequence', '=', Number(sequence) - 1)
    .executeTakeFirst()
  return Number(row?.at ?? 0)
}

interface PastQuery {
  column: 'user_uuid' | 'target_id' | 'organisation_uuid'
  ids: readonly string[]
  kinds: readonly string[]
  /** Only those after this time; undefined: all. */
  since?: number | undefined
}

/** The records of these, in the order in which they happened. Throws `conflict` where they are too many. */
export async function pastRecords(
  db: Kysely<Schema>,
  { column, ids, kinds, since }: PastQuery,
): Promise<PastRecord[]> {
  const rows = []
  for (const some of chunksOf([...new Set(ids)])) {
    let query = recorded(db)
      .select(['at', 'kind', 'actor_id', 'actor_kind', 'target_id', 'user_uuid'])
      .select(['organisation_uuid', 'before', 'after', 'detail', 'linked', 'waited'])
      .where(column, 'in', some)
      .where('kind', 'in', kinds)
    if (since !== undefined) query = query.where('at', '>', since)
    rows.push(...(await query.limit(most + 1).execute()))
    if (rows.length > most) throw untoldOf(rows)
  }
  return rows.toSorted((one, other) => orderOf(one) - orderOf(other)).map(asRecord)
}

function untoldOf(rows: readonly { at: number }[]) {
  const latest = rows.map((one) => Number(one.at)).sort((one, other) => other - one)
  return untold(latest[most / 2] ?? 0, 'Too much has changed since.')
}

/** Records that wait come after all that are linked. */
const orderOf = ({ linked, waited }: { linked: number | null; waited: number | null }): number =>
  linked === null ? Number.MAX_SAFE_INTEGER / 2 + Number(waited) : Number(linked)

const valuesOf = (text: string | null): ThingValues | undefined =>
  text === null ? undefined : (JSON.parse(text) as ThingValues)

type StoredRecord = Pick<
  AuditContent,
  'at' | 'kind' | 'actor_id' | 'actor_kind' | 'target_id' | 'user_uuid' | 'organisation_uuid'
> &
  Pick<AuditContent, 'before' | 'after' | 'detail'>

function asRecord({ at, before, after, detail, ...row }: StoredRecord): PastRecord {
  const [old, made, more] = [before, after, detail].map(valuesOf)
  const { kind, actor_id, actor_kind, target_id, user_uuid, organisation_uuid } = row
  return {
    ...{ at: Number(at), kind, actor_id, actor_kind, target_id, user_uuid, organisation_uuid },
    ...(old && { before: old }),
    ...(made && { after: made }),
    ...(more && { detail: more }),
  }
}
