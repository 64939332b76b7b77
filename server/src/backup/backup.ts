/**
 * `backup/` owns copying the embedded database into a file and putting such a file back, and copies of backups to try
 * something on. It never changes a database of PostgreSQL that has tables, never removes an audit record, and never brings a session or token back to life.
 */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type AuditEvent, contentOf, type Origin } from '../audit/record.ts'
import type { AuditKeeper } from '../database/audit-key.ts'
import { appendTo, joinAudit, keyOf } from './audit.ts'
import { joinedTables, joinOutbox, keepDeliveries } from './webhooks.ts'
import { lacksRoom } from '../database/failure.ts'
import { builders } from '../database/prepared.ts'
import { otherRevision } from '../database/revision.ts'
import { connectSqlite } from '../database/sqlite.ts'
import { endingsOfAll } from '../store/ending-all.ts'

/** Tables of the audit, which a restore joins and never cuts. */
const joinedAudit = new Set([
  ...['audit_records', 'audit_head', 'audit_keys', 'audit_months', 'audit_counts', 'audit_verifications'],
])

/** Tables that keep the rows of both. A logout notice that is sent twice ends nothing more. */
const merged = new Set(['signing_keys', 'revoked_tokens', 'client_assertions', 'logout_notices'])

/** Tables that stay as they are: a key of another service that was taken back must not come again. */
const kept = new Set(['foreign_keys'])

interface Run {
  now: number
  by: Origin
  keeper: AuditKeeper
}

/**
 * Copies the embedded database into a new file while it serves, as of one moment, and records that. Until it is whole
 * and recorded the file is `FILE.partial`, which a killed process leaves behind. Throws, and leaves no file, when the
 * file exists, can't be written or recorded, or the database is not SQLite.
 */
export function backUp(databaseUrl: string, file: string, { now, by, keeper }: Run): void {
  const path = sqlitePath(databaseUrl)
  if (!existsSync(path)) throw new Error(`There is no database at ${path}. Check TESSERA_DATABASE_URL.`)
  if (existsSync(file))
    throw new Error(`${file} exists already. Choose another name; a backup replaces nothing.`)
  // Resolved, because SQLite reads a name that begins with file: as a URL.
  const partial = resolve(`${file}.partial`)
  if (existsSync(partial))
    throw new Error(`${file}.partial is there: of a backup that is under way, or was killed; then remove it.`)
  // Readable by its owner alone: it holds password hashes and encrypted keys.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    const detail = { file: basename(file) }
    copyAndRecord(path, partial, keeper, { at: now, kind: 'database.backed_up', ...by, detail })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function copyAndRecord(path: string, file: string, keeper: AuditKeeper, event: AuditEvent): void {
  const connection = connectSqlite(path)
  try {
    if (!tablesOf(connection).includes('audit_keys')) throw new Error(`${path} has no tables of Tessera.`)
    // The key is opened before the copy, so that a wrong secret makes none.
    const key = keyOf(connection, 'main', keeper)
    trying('The backup could not be written: make room where it is to be, or choose another place', () =>
      connection.prepare('vacuum into ?').run(file),
    )
    trying('The backup could not be recorded in the database, and was removed: make room for that', () => {
      connection.exec('begin immediate')
      appendTo(connection, key, [contentOf(event)])
      connection.exec('commit')
    })
  } finally {
    connection.close()
  }
}

/** Adds to SQLite's error which of the two files lacked room. */
function trying(says: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!lacksRoom(error)) throw error
    throw new Error(`${says} (${error instanceof Error ? error.message : ''}).`, { cause: error })
  }
}

/**
 * Replaces what the embedded database holds by a backup, in one transaction, while it serves.
 *
 * Every session, token family and machine's token ends, because what ended since the backup must not come back to life.
 * Signing keys and audit records of both remain. Throws, and changes nothing, when the backup is of another version.
 */
