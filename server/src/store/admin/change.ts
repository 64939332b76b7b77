/**
 * What administrators read and change: one file per kind of thing. Each verb is a whole transaction with its audit
 * record. What may be done is decided in the room `admin/`; a verb asks an `Authority` within its transaction.
 */
import type { Kysely, Selectable } from 'kysely'
import type { AuditedThing } from '../../protocol/audit-kinds.ts'
import { Problem } from '../../protocol/problem.ts'
import { type AuditEvent, type AuditValues, changedSecret, type Origin, recordAll } from '../audit.ts'
import type { Store } from '../open.ts'
import { lockAdministration } from '../revision.ts'
import type { Schema } from '../schema.ts'
import { checkActing, type Holding } from './acting.ts'
import { refuseManaged } from './managed.ts'

export type Row<T extends keyof Schema> = Selectable<Schema[T]>
export type Transacting = Kysely<Schema>

/**
 * Who changes something and when, as the audit has it; client and session are those that it goes through. Whoever
 * runs the command on the database itself holds everything, and goes through neither.
 */
export interface By extends Origin {
  now: number
  clientId: string | undefined
  sid: string | undefined
  holds: Holding | 'everything'
  /** Asked for: what a declared file manages is changed too. */
  overridesFile?: boolean
}

/** What the audit is told of a change. */
export interface Told {
  thing: AuditedThing
  /** What it is known by: a uuid, a code or a client_id. */
  id: string
  /** As the API shows it, so never a secret. Without `before` it is new, without `after` gone. */
  before?: object
  after?: object
  /** What changed and is not shown: that it is another is all that is told. */
  secrets?: readonly string[]
  /** The person whom it is about. */
  userUuid?: string | undefined
  /** The organisation that it belongs to. */
  organisationUuid?: string | null | undefined
  /** The declared file that manages it, or what it is a part of; null: none does. */
  managedBy: string | null
  /** How many things of which kind were removed with it, without a record of their own. */
  removedWith?: Readonly<Record<string, number>>
}

/** How the API shows a thing, which is how the audit is told of it. */
export type Show<R> = (row: R) => object

/** What a verb did, and what is to be told of it; nothing when nothing changed. */
export interface Done<T> {
  result: T
  told: Told | readonly Told[] | undefined
  /** What happened beside it. */
  events?: readonly Pick<AuditEvent, 'kind' | 'target' | 'detail'>[]
}

/**
 * Does a change. Concurrency: one at a time, and never beside an application of a declared file; what the change
 * looks at is what it finds when it is committed.
 */
export async function change<T>(
  store: Store,
  by: By,
  work: (trx: Transacting) => Promise<Done<T>>,
): Promise<T> {
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx, store.dialect)
    await checkActing(trx, by)
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
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx, store.dialect)
    await checkActing(trx, by)
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
  const others = events.map((one) => ({ at: by.now, ...originOf(by), ...one }))
  await recordAll(store, [...others, ...all.map((one) => eventOf(by, one))], trx)
}

const originOf = ({ actor, address, requestId, clientId, sid }: By) => ({
  actor,
  address,
  requestId,
  clientId,
  sid,
})

function eventOf(by: By, told: Told): AuditEvent {
  const { thing, id, userUuid, organisationUuid } = told
  const action = told.before === undefined ? 'created' : told.after === undefined ? 'removed' : 'changed'
  return {
    at: by.now,
    kind: `${thing}.${action}`,
    ...originOf(by),
    target: { kind: thing, id },
    userUuid,
    organisationUuid: organisationUuid ?? undefined,
    ...valuesOf(told),
    detail: detailOf(told),
  }
}

function detailOf({ managedBy, removedWith }: Told): AuditValues | undefined {
  if (managedBy === null && removedWith === undefined) return undefined
  return {
    ...(managedBy !== null && { overridden_file: managedBy }),
    ...(removedWith !== undefined && { removed_with: removedWith }),
  }
}

/** The fields that differ; all of what is new or gone. */
function valuesOf({ before, after, secrets = [] }: Told): Pick<AuditEvent, 'before' | 'after'> {
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

async function givenAnswer<T>(
  trx: Transacting,
  { keyHash, requestHash }: Repeatable<T>,
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

async function keepAnswer<T>(trx: Transacting, repeatable: Repeatable<T>, made: T): Promise<void> {
  const { keyHash, requestHash, expiresAt, answer } = repeatable
  const kept = { request_hash: requestHash, answer: answer(made), expires_at: expiresAt }
  await trx
    .insertInto('repeatable_answers')
    .values({ key_hash: keyHash, ...kept })
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(kept))
    .execute()
}
