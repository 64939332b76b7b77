import { type Origin, record } from '../audit/record.ts'
import { preparedRow } from '../database/prepared.ts'
import type { DeviceCodeRow } from '../database/schema-tokens.ts'
import type { Store } from '../database/store.ts'
import { hashSecret, newId, newSecret } from '../protocol/identifier.ts'
import { newUserCode } from '../protocol/user-code.ts'
import type { NewFamily } from './token-families.ts'

/** RFC 8628 §3.2: how long the codes live, and how long a device waits between two requests, ms. */
export const deviceCodeLifetime = 600_000
export const pollInterval = 5000
/** Each request that comes too soon adds this (RFC 8628 §3.5). */
const slowDownBy = 5000
/** Requests may come sooner by this, because the network takes longer for some than for others, ms. */
const leeway = 1000

/** What a device asked for (RFC 8628). */
export type DeviceCode = DeviceCodeRow

/**
 * Stores new codes: `<id>.<256 random bits>`, of which the table holds the hash, for the device; and eight letters for
 * the person, kept as they are, because a hash of so few could be undone.
 */
export async function keepDeviceCode(
  store: Store,
  asked: Pick<DeviceCode, 'client_id' | 'scope' | 'resource'>,
  now: number,
): Promise<{ deviceCode: string; userCode: string }> {
  const id = newId(now)
  const secret = newSecret()
  for (;;) {
    const row = await store.db
      .insertInto('device_codes')
      .values({
        id,
        secret_hash: hashSecret(secret),
        user_code: newUserCode(),
        ...asked,
        state: 'pending',
        poll_interval: pollInterval,
        next_poll_at: now,
        created_at: now,
        expires_at: now + deviceCodeLifetime,
      })
      .onConflict((conflict) => conflict.column('user_code').doNothing())
      .returning('user_code')
      .executeTakeFirst()
    // No row comes back where a device has this user code already. There are 25 thousand million.
    if (row !== undefined) return { deviceCode: `${id}.${secret}`, userCode: row.user_code }
  }
}

const devicePattern = /^([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/

/** What a device code stands for, also when it was answered or has expired. */
export async function findDeviceCode(store: Store, text: string): Promise<DeviceCode | undefined> {
  const [, id, secret] = devicePattern.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  return await store.db
    .selectFrom('device_codes')
    .selectAll()
    .where('id', '=', id)
    .where('secret_hash', '=', hashSecret(secret))
    .executeTakeFirst()
}

/** What waits for an answer under this user code. */
export const waitingFor = preparedRow<{ user_code: string; now: number }, DeviceCode>((db, slot) =>
  db
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code', '=', slot('user_code'))
    .where('state', '=', 'pending')
    .where('expires_at', '>', slot('now')),
)

/**
 * Notes that a device asked for its tokens in vain. True: it came too soon, and has to wait longer from now on.
 * Concurrency: of requests at the same time one is in time.
 */
export async function pollTooSoon(store: Store, id: string, now: number): Promise<boolean> {
  const inTime = await store.db
    .updateTable('device_codes')
    .set((at) => ({ next_poll_at: at('poll_interval', '+', now - leeway) }))
    .where('id', '=', id)
    .where('next_poll_at', '<=', now)
    .returning('id')
    .executeTakeFirst()
  if (inTime !== undefined) return false
  await store.db
    .updateTable('device_codes')
    .set((at) => ({
      poll_interval: at('poll_interval', '+', slowDownBy),
      next_poll_at: at('poll_interval', '+', now + slowDownBy - leeway),
    }))
    .where('id', '=', id)
    .execute()
  return true
}

/** The person who allows a device to act for them, and the profile. */
export type Approver = Omit<NewFamily, 'client_id' | 'scope' | 'resource'>

/** Stands in a device's code for what it has not. No authorization request can have these. */
const ofDevice = { redirect_uri: '', code_challenge: '', nonce: '' }

/**
 * Allows a device what it asked for: from now on its device code is an authorization code too, without a redirect_uri.
 * Ends the authorization request in which the person said so.
 * Concurrency: one conditional statement, so a device code is answered once. False: it was, or has expired.
 */
export async function approveDeviceCode(
  store: Store,
  { id, requestId }: { id: string; requestId: string },
  approver: Approver,
  { now, by }: { now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const device = await trx
      .updateTable('device_codes')
      .set({ state: 'approved' })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('expires_at', '>', now)
      .returning(['secret_hash', 'client_id', 'scope', 'resource', 'expires_at'])
      .executeTakeFirst()
    if (device === undefined) return false
    await trx
      .insertInto('authorization_codes')
      .values({ id, ...device, ...ofDevice, ...approver, created_at: now })
      .execute()
    await trx.deleteFrom('authorization_requests').where('id', '=', requestId).execute()
    const { user_uuid, sid } = approver
    const about = { target: { kind: 'device_code', id }, user_uuid, client_id: device.client_id, sid }
    await record(store, { at: now, kind: 'device_code.approved', ...by, ...about }, trx)
    return true
  })
}

/** Refuses a device what it asked for. Concurrency: as approving. False: it was allowed before, and keeps what it has. */
export async function denyDeviceCode(
  store: Store,
  id: string,
  { now, by }: { now: number; by: Origin },
): Promise<boolean> {
  return await store.db.transaction().execute(async (trx) => {
    const device = await trx
      .updateTable('device_codes')
      .set({ state: 'denied' })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('expires_at', '>', now)
      .returning('client_id')
      .executeTakeFirst()
    if (device === undefined) return !(await isApproved(trx, id))
    const about = { target: { kind: 'device_code', id }, client_id: device.client_id }
    await record(store, { at: now, kind: 'device_code.denied', ...by, ...about }, trx)
    return true
  })
}

async function isApproved(trx: Store['db'], id: string): Promise<boolean> {
  const row = await trx.selectFrom('device_codes').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state === 'approved'
}
