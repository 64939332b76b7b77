import type { Kysely } from 'kysely'
import { type AuditEvent, type Origin, recordAll } from '../audit/record.ts'
import { lockAdministration } from '../database/revision.ts'
import type { Schema } from '../database/schema.ts'
import type { FactorRow } from '../database/schema-factors.ts'
import type { Store } from '../database/store.ts'
import { reachesAll } from './credentials.ts'
import { keepingBreakGlass, NobodyGetsIn } from './gets-in.ts'
import { inTransaction, type Reading } from './in-transaction.ts'
import { keepRemoved } from './removed-factors.ts'
import { endRestingOn, ofFactors } from './resting-on.ts'
import { isSessionActive } from './sessions.ts'
import { forgetTrustedDevices } from './trusted-devices.ts'

/** A second factor that counts, or is suspended. Its secret is for those who check codes. */
export interface Factor {
  id: string
  kind: FactorRow['kind']
  name: string
  createdAt: number
  lastUsedAt: number | undefined
  suspendedAt: number | undefined
  /** Whether a passkey is kept elsewhere too. */
  backedUp: boolean | undefined
  /** The domain that a passkey or security key belongs to. */
  rpId: string | undefined
  /** The organisation that it reaches; null: everywhere. */
  reach: string | null
}

/** The person's confirmed factors, oldest first. */
export async function factorsOf({ db }: Pick<Reading, 'db'>, user_uuid: string): Promise<Factor[]> {
  const rows = await db
    .selectFrom('factors')
    .select([
      'id',
      'kind',
      'name',
      'created_at',
      'last_used_at',
      'suspended_at',
      'backup_state',
      'rp_id',
      'reach',
    ])
    .where('user_uuid', '=', user_uuid)
    .where('confirmed_at', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    suspendedAt: row.suspended_at ?? undefined,
    backedUp: row.backup_state === null ? undefined : row.backup_state === 1,
    rpId: row.rp_id ?? undefined,
    reach: row.reach,
  }))
}

/** How many recovery codes are left. */
export async function recoveryCodesLeft({ db }: Pick<Reading, 'db'>, user_uuid: string): Promise<number> {
  const rows = await db
    .selectFrom('recovery_codes')
    .select('number')
    .where('user_uuid', '=', user_uuid)
    .where('used_at', 'is', null)
    .where(reachesAll('recovery_codes'))
    .execute()
  return rows.length
}

/** A change of somebody's factors, and who makes it. */
export interface FactorChange {
  user_uuid: string
  now: number
  by: Origin
  /** The session that it is made in, which goes on. */
  sid?: string | undefined
}

const about = (
  { id, kind: of, name }: Pick<Factor, 'id' | 'kind' | 'name'>,
  { user_uuid, now, by }: FactorChange,
) => ({
  at: now,
  ...by,
  target: { kind: 'factor', id },
  user_uuid,
  detail: { kind: of, name },
})

/** Holds the person, so that changes of their factors happen one after the other. */
async function holdPerson(trx: Kysely<Schema>, user_uuid: string): Promise<boolean> {
  const row = await trx
    .selectFrom('users')
    .select('uuid')
    .where('uuid', '=', user_uuid)
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** The factors removed, and the events to record. */
interface Removed {
  gone: Factor[]
  events: AuditEvent[]
  /** Nothing was removed, because what would be left is not enough. */
  kept?: 'too_few'
}

type Removal = FactorChange & {
  may?: (left: readonly Factor[], before: readonly Factor[]) => boolean
  /** The removed factor can't come back: somebody else had set it up, or an administrator removes it. */
  forGood?: boolean
}

/**
 * Removes these of a person's factors, or all; ends other sessions that rest on them and all trusted devices. Recovery
 * codes go with the last factor. Yields what was removed. `may` says whether what is left is enough; otherwise nothing
 * happens, as where they are the last who gets in without an upstream. Concurrency: alone among changes by administrators, so that of the last two who get in
 * without an upstream one stays.
 */
export async function removeFactors(
  store: Store,
  which: readonly string[] | 'all',
  change: Removal,
): Promise<Factor[] | 'too_few' | 'gets_in'> {
  try {
    return await store.db.transaction().execute(async (trx) => {
      await lockAdministration(trx)
      const { gone, events, kept } = await removeFactorsKeeping(trx, which, change)
      await recordAll(store, events, trx)
      return kept ?? gone
    })
  } catch (error) {
    if (error instanceof NobodyGetsIn) return 'gets_in'
    throw error
  }
}

/** Removes factors as a part of another verb, but of the last who gets in without an upstream. Throws `NobodyGetsIn`. */
export async function removeFactorsKeeping(
  trx: Kysely<Schema>,
  which: readonly string[] | 'all',
  change: Removal,
): Promise<Removed> {
  const touched = { people: [change.user_uuid], lists: [], anything: false }
  const remove = async () => await removeFactorsWithin(trx, which, change)
  return await keepingBreakGlass(trx, change.now, touched, remove)
}

/** Removes factors as a part of another verb, for safety: whoever is left. */
export async function removeFactorsWithin(
  trx: Kysely<Schema>,
  which: readonly string[] | 'all',
  change: Removal,
): Promise<Removed> {
  const { user_uuid } = change
  const nothing = { gone: [], events: [] }
  if (!(await holdPerson(trx, user_uuid))) return nothing
  const all = await factorsOf({ db: trx }, user_uuid)
  const gone = all.filter(({ id }) => which === 'all' || which.includes(id))
  if (gone.length === 0) return nothing
  const left = all.filter((one) => !gone.includes(one))
  if (change.may?.(left, all) === false) return { ...nothing, kept: 'too_few' }
  const isLast = left.length === 0
  const ids = gone.map(({ id }) => id)
  if (change.forGood !== true) await keepRemoved(trx, ids, change.now)
  await trx.deleteFrom('factors').where('id', 'in', ids).execute()
  if (isLast) {
    await trx.updateTable('users').set({ second_factor: 0 }).where('uuid', '=', user_uuid).execute()
    await trx.deleteFrom('recovery_codes').where('user_uuid', '=', user_uuid).execute()
  }
  const ending = { ...change, reason: 'factor_removed' }
  const events: AuditEvent[] = gone.map(
    (one): AuditEvent => ({ kind: 'factor.removed', ...about(one, change) }),
  )
  events.push(...(await forgetTrustedDevices(trx, ending)))
  events.push(...(await endRestingOn(trx, ofFactors(ids, { recoveryCodes: isLast }), ending)))
  return { gone, events }
}

/** Gives a factor another name; false: it is not there. */
export async function renameFactor(
  store: Store,
  { id, name }: { id: string; name: string },
  change: FactorChange,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    if (!(await holdPerson(trx, change.user_uuid))) return false
    const before = (await factorsOf({ db: trx }, change.user_uuid)).find((one) => one.id === id)
    if (before === undefined) return false
    if (before.name === name) return true
    await trx.updateTable('factors').set({ name }).where('id', '=', id).execute()
    const named = { before: { name: before.name }, after: { name }, detail: { kind: before.kind } }
    await recordAll(store, [{ kind: 'factor.changed', ...about(before, change), ...named }], trx)
    return true
  })
}

