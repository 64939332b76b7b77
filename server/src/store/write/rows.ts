/** The statements that write administered rows: many at once, and their versions. */
import { type Kysely, type Selectable, sql } from 'kysely'
import { chunksOf } from '../../database/chunks.ts'
import { type AnyRow, deleteRows, insertRows, updateRows } from '../../database/many-rows.ts'
import type { Schema, Tables } from '../../database/schema.ts'
import { Problem } from '../../protocol/problem.ts'
import type { ThingTable } from '../../protocol/things.ts'

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
  client_secrets: ['id'],
  invitations: ['uuid'],
  webhooks: ['uuid'],
  upstreams: ['uuid'],
  directories: ['uuid'],
  domains: ['uuid'],
} as const satisfies {
  [T in ThingTable | 'installation' | 'role_permissions' | 'client_secrets']: readonly (keyof Tables[T])[]
}

export type WrittenTable = keyof typeof keyColumns

export const writtenTables = Object.keys(keyColumns) as WrittenTable[]

export type Row<T extends keyof Schema> = Selectable<Schema[T]>

/** A row as it is stored, or is to be: what a new one leaves out has the value that its table gives. */
export type WrittenRow<T extends WrittenTable> = Tables[T] & Partial<Row<T>>

export interface RowChanges<Row> {
  insert: Row[]
  /** The row as it was, and the columns that become something else. */
  update: { before: Row; set: Partial<Row> }[]
  remove: Row[]
}

export const isTouched = ({
  insert,
  update,
  remove,
}: Record<keyof RowChanges<unknown>, unknown[]>): boolean => insert.length + update.length + remove.length > 0

export type Writes = { [T in WrittenTable]: RowChanges<WrittenRow<T>> }

/** Changes of some tables, each of some kinds. */
export type Changes = { [T in WrittenTable]?: Partial<RowChanges<WrittenRow<T>>> }

/**
 * `compared`: what another change came before is refused. `overwritten`: the change holds whatever a row has become
 * since, as a declared file says; or the row is held by the transaction.
 */
export type Versions = 'compared' | 'overwritten'

export function staleVersion(): Problem {
  return new Problem(
    'precondition_failed',
    'It was changed since that version. Read it again, and send the change with the new ETag.',
  )
}

/** Columns whose values are unique, and that two rows of one change may exchange. */
const uniqueColumns: { [T in WrittenTable]?: string } = { services: 'audience', users: 'email_key' }

/** Writes the rows, and moves their versions. Throws `precondition_failed` where versions are compared. */
export async function writeRows(trx: Kysely<Schema>, writes: Writes, versions: Versions): Promise<void> {
  for (const table of writtenTables) await vacate(trx, table, asRows(writes[table]))
  for (const table of writtenTables) {
    const { insert } = asRows(writes[table])
    for (const { columns, rows } of alike(insert, columnsIn)) await insertRows(trx, table, columns, rows)
  }
  for (const table of writtenTables) await update(trx, table, asRows(writes[table]).update, versions)
  for (const table of writtenTables.toReversed())
    await deleteRows(trx, table, keyColumns[table], asRows(writes[table]).remove)
  await moveVersions(trx, writes)
}

/** What a row says: a column that is undefined is not said. */
const columnsIn = (row: AnyRow): string[] => Object.keys(row).filter((column) => row[column] !== undefined)

/** The rows that have the same columns, so that one statement writes them. */
function alike<T>(all: readonly T[], columnsOf: (one: T) => string[]): { columns: string[]; rows: T[] }[] {
  const groups = new Map<string, { columns: string[]; rows: T[] }>()
  for (const one of all) {
    const columns = columnsOf(one).sort()
    const group = groups.get(columns.join()) ?? { columns, rows: [] }
    group.rows.push(one)
    groups.set(columns.join(), group)
  }
  return [...groups.values()]
}

/** The rows without their table's type: the statements are the same for all. */
const asRows = (changes: object): RowChanges<AnyRow> => changes as RowChanges<AnyRow>

