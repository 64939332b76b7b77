import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type AuditEvent, contentOf, type Origin } from './audit.ts'
import { appendTo, joinAudit } from './backup-audit.ts'
import { joinedTables, joinOutbox, keepDeliveries } from './backup-webhooks.ts'
import { lacksRoom } from './failure.ts'
import { otherRevision } from './revision.ts'
import { connectSqlite } from './sqlite.ts'

/** Of which nothing is ever taken away. */
const joinedAudit = new Set(['audit', 'audit_records', 'audit_head'])

/**
 * Rows that are never taken away by a restore: what is there and what the backup has stand together. A logout that a
 * client has still to be told of happened, and one that it is told of again ended nothing that it has.
 */
const merged = new Set(['signing_keys', 'revoked_tokens', 'logout_notices'])

/**
 * Copies the embedded database into a new file while it serves: one consistent moment, all of it committed. Then
 * records it, where the tables know of records: one of an older version is copied as well. The file has its name when
 * it is whole and recorded; until then it is `FILE.partial`, which a process that is killed leaves behind.
 * Throws, and leaves no file, when it exists, can't be written or recorded, or the database is not SQLite.
 */
export function backUp(databaseUrl: string, file: string, { now, by }: { now: number; by: Origin }): void {
  const path = sqlitePath(databaseUrl)
  if (!existsSync(path)) throw new Error(`There is no database at ${path}. Check TESSERA_DATABASE_URL.`)
  if (existsSync(file))
    throw new Error(`${file} exists already. Choose another name; a backup replaces nothing.`)
  // SQLite takes a name that begins with file: for an address.
  const partial = resolve(`${file}.partial`)
  if (existsSync(partial))
    throw new Error(`${file}.partial is there: of a backup that is under way, or was killed; then remove it.`)
  // It holds password hashes and encrypted keys: for its owner alone.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    copyAndRecord(path, partial, {
      at: now,
      kind: 'database.backed_up',
      ...by,
      detail: { file: basename(file) },
    })
    renameSync(partial, file)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function copyAndRecord(path: string, file: string, event: AuditEvent): void {
  const connection = connectSqlite(path)
  try {
    trying('The backup could not be written: make room where it is to be, or choose another place', () =>
      connection.prepare('vacuum into ?').run(file),
    )
    if (!tablesOf(connection).includes('audit_records')) return
    trying('The backup could not be recorded in the database, and was removed: make room for that', () => {
      connection.exec('begin immediate')
      appendTo(connection, [contentOf(event)])
      connection.exec('commit')
    })
  } finally {
    connection.close()
  }
}

/** SQLite says what happened, and not to which of the two files. */
function trying(says: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!lacksRoom(error)) throw error
    throw new Error(`${says} (${error instanceof Error ? error.message : ''}).`, { cause: error })
  }
}

/**
 * Puts a backup in the place of what the embedded database holds, in one transaction, while it serves.
 *
 * Every session, token family and token of a machine ends: what was rotated, revoked, disabled or signed out since the
 * backup must not come back to life, so people sign in again. Signing keys and audit records of both remain.
 * Throws, and changes nothing, when the backup is not one of this version.
 */
export function restore(databaseUrl: string, file: string, { now, by }: { now: number; by: Origin }): void {
  if (!existsSync(file)) throw new Error(`There is no backup at ${file}.`)
  const path = sqlitePath(databaseUrl)
  if (existsSync(path) && realpathSync(path) === realpathSync(file)) {
    throw new Error(`${file} is the database itself. Give the file that tessera backup made.`)
  }
  const connection = connectSqlite(path)
  try {
    attach(connection, file)
    trying('Nothing was restored: make room for the database, twice what the backup takes', () =>
      replaceAll(connection, { at: now, kind: 'database.restored', ...by, detail: { file: basename(file) } }),
    )
  } finally {
    connection.close()
  }
}

function replaceAll(connection: DatabaseSyncInstance, event: AuditEvent): void {
  connection.exec('begin immediate')
  try {
    connection.exec('pragma defer_foreign_keys = on')
    keepDeliveries(connection)
    keepEarlierAudit(connection)
    const sameNumbers = joinAudit(connection)
    for (const table of tablesOf(connection)) {
      if (table === 'revisions') moveRevisions(connection)
      else if (!joinedAudit.has(table) && !joinedTables.has(table)) replaceRows(connection, table)
    }
    joinOutbox(connection, { sameNumbers })
    endEverything(connection, event.at)
    appendTo(connection, [contentOf(event)])
    connection.exec('commit')
  } catch (error) {
    // A full disk may have ended it already, and is what there is to be told.
    if (connection.isTransaction) connection.exec('rollback')
    throw error
  }
}

function sqlitePath(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) return databaseUrl.slice('sqlite:'.length)
  throw new Error('This is for the embedded database. PostgreSQL has its own: see docs/operations.md.')
}

/** Attaches the backup. Throws when it is none of this version. */
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

/** Records of the version before that are in no chain yet. */
function keepEarlierAudit(connection: DatabaseSyncInstance): void {
  const columns = 'at, kind, user_uuid, client_id, sid, address, request_id, detail'
  connection.exec(
    `insert into main.audit (${columns})
     select ${columns} from backup.audit except select ${columns} from main.audit
     except select ${columns} from main.audit_records order by at`,
  )
}

/** What processes remember is of a revision, and must not be taken for this one. */
function moveRevisions(connection: DatabaseSyncInstance): void {
  connection.prepare('update main.revisions set value = ?').run(otherRevision())
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
  connection.prepare('update main.sessions set ended_at = ? where ended_at is null').run(now)
  connection
    .prepare(
      "update main.token_families set revoked_at = ?, revoked_reason = 'restored' where revoked_at is null",
    )
    .run(now)
  // Higher than any that came by disabling: also those end that were given since the backup.
  connection.prepare('update main.clients set token_generation = ?').run(now)
  connection.exec('delete from main.authorization_codes')
  connection.exec('delete from main.authorization_requests')
  connection.exec('delete from main.setup_links')
}
