/** Accounts that nobody has proved, when an upstream links them. */
import type { Kysely } from 'kysely'
import { settleWaiting } from '../access/waiting.ts'
import type { AuditEvent } from '../audit/record.ts'
import type { Schema } from '../database/schema.ts'
import { end } from '../store/ending.ts'
import { makersIn, makersOf, ownedBy } from '../store/ownership.ts'
import type { Row } from '../store/write/rows.ts'
import { writeChange } from '../store/write/write.ts'
import { setterOf } from './source.ts'
import { sourceOf } from './told.ts'
import type { ReadUpstream } from './upstream.ts'

/** Whether only directories and upstreams of the organisation made the account: nobody knows a way in to it. */
export async function isMadeHere(
  trx: Kysely<Schema>,
  { organisation_uuid }: ReadUpstream,
  { makers, password_hash }: Row<'users'>,
): Promise<boolean> {
  if (makers === null || password_hash !== null || organisation_uuid === null) return false
  const ids = makersIn(makers)
  const known = await makersOf(trx, ids)
  return ids.every((id) => {
    const maker = known.get(id)
    const isSource = maker?.kind === 'directory' || maker?.kind === 'upstream'
    return isSource && maker.organisation_uuid === organisation_uuid
  })
}

/**
 * An account that nobody has proved loses all from before when it is linked: its maker may still know a way in. Yields what
 * is to be recorded.
 */
export async function endUnproved(
  trx: Kysely<Schema>,
  upstream: ReadUpstream,
  before: Row<'users'>,
  now: number,
): Promise<AuditEvent[]> {
  await end(trx, { users: [before.uuid] }, { now, reason: 'proved' })
  const owned = await ownedBy(trx, await setterOf(trx, sourceOf(upstream)), { now })
  const how = { now, versions: 'overwritten', by: 'others', ends: 'each', forSafety: true } as const
  const set = { password_hash: null, password_temporary: 0, ...owned, updated_at: now } as const
  await writeChange(trx, 'users', before, set, how)
  return await settleWaiting(trx, { users: [before.uuid] }, now)
}
