import { sql, type Transaction } from 'kysely'
import { keepingAdministrators } from './admin/administrators.ts'
import { resumeWebhooksOf } from './admin/webhooks.ts'
import { type AuditEvent, type Origin, recordAll } from './audit.ts'
import { emailKey } from '../protocol/values.ts'
import { chunksOf } from './chunks.ts'
import { waitForExchanges } from './exchange-lock.ts'
import { forgetClients } from './forget-clients.ts'
import { indexMembers, membersOf } from './members.ts'
import { type NamedByFile, type DeclaredTable, type DeclaredView, viewWithin } from './declared-state.ts'
import type { Store } from './open.ts'
import { lockAdministration, moveRevision } from './revision.ts'
import { endSessionsOf, revokeFamiliesOf, revokeUnusable } from './revoke-unusable.ts'
import type { ManagedTable, Schema, Tables } from './schema.ts'

export interface RowChanges<Row> {
  insert: Row[]
  /** The row as it was, and the columns that become something else. */
  update: { before: Row; set: Partial<Row> }[]
  remove: Row[]
}

export type DeclaredWrites = { [T in DeclaredTable]: RowChanges<Tables[T]> }

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
} as const satisfies { [T in DeclaredTable]: readonly (keyof Tables[T])[] }

export const declaredTables = Object.keys(keyColumns) as DeclaredTable[]

/** By whom a thing is managed from now on; null: by no file. `key` is what its row is known by. */
export interface Mark {
  table: ManagedTable
  key: string
  managedBy: string | null
}

/** What is to be done, decided from a view. */
export interface DeclaredDecision {
  /** Undefined: nothing, and nothing is written at all. */
  writes: DeclaredWrites | undefined
  marks: readonly Mark[]
  /** The users whose password becomes another. */
  passwordsChanged: readonly string[]
  /** For the audit: the file, what it changed in numbers, and one record for each thing. */
  file: string
  detail: Readonly<Record<string, number>>
  records: readonly Omit<AuditEvent, 'at'>[]
}

/**
 * Looks at the state, asks what is to be done, and does it; also revokes what thereby became unusable, and
 * writes the audit records. `decide` may throw: then nothing changed. Throws `last_administrator` when nobody would be
 * left who administers the whole installation.
 *
 * Concurrency: one at a time, and never beside a change by an administrator: each sees what the one before it left.
 */
export async function changeDeclaredState<D extends DeclaredDecision>(
  store: Store,
  named: NamedByFile,
  { now, by }: { now: number; by: Origin },
  decide: (view: DeclaredView) => Promise<D>,
): Promise<D> {
  return await store.db.transaction().execute(async (trx) => {
    await lockAdministration(trx, store.dialect)
    const decision = await decide(await viewWithin(trx, named))
    if (decision.writes === undefined) return decision
    const { writes } = decision
    await keepingAdministrators(trx, now, () => write(trx, writes))
    await mark(trx, decision.marks)
    await moveVersions(trx, decision.writes)
    await indexMembers(trx, await movedMembers(trx, decision.writes))
    await moveRevision(trx)
    // Before any session is locked, which an exchange under way may still ask for.
    await waitForExchanges(trx)
    const runOut = await endRunOut(trx, writes.profiles.update, now)
    const ended = await endSessionsOf(trx, decision.passwordsChanged, now, 'password_changed')
    const revoked = await revokeUnusable(trx, now)
    const goneClients = writes.clients.remove.map((row) => row.client_id)
    await forgetClients(trx, goneClients)
    const counts = {
      sessions_ended: ended.sessions + revoked.sessions,
      token_families_revoked: runOut + ended.families + revoked.families,
    }
    const target = { kind: 'declared_file', id: decision.file }
    const detail = { ...decision.detail, ...counts }
    const applied = { kind: 'declared.applied', target, detail } as const
    const events = [applied, ...decision.records].map((event) => ({ at: now, ...by, ...event }))
    await recordAll(store, events, trx)
    return decision
  })
}

/** What profiles gave whose end had come: a later end gives nothing back. */
async function endRunOut(
  trx: Transaction<Schema>,
  changed: DeclaredWrites['profiles']['update'],
  now: number,
): Promise<number> {
  let families = 0
  for (const { before } of changed) {
    if ((before.expires_at ?? Infinity) <= now)
      families += await revokeFamiliesOf(trx, { uuid: before.uuid }, now, 'profile_disabled')
  }
  return families
}

/** Columns that hold a value no other row may hold, which two rows of one file may exchange. */
const uniqueColumns: { [T in DeclaredTable]?: string } = { services: 'audience', users: 'email_key' }

async function write(trx: Transaction<Schema>, writes: DeclaredWrites): Promise<void> {
  for (const table of declaredTables) await vacate(trx, table, asRows(writes[table]))
  for (const table of declaredTables) await insert(trx, table, asRows(writes[table]).insert)
  for (const table of declaredTables) {
    for (const { before, set } of asRows(writes[table]).update) await update(trx, table, before, set)
  }
  for (const table of declaredTables.toReversed()) {
    for (const row of asRows(writes[table]).remove) {
      await sql`delete from ${sql.table(table)} where ${isRow(table, row)}`.execute(trx)
    }
  }
  const enabled = writes.organisations.update.filter(({ set }) => set.active === 1)
  const organisations = enabled.map(({ before }) => before.uuid)
  await resumeWebhooksOf(trx, organisations)
}

