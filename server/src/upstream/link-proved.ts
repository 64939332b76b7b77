import { type Origin, recordAll } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { rowOf } from '../database/rows.ts'
import type { Assertion } from './assertion.ts'
import { linkOf, linkOfPerson, makeUpstreamLink } from './links.ts'
import { holdUpstream } from './person.ts'
import { writeTold } from './told.ts'

/** What an upstream proved, and who has proved since that the account is theirs. */
export type ProvedTwice = Pick<Assertion, 'upstream_uuid' | 'subject' | 'fields' | 'groups' | 'claims'> & {
  user_uuid: string
}

/**
 * Connects an account with a subject, after its person proved both. False, and nothing happens: either is connected
 * otherwise by now. Concurrency: see `personOf`.
 */
export async function linkProved(
  store: Store,
  proved: ProvedTwice,
  { now, by }: { now: number; by: Origin },
): Promise<boolean> {
  const { user_uuid } = proved
  return await store.db.transaction().execute(async (trx) => {
    const upstream = await holdUpstream(trx, proved)
    const person = await rowOf(trx, 'users', { uuid: user_uuid, active: 1 })
    const taken = (await linkOf(trx, proved)) ?? (await linkOfPerson(trx, upstream.uuid, user_uuid))
    if (person === undefined || taken !== undefined) return false
    const made = await makeUpstreamLink(trx, upstream, proved, { user_uuid, byHand: true, now, by })
    const told = await writeTold(trx, upstream, proved, { user_uuid, now })
    await recordAll(store, [...made, ...told], trx)
    return true
  })
}
