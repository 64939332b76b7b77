import { setTimeout as wait } from 'node:timers/promises'
import type { Kysely, Selectable } from 'kysely'
import type { AuditKey } from '../database/audit-key.ts'
import { type ChainEntry, moveWaiting, onlyByIndex } from '../database/audit-waiting.ts'
import { answersOf, prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { AuditWaitingTable } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import { lastly, runSteps, together } from '../database/steps.ts'
import type { Recording } from './append.ts'
import { chained, waitingMarkOf } from './chain.ts'
import { auditHead, type HeldHead, heldHead, partitionOf, takeHead } from './head.ts'

/** Records in one batch at the most. */
const most = 1000
/** The pause before another try, ms. */
const pauseWhileBusy = 50

/** What came of one batch. */
export interface Linked {
  /** Somebody else was linking, so nothing was done. */
  busy: boolean
  records: number
  /** How many of them lack the mark of the audit key: not written by the service, or altered while they waited. */
  unmarked: number
}

/**
 * Links the next records that wait to the chain.
 *
 * Concurrency: who holds the row of the head links; nobody waits for it. A batch is one transaction, so a record always
 * waits or stands in the chain. What was committed before another record was written is linked before it.
 */
export async function link(store: Recording): Promise<Linked> {
  if (!(await isWaiting(store))) return { busy: false, records: 0, unmarked: 0 }
  const key = store.auditKey()
  const linked = await store.write(() => linking(key), 'upkeep')
  // A row that is gone can't be held by anybody.
  if (linked.busy) await auditHead(store)
  return linked
}

function* linking(key: AuditKey): Steps<Linked> {
  const [, head] = yield* together(onlyByIndex({}), takeHead({}))
  if (head === undefined) return { busy: true, records: 0, unmarked: 0 }
  // Asked for once the head is held: what another batch linked waits no more.
  const { links, unmarked } = linksOf(head, key, yield* nextWaiting({}))
  if (links.length > 0) yield* lastly(move(head, links))
  return { busy: false, records: links.length, unmarked }
}

/** Links all that waits within a transaction, which then holds the chain until its end. Yields where it ends now. */
export async function linkWithin(trx: Kysely<Schema>, key: AuditKey | undefined): Promise<HeldHead> {
  const ask = <Answer>(steps: Steps<Answer>) => runSteps(steps, (turn) => answersOf(trx, turn))
  for (let head = await heldHead(trx); ; ) {
    const { links } = linksOf(head, key, await ask(nextWaiting({})))
    const last = links.at(-1)
    if (last === undefined) return head
    await ask(move(head, links))
    head = { ...head, sequence: last.sequence, hash: last.hash }
  }
}

type WaitingRecord = Selectable<AuditWaitingTable>

const nextWaiting = prepared<object, WaitingRecord>((db) =>
  db.selectFrom('audit_waiting').selectAll().orderBy('number').limit(most),
)

/** A record without the mark of the key gets none in the chain. */
function linksOf(
  head: HeldHead,
  key: AuditKey | undefined,
  waiting: readonly WaitingRecord[],
): { links: ChainEntry[]; unmarked: number } {
  const isMarked = waiting.map((one) => key !== undefined && one.mac === waitingMarkOf(one, key))
  const links = chained(head, key, waiting).map(({ number, sequence, previous, hash, mac }, index) => ({
    number,
    sequence,
    previous,
    hash,
    mac: isMarked[index] === true ? mac : null,
  }))
  return { links, unmarked: isMarked.filter((one) => !one).length }
}

function* move(head: HeldHead, links: readonly ChainEntry[]): Steps<unknown> {
  const { sequence, hash } = links.at(-1) ?? head
  return yield* moveWaiting({ links: JSON.stringify(links), sequence, hash, month: partitionOf(head) })
}

/** Whether a record waits to be linked. */
export const isWaiting = async (store: Recording): Promise<boolean> =>
  (await firstWaiting(store)) !== undefined

/** The number of the first record that waits. */
async function firstWaiting({ read }: Recording): Promise<number | undefined> {
  return (await read(selectFirst({})))?.number
}

const selectFirst = preparedRow<object, { number: number }>((db) =>
  db.selectFrom('audit_waiting').select('number').orderBy('number').limit(1),
)

/**
 * Links what waits, and goes on while batches are full or somebody else is linking. Yields how many of the records had
 * no mark of the audit key.
 */
export async function linkAll(store: Recording, isToStop: () => boolean): Promise<number> {
  for (let unmarked = 0; ; ) {
    const linked = await link(store)
    unmarked += linked.unmarked
    if ((!linked.busy && linked.records < most) || isToStop()) return unmarked
    // The other's batch may have begun before the last record here was committed.
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
  while (last !== null && ((await firstWaiting(store)) ?? Infinity) <= last && performance.now() < until) {
    if ((await link(store)).busy) await wait(pauseWhileBusy)
  }
}
