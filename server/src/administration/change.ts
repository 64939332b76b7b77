/**
 * A change by an administrator: one transaction with what is changed, what ends with it, and its audit record. The
 * verbs of each resource are made of it.
 */
import type { By, AuditedChange, Transacting } from './by.ts'
import { Problem } from '../protocol/problem.ts'
import { thingKind } from '../protocol/audit-kinds.ts'
import { type AuditEvent, type AuditValues, changedSecret, recordAll } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { lockAdministration } from '../database/revision.ts'
import { inTransaction, type Reading } from '../store/in-transaction.ts'
import { authorityOf } from './authority.ts'
import { type Looked, settleWaiting } from '../access/waiting.ts'
import { refuseManaged } from './managed.ts'
import { wantRecentSignInFor } from './recent-sign-in.ts'

/** What a verb did, and what is to be told of it; nothing when nothing changed. */
export interface Done<T> {
  result: T
  told?: AuditedChange | readonly AuditedChange[] | undefined
  /** What happened beside it. */
  events?: readonly Omit<AuditEvent, 'at' | keyof ReturnType<typeof originOf>>[]
}

/**
 * A transaction of an administrator. Concurrency: one at a time, and never beside an application of a declared file;
 * what it reads is so until it is committed. The authority is checked again in it: of two administrators who disable
 * one another the second is refused. Throws `invalid_token` or `forbidden`.
 */
export async function administering<T>(
  store: Store,
  by: By,
  work: (trx: Transacting) => Promise<T>,
): Promise<T> {
  const administer = async (trx: Transacting) => {
    await lockAdministration(trx)
    await checkAgain(inTransaction(trx), by)
    return await work(trx)
  }
  // A change that is tried out is within the transaction that takes it back.
  return await (store.db.isTransaction ? administer(store.db) : store.db.transaction().execute(administer))
}

/** A refusal because of the caller, whatever they ask for: they may no longer do what they might. */
export class NoLonger extends Problem {}

async function checkAgain(store: Reading, { authority, now }: By): Promise<void> {
  if (authority.claims === undefined) return
  const today = await authorityOf(store, authority.claims, now)
  if (today === undefined) {
    throw new NoLonger(
      'invalid_token',
      'What the access token is for was disabled meanwhile; nothing was changed.',
    )
  }
  if (!authority.isWithin(today))
    throw new NoLonger('forbidden', 'What you may do was changed meanwhile; nothing was changed. Try again.')
}

/** Does a change, and records it. Concurrency: as `administering`. */
export async function change<T>(
  store: Store,
  by: By,
  work: (trx: Transacting) => Promise<Done<T>>,
): Promise<T> {
  return await administering(store, by, async (trx) => {
    const done = await work(trx)
    await tell(store, trx, by, done)
    return done.result
  })
}

/** An answer that is given again when the same request is sent again. */
export interface Repeatable<T> {
  keyHash: string
  requestHash: string
  expiresAt: number
  answer: (made: T) => string
}

export type Created<T> = { made: T; repeated?: undefined } | { repeated: string }

/**
 * Does a change once: with the key of an earlier request it changes nothing, and yields the answer that was given.
 * Throws `idempotency_key_reused` when that request was another. Concurrency: as `change`; of requests with the same
 * key one does it.
 */
export async function changeOnce<T>(
  store: Store,
  by: By,
  repeatable: Repeatable<T> | undefined,
  work: (trx: Transacting) => Promise<Done<T>>,
): Promise<Created<T>> {
  return await administering(store, by, async (trx) => {
    const repeated = repeatable && (await givenAnswer(trx, repeatable, by.now))
    if (repeated !== undefined) return { repeated }
    const done = await work(trx)
    if (repeatable !== undefined) await keepAnswer(trx, repeatable, done.result)
    await tell(store, trx, by, done)
    return { made: done.result }
  })
}

