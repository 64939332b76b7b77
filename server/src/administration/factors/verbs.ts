import { rowsOf } from '../../database/rows.ts'
import type { Selectable } from 'kysely'
import type { AuditEvent } from '../../audit/record.ts'
import { type After, type Page, pageBy } from '../../database/page.ts'
import type { FactorRow, TrustedDeviceRow } from '../../database/schema-factors.ts'
import type { Store } from '../../database/store.ts'
import { notFound } from '../../protocol/problem.ts'
import { removeFactorsKeeping, restoreFactorsWithin } from '../../store/factors.ts'
import { rankAbove } from '../../store/ownership.ts'
import { forgetAttemptsOf } from '../../store/throttles.ts'
import { forgetTrustedDevices } from '../../store/trusted-devices.ts'
import type { Authority } from '../authority.ts'
import type { By, Row, Transacting } from '../by.ts'
import { change, originOf } from '../change.ts'
import { wantRecentSignIn } from '../recent-sign-in.ts'
import { toChange } from '../resource.ts'
import { refuseOwn, users } from '../users/verbs.ts'

/** A page of somebody's factors, where they are within the reach. */
interface FactorQuery {
  user_uuid: string
  authority: Authority
  after: After
  limit: number
}

/** The next confirmed factors of somebody, oldest first, at most `limit`. Throws `not_found`. */
export async function listFactors(
  { db }: Store,
  { user_uuid, authority, after, limit }: FactorQuery,
): Promise<Page<Selectable<FactorRow>>> {
  if ((await users.find(db, user_uuid, authority)) === undefined) throw notFound('user')
  const confirmed = rowsOf(db, 'factors', { user_uuid }).where('confirmed_at', 'is not', null)
  return await pageBy(confirmed, ['id'], { after, limit })
}

/** The next browsers that somebody trusts, at most `limit`. Throws `not_found`. */
export async function listTrustedDevices(
  { db }: Store,
  { user_uuid, authority, after, limit }: FactorQuery,
): Promise<Page<Selectable<TrustedDeviceRow>>> {
  if ((await users.find(db, user_uuid, authority)) === undefined) throw notFound('user')
  return await pageBy(rowsOf(db, 'trusted_devices', { user_uuid }), ['id_hash'], { after, limit })
}

/** The person, for whoever holds all that they hold, at every place, and is not that person. */
export async function toWeaken(trx: Transacting, by: By, user_uuid: string): Promise<Row<'users'>> {
  const row = await toChange(trx, users, { id: user_uuid, versions: undefined }, by)
  refuseOwn(by, user_uuid)
  return row
}

const changeOf = (by: By, user_uuid: string) => ({ user_uuid, now: by.now, by: originOf(by) })

/** Told within the reach of the person who did it. */
export const within = (events: readonly AuditEvent[], { authority }: By): AuditEvent[] =>
  events.map((one) => ({ ...one, organisation_uuid: authority.reach.organisation_uuid }))

/**
 * Removes a factor, or all with the recovery codes, for good: no undo brings it back. Sessions that rest on it and all
 * trusted devices end. Throws
 * `not_found` when it is not theirs, and `NobodyGetsIn`. Concurrency: see `change` and `removeFactors`.
 */
export async function removeFactorsOf(
  store: Store,
  by: By,
  user_uuid: string,
  which: { id: string } | 'all',
): Promise<void> {
  await change(store, by, async (trx) => {
    await toWeaken(trx, by, user_uuid)
    const removal = { ...changeOf(by, user_uuid), forGood: true }
    await rankAbove(trx, user_uuid, by.now)
    const removed = await removeFactorsKeeping(trx, which === 'all' ? which : [which.id], removal)
    if (removed.gone.length === 0 && which !== 'all') throw notFound('factor')
    wantRecentSignIn(by)
    return { result: undefined, events: within(removed.events, by) }
  })
}

/** Forgets every browser that somebody trusts. Concurrency: see `change`. */
export async function removeTrustedDevicesOf(store: Store, by: By, user_uuid: string): Promise<void> {
  await change(store, by, async (trx) => {
    await toChange(trx, users, { id: user_uuid, versions: undefined }, by)
    const events = await forgetTrustedDevices(trx, { ...changeOf(by, user_uuid), reason: 'administrator' })
    return { result: undefined, events: within(events, by) }
  })
}

/** Lets suspended factors count again, and forgets the failures that were counted. Concurrency: see `change`. */
export async function unlockUser(store: Store, by: By, user_uuid: string): Promise<void> {
  await change(store, by, async (trx) => {
    const row = await toWeaken(trx, by, user_uuid)
    const restored = await restoreFactorsWithin(trx, changeOf(by, user_uuid))
    const counts = await forgetAttemptsOf(trx, row)
    if (restored.length + counts === 0) return { result: undefined }
    // Unlocking again and again allows guessing without an end.
    wantRecentSignIn(by)
    const target = { kind: 'user', id: user_uuid }
    const detail = { factors: restored.length, counts }
    const unlocked: AuditEvent = {
      kind: 'user.unlocked',
      ...originOf(by),
      at: by.now,
      target,
      user_uuid,
      detail,
    }
    return { result: undefined, events: within([...restored, unlocked], by) }
  })
}
