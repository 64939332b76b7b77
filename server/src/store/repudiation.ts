import { type AuditEvent, type Origin, recordAll, type RequestSource } from '../audit/record.ts'
import type { Kysely } from 'kysely'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { heldAddress } from './addresses.ts'
import { undoDeletionWithin } from './deletion.ts'
import { end } from './ending.ts'
import { eventsOf, type Link, type NoticeData, readLink, takeLink } from './links.ts'
import { undoSince, type Unlink } from './undo.ts'
import { holdPerson, writeOwn } from './write/own.ts'

/** A notice whose link counts, of whom it told, and of what. */
export interface Notice {
  event: string
  user_uuid: string
  /** The newest first. */
  events: readonly ToldEvent[]
}

/** Something that a notice told, and whether pressing the button gives it back. */
interface ToldEvent extends NoticeData {
  /** When it happened. */
  at: number
  /** Not once an administrator, a file or a proof has set how one signs in: that stands. */
  undoes: boolean
}

/** What a notice told, for the page of its link. Undefined: the link is unknown, used or expired. Changes nothing. */
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
  const { user_uuid, createdAt } = link
  const data = link.data as NoticeData
  const user = await db
    .selectFrom('users')
    .select(['email_key', 'ranked_at'])
    .where('uuid', '=', user_uuid ?? '')
    .executeTakeFirst()
  if (user_uuid === undefined || user === undefined) return undefined
  const { event, address, to = user.email_key } = data
  const holds =
    address !== undefined && (await heldAddress(db, { user_uuid, email: address, now })) !== undefined
  const wentTo = address === undefined ? to : emailKey(address)
  if (!holds && wentTo !== user.email_key) return undefined
  const { ranked_at: ranked } = user
  const events = eventsOf(data).map(({ at = createdAt, ...one }) => {
    return { ...one, at, undoes: one.stands !== true && (ranked === null || at >= ranked) }
  })
  return { event, user_uuid, events }
}

/**
 * Somebody says that what a notice told was not them. Takes back each event of it and what the account changed since: a
 * factor that was added goes for good, a removed one comes back, new recovery codes end, an address reverts, a link to an
 * upstream goes, and so does each that was made by hand in the last seven days. Ends all sessions, their tokens and trusted devices, and makes the password void, with every link that would set one. Where
 * somebody of higher rank has set since how one signs in, it does the latter alone. False: the link ended.
 *
 * Concurrency: one at a time with administrators, so that nobody else gets the address meanwhile; changes of one person's
 * factors wait for each other; of any number that come with one link one goes on.
 */
export async function repudiate(
  store: Store,
  text: string,
  { now, from, unlink }: { now: number; from: RequestSource; unlink: Unlink },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const user_uuid = (await readLink(trx, 'notice', text, now))?.user_uuid
    if (user_uuid === undefined) return false
    await lockAdministration(trx)
    await holdPerson(trx, user_uuid)
    const notice = await readNotice({ db: trx }, text, now)
    if (notice === undefined || (await takeLink(trx, 'notice', text, now)) === undefined) return false
    // The actor is whoever has the mailbox: nobody has proved that it is the person.
    const by: Origin = { ...from, actor: { kind: 'anonymous' } }
    const undone: AuditEvent[] = []
    for (const one of notice.events)
      if (one.undoes) undone.push(...(await undoSince(trx, one, { user_uuid, now, by })))
    const links = notice.events.flatMap(({ undoes, upstream, at }) =>
      undoes && upstream !== undefined ? [{ upstream, at }] : [],
    )
    undone.push(...(await unlink(trx, user_uuid, { told: links, now, by })))
    // An intruder in the account may have had it removed, too.
    undone.push(...(await undoDeletionWithin(trx, { user_uuid, now, by })))
    const row = await holdPerson(trx, user_uuid)
    if (row !== undefined) await writeOwn(trx, row, { password_hash: null }, now)
    await trx
      .deleteFrom('links')
      .where('user_uuid', '=', user_uuid)
      .where('purpose', '=', 'address_confirmation')
      .execute()
    await end(trx, { users: [user_uuid] }, { now, reason: 'repudiated' })
    const target = { kind: 'user', id: user_uuid }
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
