import { type Kysely, sql, type Transaction } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { atOneMoment } from '../database/locks.ts'
import type { Store } from '../database/store.ts'
import { type Maker, makersOf, type Target } from './makers.ts'
import type { Flag } from '../database/flag.ts'
import type { CredentialTable, ManagedTable, Schema, Tables } from '../database/schema.ts'

/** The tables that a declared file can change. */
export type DeclaredTable =
  | 'services'
  | 'permissions'
  | 'roles'
  | 'role_permissions'
  | 'organisations'
  | 'units'
  | 'users'
  | 'profiles'
  | 'clients'
  | 'client_origins'
  | 'client_secrets'

/** Rows of those tables: of users and their profiles those that were asked for, of the others all. */
export type DeclaredState = { [T in DeclaredTable]: DeclaredRow<T>[] }

/** As it is stored, or is to be. */
export type DeclaredRow<T extends DeclaredTable> = Tables[T] &
  (T extends ManagedTable ? Managed : unknown) &
  (T extends CredentialTable ? Owned : unknown)

/** The file that manages it; null or nothing: none does. */
export interface Managed {
  managed_by?: string | null
}

/** Whether somebody of limited reach set a credential: see `Credential`. */
export interface Owned {
  limited_reach?: Flag
}

/** The users and clients that a file speaks of. */
export interface NamedByFile {
  userUuids: readonly string[]
  emailKeys: readonly string[]
  profileUuids: readonly string[]
  clientIds: readonly string[]
  /** And those that this file manages. */
  managedBy: string
}

/** What profiles depend on. */
export interface AccessParts {
  roleCodes: readonly string[]
  organisationUuids: readonly string[]
  unitUuids: readonly string[]
}

export type People = Pick<DeclaredState, 'users' | 'profiles'>

/** The stored state at one moment. It can be asked until the transaction that reads it ends. */
export interface DeclaredView {
  state: DeclaredState
  /** Everybody with a profile by one of these, also those whom the file does not name, and those profiles. */
  touchedBy(parts: AccessParts): Promise<People>
  /** Who made these, by `targetKey`. */
  makersOf(targets: readonly Target[]): Promise<ReadonlyMap<string, Maker>>
}

/** Reads the state as it is at one moment; nothing is written. */
export async function viewDeclaredState<T>(
  store: Store,
  named: NamedByFile,
  look: (view: DeclaredView) => Promise<T>,
): Promise<T> {
  return await atOneMoment(store).execute(async (trx) => look(await viewWithin(trx, named)))
}

/**
 * The state that tells whether a file changes anything: also of clients only those that it names or manages. Each start
 * of a process asks this, and there may be a hundred thousand others.
 */
export async function readNamedState(store: Store, named: NamedByFile): Promise<DeclaredState> {
  return await atOneMoment(store).execute(async (trx) => {
    const clients = distinctBy('client_id', [
      ...(await rowsIn(trx, 'clients', 'client_id', named.clientIds)),
      ...(await rowsIn(trx, 'clients', 'managed_by', [named.managedBy])),
    ])
    const ids = clients.map((client) => client.client_id)
    return {
      ...(await places(trx)),
      ...(await people(trx, named)),
      clients: inOrder(clients, 'client_id'),
      client_origins: await rowsIn(trx, 'client_origins', 'client_id', ids),
      client_secrets: await rowsIn(trx, 'client_secrets', 'client_id', ids),
    }
  })
}

/** All of it, everybody too, as it is at one moment. */
export async function readDeclaredState(store: Store): Promise<DeclaredState> {
  return await atOneMoment(store).execute(async (trx) => ({
    ...(await places(trx)),
    users: await rowsOf(trx, 'users', 'email_key'),
    profiles: await rowsOf(trx, 'profiles', 'uuid'),
    ...(await clients(trx)),
  }))
}

