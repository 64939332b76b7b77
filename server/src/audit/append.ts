import type { Kysely } from 'kysely'
import type { AuditKey } from '../database/audit-key.ts'
import { recordsWait } from '../database/audit-waiting.ts'
import { insertRows } from '../database/many-rows.ts'
import { prepared, preparedRow, slotRow, type Steps } from '../database/prepared.ts'
import { together } from '../database/steps.ts'
import { type AuditContent, type AuditRecordRow, contentColumns } from '../database/schema-audit.ts'
import type { Schema } from '../database/schema.ts'
import type { Store } from '../database/store.ts'
import { chainColumns, chained, extend, waitingMarkOf } from './chain.ts'
import { headless, heldHead } from './head.ts'

/** The part of a store that recording needs. */
export type Recording = Pick<Store, 'db' | 'read' | 'write' | 'auditKey'>

/**
 * Writes records in the transaction of their change. On PostgreSQL they wait until `link` gives them their place.
 *
 * Concurrency: a record that waits shares no lock with any other. On SQLite the transaction is the only writer.
 */
export async function append(
  store: Recording,
  trx: Kysely<Schema>,
  contents: readonly AuditContent[],
): Promise<void> {
  if (contents.length === 0) return
  const key = store.auditKey()
  if (recordsWait(trx)) await insertRows(trx, 'audit_waiting', waitingColumns, waiting(key, contents))
  else await extend(trx, chained(await heldHead(trx), key, contents))
}

/** Writes a few records within a verb made of steps. */
export function* appending(store: Recording, contents: readonly AuditContent[]): Steps<void> {
  const key = store.auditKey()
  if (recordsWait(store.db)) yield* together(...waiting(key, contents).map(insertWaiting))
  else yield* extending(key, contents)
}

function* extending(key: AuditKey, contents: readonly AuditContent[]): Steps<void> {
  const head = yield* selectHead({})
  if (head === undefined) throw new Error(headless)
  const rows = chained(head, key, contents)
  for (const row of rows) yield* insertRecord(row)
  const { sequence, hash } = rows.at(-1) ?? head
  yield* moveHead({ sequence, hash })
}

const waiting = (key: AuditKey, contents: readonly AuditContent[]): WaitingContent[] =>
  contents.map((content) => ({ ...content, mac: waitingMarkOf(content, key) }))

type WaitingContent = AuditContent & { mac: string }

const waitingColumns = ['mac', ...contentColumns] as const

const insertWaiting = prepared<WaitingContent, never>((db, slot) =>
  db.insertInto('audit_waiting').values(slotRow(waitingColumns, slot)),
)

const insertRecord = prepared<AuditRecordRow, never>((db, slot) =>
  db.insertInto('audit_records').values(slotRow(chainColumns, slot)),
)

const selectHead = preparedRow<object, { sequence: number; hash: string }>((db) =>
  db.selectFrom('audit_head').select(['sequence', 'hash']).where('name', '=', 'chain'),
)

const moveHead = prepared<{ sequence: number; hash: string }, never>((db, slot) =>
  db
    .updateTable('audit_head')
    .set({ sequence: slot('sequence'), hash: slot('hash') })
    .where('name', '=', 'chain'),
)
