import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { AuditKey } from '../database/audit-key.ts'
import type { Schema } from '../database/schema.ts'
import type { Recording } from './append.ts'
import { chained, extend, waitingMarkOf } from './chain.ts'
import { freeHead, type HeldHead, heldHead, partitionOf } from './head.ts'

/** Records in one batch at the most. */
const most = 1000
/** Before it is tried again, ms. */
const pauseWhileBusy = 10

/** What came of one batch. */
export interface Linked {
  /** Somebody else was linking, so nothing was done. */
  busy: boolean
  records: number
  /** Of these, records without the mark of the audit key: not written by the service, or altered while they waited. */
  unmarked: number
}

/**
 * Links the next records that wait to the chain.
 *
 * Concurrency: who holds the row of the head links; nobody waits for it. A batch is one transaction, so a record always
 * waits or stands in the chain. What was committed before another record was written is linked before it.
 */
export async function link(store: Recording): Promise<Linked> {
  const nothing = { busy: false, records: 0, unmarked: 0 }
  if (!(await someWait(store.db))) return nothing
  const key = store.auditKey()
  return await store.upkeep.transaction().execute(async (trx) => {
    const head = await freeHead(trx)
    if (head === undefined) return { ...nothing, busy: true }
    const { records, unmarked } = await linkBatch(trx, key, head)
    return { busy: false, records, unmarked }
  })
}

/** Links all that waits within a transaction, which then holds the chain until its end. Yields where it ends now. */
export async function linkWithin(trx: Kysely<Schema>, key: AuditKey | undefined): Promise<HeldHead> {
  let head = await heldHead(trx)
  for (let more = true; more; ) {
    const batch = await linkBatch(trx, key, head)
    head = batch.head
    more = batch.records > 0
  }
  return head
}

/** Asked for only after the head is held: what another batch linked waits no more. */
async function linkBatch(
  trx: Kysely<Schema>,
  key: AuditKey | undefined,
  head: HeldHead,
): Promise<Omit<Linked, 'busy'> & { head: HeldHead }> {
  const waiting = await trx.selectFrom('audit_waiting').selectAll().orderBy('number').limit(most).execute()
  if (waiting.length === 0) return { head, records: 0, unmarked: 0 }
  const isMarked = waiting.map((one) => key !== undefined && one.mac === waitingMarkOf(one, key))
  const rows = chained(head, key, waiting).map((row, index) => ({
    ...row,
    waited: row.number,
    month: partitionOf(head),
    mac: isMarked[index] === true ? row.mac : null,
  }))
  await extend(trx, rows)
  const numbers = rows.map(({ number }) => number)
  await trx.deleteFrom('audit_waiting').where('number', 'in', numbers).execute()
  const unmarked = isMarked.filter((one) => !one).length
  const { sequence, hash } = rows.at(-1) ?? head
  return { head: { sequence, hash, month: head.month }, records: rows.length, unmarked }
}

/** Whether records wait, up to this number. */
async function someWait(db: Kysely<Schema>, last?: number): Promise<boolean> {
  const row = await db
    .selectFrom('audit_waiting')
    .select('number')
    .$if(last !== undefined, (query) => query.where('number', '<=', last ?? 0))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Links what waits, and goes on while batches are full or somebody else is linking. Yields how many of the records had
 * no mark of the audit key.
 */
export async function linkAll(store: Recording, isToStop: () => boolean): Promise<number> {
  for (let unmarked = 0; ; ) {
    const linked = await link(store)
    unmarked += linked.unmarked
    if ((!linked.busy && linked.records < most) || isToStop()) return unmarked
    // Their batch may have begun before the last record here was committed.
    if (linked.busy) await wait(pauseWhileBusy)
  }
}

/** How long a reader waits for others who link, ms. */
const patience = 1000

/**
 * Links what was recorded before this call, so that a read that follows sees it. It does what it can: where records
 * can't be linked now, as without the secret or on a standby, the read goes on without them.
 */
export async function settled(store: Recording): Promise<void> {
  // What is wrong with the database, the read itself says.
  await linkUntil(store, performance.now() + patience).catch(() => undefined)
}

/** Begins no batch after `until`. */
async function linkUntil(store: Recording, until: number): Promise<void> {
  const { last } = await store.db
    .selectFrom('audit_waiting')
    .select((select) => select.fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow()
  while (last !== null && (await someWait(store.db, last)) && performance.now() < until) {
    if ((await link(store)).busy) await wait(pauseWhileBusy)
  }
}
