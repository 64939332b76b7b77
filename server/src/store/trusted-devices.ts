import type { Kysely } from 'kysely'
import { appending, type Recording } from '../audit/append.ts'
import { type AuditEvent, contentOf, type Origin, recordAll } from '../audit/record.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { hashSecret } from '../protocol/identifier.ts'
import { endRestingOn } from './resting-on.ts'
import type { Proving } from './second-factor.ts'

/** The most that a policy allows, and so how long the cookie lives, ms. */
export const longestTrust = 90 * 24 * 3_600_000

/** One cookie stands for the browser, one row for each person who trusts it. */
const idHash = (cookie: string, user_uuid: string) => hashSecret(`trusted ${cookie} ${user_uuid}`)

const selectTrusted = preparedRow<{ id: string }, { proved_at: number; reach: string | null }>((db, slot) =>
  db
    .selectFrom('trusted_devices')
    .select(['proved_at', 'reach'])
    .where('id_hash', '=', slot('id'))
    .forShare(),
)

const moveUsed = prepared<{ id: string; now: number }, never>((db, slot) =>
  db
    .updateTable('trusted_devices')
    .set({ last_used_at: slot('now') })
    .where('id_hash', '=', slot('id')),
)

/** When a second factor was proved in the browser with this cookie, if the person trusts it, and how far that reaches. */
export function* trustedSince(
  cookie: string,
  user_uuid: string,
): Steps<{ proved_at: number; reach: string | null } | undefined> {
  return yield* selectTrusted({ id: idHash(cookie, user_uuid) })
}

/** Whether a browser is still trusted as it was found; part of the verb that signs the person in. */
export function* stillTrusted(
  cookie: string,
  user_uuid: string,
  { provedAt, now }: { provedAt: number; now: number },
): Steps<boolean> {
  if ((yield* trustedSince(cookie, user_uuid))?.proved_at !== provedAt) return false
  yield* moveUsed({ id: idHash(cookie, user_uuid), now })
  return true
}

interface Trusted {
  id: string
  user_uuid: string
  label: string
  reach: string | null
  now: number
}

const insertTrusted = prepared<Trusted, never>((db, slot) =>
  db
    .insertInto('trusted_devices')
    .values({
      id_hash: slot('id'),
      user_uuid: slot('user_uuid'),
      label: slot('label'),
      reach: slot('reach'),
      proved_at: slot('now'),
      last_used_at: slot('now'),
    })
    .onConflict((conflict) =>
      conflict.column('id_hash').doUpdateSet({
        proved_at: slot('now'),
        last_used_at: slot('now'),
        label: slot('label'),
        reach: slot('reach'),
      }),
    ),
)

/** Trusts a browser from this proof on; part of the verb that adds the proof. */
export function* trustDevice(
  store: Recording,
  { cookie, label, reach }: { cookie: string; label: string; reach: string | undefined },
  { user_uuid, now, by }: Proving,
): Steps<void> {
  yield* insertTrusted({ id: idHash(cookie, user_uuid), user_uuid, label, reach: reach ?? null, now })
  const target = { kind: 'user', id: user_uuid }
  const event: AuditEvent = { at: now, kind: 'trusted_device.created', ...by, target, detail: { label } }
  yield* appending(store, [contentOf(event)])
}

export interface TrustedDevice {
  id: string
  label: string
  provedAt: number
}

/** The browsers that a person trusts, as they see them. */
export async function trustedDevicesOf(
  { db }: Pick<Store, 'db'>,
  user_uuid: string,
): Promise<TrustedDevice[]> {
  return await db
    .selectFrom('trusted_devices')
    .select(['id_hash as id', 'label', 'proved_at as provedAt'])
    .where('user_uuid', '=', user_uuid)
    .orderBy('proved_at')
    .execute()
}

interface Forgetting {
  user_uuid: string
  now: number
  by: Origin
  reason: string
}

const forgotten = (label: string, { user_uuid, now, by, reason }: Forgetting): AuditEvent => ({
  at: now,
  kind: 'trusted_device.removed',
  ...by,
  target: { kind: 'user', id: user_uuid },
  detail: { label, reason },
})

/** Forgets every browser that a person trusts. Yields what is to be recorded. */
export async function forgetTrustedDevices(
  trx: Kysely<Schema>,
  forgetting: Forgetting,
): Promise<AuditEvent[]> {
  const gone = await trx
    .deleteFrom('trusted_devices')
    .where('user_uuid', '=', forgetting.user_uuid)
    .returning('label')
    .execute()
  return gone.map(({ label }) => forgotten(label, forgetting))
}

/** Forgets one of them, and ends other sessions that rest on its trust. Nothing happens where it is somebody else's. */
export async function forgetTrustedDevice(
  store: Store,
  id: string,
  forgetting: Forgetting & { sid: string },
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom('trusted_devices')
      .where('user_uuid', '=', forgetting.user_uuid)
      .where('id_hash', '=', id)
      .returning(['label', 'proved_at'])
      .executeTakeFirst()
    if (gone === undefined) return
    const ended = await endRestingOn(
      trx,
      ({ method, at }) => method === 'trusted_device' && at === gone.proved_at,
      forgetting,
    )
    await recordAll(store, [forgotten(gone.label, forgetting), ...ended], trx)
  })
}
