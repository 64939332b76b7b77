import { type AuditEvent, type Origin, recordAll, type Source } from '../audit/record.ts'
import type { Kysely } from 'kysely'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { heldAddress } from './addresses.ts'
import { undoDeletionWithin } from './deletion.ts'
import { end } from './ending.ts'
import { type Link, type NoticeData, readLink, takeLink } from './links.ts'
import { undoSince } from './undo.ts'

/** A notice whose link counts, of whom it told, and what pressing the button gives back. */
export interface Notice extends NoticeData {
  userUuid: string
  /** When it happened. */
  at: number
  /** Not once an administrator, a file or a proof has set how one signs in: that stands. */
  undoes: boolean
}

/** Of what a notice told, as its link is shown; undefined: the link is unknown, used or expired. Changes nothing. */
export async function readNotice(
  { db }: Pick<Store, 'db'>,
  text: string,
  now: number,
): Promise<Notice | undefined> {
  const link = await readLink(db, 'notice', text, now)
  return link && (await noticeOf(db, link, now))
}

/** Undefined: it went to an address that the account has left, and is not that address's own undo. */
async function noticeOf(db: Kysely<Schema>, link: Link, now: number): Promise<Notice | undefined> {
  const { userUuid, createdAt } = link
  const data = link.data as NoticeData
  const user = await db
    .selectFrom('users')
    .select(['email_key', 'ranked_at'])
    .where('uuid', '=', userUuid ?? '')
    .executeTakeFirst()
  if (userUuid === undefined || user === undefined) return undefined
  const { address, to = user.email_key, at = createdAt } = data
  const holds =
    address !== undefined && (await heldAddress(db, { userUuid, email: address, now })) !== undefined
  const wentTo = address === undefined ? to : emailKey(address)
  if (!holds && wentTo !== user.email_key) return undefined
  const undoes = data.stands !== true && (user.ranked_at === null || at >= user.ranked_at)
  return { ...data, userUuid, at, undoes }
}

/**
 * Somebody says that what a notice told was not them. Takes back that event and what the account changed since: a factor
 * that was added goes for good, a removed one comes back, new recovery codes end, an address reverts. Ends all sessions,
 * their tokens and trusted devices, and makes the password void, with every link that would set one. Where somebody of
 * higher rank has set since how one signs in, it does the latter alone. False: the link ended.
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
    const notice = await readNotice({ db: trx }, text, now)
    if (notice === undefined || (await takeLink(trx, 'notice', text, now)) === undefined) return false
    // Who has the mailbox: that it is the person nobody has proved.
    const by: Origin = { ...from, actor: { kind: 'anonymous' } }
    const undone = notice.undoes ? await undoSince(trx, notice, { userUuid, now, by }) : []
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
