import { sql, type Transaction } from 'kysely'
import { record } from './audit.ts'
import { type DeclaredPeople, type DeclaredTable, type DeclaredView, viewWithin } from './declared-state.ts'
import type { Store } from './open.ts'
import { moveRevision } from './revision.ts'
import { endSessionsOf, revokeUnusable } from './revoke-unusable.ts'
import type { Schema } from './schema.ts'

export interface RowChanges<Row> {
  insert: Row[]
  /** The row as it was, and the columns that become something else. */
  update: { before: Row; set: Partial<Row> }[]
  remove: Row[]
}

export type DeclaredWrites = { [T in DeclaredTable]: RowChanges<Schema[T]> }

/** What a row is known by. Also the order of insertion: a row comes after what it refers to. */
export const keyColumns = {
  services: ['code'],
  permissions: ['code'],
  roles: ['code'],
  role_permissions: ['role_code', 'permission'],
  organisations: ['uuid'],
  units: ['uuid'],
  users: ['uuid'],
  profiles: ['uuid'],
  clients: ['client_id'],
  client_origins: ['origin', 'client_id'],
  client_secrets: ['id'],
} as const satisfies { [T in DeclaredTable]: readonly (keyof Schema[T])[] }

export const declaredTables = Object.keys(keyColumns) as DeclaredTable[]

/** What is to be done, decided from a view. */
export interface DeclaredDecision {
  /** Undefined: nothing, and nothing is written at all. */
  writes: DeclaredWrites | undefined
  /** The users whose password becomes another. */
  passwordsChanged: readonly string[]
  /** For the audit record. */
  detail: Readonly<Record<string, string | number | boolean>>
}

/** Any number that no other lock of this service uses. */
const applyLock = 7_355_608

/**
 * Looks at the state, asks what is to be done, and does it; also revokes what thereby became unusable, and
 * writes the audit record. `decide` may throw: then nothing changed.
 *
 * Concurrency: one at a time. On SQLite the transaction begins with the write lock in hand; on PostgreSQL it
 * waits for an advisory lock, and sees what the one before it committed.
 */
export async function changeDeclaredState<D extends DeclaredDecision>(
  store: Store,
  people: DeclaredPeople,
  now: number,
  decide: (view: DeclaredView) => Promise<D>,
): Promise<D> {
  return await store.db.transaction().execute(async (trx) => {
    if (store.dialect === 'postgres') await sql`select pg_advisory_xact_lock(${applyLock})`.execute(trx)
    const decision = await decide(await viewWithin(trx, people))
    if (decision.writes === undefined) return decision
    await write(trx, decision.writes)
    await moveRevision(trx)
    const ended = await endSessionsOf(trx, decision.passwordsChanged, now, 'password_changed')
    const revoked = await revokeUnusable(trx, now)
    const counts = {
      sessions_ended: ended.sessions + revoked.sessions,
      token_families_revoked: ended.families + revoked.families,
    }
    await record(store, { at: now, kind: 'declared.applied', detail: { ...decision.detail, ...counts } }, trx)
    return decision
  })
}

/** Columns that hold a value no other row may hold, which two rows of one file may exchange. */
const uniqueColumns: { [T in DeclaredTable]?: string } = { services: 'audience', users: 'email_key' }

async function write(trx: Transaction<Schema>, writes: DeclaredWrites): Promise<void> {
  for (const table of declaredTables) await vacate(trx, table, asRows(writes[table]).update)
  for (const table of declaredTables) await insert(trx, table, asRows(writes[table]).insert)
  for (const table of declaredTables) {
    for (const { before, set } of asRows(writes[table]).update) await update(trx, table, before, set)
  }
  for (const table of declaredTables.toReversed()) {
    for (const row of asRows(writes[table]).remove) {
      await sql`delete from ${sql.table(table)} where ${isRow(table, row)}`.execute(trx)
    }
  }
}

type AnyRow = Readonly<Record<string, unknown>>

/** The rows without their table's type: the statements below are the same for all. */
function asRows(changes: object): RowChanges<AnyRow> {
  return changes as RowChanges<AnyRow>
}

/** Frees the unique values that are about to change, so that it does not matter who takes which first. */
async function vacate(
  trx: Transaction<Schema>,
  table: DeclaredTable,
  updates: RowChanges<AnyRow>['update'],
): Promise<void> {
  const column = uniqueColumns[table]
  if (column === undefined) return
  for (const { before, set } of updates) {
    if (set[column] === undefined) continue
    const placeholder = `moving:${keyColumns[table].map((key) => before[key]).join(':')}`
    await update(trx, table, before, { [column]: placeholder })
  }
}

const insertChunk = 200

async function insert(trx: Transaction<Schema>, table: DeclaredTable, rows: AnyRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const names = sql.join(columns.map((column) => sql.ref(column)))
  for (let start = 0; start < rows.length; start += insertChunk) {
    const chunk = rows.slice(start, start + insertChunk)
    const tuples = sql.join(chunk.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`))
    await sql`insert into ${sql.table(table)} (${names}) values ${tuples}`.execute(trx)
  }
}

async function update(
  trx: Transaction<Schema>,
  table: DeclaredTable,
  before: AnyRow,
  set: AnyRow,
): Promise<void> {
  const assignments = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`update ${sql.table(table)} set ${sql.join(assignments)} where ${isRow(table, before)}`.execute(
    trx,
  )
}

function isRow(table: DeclaredTable, row: AnyRow) {
  const conditions = keyColumns[table].map((column) => sql`${sql.ref(column)} = ${row[column]}`)
  return sql.join(conditions, sql` and `)
}
