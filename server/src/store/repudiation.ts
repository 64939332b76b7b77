import { type AuditEvent, type Origin, recordAll, type Source } from '../audit/record.ts'
import type { Kysely } from 'kysely'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { undoDeletionWithin } from './deletion.ts'
import { end } from './ending.ts'
import { removeFactorsWithin } from './factors.ts'
import { type NoticeData, readLink, takeLink } from './links.ts'
import { putBack } from './removed-factors.ts'
import { undoAddress } from './undo-address.ts'

/** Of what a notice told, as its link is shown; undefined: the link is unknown, used or expired. Changes nothing. */
export async function readNotice(
  { db }: Pick<Store, 'db'>,
  text: string,
  now: number,
): Promise<(NoticeData & { userUuid: string }) | undefined> {
  const link = await readLink(db, 'notice', text, now)
  return link?.userUuid === undefined ? undefined : { ...(link.data as NoticeData), userUuid: link.userUuid }
}

/**
 * Somebody says that what a notice told was not them. Undoes that event: a factor that was added goes for good, a
 * removed one comes back, new recovery codes end, an address reverts. Ends all sessions, their tokens and trusted devices,
 * and makes the password void, with every link that would set one. False: the link ended.
 *
 * Concurrency: one at a time with administrators, so that nobody else gets the address meanwhile; changes of one person's
 * factors wait for each other; of any number that come with one link one goes on.
 */
export async function repudiate(
  store: Store,
  text: string,
  { now, from }: { now: number; from: Source },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const userUuid = (await readLink(trx, 'notice', text, now))?.userUuid
    if (userUuid === undefined) return false
    await lockAdministration(trx)
    await trx.selectFrom('users').select('uuid').where('uuid', '=', userUuid).forUpdate().execute()
    const link = await takeLink(trx, 'notice', text, now)
    if (link === undefined) return false
    const notice = link.data as NoticeData
    // Who has the mailbox: that it is the person nobody has proved.
    const by: Origin = { ...from, actor: { kind: 'anonymous' } }
    const undone = await undo(trx, notice, { userUuid, now, by })
    // Who was in their account may have had it removed, too.
    undone.push(...(await undoDeletionWithin(trx, { userUuid, now, by })))
    await trx
      .updateTable('users')
      .set((column) => ({ password_hash: null, version: column('version', '+', 1) }))
      .where('uuid', '=', userUuid)
      .execute()
    await trx
      .deleteFrom('links')
      .where('user_uuid', '=', userUuid)
      .where('purpose', '=', 'address_confirmation')
      .execute()
    await end(trx, { users: [userUuid] }, { now, reason: 'repudiated' })
    const target = { kind: 'user', id: userUuid }
    const told: AuditEvent = {
      at: now,
      kind: 'notice.repudiated',
      ...by,
      target,
      detail: { event: notice.event },
    }
    await recordAll(store, [told, ...undone.map(asUndone)], trx)
    return true
  })
}

/** No notice is sent of it: that would offer to undo the undoing. */
const asUndone = (event: AuditEvent): AuditEvent => ({
  ...event,
  detail: { ...event.detail, reason: 'repudiated' },
})

interface Undoing {
  userUuid: string
  now: number
  by: Origin
}

/** Yields what is to be recorded. */
async function undo(
  trx: Kysely<Schema>,
  { event, factor, address }: NoticeData,
  change: Undoing,
): Promise<AuditEvent[]> {
  const { userUuid, now, by } = change
  if (event === 'recovery_codes_created') {
    await trx.deleteFrom('recovery_codes').where('user_uuid', '=', userUuid).execute()
    return []
  }
  if (address !== undefined) return await undoAddress(trx, address, change)
  if (factor === undefined) return []
  if (event === 'factor_created') {
    return (await removeFactorsWithin(trx, [factor], { ...change, forGood: true })).events
  }
  if (event !== 'factor_removed') return []
  const back = await putBack(trx, factor, userUuid)
  if (back === undefined) return []
  const { id, kind, name } = back
  const about = { target: { kind: 'factor', id }, userUuid, detail: { kind, name } }
  return [{ at: now, kind: 'factor.restored', ...by, ...about }]
}
