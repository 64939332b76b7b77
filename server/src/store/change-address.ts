/** How people change their own address: asked for, confirmed by a mail, undone by the address from before. */
import type { Kysely } from 'kysely'
import { type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { emailKey } from '../protocol/email-address.ts'
import { addressOwners, type AddressOwner, holdAddress, isHoldable, isTaken, returnTo } from './addresses.ts'
import { type LinkPurpose, makeLink, type NoticeData, readLink, takeLink } from './links.ts'
import { repudiable } from './removed-factors.ts'
import { holdPerson, writeOwn } from './write/own.ts'

/** How long a link confirms, ms (decisions 13). */
const lifetime = 24 * 3_600_000

interface AddressChange {
  user_uuid: string
  now: number
  by: Origin
}

/** What the link that confirms keeps. It counts while the address is still the one that it was asked from. */
interface AddressData {
  from: string
  to: string
}

/** What was made, to be sent in the same transaction. */
export interface AskedAddress {
  /** The address as it is. */
  from: string
  /** The user who has or holds the address already. They are told then, and the link is sent to nobody. */
  owner: AddressOwner | undefined
  confirm: { text: string; expiresAt: number }
  /** The link that undoes the change, for the address as it is. */
  undo: { text: string; expiresAt: number }
}

/**
 * Makes the links of another address and gives them to `send`. A free and a taken address are one by the work, the records
 * and the mails to the person who asks. Concurrency: changes of one person wait for each other; the last one's links count.
 */
export async function askForAddress(
  store: Store,
  to: string,
  { user_uuid, now, by }: AddressChange,
  send: (trx: Kysely<Schema>, asked: AskedAddress) => Promise<void>,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('users')
      .select('email')
      .where('uuid', '=', user_uuid)
      .where('active', '=', 1)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined) return
    const from = row.email
    const key = emailKey(to)
    const owner = (await addressOwners(trx, [key], now)).get(key)
    const linkOf = async (purpose: LinkPurpose, subject: string, data: object, lasts: number) => {
      const expiresAt = now + lasts
      return { text: await makeLink(trx, { purpose, subject, user_uuid, data, expiresAt, now }), expiresAt }
    }
    const confirming: AddressData = { from, to }
    const confirm = await linkOf('address_confirmation', user_uuid, confirming, lifetime)
    const undoing: NoticeData = { event: 'address_requested', address: from }
    const undo = await linkOf('notice', `address ${user_uuid} ${emailKey(from)}`, undoing, repudiable)
    await send(trx, { from, owner: owner?.uuid === user_uuid ? undefined : owner, confirm, undo })
    const target = { kind: 'user', id: user_uuid }
    await recordAll(store, [{ at: now, kind: 'address.requested', ...by, target }], trx)
  })
}

/** The address that a link is for, and whose link it is; undefined: the link ended. Changes nothing. */
export async function readConfirmation(
  { db }: Pick<Store, 'db'>,
  text: string,
  now: number,
): Promise<(AddressData & { user_uuid: string }) | undefined> {
  const link = await readLink(db, 'address_confirmation', text, now)
  return link?.user_uuid === undefined
    ? undefined
    : { ...(link.data as AddressData), user_uuid: link.user_uuid }
}

/**
 * Gives a person the address that their link is for, as verified, and holds the one from before for them. False: the link
 * is none of theirs, or ended; the address was taken or changed since; or a declared file manages them by now.
 *
 * Concurrency: one at a time with administrators, imports and declared files, so nobody else gets either address meanwhile.
 * One of any number of calls with one link changes it.
 */
export async function confirmAddress(
  store: Store,
  text: string,
  { user_uuid, now, by }: AddressChange,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx)
    const asked = await readConfirmation({ db: trx }, text, now)
    if (asked?.user_uuid !== user_uuid) return false
    await takeLink(trx, 'address_confirmation', text, now)
    const { from, to } = asked
    const row = await holdPerson(trx, user_uuid)
    const mayChange = row?.email === from && row.active === 1 && row.managed_by === null
    if (!mayChange || (await isTaken(trx, to, { user_uuid, now }))) return false
    if (await waits(trx, user_uuid)) return false
    // A person who goes back to an address that they hold has undone the change of it.
    const isBack = await returnTo(trx, { user_uuid, email: to, now })
    if (!isBack && emailKey(from) !== emailKey(to) && isHoldable(row))
      await holdAddress(trx, { user_uuid, email: from, now })
    await writeOwn(trx, row, { email: to, email_verified: 1 }, now)
    const target = { kind: 'user', id: user_uuid }
    const values = { before: { email: from }, after: { email: to } }
    await recordAll(store, [{ at: now, kind: 'address.changed', ...by, target, ...values }], trx)
    return true
  })
}

/** Whether a profile waits until somebody proves the account: it was meant for whoever has the present address. */
async function waits(trx: Kysely<Schema>, user_uuid: string): Promise<boolean> {
  const row = await trx
    .selectFrom('profiles')
    .select('uuid')
    .where('user_uuid', '=', user_uuid)
    .where('beyond', '=', 'waits')
    .executeTakeFirst()
  return row !== undefined
}
