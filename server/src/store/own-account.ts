/** What people change of their own account, each in one transaction with its record. */
import type { AuditValues, Origin } from '../audit/record.ts'
import { changedSecret, recordAll } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { inTransaction } from './in-transaction.ts'
import { withdrawLink } from './links.ts'
import { endRestingOn } from './resting-on.ts'
import { isSessionActive } from './sessions.ts'
import { forgetTrustedDevices } from './trusted-devices.ts'
import { holdPerson, writeOwn } from './write/own.ts'

/** Whether a directory or an upstream keeps a field of a person. */
const isKept = ({ kept_by }: { kept_by: string | null }, field: string): boolean =>
  Object.hasOwn(JSON.parse(kept_by ?? '{}') as object, field)

/** What people may say of themselves. Null: nothing. */
export interface OwnDetails {
  name: string
  locale: string | null
  zoneinfo: string | null
  /** The address of it. */
  picture: string | null
}

const ownDetails = ['name', 'locale', 'zoneinfo', 'picture'] as const

interface OwnAccountChange {
  user_uuid: string
  now: number
  by: Origin
}

/** The declared file that says who somebody is, if one does: what they changed, it would change back. */
export async function managerOfUser(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('users')
    .select('managed_by')
    .where('uuid', '=', user_uuid)
    .executeTakeFirst()
  return row?.managed_by ?? undefined
}

/** Whether a directory or an upstream keeps the address of a person. */
export async function isAddressKept({ db }: Pick<Store, 'db'>, user_uuid: string): Promise<boolean> {
  const row = await db.selectFrom('users').select('kept_by').where('uuid', '=', user_uuid).executeTakeFirst()
  return row !== undefined && isKept(row, 'email')
}

/**
 * Writes what a person says of themself; false: a declared file manages them, or they are gone. Concurrency: changes of
 * one person wait for each other.
 */
export async function changeOwnDetails(
  store: Store,
  set: Partial<OwnDetails>,
  { user_uuid, now, by }: OwnAccountChange,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const row = await holdPerson(trx, user_uuid)
    if (row === undefined || row.active === 0 || row.managed_by !== null) return false
    const changed = ownDetails.filter((one) => set[one] !== undefined && row[one] !== set[one])
    if (changed.length === 0) return true
    // A directory or an upstream would change it back.
    if (changed.some((one) => isKept(row, one))) return false
    await writeOwn(trx, row, set, now)
    const of = (all: Partial<OwnDetails>): AuditValues =>
      Object.fromEntries(changed.map((one) => [one, all[one]]))
    const target = { kind: 'user', id: user_uuid }
    await recordAll(
      store,
      [{ at: now, kind: 'user.changed', ...by, target, before: of(row), after: of(set) }],
      trx,
    )
    return true
  })
}

/**
 * Gives a person another password; ends all other sessions with what these gave, all trusted devices and a link that
 * would set another one (decisions 14).
 * Concurrency: false, and nothing changed, when the password is not `from` any more: one of two at once changes it.
 */
export async function changeOwnPassword(
  store: Store,
  { from, to, sid, reach }: { from: string | null; to: string; sid: string; reach: string | undefined },
  { user_uuid, now, by }: OwnAccountChange,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    // What ended all of the account meanwhile ended the session too, and its password is not to come back.
    const row = await holdPerson(trx, user_uuid)
    if (row === undefined || row.active === 0 || !(await isSessionActive(inTransaction(trx), sid)))
      return false
    if (row.password_hash !== from) return false
    await writeOwn(trx, row, { password_hash: to, password_temporary: 0, password_reach: reach ?? null }, now)
    const gone = { user_uuid, now, by, reason: 'password_changed' }
    const target = { kind: 'user', id: user_uuid }
    const after = { password: changedSecret }
    const ended = await endRestingOn(trx, 'any', { ...gone, sid })
    const forgotten = await forgetTrustedDevices(trx, gone)
    // The maker of an account does not keep its person from proving it.
    if (row.limited_reach === 0) await withdrawLink(trx, 'password_reset', user_uuid)
    await recordAll(
      store,
      [{ at: now, kind: 'user.changed', ...by, target, after }, ...forgotten, ...ended],
      trx,
    )
    return true
  })
}
