import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import type { ChainHead } from '../database/audit-key.ts'
import { chained } from '../audit/chain.ts'
import { type AuditKeeper, type AuditKey, NoAuditKey } from '../database/audit-key.ts'
import { type AuditContent, type AuditRecordRow, contentColumns } from '../database/schema-audit.ts'
import { OtherSecret } from '../database/failure.ts'

const columns = contentColumns.map((column) => `"${column}"`).join(', ')

const step = 500

type Schema = 'main' | 'backup'

/**
 * Joins the audit of an attached backup to that of the database, as part of a restore; no record is ever removed. A
 * database that holds only the beginning of the backup's chain takes over the rest of it, with its key. In any other
 * case, or when no secret opens that key, the records that only the backup has are appended under new numbers and marked
 * with the database's key. Yields whether the records of the backup kept their numbers.
 */
export function joinAudit(connection: DatabaseSyncInstance, keeper: AuditKeeper): boolean {
  const head = headOf(connection, 'main')
  if (has(connection, 'main', headOf(connection, 'backup'))) return true
  if (has(connection, 'backup', head) && opens(connection, 'backup', keeper)) {
    connection.exec(
      `insert into main.audit_records (sequence, previous, hash, mac, ${columns})
       select sequence, previous, hash, mac, ${columns} from backup.audit_records where sequence > ${head.sequence}`,
    )
    connection.exec('insert or replace into main.audit_keys select * from backup.audit_keys')
    connection.exec('insert or ignore into main.audit_months select * from backup.audit_months')
    // Marked by the key that was replaced.
    connection.exec('delete from main.audit_verifications')
    connection.exec('insert into main.audit_verifications select * from backup.audit_verifications')
    connection.exec('update main.audit_head set month = (select month from backup.audit_head)')
    setHead(connection, headOf(connection, 'backup'))
    return true
  }
  const same = contentColumns.map((column) => `m."${column}" is b."${column}"`).join(' and ')
  connection.exec(
    `create temp table taken as select b.sequence from backup.audit_records b
     where b.sequence > ${archivedOf(connection)} and not exists (select 1 from main.audit_records m where ${same})`,
  )
  const next = connection.prepare(
    `select ${columns}, sequence from backup.audit_records
     where sequence > ? and sequence in (select sequence from taken) order by sequence limit ${step}`,
  )
  const key = keyOf(connection, 'main', keeper)
  for (let last = 0; ; ) {
    const rows = next.all(last) as AuditRecordRow[]
    appendTo(connection, key, rows)
    if (rows.length < step) break
    last = rows.at(-1)?.sequence ?? last
  }
  connection.exec('drop table taken')
  return false
}

/** Whether a chain contains a head. */
function has(connection: DatabaseSyncInstance, schema: Schema, { sequence, hash }: ChainHead): boolean {
  if (sequence === 0) return true
  const row = connection.prepare(`select hash from ${schema}.audit_records where sequence = ?`).get(sequence)
  return (row as { hash: string } | undefined)?.hash === hash
}

/** Up to which record the database has archived what the backup holds. */
function archivedOf(connection: DatabaseSyncInstance): number {
  const row = connection
    .prepare(
      `select coalesce(max(m.last), 0) as last from main.audit_months m
       join backup.audit_records b on b.sequence = m.last and b.hash = m.hash where m.archived_at is not null`,
    )
    .get()
  return (row as { last: number }).last
}

/** Appends to the chain within the transaction of this connection. */
export function appendTo(
  connection: DatabaseSyncInstance,
  key: AuditKey,
  contents: readonly AuditContent[],
): void {
  const head = headOf(connection, 'main')
  const rows = chained(head, key, contents.map(contentAlone))
  const names = ['sequence', 'previous', 'hash', 'mac', ...contentColumns]
  const insert = connection.prepare(
    `insert into main.audit_records (${names.map((name) => `"${name}"`).join(', ')})
     values (${names.map((name) => `@${name}`).join(', ')})`,
  )
  for (const row of rows) insert.run(row)
  setHead(connection, rows.at(-1) ?? head)
}

function contentAlone(row: AuditContent): AuditContent {
  return Object.fromEntries(contentColumns.map((column) => [column, row[column]])) as unknown as AuditContent
}

/** The audit key. Throws `OtherSecret` when it can't be opened. */
export function keyOf(connection: DatabaseSyncInstance, schema: Schema, keeper: AuditKeeper): AuditKey {
  const row = connection.prepare(`select kept from ${schema}.audit_keys where name = 'chain'`).get()
  if (row === undefined) throw new NoAuditKey()
  return keeper.open((row as { kept: string }).kept)
}

function opens(connection: DatabaseSyncInstance, schema: Schema, keeper: AuditKeeper): boolean {
  try {
    keyOf(connection, schema, keeper)
    return true
  } catch (error) {
    if (error instanceof OtherSecret) return false
    throw error
  }
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
