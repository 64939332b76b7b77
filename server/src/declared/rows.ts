import { sql, type Transaction } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { DeclaredRow, DeclaredState, DeclaredTable } from './state.ts'
import { type AnyRow, deleteRows, insertRows, updateRows } from '../database/many-rows.ts'
import type { ManagedTable, Schema, Tables } from '../database/schema.ts'
import { kinds } from './kinds.ts'

export interface RowChanges<Row> {
  insert: Row[]
  /** The row as it was, and the columns that become something else. */
  update: { before: Row; set: Partial<Row> }[]
  remove: Row[]
}

export type DeclaredWrites = { [T in DeclaredTable]: RowChanges<DeclaredRow<T>> }

/** The file that manages a thing from now on; null: none does. `key` is what its row is known by. */
export interface Mark {
  table: ManagedTable
  key: string
  managedBy: string | null
}

/** What a row is known by. Also the order of insertion: a row comes after what it refers to. */
export const keyColumns = {
  installation: ['name'],
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
  invitations: ['uuid'],
} as const satisfies { [T in DeclaredTable]: readonly (keyof Tables[T])[] }

export const declaredTables = Object.keys(keyColumns) as DeclaredTable[]

export function changesAnything(writes: DeclaredWrites): boolean {
  return declaredTables.some((table) => {
    const { insert, update, remove } = writes[table]
    return insert.length + update.length + remove.length > 0
  })
}

/** The state as it is after the writes. */
export function stateAfter(state: DeclaredState, writes: DeclaredWrites): DeclaredState {
  const tables = declaredTables.map((table) => [table, rowsAfter(table, state[table], writes[table])])
  return Object.fromEntries(tables) as DeclaredState
}

function rowsAfter(
  table: DeclaredTable,
  rows: readonly object[],
  { insert, update, remove }: DeclaredWrites[DeclaredTable],
): object[] {
  const keyOf = (row: object) => keyColumns[table].map((column) => (row as AnyRow)[column]).join(' ')
  const after = new Map(rows.map((row) => [keyOf(row), row]))
  for (const row of remove) after.delete(keyOf(row))
  for (const { before, set } of update) after.set(keyOf(before), { ...before, ...set })
  for (const row of insert) after.set(keyOf(row), row)
  return [...after.values()]
}

/** Columns whose values are unique, and that two rows of one file may exchange. */
const uniqueColumns: { [T in DeclaredTable]?: string } = { services: 'audience', users: 'email_key' }

/** Writes the rows, and moves the versions of those that have parts in other tables. */
export async function writeRows(trx: Transaction<Schema>, writes: DeclaredWrites): Promise<void> {
  for (const table of declaredTables) await vacate(trx, table, asRows(writes[table]))
  for (const table of declaredTables) {
    const { insert } = asRows(writes[table])
    await insertRows(trx, table, Object.keys(insert[0] ?? {}), insert)
  }
  for (const table of declaredTables) await update(trx, table, asRows(writes[table]).update)
  for (const table of declaredTables.toReversed())
    await deleteRows(trx, table, keyColumns[table], asRows(writes[table]).remove)
  await moveVersions(trx, writes)
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
  for (const codes of chunksOf([...new Set(roles)]))
    await trx.updateTable('roles').set({ version }).where('code', 'in', codes).execute()
  for (const ids of chunksOf([...new Set(clients)]))
    await trx.updateTable('clients').set({ version }).where('client_id', 'in', ids).execute()
}

/** The rows without their table's type: the statements are the same for all. */
function asRows(changes: object): RowChanges<AnyRow> {
  return changes as RowChanges<AnyRow>
}

/** Frees the unique values that are about to change or go: two rows may exchange them. */
async function vacate(
  trx: Transaction<Schema>,
  table: DeclaredTable,
  changes: RowChanges<AnyRow>,
): Promise<void> {
  const column = uniqueColumns[table]
  if (column === undefined) return
  const moving = changes.update.filter(({ set }) => set[column] !== undefined).map(({ before }) => before)
  const leaving = [...moving, ...changes.remove].map((before) => {
    const placeholder = `moving:${keyColumns[table].map((key) => before[key]).join(':')}`
    return { before, set: { [column]: placeholder } }
  })
  await update(trx, table, leaving)
}

const versioned: readonly DeclaredTable[] = Object.values(kinds).map(({ table }) => table)

/** Updates rows that change the same columns in one statement. */
async function update(
  trx: Transaction<Schema>,
  table: DeclaredTable,
  changes: RowChanges<AnyRow>['update'],
): Promise<void> {
  const keys = keyColumns[table]
  const alike = new Map<string, { columns: string[]; rows: AnyRow[] }>()
  for (const { before, set } of changes) {
    const columns = Object.keys(set).sort()
    const group = alike.get(columns.join()) ?? { columns, rows: [] }
    group.rows.push({ ...Object.fromEntries(keys.map((key) => [key, before[key]])), ...set })
    alike.set(columns.join(), group)
  }
  for (const { columns, rows } of alike.values()) {
    const also = versioned.includes(table) ? [oneMore(table, 'version')] : []
    // A machine loses its tokens with another type or organisation.
    if (table === 'clients' && (columns.includes('type') || columns.includes('organisation_uuid')))
      also.push(oneMore(table, 'token_generation'))
    await updateRows(trx, table, { keys, columns, also }, rows)
  }
}

const oneMore = (table: DeclaredTable, column: string) =>
  sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + 1`