/** The last thing of its transaction: see `record`. */
async function tell(
  store: Store,
  trx: Transacting,
  by: By,
  { told = [], events = [] }: Done<unknown>,
): Promise<void> {
  const all = [told].flat()
  for (const one of all) refuseManaged(by, one)
  by.tried?.told.push(...all)
  for (const { user_uuid } of events) if (user_uuid !== undefined) by.tried?.people.add(user_uuid)
  const waited = await settleWaiting(trx, lookedAt(all), by.now)
  await wantRecentSignInFor(trx, by, all)
  const others = events.map((one) => ({ at: by.now, ...originOf(by), ...one }))
  const after = waited.map((one) => ({ ...originOf(by), ...one }))
  await recordAll(store, [...others, ...all.map((one) => eventOf(by, one)), ...after], trx)
}

/** What may bring profiles of unproved accounts beyond what their makers could give, or back within it. */
function lookedAt(all: readonly AuditedChange[]): Looked {
  const of = (pick: (told: AuditedChange) => string | null | undefined) =>
    all.flatMap((told) => pick(told) ?? [])
  return {
    users: of(({ thing, id, user_uuid }) => (thing === 'user' ? id : thing === 'profile' ? user_uuid : null)),
    roles: of((told) => (told.thing === 'role' && differsIn(told, 'permissions') ? told.id : null)),
    organisations: of((told) =>
      told.thing === 'unit' && differsIn(told, 'parent_uuid') ? told.organisation_uuid : null,
    ),
  }
}

function differsIn({ before, after }: AuditedChange, field: string): boolean {
  const [old, now] = [before, after].map((one) => (one as Record<string, unknown> | undefined)?.[field])
  return before !== undefined && after !== undefined && JSON.stringify(old) !== JSON.stringify(now)
}

export const originOf = ({ actor, address, requestId, client_id, sid }: By) => ({
  actor,
  address,
  requestId,
  client_id,
  sid,
})

function eventOf(by: By, told: AuditedChange): AuditEvent {
  const { thing, id, user_uuid, organisation_uuid } = told
  const action = told.before === undefined ? 'created' : told.after === undefined ? 'removed' : 'changed'
  return {
    at: by.now,
    kind: thingKind(thing, action),
    ...originOf(by),
    target: { kind: thing, id },
    user_uuid,
    organisation_uuid: organisation_uuid ?? undefined,
    ...valuesOf(told),
    detail: detailOf(told),
  }
}

function detailOf({ managedBy, removedWith, detail }: AuditedChange): AuditValues | undefined {
  if (managedBy === null && removedWith === undefined) return detail
  return {
    ...detail,
    ...(managedBy !== null && { overridden_file: managedBy }),
    ...(removedWith !== undefined && { removed_with: removedWith }),
  }
}

/** The fields that differ; all of what is new or gone. */
function valuesOf({ before, after, secrets = [] }: AuditedChange): Pick<AuditEvent, 'before' | 'after'> {
  const hidden = Object.fromEntries(secrets.map((name) => [name, changedSecret]))
  if (before === undefined || after === undefined) {
    return {
      ...(before !== undefined && { before: asValues(before) }),
      ...(after !== undefined && { after: { ...asValues(after), ...hidden } }),
    }
  }
  const old = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]))
  const differing = Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== old.get(name))
  const changed = differing.map(([name]) => name)
  const only = (values: object) =>
    asValues(Object.fromEntries(Object.entries(values).filter(([name]) => changed.includes(name))))
  return { before: only(before), after: { ...only(after), ...hidden } }
}

/** What the API shows is JSON. */
const asValues = (shown: object) => shown as AuditValues

/** The answer that was given for this key; undefined: none yet. Throws `idempotency_key_reused`. */
export async function givenAnswer(
  trx: Transacting,
  { keyHash, requestHash }: Omit<Repeatable<unknown>, 'answer'>,
  now: number,
): Promise<string | undefined> {
  const row = await trx
    .selectFrom('repeatable_answers')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  if (row === undefined) return undefined
  if (row.request_hash === requestHash) return row.answer
  throw new Problem('idempotency_key_reused', 'This Idempotency-Key was sent with another request before.')
}

export async function keepAnswer<T>(trx: Transacting, repeatable: Repeatable<T>, made: T): Promise<void> {
  const { keyHash, requestHash, expiresAt, answer } = repeatable
  const kept = { request_hash: requestHash, answer: answer(made), expires_at: expiresAt }
  await trx
    .insertInto('repeatable_answers')
    .values({ key_hash: keyHash, ...kept })
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(kept))
    .execute()
}
