import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll, type RequestSource } from '../audit/record.ts'
import { preparedRow, type Steps } from '../database/prepared.ts'
import { lockAdministration } from '../database/revision.ts'
import { rowsOf } from '../database/rows.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import type { Proved } from '../protocol/authentication.ts'
import { isSameEmail } from '../protocol/email-address.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { linkFormExpired } from '../protocol/refusals.ts'
import { hasFactorFor } from './credentials.ts'
import { end } from './ending.ts'
import { recoveryCodesLeft } from './factors.ts'
import { inTransaction, type Reading } from './in-transaction.ts'
import { type Link, readLink, takeLink } from './links.ts'
import { isProof, type Owned, ownershipOf, prove } from './ownership.ts'
import { findPerson, type PersonNow } from './person.ts'
import type { Proof } from './start-session.ts'
import { forgetAccount, type SettledAttempt, settling } from './throttles.ts'
import type { Unlink } from './undo.ts'
import type { User } from './users.ts'
import { holdPerson, type OwnChange, writeOwn } from './write/own.ts'

/** The data of a link that resets a password. */
export interface ResetData {
  /** The address that it was mailed to: using it proves that address. */
  mailedTo?: string | undefined
  /** Set where the link was shown to somebody who may set the person's password. */
  shown?: ShownLink | undefined
  /** No factor is asked for: all of them end with what else is from before. */
  endsFactors?: boolean | undefined
  /** The authorization request that it was asked for in, which the same browser goes on with. */
  pendingId?: string | undefined
  /** The proof given since beside the link, and a hash of what that browser holds. */
  proved?: { proof: Proved; browser: string } | undefined
}

export interface ShownLink {
  /** The profiles that the person could use then. */
  profiles: readonly string[]
  /** The ownership of the account once the link is used. */
  owned: Owned
  /** Whether nobody had proved the account before. */
  wasUnproved: boolean
}

/** A link that resets a password, and whose. */
export interface Reset extends PersonNow {
  data: ResetData
  /** Using it ends all from before: nobody has proved whose the account is. */
  endsAll: boolean
}

/** The reset of a link, if it counts for the person as they are now. Changes nothing. */
export async function readReset(store: Reading, text: string, now: number): Promise<Reset | undefined> {
  const link = await readLink(store.db, 'password_reset', text, now)
  if (link?.user_uuid === undefined) return undefined
  const person = await findPerson(store, link.user_uuid, now)
  const data = link.data as ResetData
  if (person === undefined || !stillCounts(data, person)) return undefined
  const owned = await ownershipOf(store.db, link.user_uuid)
  return { ...person, data, endsAll: endsAllOf(data, owned?.limited_reach === 1) }
}

/** A link that somebody limited was shown makes the account theirs by itself. */
const endsAllOf = ({ shown }: ResetData, isUnproved: boolean): boolean =>
  shown?.owned.limited_reach === 1 ? shown.wasUnproved : isUnproved

/** Not of another address than it was sent to, nor of somebody who may do more by now than when it was shown. */
function stillCounts({ mailedTo, shown }: ResetData, { user, profiles }: PersonNow): boolean {
  if (!user.active || (mailedTo !== undefined && !isSameEmail(mailedTo, user.email))) return false
  // The link is of a version before. It is over within an hour.
  if (mailedTo === undefined && shown?.owned === undefined) return false
  return shown === undefined || profiles.every(({ held_uuid }) => shown.profiles.includes(held_uuid))
}

/** Keeps with the link what was proved beside it. False: the link ended, or the proof became void since it was checked. */
export async function proveForReset(
  store: Store,
  { text, data, user }: { text: string; data: ResetData; user: User },
  { proof, settled, browser, now }: { proof: Proof; settled: SettledAttempt; browser: string; now: number },
): Promise<boolean> {
  const kept: ResetData = { ...data, proved: { proof: { at: now, ...proof.proved }, browser } }
  function* proving(): Steps<boolean> {
    if (!(yield* proof.stillHolds(user.uuid))) return false
    yield* settling(settled)
    return (yield* keepData({ hash: hashSecret(text), data: JSON.stringify(kept), now })) !== undefined
  }
  return await store.write(proving)
}

