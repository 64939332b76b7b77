import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type AuditKey, type ChainHead, markOf } from '../database/audit-key.ts'
import type { AuditRecordRow } from '../database/schema-audit.ts'
import { chunksOf } from '../database/chunks.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import type { Schema } from '../database/schema.ts'

/**
 * The chain of audit records. Each record holds the hash of the one before it, its own hash over all its columns, and a
 * mark made with the audit key. What the hash is made of never changes, so that old records can be checked; docs/audit.md
 * describes it for checks by other means.
 */

/** The hash before the first record. */
export const chainStart = '0'.repeat(64)

/** A record without its place in the chain. */
export type AuditContent = Omit<AuditRecordRow, 'sequence' | 'previous' | 'hash' | 'mac'>

/** The columns of a record in the order in which they are hashed. */
export const contentColumns = [
  'at',
  'kind',
  'actor_kind',
  'actor_id',
  'actor_profile_uuid',
  'actor_role_code',
  'actor_organisation_uuid',
  'address',
  'request_id',
  'target_kind',
  'target_id',
  'user_uuid',
  'client_id',
  'sid',
  'organisation_uuid',
  'before',
  'after',
  'detail',
] as const satisfies readonly (keyof AuditContent)[]

/** SHA-256, in hexadecimal digits, of a JSON array: the name of the form, the hash before, the number, the columns. */
export function hashOf(row: Omit<AuditRecordRow, 'hash' | 'mac'>): string {
  const form = ['tessera audit 1', row.previous, row.sequence, ...contentColumns.map((column) => row[column])]
  return createHash('sha256').update(JSON.stringify(form)).digest('hex')
}

/** The records that follow a head. */
export function chained(head: ChainHead, key: AuditKey, contents: readonly AuditContent[]): AuditRecordRow[] {
  let { sequence, hash: previous } = head
  return contents.map((content) => {
    const row = { sequence: ++sequence, previous, ...content }
    const hash = hashOf(row)
    previous = hash
    return { ...row, hash, mac: markOf(hash, key) }
  })
}

const headless = 'The head of the audit is missing: see docs/audit.md.'

/**
 * Appends to the chain, as the last thing of a transaction.
 *
 * Concurrency: moving the head locks its row until the commit, so appends of all processes follow one another: numbers
 * have no gap, and a number is visible only after all before it. Nothing else is locked after it, so there is no
 * deadlock.
 */
export async function append(
  trx: Kysely<Schema>,
  key: AuditKey,
  contents: readonly AuditContent[],
): Promise<void> {
  if (contents.length === 0) return
  const moved = await trx
    .updateTable('audit_head')
    .set({ sequence: sql<number>`sequence + cast(${contents.length} as bigint)` })
    .where('name', '=', 'chain')
    .returning(['sequence', 'hash'])
    .executeTakeFirstOrThrow(() => new Error(headless))
  const rows = chained({ sequence: moved.sequence - contents.length, hash: moved.hash }, key, contents)
  for (const some of chunksOf(rows, 200)) await trx.insertInto('audit_records').values(some).execute()
  const hash = rows.at(-1)?.hash ?? moved.hash
  await trx.updateTable('audit_head').set({ hash }).where('name', '=', 'chain').execute()
}

const moveHead = preparedRow<{ count: number }, ChainHead>((db, slot) =>
  db
    .updateTable('audit_head')
    .set({ sequence: sql<number>`sequence + cast(${slot('count')} as bigint)` })
    .where('name', '=', 'chain')
    .returning(['sequence', 'hash']),
)

const insertRecord = prepared<AuditRecordRow, never>((db, slot) =>
  db.insertInto('audit_records').values({
    sequence: slot('sequence'),
    previous: slot('previous'),
    hash: slot('hash'),
    mac: slot('mac'),
    ...(Object.fromEntries(contentColumns.map((column) => [column, slot(column)])) as AuditContent),
  }),
)

const setHash = prepared<{ hash: string }, never>((db, slot) =>
  db
    .updateTable('audit_head')
    .set({ hash: slot('hash') })
    .where('name', '=', 'chain'),
)

/** Appends a few records within a verb made of steps. */
export function* appending(key: AuditKey, contents: readonly AuditContent[]): Steps<void> {
  const moved = yield* moveHead({ count: contents.length })
  if (moved === undefined) throw new Error(headless)
  const rows = chained({ sequence: moved.sequence - contents.length, hash: moved.hash }, key, contents)
  for (const row of rows) yield* insertRecord(row)
  yield* setHash({ hash: rows.at(-1)?.hash ?? moved.hash })
}
