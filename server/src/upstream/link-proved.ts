import type { Kysely } from 'kysely'
import { type Origin, recordAll } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { rowOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import { breakGlassOf } from '../store/break-glass.ts'
import { isDemanded } from '../store/demanded.ts'
import { NobodyGetsIn } from '../store/gets-in.ts'
import type { Assertion } from './assertion.ts'
import { linkOf, linkOfPerson, makeUpstreamLink } from './links.ts'
import { holdUpstream } from './person.ts'
import { writeTold } from './told.ts'
import { endUnproved, isMadeHere } from './unproved.ts'
import type { ReadUpstream } from './upstream.ts'

/** What an upstream proved, and who has proved since that the account is theirs. */
export type ProvedTwice = Pick<Assertion, 'upstream_uuid' | 'subject' | 'fields' | 'groups' | 'claims'> & {
  user_uuid: string
}

/** `taken` or `needed`, and nothing happens: either is connected otherwise by now, or it is the last who gets in without. */
export type LinkOutcome = 'linked' | 'ended_all' | 'taken' | 'needed'

/**
 * Connects an account with a subject, after its person proved both. `ended_all`: nobody had proved whose the account is, so
 * all from before ended with it (decisions 18), the session that proved it as well. Concurrency: see `personOf`.
 */
export async function linkProved(
  store: Store,
  proved: ProvedTwice,
  { now, by }: { now: number; by: Origin },
): Promise<LinkOutcome> {
  try {
    return await linkWithin(store, proved, { now, by })
  } catch (error) {
    if (error instanceof NobodyGetsIn) return 'needed'
    throw error
  }
}

async function linkWithin(
  store: Store,
  proved: ProvedTwice,
  { now, by }: { now: number; by: Origin },
): Promise<LinkOutcome> {
  const { user_uuid } = proved
  return await store.db.transaction().execute(async (trx) => {
    const upstream = await holdUpstream(trx, proved)
    const person = await rowOf(trx, 'users', { uuid: user_uuid, active: 1 })
    const taken = (await linkOf(trx, proved)) ?? (await linkOfPerson(trx, upstream.uuid, user_uuid))
    if (person === undefined || taken !== undefined) return 'taken'
    if (await isLastWayIn(trx, upstream, user_uuid)) return 'needed'
    const endsAll = person.limited_reach === 1 && !(await isMadeHere(trx, upstream, person))
    const waited = endsAll ? await endUnproved(trx, upstream, person, now) : []
    const made = await makeUpstreamLink(trx, upstream, proved, { user_uuid, byHand: true, now, by })
    const told = await writeTold(trx, upstream, proved, { user_uuid, now })
    await recordAll(store, [...waited, ...made, ...told], trx)
    return endsAll ? 'ended_all' : 'linked'
  })
}

/** Whether nobody would be left who gets in when the upstream does not work, where a policy demands it. */
async function isLastWayIn(
  trx: Kysely<Schema>,
  { organisation_uuid }: ReadUpstream,
  user_uuid: string,
): Promise<boolean> {
  const people = await breakGlassOf(trx, organisation_uuid)
  const isOnly = people.size === 1 && people.has(user_uuid)
  return isOnly && (await isDemanded(trx, organisation_uuid))
}
