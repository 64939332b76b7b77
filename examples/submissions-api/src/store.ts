/** Where imports are kept: SQLite, one file. Every statement names the organisation it is about. */
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RefusedRow, Submission } from './submission.ts'

/** Who imported, as the token said it at that time. */
export interface Actor {
  sub: string
  client_id: string
  profile_uuid: string | null
  role_code: string | null
  organisation_uuid: string | null
  organisation_unit_uuid: string | null
}

/** One past import. */
export interface Import {
  id: string
  /** ISO 8601, UTC. */
  imported_at: string
  format: 'json' | 'csv'
  rows: number
  imported: number
  refused: number
  actor: Actor
}

export interface NewImport {
  actor: Actor
  format: Import['format']
  /** Milliseconds since 1970. */
  now: number
  /** How many rows the file had. */
  rows: number
  valid: readonly { row: number; submission: Submission }[]
}

export interface Store {
  /**
   * Stores the rows whose reference the organisation does not have yet, all in one transaction.
   * @returns the import, and the rows refused as duplicates; the import is undefined, and nothing is stored, when
   *   no row was left.
   */
  add(imported: NewImport): { import: Import | undefined; refused: RefusedRow[] }
  /** The imports of one organisation, or with null those made for none; newest first. */
  list(organisation: string | null, limit: number): Import[]
  /** Removes every import of an organisation with its rows; yields how many there were. */
  withdraw(organisation: string | null): number
  close(): void
}

/** Organisations are compared as texts; none is the empty one, because NULL would never equal NULL. */
const schema = `
  CREATE TABLE IF NOT EXISTS imports (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    organisation TEXT NOT NULL,
    imported_at INTEGER NOT NULL,
    format TEXT NOT NULL,
    row_count INTEGER NOT NULL,
    imported_count INTEGER NOT NULL,
    actor TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS imports_by_organisation ON imports (organisation, number);
  CREATE TABLE IF NOT EXISTS submissions (
    organisation TEXT NOT NULL,
    reference TEXT NOT NULL,
    title TEXT NOT NULL,
    submitter_email TEXT NOT NULL,
    submitted_at TEXT NOT NULL,
    category TEXT NOT NULL,
    notes TEXT NOT NULL,
    import_id TEXT NOT NULL REFERENCES imports (id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (organisation, reference)
  );
`

const insertSubmission = `
  INSERT INTO submissions (organisation, reference, title, submitter_email, submitted_at, category, notes, import_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const insertImport = `
  INSERT INTO imports (id, organisation, imported_at, format, row_count, imported_count, actor)
  VALUES (?, ?, ?, ?, ?, ?, ?)`
const selectImports = `
  SELECT id, imported_at, format, row_count, imported_count, actor FROM imports
  WHERE organisation = ? ORDER BY number DESC LIMIT ?`

interface ImportRow {
  id: string
  imported_at: number
  format: Import['format']
  row_count: number
  imported_count: number
  actor: string
}

/** @param file path of the database; its folder is made when missing. `:memory:` keeps nothing. */
export function openStore(file: string): Store {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
  const database = new DatabaseSync(file)
  database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
  database.exec(schema)
  const submission = database.prepare(insertSubmission)
  const importing = database.prepare(insertImport)
  const listing = database.prepare(selectImports)
  const removing = ['submissions', 'imports'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE organisation = ?`),
  )

  function insertAll({ actor, format, now, rows, valid }: NewImport): ReturnType<Store['add']> {
    const organisation = actor.organisation_uuid ?? ''
    const id = randomUUID()
    const refused: RefusedRow[] = []
    for (const { row, submission: one } of valid) {
      const { reference, title, submitter_email, submitted_at, category, notes } = one
      const fields = [reference, title, submitter_email, submitted_at, category, notes]
      const { changes } = submission.run(organisation, ...fields, id)
      if (changes === 0) refused.push({ row, field: 'reference', reason: 'was imported before' })
    }
    const imported = valid.length - refused.length
    if (imported === 0) return { import: undefined, refused }
    const values: ImportRow = {
      id,
      imported_at: now,
      format,
      row_count: rows,
      imported_count: imported,
      actor: JSON.stringify(actor),
    }
    importing.run(id, organisation, now, format, rows, imported, values.actor)
    return { import: toImport(values), refused }
  }

  return {
    add: (imported) => inTransaction(database, () => insertAll(imported)),
    list: (organisation, limit) =>
      (listing.all(organisation ?? '', limit) as unknown as ImportRow[]).map(toImport),
    withdraw: (organisation) =>
      inTransaction(database, () =>
        Number(removing.map((one) => one.run(organisation ?? '').changes).at(-1) ?? 0),
      ),
    close: () => database.close(),
  }
}

function inTransaction<T>(database: DatabaseSyncInstance, work: () => T): T {
  // Immediate: the write lock is taken first, so that two imports at once wait and do not fail.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A failure such as a full disk may have ended the transaction already.
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}

function toImport(values: ImportRow): Import {
  return {
    id: values.id,
    imported_at: new Date(values.imported_at).toISOString(),
    format: values.format,
    rows: values.row_count,
    imported: values.imported_count,
    refused: values.row_count - values.imported_count,
    // Written by insertAll alone.
    actor: JSON.parse(values.actor) as Actor,
  }
}