/** The view of a transaction that is open. */
export async function viewWithin(trx: Transaction<Schema>, named: NamedByFile): Promise<DeclaredView> {
  return {
    state: { ...(await places(trx)), ...(await people(trx, named)), ...(await clients(trx)) },
    touchedBy: (parts) => touchedBy(trx, parts),
    makersOf: (targets) => makersOf(trx, targets),
  }
}

const places = async (trx: Trx) => ({
  services: await rowsOf(trx, 'services', 'code'),
  permissions: await rowsOf(trx, 'permissions', 'code'),
  roles: await rowsOf(trx, 'roles', 'code'),
  role_permissions: await rowsOf(trx, 'role_permissions', 'role_code', 'permission'),
  organisations: await rowsOf(trx, 'organisations', 'code'),
  units: await rowsOf(trx, 'units', 'code', 'uuid'),
})

const clients = async (trx: Trx) => ({
  clients: await rowsOf(trx, 'clients', 'client_id'),
  client_origins: await rowsOf(trx, 'client_origins', 'client_id', 'origin'),
  client_secrets: await rowsOf(trx, 'client_secrets', 'id'),
})

async function people(trx: Trx, named: NamedByFile): Promise<People> {
  const users = distinctBy('uuid', [
    ...(await rowsIn(trx, 'users', 'uuid', named.userUuids)),
    ...(await rowsIn(trx, 'users', 'email_key', named.emailKeys)),
    ...(await rowsIn(trx, 'users', 'managed_by', [named.managedBy])),
  ])
  const uuids = users.map((user) => user.uuid)
  const profiles = distinctBy('uuid', [
    ...(await rowsIn(trx, 'profiles', 'user_uuid', uuids)),
    ...(await rowsIn(trx, 'profiles', 'uuid', named.profileUuids)),
  ])
  return { users: inOrder(users, 'email_key'), profiles: inOrder(profiles, 'uuid') }
}

async function touchedBy(trx: Trx, parts: AccessParts): Promise<People> {
  const profiles = distinctBy('uuid', [
    ...(await rowsIn(trx, 'profiles', 'role_code', parts.roleCodes)),
    ...(await rowsIn(trx, 'profiles', 'organisation_uuid', parts.organisationUuids)),
    ...(await rowsIn(trx, 'profiles', 'unit_uuid', parts.unitUuids)),
  ])
  const users = await rowsIn(trx, 'users', 'uuid', [...new Set(profiles.map((one) => one.user_uuid))])
  return { users: inOrder(users, 'email_key'), profiles: inOrder(profiles, 'uuid') }
}

type Trx = Kysely<Schema>

async function rowsOf<T extends DeclaredTable>(
  trx: Trx,
  table: T,
  ...order: readonly (keyof DeclaredRow<T>)[]
): Promise<DeclaredRow<T>[]> {
  const rows: unknown[] = await trx.selectFrom<DeclaredTable>(table).selectAll().execute()
  return inOrder(rows as DeclaredRow<T>[], ...order)
}

async function rowsIn<T extends DeclaredTable>(
  trx: Trx,
  table: T,
  column: keyof DeclaredRow<T> & string,
  values: readonly string[],
): Promise<DeclaredRow<T>[]> {
  const rows: DeclaredRow<T>[] = []
  for (const chunk of chunksOf(values)) {
    const condition = sql`${sql.ref(column)} in (${sql.join(chunk)})`
    const query = sql<DeclaredRow<T>>`select * from ${sql.table(table)} where ${condition}`
    rows.push(...(await query.execute(trx)).rows)
  }
  return rows
}

/**
 * Equal states give equal plans and exports, on both databases: PostgreSQL yields the rows that were written last at the
 * end, and compares text in its own way.
 */
function inOrder<Row, K extends keyof Row>(rows: readonly Row[], ...columns: readonly K[]): Row[] {
  return rows.toSorted((one, other) => {
    const column = columns.find((name) => one[name] !== other[name])
    return column === undefined ? 0 : one[column] < other[column] ? -1 : 1
  })
}

function distinctBy<Row, K extends keyof Row>(key: K, rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row[key], row])).values()]
}
