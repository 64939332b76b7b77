import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { type AuditContent, chained, type ChainHead, contentColumns } from './audit-chain.ts'
import type { AuditRecordRow } from './audit-rows.ts'

const columns = contentColumns.map((column) => `"${column}"`).join(', ')
const insertion = `insert into main.audit_records (sequence, previous, hash, ${columns})
  values (@sequence, @previous, @hash, ${contentColumns.map((column) => `@${column}`).join(', ')})`

const step = 500

type Schema = 'main' | 'backup'

/**
 * Joins the audit of an attached backup to that of the database, as part of a restore. Nothing is ever taken away.
 * A database that has no more than the beginning of the backup's chain goes on with it as it is; in any other, what
 * only the backup has is appended, under new numbers. Yields whether each record of the backup has the number that it had.
 */
export function joinAudit(connection: DatabaseSyncInstance): boolean {
  const head = headOf(connection, 'main')
  if (has(connection, 'main', headOf(connection, 'backup'))) return true
  if (has(connection, 'backup', head)) {
    connection.exec(
      `insert into main.audit_records (sequence, previous, hash, ${columns})
       select sequence, previous, hash, ${columns} from backup.audit_records where sequence > ${head.sequence}`,
    )
    setHead(connection, headOf(connection, 'backup'))
    return true
  }
  const same = contentColumns.map((column) => `m."${column}" is b."${column}"`).join(' and ')
  connection.exec(
    `create temp table taken as select b.sequence from backup.audit_records b
     where not exists (select 1 from main.audit_records m where ${same})`,
  )
  const next = connection.prepare(
    `select ${columns}, sequence from backup.audit_records
     where sequence > ? and sequence in (select sequence from taken) order by sequence limit ${step}`,
  )
  for (let last = 0; ; ) {
    const rows = next.all(last) as AuditRecordRow[]
    appendTo(connection, rows)
    if (rows.length < step) break
    last = rows.at(-1)?.sequence ?? last
  }
  connection.exec('drop table taken')
  return false
}

/** Whether a chain has the end of the other in it. */
function has(connection: DatabaseSyncInstance, schema: Schema, { sequence, hash }: ChainHead): boolean {
  if (sequence === 0) return true
  const row = connection.prepare(`select hash from ${schema}.audit_records where sequence = ?`).get(sequence)
  return (row as { hash: string } | undefined)?.hash === hash
}

/** Appends to the chain within the transaction of a connection that is not the store's. */
export function appendTo(connection: DatabaseSyncInstance, contents: readonly AuditContent[]): void {
  const head = headOf(connection, 'main')
  const rows = chained(head, contents.map(contentAlone))
  const insert = connection.prepare(insertion)
  for (const row of rows) insert.run(row)
  setHead(connection, rows.at(-1) ?? head)
}

function contentAlone(row: AuditContent): AuditContent {
  return Object.fromEntries(contentColumns.map((column) => [column, row[column]])) as unknown as AuditContent
}

function headOf(connection: DatabaseSyncInstance, schema: Schema): ChainHead {
  return connection
    .prepare(`select sequence, hash from ${schema}.audit_head where name = 'chain'`)
    .get() as ChainHead
}

function setHead(connection: DatabaseSyncInstance, { sequence, hash }: ChainHead): void {
  connection
    .prepare("update main.audit_head set sequence = ?, hash = ? where name = 'chain'")
    .run(sequence, hash)
}
