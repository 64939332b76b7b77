import { type Recording, appending } from '../audit/append.ts'
import { type AuditEvent, contentOf, type Origin } from '../audit/record.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { Reading } from './in-transaction.ts'

/** An authenticator app as codes are checked by it. */
export interface KeptTotp {
  id: string
  /** Encrypted. */
  secret: string
  suspended: boolean
  /** The organisation that it reaches; null: everywhere. */
  reach: string | null
}

const selectTotp = prepared<
  { user_uuid: string },
  { id: string; secret: string | null; suspended_at: number | null; reach: string | null }
>((db, slot) =>
  db
    .selectFrom('factors')
    .select(['id', 'secret', 'suspended_at', 'reach'])
    .where('user_uuid', '=', slot('user_uuid'))
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is not', null)
    .orderBy('id'),
)

/** The person's confirmed authenticator apps. */
export async function totpOf(store: Reading, user_uuid: string): Promise<KeptTotp[]> {
  const rows = await store.read(selectTotp({ user_uuid }))
  return rows.map(({ id, secret, suspended_at: at, reach }) => ({
    id,
    secret: secret ?? '',
    suspended: at !== null,
    reach,
  }))
}

/** The person who proves something, when, and by which request. */
export interface Proving {
  user_uuid: string
  now: number
  by: Origin
}

/**
 * Takes a code once: the step must exceed the last accepted, in one conditional statement, so of parallel ones one
 * passes. `alsoSuspended`: on a device that is known. Suspended factors of the person count again.
 */
export function* acceptTotp(
  store: Recording,
  { id, step, alsoSuspended }: { id: string; step: number; alsoSuspended: boolean },
  { user_uuid, now, by }: Proving,
): Steps<boolean> {
  const accepted = yield* accept({ id, user_uuid, step, now, suspendedBy: alsoSuspended ? now : 0 })
  if (accepted === undefined) return false
  yield* free(store, { user_uuid, now, by })
  return true
}

const accept = preparedRow<
  { id: string; user_uuid: string; step: number; now: number; suspendedBy: number },
  { id: string }
>((db, slot) =>
  db
    .updateTable('factors')
    .set({ last_step: slot('step'), last_used_at: slot('now') })
    .where('id', '=', slot('id'))
    .where('user_uuid', '=', slot('user_uuid'))
    .where('confirmed_at', 'is not', null)
    .where((where) => where.or([where('last_step', 'is', null), where('last_step', '<', slot('step'))]))
    .where((where) =>
      where.or([where('suspended_at', 'is', null), where('suspended_at', '<=', slot('suspendedBy'))]),
    )
    .returning('id'),
)

/** Part of each verb that takes a right second factor: wrong ones before it are forgotten, suspended ones count again. */
export function* free(store: Recording, { user_uuid, now, by }: Proving): Steps<void> {
  const freed = yield* freeSuspended({ user_uuid })
  yield* forgetFailures({ user_uuid })
  if (freed.length === 0) return
  const events = freed.map(({ id, kind, name }) => ({
    at: now,
    kind: 'factor.restored' as const,
    ...by,
    target: { kind: 'factor', id },
    user_uuid,
    detail: { kind, name },
  }))
  yield* appending(store, events.map(contentOf))
}

const freeSuspended = prepared<{ user_uuid: string }, { id: string; kind: string; name: string }>(
  (db, slot) =>
    db
      .updateTable('factors')
      .set({ suspended_at: null, failures: 0 })
      .where('user_uuid', '=', slot('user_uuid'))
      // Not a passkey of which a copy may be in use.
      .where('kind', '=', 'totp')
      .where('suspended_at', 'is not', null)
      .returning(['id', 'kind', 'name']),
)

const forgetFailures = prepared<{ user_uuid: string }, never>((db, slot) =>
  db
    .updateTable('factors')
    .set({ failures: 0 })
    .where('user_uuid', '=', slot('user_uuid'))
    .where('failures', '>', 0),
)

const selectRecoveryCode = preparedRow<
  { user_uuid: string; number: number },
  { hash: string; reach: string | null }
>((db, slot) =>
  db
    .selectFrom('recovery_codes')
    .select(['hash', 'reach'])
    .where('user_uuid', '=', slot('user_uuid'))
    .where('number', '=', slot('number'))
    .where('used_at', 'is', null),
)

/** The person's recovery code of this number, while it was not used. */
export async function recoveryCodeWith(
  store: Reading,
  user_uuid: string,
  number: number,
): Promise<{ hash: string; reach: string | null } | undefined> {
  return await store.read(selectRecoveryCode({ user_uuid, number }))
}

/** Uses a recovery code, by the hash that it was checked against. Of parallel uses one passes. */
export function* useRecoveryCode(
  store: Recording,
  { number, hash }: { number: number; hash: string },
  { user_uuid, now, by }: Proving,
): Steps<boolean> {
  const used = yield* markUsed({ user_uuid, number, hash, now })
  if (used === undefined) return false
  yield* free(store, { user_uuid, now, by })
  const target = { kind: 'user', id: user_uuid }
  const event: AuditEvent = { at: now, kind: 'recovery_code.used', ...by, target, detail: { number } }
  yield* appending(store, [contentOf(event)])
  return true
}

const markUsed = preparedRow<
  { user_uuid: string; number: number; hash: string; now: number },
  { number: number }
>((db, slot) =>
  db
    .updateTable('recovery_codes')
    .set({ used_at: slot('now') })
    .where('user_uuid', '=', slot('user_uuid'))
    .where('number', '=', slot('number'))
    .where('hash', '=', slot('hash'))
    .where('used_at', 'is', null)
    .returning('number'),
)
