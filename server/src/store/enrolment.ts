import { type Recording, appending } from '../audit/append.ts'
import { type AuditEvent, contentOf } from '../audit/record.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import { together } from '../database/steps.ts'
import type { Store } from '../database/store.ts'
import type { Reading } from './in-transaction.ts'
import type { Proving } from './second-factor.ts'

/** How long a secret that was shown may be confirmed, ms. */
const pendingFor = 15 * 60_000
export const mostTotp = 3

interface Session {
  user_uuid: string
  sid: string
  now: number
}

/** The secret that was shown in this session and waits for its first right code; undefined: none, or too long ago. */
export async function pendingTotp(
  { db }: Pick<Reading, 'db'>,
  { user_uuid, sid, now }: Session,
): Promise<{ id: string; secret: string } | undefined> {
  const row = await db
    .selectFrom('factors')
    .select(['id', 'secret'])
    .where('user_uuid', '=', user_uuid)
    .where('pending_sid', '=', sid)
    .where('confirmed_at', 'is', null)
    .where('kind', '=', 'totp')
    .where('created_at', '>', now - pendingFor)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return row === undefined ? undefined : { id: row.id, secret: row.secret ?? '' }
}

/** Keeps a secret that is being shown. It gives nothing until it is confirmed; those that ran out go. */
export async function keepPendingTotp(
  store: Store,
  { id, secret }: { id: string; secret: string },
  { user_uuid, sid, now }: Session,
): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('factors')
      .where('user_uuid', '=', user_uuid)
      .where('confirmed_at', 'is', null)
      .where((where) =>
        where.or([where('pending_sid', '=', sid), where('created_at', '<=', now - pendingFor)]),
      )
      .execute()
    await trx
      .insertInto('factors')
      .values({ id, user_uuid, kind: 'totp', name: '', created_at: now, pending_sid: sid, secret })
      .execute()
  })
}

/** An authenticator app whose first code was right. */
export interface Enrolment {
  id: string
  sid: string
  name: string
  step: number
  reach: string | null
  /** Hashes of recovery codes, where it is the person's first factor. */
  first: FirstCodes | undefined
}

/**
 * Lets a pending factor count, and keeps the recovery codes that come with the first one.
 *
 * Concurrency: changes of one person's factors wait for each other. False, and nothing happens, when a first one is no
 * longer the first, a further one has become the first, or it ran out: what a password alone may begin must not end
 * beside somebody else's factor.
 */
export function* confirmTotp(
  store: Recording,
  { id, sid, name, step, reach, first }: Enrolment,
  { user_uuid, now, by }: Proving,
): Steps<boolean> {
  const person = yield* holdPerson({ user_uuid })
  if (person === undefined || (person.second_factor === 0) !== (first !== undefined)) return false
  if ((yield* confirmedTotp({ user_uuid })).length >= mostTotp) return false
  const since = now - pendingFor
  if ((yield* confirm({ id, user_uuid, sid, name, step, reach, now, since })) === undefined) return false
  yield* enrolled({ user_uuid })
  yield* recordEnrolment(store, { id, kind: 'totp', name, reach, first }, { user_uuid, now, by })
  return true
}

/** Hashes of recovery codes. */
export type FirstCodes = readonly { number: number; hash: string }[]

interface NewFactor {
  id: string
  kind: string
  name: string
  /** The organisation that it reaches; null: everywhere. */
  reach: string | null
  first: FirstCodes | undefined
}

/** Part of each verb that adds a factor: the record of it, and with a first one recovery codes. */
export function* recordEnrolment(
  store: Recording,
  { id, kind, name, reach, first }: NewFactor,
  { user_uuid, now, by }: Proving,
): Steps<void> {
  const about = { at: now, ...by, user_uuid }
  const target = { kind: 'factor', id }
  const created: AuditEvent = { ...about, kind: 'factor.created', target, detail: { kind, name } }
  if (first === undefined) return yield* appending(store, [contentOf(created)])
  yield* keepFirst({ user_uuid, now, reach }, first)
  const person = { kind: 'user', id: user_uuid }
  const codes: AuditEvent = { ...about, kind: 'recovery_codes.created', target: person }
  yield* appending(store, [created, codes].map(contentOf))
}

/** Recovery codes, and an end to the devices that a password alone made known: those count wrong codes by themselves. */
function* keepFirst(
  { user_uuid, now, reach }: Pick<Proving, 'user_uuid' | 'now'> & Pick<NewFactor, 'reach'>,
  codes: FirstCodes,
): Steps<void> {
  yield* together(forgetDevices({ user_uuid }), forgetCodes({ user_uuid }))
  yield* together(...codes.map((one) => insertCode({ ...one, user_uuid, reach, now })))
}

export const holdPerson = preparedRow<{ user_uuid: string }, { second_factor: number }>((db, slot) =>
  db
    .selectFrom('users')
    .select('second_factor')
    .where('uuid', '=', slot('user_uuid'))
    .where('active', '=', 1)
    .forUpdate(),
)

const confirmedTotp = prepared<{ user_uuid: string }, { id: string }>((db, slot) =>
  db
    .selectFrom('factors')
    .select('id')
    .where('user_uuid', '=', slot('user_uuid'))
    .where('kind', '=', 'totp')
    .where('confirmed_at', 'is not', null),
)

const confirm = preparedRow<
  {
    id: string
    user_uuid: string
    sid: string
    name: string
    step: number
    reach: string | null
    now: number
    since: number
  },
  { id: string }
>((db, slot) =>
  db
    .updateTable('factors')
    .set({
      confirmed_at: slot('now'),
      last_used_at: slot('now'),
      last_step: slot('step'),
      name: slot('name'),
      reach: slot('reach'),
      pending_sid: null,
    })
    .where('id', '=', slot('id'))
    .where('user_uuid', '=', slot('user_uuid'))
    .where('pending_sid', '=', slot('sid'))
    .where('confirmed_at', 'is', null)
    .where('created_at', '>', slot('since'))
    .returning('id'),
)

/** Grace is over for whoever had a factor once: it began at the beginning of time. */
export const enrolled = prepared<{ user_uuid: string }, never>((db, slot) =>
  db
    .updateTable('users')
    .set({ second_factor: 1, enrolment_required: 0, grace_began_at: 0 })
    .where('uuid', '=', slot('user_uuid')),
)

const forgetDevices = prepared<{ user_uuid: string }, never>((db, slot) =>
  db.deleteFrom('devices').where('user_uuid', '=', slot('user_uuid')),
)

const forgetCodes = prepared<{ user_uuid: string }, never>((db, slot) =>
  db.deleteFrom('recovery_codes').where('user_uuid', '=', slot('user_uuid')),
)

const insertCode = prepared<
  { user_uuid: string; number: number; hash: string; reach: string | null; now: number },
  never
>((db, slot) =>
  db.insertInto('recovery_codes').values({
    user_uuid: slot('user_uuid'),
    number: slot('number'),
    hash: slot('hash'),
    reach: slot('reach'),
    used_at: null,
    created_at: slot('now'),
  }),
)