/** The versions also move with what a row has in a table of its own; once where the row changes too. */
async function moveVersions(
  trx: Kysely<Schema>,
  { role_permissions: held, client_secrets: secrets, roles, clients }: Writes,
): Promise<void> {
  const moved = new Set([
    ...[...roles.insert, ...roles.update.map(({ before }) => before)].map((row) => row.code),
    ...[...clients.insert, ...clients.update.map(({ before }) => before)].map((row) => row.client_id),
  ])
  const others = (ids: readonly string[]) => chunksOf([...new Set(ids)].filter((id) => !moved.has(id)))
  const version = sql<number>`version + 1`
  for (const codes of others([...held.insert, ...held.remove].map((row) => row.role_code)))
    await trx.updateTable('roles').set({ version }).where('code', 'in', codes).execute()
  for (const ids of others([...secrets.insert, ...secrets.remove].map((row) => row.client_id)))
    await trx.updateTable('clients').set({ version }).where('client_id', 'in', ids).execute()
}

/** Frees the unique values that are about to change or go: two rows may exchange them. */
async function vacate(
  trx: Kysely<Schema>,
  table: WrittenTable,
  { insert, update: changed, remove }: RowChanges<AnyRow>,
): Promise<void> {
  if (table === 'domains') await letGoOfDomains(trx, [...remove, ...leavingDomains(changed)])
  const column = uniqueColumns[table]
  if (column === undefined || insert.length + changed.length + remove.length < 2) return
  const moving = changed.filter(({ set }) => set[column] !== undefined).map(({ before }) => before)
  const [key] = keyColumns[table]
  const leaving = [...moving, ...remove].map((before) => ({
    [key]: before[key],
    [column]: `moving:${String(before[key])}`,
  }))
  await updateRows(trx, table, { keys: [key], columns: [column], also: [] }, leaving)
}

/** One organisation has a domain at a time, and another may come to have it by the same change. */
const letGoOfDomains = async (trx: Kysely<Schema>, rows: readonly AnyRow[]): Promise<number> =>
  await updateRows(
    trx,
    'domains',
    { keys: ['uuid'], columns: ['holds'], also: [] },
    rows.map(({ uuid }) => ({ uuid, holds: 0 })),
  )

const leavingDomains = (changed: RowChanges<AnyRow>['update']): AnyRow[] =>
  changed.filter(({ set }) => set['holds'] === 0).map(({ before }) => before)

const versioned: ReadonlySet<WrittenTable> = new Set(
  writtenTables.filter((table) => !['role_permissions', 'client_secrets'].includes(table)),
)

/** Updates rows that change the same columns in one statement. */
async function update(
  trx: Kysely<Schema>,
  table: WrittenTable,
  changes: RowChanges<AnyRow>['update'],
  versions: Versions,
): Promise<void> {
  const keys = [...keyColumns[table], ...(versions === 'compared' ? ['version'] : [])]
  // What is said and stays as it is ends nothing.
  const differing = ({ before, set }: (typeof changes)[number]) =>
    columnsIn(set).filter((column) => set[column] !== before[column])
  for (const { columns, rows: alikes } of alike(changes, differing)) {
    const rows = alikes.map(({ before, set }) => ({
      ...Object.fromEntries(keys.map((key) => [key, before[key]])),
      ...set,
    }))
    const also = versioned.has(table) ? [oneMore(table, 'version')] : []
    // A machine loses its tokens with another type or organisation.
    if (table === 'clients' && (columns.includes('type') || columns.includes('organisation_uuid')))
      also.push(oneMore(table, 'token_generation'))
    const written = await updateRows(trx, table, { keys, columns, also }, rows)
    if (versions === 'compared' && written < rows.length) throw staleVersion()
  }
}

const oneMore = (table: WrittenTable, column: string) =>
  sql`${sql.ref(column)} = ${sql.ref(`${table}.${column}`)} + 1`