/** That a file manages a thing is nothing that an administrator changes it by: its version stays. */
async function mark(trx: Transaction<Schema>, marks: readonly Mark[]): Promise<void> {
  const groups = new Map<string, Mark[]>()
  for (const one of marks) {
    const group = JSON.stringify([one.table, one.managedBy])
    const others = groups.get(group)
    if (others === undefined) groups.set(group, [one])
    else others.push(one)
  }
  for (const [first, ...rest] of groups.values()) {
    if (first === undefined) continue
    const column = sql.ref(keyColumns[first.table][0])
    const keys = [first, ...rest].map((one) => one.key)
    for (const chunk of chunksOf(keys)) {
      await sql`update ${sql.table(first.table)} set managed_by = ${first.managedBy}
        where ${column} in (${sql.join(chunk)})`.execute(trx)
    }
  }
}

/** Versions move with every change, also of what a row has in tables of its own. */
async function moveVersions(trx: Transaction<Schema>, writes: DeclaredWrites): Promise<void> {
  const changed = <T extends DeclaredTable>(table: T): Tables[T][] => {
    const changes: RowChanges<Tables[T]> = writes[table]
    return [...changes.insert, ...changes.remove]
  }
  const roles = changed('role_permissions').map((row) => row.role_code)
  const clients = [...changed('client_secrets'), ...changed('client_origins')].map((row) => row.client_id)
  const version = sql<number>`version + 1`
  for (const code of new Set(roles)) {
    await trx.updateTable('roles').set({ version }).where('code', '=', code).execute()
  }
  for (const id of new Set(clients)) {
    await trx.updateTable('clients').set({ version }).where('client_id', '=', id).execute()
  }
}

/** The users who belong elsewhere than before, or are found under another name. */
async function movedMembers(
  trx: Transaction<Schema>,
  { users, profiles, units }: DeclaredWrites,
): Promise<string[]> {
  const moved = units.update.filter(({ set }) => set.parent_uuid !== undefined)
  const held = [
    ...profiles.insert,
    ...profiles.remove,
    ...profiles.update.flatMap(({ before, set }) => [before, { ...before, ...set }]),
  ]
  return [
    ...new Set([
      ...users.insert.map((row) => row.uuid),
      ...users.update.map(({ before }) => before.uuid),
      ...held.map((row) => row.user_uuid),
      ...(await membersOf(
        trx,
        moved.map(({ before }) => before.uuid),
      )),
    ]),
  ]
}

type AnyRow = Readonly<Record<string, unknown>>

/** The rows without their table's type: the statements below are the same for all. */
function asRows(changes: object): RowChanges<AnyRow> {
  return changes as RowChanges<AnyRow>
}

/** Frees the unique values that are about to change or go, so that it does not matter who takes which first. */
async function vacate(
  trx: Transaction<Schema>,
  table: DeclaredTable,
  changes: RowChanges<AnyRow>,
): Promise<void> {
  const column = uniqueColumns[table]
  if (column === undefined) return
  const moving = changes.update.filter(({ set }) => set[column] !== undefined).map(({ before }) => before)
  for (const before of [...moving, ...changes.remove]) {
    const placeholder = `moving:${keyColumns[table].map((key) => before[key]).join(':')}`
    await update(trx, table, before, { [column]: placeholder })
  }
}

/** What the store derives from the columns that are written. */
function derived(table: DeclaredTable, columns: AnyRow): AnyRow {
  if (table === 'clients' && typeof columns.client_name === 'string') {
    return { name_key: emailKey(columns.client_name), keyed_name: columns.client_name }
  }
  const isSearched = table === 'users' || table === 'organisations'
  return isSearched && typeof columns.name === 'string' ? { name_key: emailKey(columns.name) } : {}
}

const versioned: readonly DeclaredTable[] = [
  'services',
  'permissions',
  'roles',
  'organisations',
  'units',
  'users',
  'profiles',
  'clients',
]

async function insert(trx: Transaction<Schema>, table: DeclaredTable, written: AnyRow[]): Promise<void> {
  const rows = written.map((row) => ({ ...row, ...derived(table, row) }) as AnyRow)
  const columns = Object.keys(rows[0] ?? {})
  const names = sql.join(columns.map((column) => sql.ref(column)))
  for (const chunk of chunksOf(rows, 200)) {
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
  const columns = Object.entries({ ...set, ...derived(table, set) })
  const assignments = columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  if (versioned.includes(table)) assignments.push(sql`version = version + 1`)
  // What was a machine and becomes one again has none of the tokens that it had.
  if (table === 'clients' && set.type !== undefined)
    assignments.push(sql`token_generation = token_generation + 1`)
  await sql`update ${sql.table(table)} set ${sql.join(assignments)} where ${isRow(table, before)}`.execute(
    trx,
  )
}

function isRow(table: DeclaredTable, row: AnyRow) {
  const conditions = keyColumns[table].map((column) => sql`${sql.ref(column)} = ${row[column]}`)
  return sql.join(conditions, sql` and `)
}
