import { hash as hashed } from 'node:crypto'
import type { Kysely } from 'kysely'
import { type AuditKey, type ChainHead, markOf } from '../database/audit-key.ts'
import {
  type AuditContent,
  type AuditMonth,
  type AuditRecordRow,
  type AuditVerification,
  contentColumns,
} from '../database/schema-audit.ts'
import { recordsWait } from '../database/audit-waiting.ts'
import { insertRows } from '../database/many-rows.ts'
import type { Schema } from '../database/schema.ts'

/**
 * The chain of audit records. Each record holds the hash of the one before it, its own hash over all its columns, and a
 * mark made with the audit key. What the hash is made of never changes, so that old records can be checked; docs/audit.md
 * describes it for checks by other means.
 */

/** The hash before the first record. */
export const chainStart = '0'.repeat(64)

const digest = (form: unknown) => hashed('sha256', JSON.stringify(form))

const contentOf = (row: AuditContent) => contentColumns.map((column) => row[column])

/** SHA-256, in hexadecimal digits, of a JSON array: the name of the form, the hash before, the number, the columns. */
export const hashOf = (row: Omit<AuditRecordRow, 'hash' | 'mac'>): string =>
  digest(['tessera audit 1', row.previous, row.sequence, ...contentOf(row)])

/** The mark of a record that waits, which has no place in the chain yet: of its columns alone. */
export const waitingMarkOf = (content: AuditContent, key: AuditKey): string =>
  markOf(digest(['tessera audit waiting 1', ...contentOf(content)]), key)

type ClosedMonth = Pick<AuditMonth, 'month' | 'first' | 'last' | 'hash'>

/** The mark of a month that is over. */
export const monthMarkOf = ({ month, first, last, hash }: ClosedMonth, key: AuditKey): string =>
  markOf(digest(['tessera audit month 1', month, first, last, hash]), key)

/** The mark of a month that was archived, which nobody else can say. */
export const archiveMarkOf = ({ month, first, last, hash }: ClosedMonth, key: AuditKey): string =>
  markOf(digest(['tessera audit archive 1', month, first, last, hash]), key)

/** The mark of what a check of the audit found. */
export const verificationMarkOf = (
  { name, at, by, sequence, hash, records, problems }: Omit<AuditVerification, 'mac'>,
  key: AuditKey,
): string =>
  markOf(digest(['tessera audit verification 1', name, at, by, sequence, hash, records, problems]), key)

/** The records that follow a head. Without a key they have no mark. */
export function chained<Content extends AuditContent>(
  head: ChainHead,
  key: AuditKey | undefined,
  contents: readonly Content[],
): (Content & AuditRecordRow)[] {
  let { sequence, hash: previous } = head
  return contents.map((content) => {
    const row = { ...content, sequence: ++sequence, previous }
    const hash = hashOf(row)
    previous = hash
    return { ...row, hash, mac: key === undefined ? null : markOf(hash, key) }
  })
}

export const chainColumns = ['sequence', 'previous', 'hash', 'mac', ...contentColumns] as const

/** Writes records of the open month that follow the head, and moves it. The transaction holds the head: see `heldHead`. */
export async function extend(
  trx: Kysely<Schema>,
  rows: readonly (AuditRecordRow & { month?: string })[],
): Promise<void> {
  const last = rows.at(-1)
  if (last === undefined) return
  const columns = [...chainColumns, ...(recordsWait(trx) ? ['month'] : [])]
  await insertRows(trx, 'audit_records', columns, rows)
  const { sequence, hash } = last
  await trx.updateTable('audit_head').set({ sequence, hash }).where('name', '=', 'chain').execute()
}
