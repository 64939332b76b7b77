/** What kept profiles from counting at a moment of the past, beside themselves, their roles and places. */
import type { Kysely } from 'kysely'
import type { HeldByRow } from '../access/holders.ts'
import { type PastRecord, type Turn, turnedAt, Untold } from '../access/moment.ts'
import { rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'
import { usualRecheckDays } from '../store/upstreams.ts'
import { pastRecords } from './past-records.ts'

interface PastQuestion {
  user_uuid: string
  at: number
}

const day = 24 * 3_600_000

/** The profiles with what waited for a proof, was suspended, or had aged. Throws `Untold`. */
export async function countedAt<P extends HeldByRow>(
  trx: Kysely<Schema>,
  profiles: readonly P[],
  { user_uuid, at }: PastQuestion,
): Promise<P[]> {
  const ids = profiles.map(({ uuid }) => uuid)
  const kinds = ['profile.changed', 'profile.removed', 'profile.mapped', 'profile.unmapped']
  const records = await pastRecords(trx, { column: 'target_id', ids, kinds })
  const away = await pastRecords(trx, {
    ...{ column: 'target_id', ids: [user_uuid], kinds: ['person.suspended', 'person.restored'] },
  })
  const isAway = await suspendedAt(trx, away, { user_uuid, at })
  const now = await rowsOf(trx, 'profiles', { user_uuid }).execute()
  const counted: P[] = []
  for (const row of profiles) {
    const of = records.filter(({ target_id: id }) => id === row.uuid)
    const present = now.find(({ uuid }) => uuid === row.uuid)
    counted.push({
      ...row,
      beyond: turnedAt(waitingTurns(of), at, present?.beyond ?? null),
      suspended: isAway(row.organisation_uuid) ? 1 : 0,
      counts_until: await agedAt(trx, of, present?.counts_until ?? null, at),
    })
  }
  return counted
}

const beyondIn = (values: PastRecord['before']): Beyond | null =>
  (values?.['beyond'] ?? null) as Beyond | null

/** One that goes says whether it waited. */
function waitingTurns(records: readonly PastRecord[]): Turn<Beyond | null>[] {
  return records.flatMap(({ kind, at, before, after }) => {
    const isGone = kind === 'profile.removed' || (kind === 'profile.unmapped' && before !== undefined)
    const isTurn = kind === 'profile.changed' && after !== undefined && Object.hasOwn(after, 'beyond')
    return isGone || isTurn ? [{ at, before: beyondIn(before), after: beyondIn(after) }] : []
  })
}

/** Whether some source said that the person was away from an organisation. */
async function suspendedAt(
  trx: Kysely<Schema>,
  records: readonly PastRecord[],
  { user_uuid, at }: PastQuestion,
): Promise<(organisation_uuid: string | null) => boolean> {
  const rows = await trx.selectFrom('suspensions').selectAll().where('user_uuid', '=', user_uuid).execute()
  const sourceOf = (organisation: string | null, source: string | null) => `${organisation} ${source}`
  const now = new Set(rows.map((row) => sourceOf(row.organisation_uuid, row.source_uuid)))
  const named = records.map((one) => sourceOf(one.organisation_uuid, one.actor_id))
  const then = [...new Set([...now, ...named])].filter((source) => {
    const turns = records
      .filter((one) => sourceOf(one.organisation_uuid, one.actor_id) === source)
      .map((one): Turn<boolean> => {
        const after = one.kind === 'person.suspended'
        return { at: one.at, before: !after, after }
      })
    return turnedAt(turns, at, now.has(source))
  })
  return (organisation) => then.some((source) => source.startsWith(`${organisation} `))
}

/**
 * The end of a profile that an upstream gives, at a moment. Renewals are no records: that it was renewed lately
 * enough is known since the last of them, and for a while after it was given. Throws `Untold` for a time between.
 */
async function agedAt(
  trx: Kysely<Schema>,
  records: readonly PastRecord[],
  until: number | null,
  at: number,
): Promise<number | null> {
  const given = records.filter((one) => one.kind === 'profile.mapped' && one.actor_kind === 'upstream')
  if (given.length === 0 && until === null) return null
  const upstreams = given.flatMap(({ actor_id: id }) => id ?? [])
  const days = await fewestDays(trx, upstreams)
  const renewed = until === null ? undefined : until - days * day
  if (renewed !== undefined && renewed <= at) return until
  const isFresh = given.some((one) => one.at <= at && at < one.at + days * day)
  if (isFresh) return null
  const gone = records.findLast((one) => one.at > at)?.at
  throw new Untold(renewed ?? gone ?? Number.NaN)
}

/** The fewest days that these upstreams ever let a profile count without another sign-in. */
async function fewestDays(trx: Kysely<Schema>, upstreams: readonly string[]): Promise<number> {
  const rows = await rowsOf(trx, 'upstreams', { uuid: [...upstreams, ''] }).execute()
  const changes = await pastRecords(trx, {
    ...{ column: 'target_id', ids: upstreams, kinds: ['upstream.changed', 'upstream.removed'] },
  })
  const said = [
    ...rows.map((row): unknown => row.recheck_days),
    ...changes.flatMap(({ before, after }) => [before?.['recheck_days'], after?.['recheck_days']]),
  ]
  return Math.min(usualRecheckDays, ...said.filter((one) => typeof one === 'number'))
}