/** Lets all suspended factors of a person count again; part of another verb. Yields what is to be recorded. */
export async function restoreFactorsWithin(trx: Kysely<Schema>, change: FactorChange): Promise<AuditEvent[]> {
  const restored = await trx
    .updateTable('factors')
    .set({ suspended_at: null, failures: 0 })
    .where('user_uuid', '=', change.user_uuid)
    .where('suspended_at', 'is not', null)
    .returning(['id', 'kind', 'name'])
    .execute()
  return restored.map((one): AuditEvent => ({ kind: 'factor.restored', ...about(one, change) }))
}

/**
 * Counts a wrong code against each authenticator app of a person, and suspends those that reach the limit: other
 * sessions that rest on them and all trusted devices end. Records `failed` with it.
 */
export async function countWrongCode(
  store: Store,
  limit: number,
  change: FactorChange,
  failed: readonly AuditEvent[],
): Promise<void> {
  const { user_uuid } = change
  await store.db.transaction().execute(async (trx) => {
    const counted = await trx
      .updateTable('factors')
      .set((set) => ({ failures: set('failures', '+', 1) }))
      .where('user_uuid', '=', user_uuid)
      .where('kind', '=', 'totp')
      .where('confirmed_at', 'is not', null)
      .where('suspended_at', 'is', null)
      .returning(['id', 'kind', 'name', 'failures'])
      .execute()
    const over = counted.filter(({ failures }) => failures >= limit)
    await recordAll(store, [...failed, ...(await suspend(trx, over, change))], trx)
  })
}

/** Suspends a passkey or security key of which a copy may be in use. Nothing happens where it is suspended already. */
export async function suspendCopied(store: Store, id: string, change: FactorChange): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    if (!(await holdPerson(trx, change.user_uuid))) return
    const all = await factorsOf({ db: trx }, change.user_uuid)
    const these = all.filter((one) => one.id === id && one.suspendedAt === undefined)
    await recordAll(store, await suspend(trx, these, change), trx)
  })
}

/** Factors stay enrolled; other sessions resting on them and all trusted devices end. Yields what is to be recorded. */
async function suspend(
  trx: Kysely<Schema>,
  factors: readonly Pick<Factor, 'id' | 'kind' | 'name'>[],
  change: FactorChange,
): Promise<AuditEvent[]> {
  if (factors.length === 0) return []
  const ids = factors.map(({ id }) => id)
  await trx.updateTable('factors').set({ suspended_at: change.now }).where('id', 'in', ids).execute()
  const ending = { ...change, reason: 'factor_suspended' }
  return [
    ...factors.map((one): AuditEvent => ({ kind: 'factor.suspended', ...about(one, change) })),
    ...(await forgetTrustedDevices(trx, ending)),
    ...(await endRestingOn(trx, ofFactors(ids), ending)),
  ]
}

/** Replaces a person's recovery codes, and records it; false: they have no factor any more. */
export async function replaceRecoveryCodes(
  store: Store,
  { codes, reach }: { codes: readonly { number: number; hash: string }[]; reach: string | undefined },
  { user_uuid, now, by, sid }: FactorChange,
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const person = await trx
      .selectFrom('users')
      .select('second_factor')
      .where('uuid', '=', user_uuid)
      .forUpdate()
      .executeTakeFirst()
    if (person?.second_factor !== 1) return false
    if (sid !== undefined && !(await isSessionActive(inTransaction(trx), sid))) return false
    await trx.deleteFrom('recovery_codes').where('user_uuid', '=', user_uuid).execute()
    await trx
      .insertInto('recovery_codes')
      .values(
        codes.map((one) => ({ ...one, user_uuid, reach: reach ?? null, used_at: null, created_at: now })),
      )
      .execute()
    const target = { kind: 'user', id: user_uuid }
    await recordAll(store, [{ at: now, kind: 'recovery_codes.created', ...by, target }], trx)
    return true
  })
}