const keepData = preparedRow<{ hash: string; data: string; now: number }, { hash: string }>((db, slot) =>
  db
    .updateTable('links')
    .set({ data: slot('data') })
    .where('hash', '=', slot('hash'))
    .where('purpose', '=', 'password_reset')
    .where('expires_at', '>', slot('now'))
    .returning('hash'),
)

/** A new password, with its proof. */
export interface NewPassword {
  /** A passkey in its place; the password stays as it is. */
  set: { passwordHash: string } | { passkey: Proof }
  /** A hash of what the browser holds. */
  browser: string
  /** The domain whose passkeys and security keys count. */
  rpId: string | undefined
  now: number
  from: RequestSource
  /** Looks again at what of these people waits, where the link makes the account somebody else's: see `access/`. */
  settleWaiting: (trx: Kysely<Schema>, of: { users: readonly string[] }, now: number) => Promise<AuditEvent[]>
  /** Removes recent links to upstreams. */
  unlink: Unlink
}

/** `ended`: the link; `unproved`: the second factor was set up or removed meanwhile. */
export type ResetOutcome = { proved: Proved | undefined } | 'ended' | 'unproved'

/**
 * Uses a link to set a password, or to add a passkey. All sessions end with their token families, so do trusted devices
 * and links to upstreams that were made by hand in the last seven days, and no other link of this kind is left. Proves the address that the link was sent to, and an account that nobody has
 * proved, of which all else ends as well.
 *
 * Concurrency: changes of one person's factors wait for each other; a shown link also waits for administrators. Of any
 * number that come with one link one sets its password; what is refused leaves the link as it was. Throws `form_expired` where the passkey can't be kept.
 */
export async function resetPassword(store: Store, text: string, asked: NewPassword): Promise<ResetOutcome> {
  const { set, now, from } = asked
  return await store.db.transaction().execute(async (trx) => {
    const reading = inTransaction(trx)
    const found = await readLink(trx, 'password_reset', text, now)
    if (found?.user_uuid === undefined) return 'ended'
    const user_uuid = found.user_uuid
    const isShown = (found.data as ResetData).shown !== undefined
    // Roles and places stay while waiting profiles are settled.
    const hasLinks = await hasHandmadeLink(trx, user_uuid)
    if (isShown || hasLinks) await lockAdministration(trx)
    await holdPerson(trx, user_uuid)
    const reset = await readReset(reading, text, now)
    if (reset === undefined) return 'ended'
    const proved = provedBy(reset, asked.browser)
    const asksNone = reset.data.endsFactors === true
    if (!asksNone && !(await isProved(reading, reset.user, proved, asked.rpId))) return 'unproved'
    const link = await takeLink(trx, 'password_reset', text, now)
    if (link === undefined) return 'ended'
    const settled = await settleOwner(trx, reset, { link, proved, now })
    if (settled === 'ended') return 'ended'
    const { becomes, waited } = settled
    // Nothing is written: somebody has that passkey, or the person has too many.
    if ('passkey' in set && !(await reading.read(set.passkey.stillHolds(user_uuid)))) throw linkFormExpired()
    const row = await holdPerson(trx, user_uuid)
    if (row === undefined) return 'ended'
    const own: OwnChange = {
      ...(reset.data.mailedTo !== undefined && { email_verified: 1 }),
      ...('passwordHash' in set && { password_hash: set.passwordHash, password_temporary: 0 }),
      ...becomes,
    }
    await writeOwn(trx, row, own, now)
    const shown = isShown ? await asked.settleWaiting(trx, { users: [user_uuid] }, now) : []
    await forgetAccount(trx, reset.user.email)
    const by: Origin = { ...from, actor: { kind: 'user', id: user_uuid } }
    const unlinked = hasLinks ? await asked.unlink(trx, user_uuid, { told: [], now, by }) : []
    const done = completed(reset, proved, { by, now, passkey: 'passkey' in set })
    await recordAll(store, [...unlinked, done, ...waited, ...shown], trx)
    return { proved }
  })
}

