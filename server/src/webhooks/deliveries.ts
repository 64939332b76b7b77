import { sql } from 'kysely'
import type { AuditedThing } from '../protocol/audit-kinds.ts'
import { type AuditEvent, record } from '../audit/record.ts'
import { recordAt } from '../audit/head.ts'
import { type AuditRecord, auditRecord } from '../audit/read.ts'
import { rowsOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { writeChange } from '../store/write/write.ts'
import { liveWebhooks } from './outbox.ts'
import { type KeptSecret, keptSecret } from './kept-secrets.ts'

const day = 86_400_000
/** How long a delivery is listed after it arrived, and after it was given up. */
const stays = { delivered: 7 * day, dead: 90 * day }

/** A literal: SQLite uses the partial index only when it sees the text, not a parameter. */
const pending = sql.lit('pending' as const)

/** A delivery that this process sends, with all that it needs. */
export interface ClaimedDelivery {
  id: string
  webhookUuid: string
  url: string
  /** The secrets that count, encrypted, newest first. */
  secrets: KeptSecret[]
  record: AuditRecord
  /** Which attempt this is, 1 the first. */
  attempt: number
}

/** The subscriptions with a due delivery. */
export async function dueWebhooks(store: Store, now: number): Promise<string[]> {
  const rows = await liveWebhooks(store.db)
    .select('webhooks.uuid')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries')
          .select('id')
          .whereRef('webhook_uuid', '=', 'webhooks.uuid')
          .where('state', '=', pending)
          .where('next_at', '<=', now),
      ),
    )
    .execute()
  return rows.map((row) => row.uuid)
}

/**
 * Claims a due delivery of a subscription `until` a time, after which another process may claim it. Undefined when none
 * is due, or the subscription was disabled. Concurrency: one conditional statement; one of several processes wins.
 */
export async function claimDelivery(
  store: Store,
  webhookUuid: string,
  { now, until }: { now: number; until: number },
): Promise<ClaimedDelivery | undefined> {
  const due = await store.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_uuid', '=', webhookUuid)
    .where('state', '=', pending)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(10)
    .execute()
  for (const { id } of due) {
    const row = await store.db
      .updateTable('webhook_deliveries')
      .set((set) => ({ attempts: set('attempts', '+', 1), next_at: until }))
      .where('id', '=', id)
      .where('state', '=', pending)
      .where('next_at', '<=', now)
      .where('webhook_uuid', 'in', liveWebhooks(store.db).select('webhooks.uuid'))
      .returning(['attempts', 'sequence'])
      .executeTakeFirst()
    if (row !== undefined) {
      return await withContent(store, { id, webhookUuid, attempt: row.attempts }, row.sequence, now)
    }
  }
  return undefined
}

async function withContent(
  store: Store,
  claimed: Pick<ClaimedDelivery, 'id' | 'webhookUuid' | 'attempt'>,
  sequence: number,
  now: number,
): Promise<ClaimedDelivery | undefined> {
  const webhook = await store.db
    .selectFrom('webhooks')
    .select('url')
    .where('uuid', '=', claimed.webhookUuid)
    .executeTakeFirst()
  const secrets = await store.db
    .selectFrom('webhook_secrets')
    .select(keptSecret)
    .where('webhook_uuid', '=', claimed.webhookUuid)
    .where((w) => w.or([w('expires_at', 'is', null), w('expires_at', '>', now)]))
    .orderBy('id', 'desc')
    .execute()
  const row = await store.read(recordAt({ sequence }))
  // The webhook may have been removed since.
  if (webhook === undefined || row === undefined) return undefined
  return { ...claimed, url: webhook.url, secrets, record: auditRecord(row) }
}

export async function deliveryArrived(
  store: Store,
  { id }: ClaimedDelivery,
  { now, status }: { now: number; status: number },
): Promise<void> {
  await store.db
    .updateTable('webhook_deliveries')
    .set({
      state: 'delivered',
      ended_at: now,
      expires_at: now + stays.delivered,
      last_status: status,
      last_error: null,
    })
    .where('id', '=', id)
    .where('state', '=', pending)
    .execute()
}

/** A failed attempt. */
export interface Failure {
  /** The status of the answer; null: there was none. */
  status: number | null
  error: string
}

/**
 * The delivery is due again at `nextAt`, or dead when that is undefined. Concurrency: nothing happens when another
 * process has claimed it, or it was replayed.
 */
export async function deliveryFailed(
  store: Store,
  delivery: ClaimedDelivery,
  { failure, nextAt, now }: { failure: Failure; nextAt: number | undefined; now: number },
): Promise<void> {
  const dead = { state: 'dead' as const, ended_at: now, expires_at: now + stays.dead }
  const next = nextAt === undefined ? dead : { next_at: nextAt }
  await claimOf(store, delivery)
    .set({ ...next, last_status: failure.status, last_error: failure.error })
    .execute()
}

/** Takes a claim back: the delivery was not sent, by no fault of its receiver, and is due again at `nextAt`. */
export async function handBack(store: Store, delivery: ClaimedDelivery, nextAt: number): Promise<void> {
  await claimOf(store, delivery)
    .set({ attempts: delivery.attempt - 1, next_at: nextAt })
    .execute()
}

/** The delivery, while no other process has claimed it since. */
const claimOf = ({ db }: Store, { id, attempt }: ClaimedDelivery) =>
  db
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('state', '=', pending)
    .where('attempts', '=', attempt)

/** Disables a subscription whose receiver is gone (410), and records that. */
export async function disableWebhook(store: Store, uuid: string, now: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    const row = await rowsOf(trx, 'webhooks', { uuid, active: 1 }).forUpdate().executeTakeFirst()
    if (row === undefined) return
    const how = { now, versions: 'overwritten', by: 'others', ends: 'each' } as const
    await writeChange(trx, 'webhooks', row, { active: 0, updated_at: now }, how)
    const thing = 'webhook' satisfies AuditedThing
    const event: AuditEvent = {
      at: now,
      kind: `${thing}.changed`,
      target: { kind: thing, id: uuid },
      organisation_uuid: row.organisation_uuid ?? undefined,
      before: { active: true },
      after: { active: false },
      detail: { reason: 'the receiver answered 410' },
    }
    await record(store, event, trx)
  })
}

/** How many deliveries wait for their first or next attempt, and since when the first of those to a live webhook is due. */
export async function waitingDeliveries({
  db,
}: Store): Promise<{ count: number; dueSince: number | undefined }> {
  const all = await db
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', pending)
    .executeTakeFirstOrThrow()
  const { first } = await db
    .selectFrom('webhook_deliveries')
    .select(({ fn }) => fn.min<number | null>('next_at').as('first'))
    .where('state', '=', pending)
    .where('webhook_uuid', 'in', liveWebhooks(db).select('webhooks.uuid'))
    .executeTakeFirstOrThrow()
  return { count: Number(all.count), dueSince: first === null ? undefined : Number(first) }
}