export function restore(databaseUrl: string, file: string, { now, by, keeper }: Run): void {
  if (!existsSync(file)) throw new Error(`There is no backup at ${file}.`)
  const path = sqlitePath(databaseUrl)
  if (existsSync(path) && realpathSync(path) === realpathSync(file)) {
    throw new Error(`${file} is the database itself. Give the file that tessera backup made.`)
  }
  const connection = connectSqlite(path)
  try {
    attach(connection, file)
    const detail = { file: basename(file) }
    trying('Nothing was restored: make room for the database, twice what the backup takes', () =>
      replaceAll(connection, keeper, { at: now, kind: 'database.restored', ...by, detail }),
    )
  } finally {
    connection.close()
  }
}

function replaceAll(connection: DatabaseSyncInstance, keeper: AuditKeeper, event: AuditEvent): void {
  connection.exec('begin immediate')
  try {
    connection.exec('pragma defer_foreign_keys = on')
    keepDeliveries(connection)
    const sameNumbers = joinAudit(connection, keeper)
    for (const table of tablesOf(connection)) {
      if (table === 'revisions') moveRevisions(connection)
      else if (!kept.has(table) && !joinedAudit.has(table) && !joinedTables.has(table))
        replaceRows(connection, table)
    }
    joinOutbox(connection, { sameNumbers })
    endEverything(connection, event.at)
    appendTo(connection, keyOf(connection, 'main', keeper), [contentOf(event)])
    connection.exec('commit')
  } catch (error) {
    // A full disk may have ended the transaction already.
    if (connection.isTransaction) connection.exec('rollback')
    throw error
  }
}

function sqlitePath(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl.slice('sqlite:'.length)
  throw new Error('This is for the embedded database. PostgreSQL has its own: see docs/operations.md.')
}

/** Attaches the backup. Throws when it is of another version, or no backup. */
function attach(connection: DatabaseSyncInstance, file: string): void {
  const migrations = (schema: string) =>
    connection
      .prepare(`select name from ${schema}.kysely_migration`)
      .all()
      .map((row) => String((row as { name: unknown }).name))
  let here: string[]
  let there: string[]
  try {
    connection.prepare('attach database ? as backup').run(resolve(file))
    here = migrations('main')
    there = migrations('backup')
  } catch {
    throw new Error(`${file} is not a backup of Tessera.`)
  }
  if (there.some((name) => !here.includes(name)))
    throw new Error(
      `${file} was made by a newer version than the database is of. Start that version on the database, then restore.`,
    )
  if (here.length > there.length)
    throw new Error(
      `${file} was made by an older version than the database is of. Upgrade a copy of it (TESSERA_DATABASE_URL=sqlite:COPY tessera migrate), then restore that.`,
    )
}

function tablesOf(connection: DatabaseSyncInstance): string[] {
  const rows = connection
    .prepare(
      "select name from main.sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'",
    )
    .all() as { name: string }[]
  return rows.map((row) => row.name)
}

/** A new revision makes processes forget what they remember of the database. */
function moveRevisions(connection: DatabaseSyncInstance): void {
  connection.prepare("update main.revisions set value = ? where name = 'catalogue'").run(otherRevision())
}

function columnsOf(connection: DatabaseSyncInstance, table: string): string[] {
  const columns = connection.prepare(`pragma main.table_info(${table})`).all() as { name: string }[]
  return columns.map((column) => `"${column.name}"`)
}

function replaceRows(connection: DatabaseSyncInstance, table: string): void {
  const columns = columnsOf(connection, table).join(', ')
  if (!merged.has(table)) connection.exec(`delete from main.${table}`)
  connection.exec(`insert or ignore into main.${table} (${columns}) select ${columns} from backup.${table}`)
}

function endEverything(connection: DatabaseSyncInstance, now: number): void {
  for (const ending of endingsOfAll(builders.sqlite, { now, reason: 'restored' })) {
    const { sql, parameters } = ending.compile()
    connection.prepare(sql).run(...(parameters as (string | number)[]))
  }
}