/** Whether the person ever connected an upstream by hand. */
const hasHandmadeLink = async (trx: Kysely<Schema>, user_uuid: string): Promise<boolean> =>
  (await rowsOf(trx, 'upstream_links', { user_uuid, by_hand: 1 }).executeTakeFirst()) !== undefined

/**
 * Ends what is from before, and yields whose the account is from now on (people.md 13). A mailed link proves an account
 * that nobody has proved; one that somebody was shown makes it theirs.
 */
async function settleOwner(
  trx: Kysely<Schema>,
  { user: { uuid }, data: { shown, endsFactors = false }, endsAll }: Reset,
  { link, proved, now }: { link: Link; proved: Proved | undefined; now: number },
): Promise<{ becomes: Partial<Owned>; waited: AuditEvent[] } | 'ended'> {
  const owned = await ownershipOf(trx, uuid)
  if (owned === undefined || (shown === undefined && owned.limited_reach === 1 && !isProof(owned, link)))
    return 'ended'
  const kept = proved?.credential === undefined ? [] : [proved.credential]
  const makesTheirs = shown?.owned.limited_reach === 1
  if (endsAll && !makesTheirs) {
    return { becomes: {}, waited: await prove(trx, uuid, { shown: kept, now, set: {} }) }
  }
  const ofOthers = shown === undefined ? 'password_reset' : 'password_reset_by_others'
  const reason = endsAll ? 'adopted' : endsFactors ? 'factors_ended' : ofOthers
  await end(trx, { users: [uuid] }, { now, reason, kept })
  return { becomes: shown?.owned ?? {}, waited: [] }
}

/** The proof of this browser beside the link. */
export const provedBy = ({ data: { proved } }: Pick<Reset, 'data'>, browser: string): Proved | undefined =>
  proved?.browser === browser ? proved.proof : undefined

/** Whether a person proved a second factor that is still theirs, or has none that counts here. */
async function isProved(
  reading: Reading,
  { uuid, second_factor }: User,
  proved: Proved | undefined,
  rpId: string | undefined,
): Promise<boolean> {
  if (second_factor === 0) return proved === undefined
  if (proved === undefined) return !(await canProve(reading, uuid, rpId))
  if (proved.credential === undefined) return true
  const row = await reading.db
    .selectFrom('factors')
    .select('id')
    .where('id', '=', proved.credential)
    .where('user_uuid', '=', uuid)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether a person has a second factor to be asked for: one that counts here, or recovery codes in its place. */
export const canProve = async (
  reading: Reading,
  user_uuid: string,
  rpId: string | undefined,
): Promise<boolean> =>
  (await hasFactorFor(reading, user_uuid, rpId)) || (await recoveryCodesLeft(reading, user_uuid)) > 0

function completed(
  { user, data }: Reset,
  proved: Proved | undefined,
  { by, now, passkey }: { by: Origin; now: number; passkey: boolean },
): AuditEvent {
  const target = { kind: 'user', id: user.uuid }
  const detail = {
    link: data.mailedTo === undefined ? 'shown' : 'mailed',
    ...(passkey && { set: 'passkey' }),
    ...(data.endsFactors === true && { factors: 'ended' }),
    ...(proved !== undefined && { second_factor: proved.method }),
    ...(data.mailedTo !== undefined && !user.email_verified && { address: 'verified' }),
  }
  return { at: now, kind: 'password_reset.completed', ...by, target, detail }
}
