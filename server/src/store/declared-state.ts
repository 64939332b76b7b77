import { type Kysely, sql, type Transaction } from 'kysely'
import { chunksOf } from './chunks.ts'
import type { Store } from './open.ts'
import type { ManagedTable, Schema, Tables } from './schema.ts'

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
export type DeclaredState = {
  [T in DeclaredTable]: (Tables[T] & (T extends ManagedTable ? Managed : unknown))[]
}

/** The file that manages it; null or nothing: none does. */
export interface Managed {
  managed_by?: string | null
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

/** Profiles that hold by one of these. */
export interface AccessParts {
  roleCodes: readonly string[]
  organisationUuids: readonly string[]
  unitUuids: readonly string[]
}

export type People = Pick<DeclaredState, 'users' | 'profiles'>

/** What the stored state looks like at one moment. It is of no use after the verb that gave it returned. */
export interface DeclaredView {
  state: DeclaredState
  /** The users, whoever they are, with profiles that hold by one of the parts, and those profiles. */
  touchedBy(parts: AccessParts): Promise<People>
  /** The users, whoever they are, who hold one of the roles over the whole installation, and those profiles. */
  everywhereAs(roleCodes: readonly string[]): Promise<People>
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
 * What tells whether a file changes anything: of the clients, too, those alone that it names or manages. A process that
 * starts asks this, and there may be a hundred thousand others.
 */
export async function readNamedState(store: Store, named: NamedByFile): Promise<DeclaredState> {
  return await atOneMoment(store).execute(async (trx) => {
    const found = distinctBy('client_id', [
      ...(await rowsIn(trx, 'clients', 'client_id', named.clientIds)),
      ...(await trx.selectFrom('clients').selectAll().where('managed_by', '=', named.managedBy).execute()),
    ])
    const clients = inOrder(found, 'client_id')
    const ids = clients.map((client) => client.client_id)
    return {
      ...(await placesAndPeople(trx, named)),
      clients,
      client_origins: await rowsIn(trx, 'client_origins', 'client_id', ids),
      client_secrets: await rowsIn(trx, 'client_secrets', 'client_id', ids),
    }
  })
}

function atOneMoment(store: Store) {
  const transaction = store.db.transaction()
  // SQLite has one writer, and this transaction is it; PostgreSQL's default shows each statement another moment.
  return store.dialect === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction
}

/** All of it, everybody too, as it is at one moment. */
export async function readDeclaredState(store: Store): Promise<DeclaredState> {
  const nobody = { userUuids: [], emailKeys: [], profileUuids: [], clientIds: [], managedBy: '' }
  return await atOneMoment(store).execute(async (trx) => ({
    ...(await viewWithin(trx, nobody)).state,
    users: inOrder(await trx.selectFrom('users').selectAll().execute(), 'email_key'),
    profiles: inOrder(await trx.selectFrom('profiles').selectAll().execute(), 'uuid'),
  }))
}

/** The view of a transaction that is open. */
export async function viewWithin(trx: Transaction<Schema>, named: NamedByFile): Promise<DeclaredView> {
  const state = {
    ...(await placesAndPeople(trx, named)),
    clients: inOrder(await trx.selectFrom('clients').selectAll().execute(), 'client_id'),
    client_origins: await trx.selectFrom('client_origins').selectAll().execute(),
    client_secrets: inOrder(await trx.selectFrom('client_secrets').selectAll().execute(), 'id'),
  }
  return {
    state,
    touchedBy: (parts) => touchedBy(trx, parts),
    everywhereAs: (roleCodes) => everywhereAs(trx, roleCodes),
  }
}

type OfClients = 'clients' | 'client_origins' | 'client_secrets'

async function placesAndPeople(
  trx: Transaction<Schema>,
  named: NamedByFile,
): Promise<Omit<DeclaredState, OfClients>> {
  const users = distinctBy('uuid', [
    ...(await rowsIn(trx, 'users', 'uuid', named.userUuids)),
    ...(await rowsIn(trx, 'users', 'email_key', named.emailKeys)),
    ...(await trx.selectFrom('users').selectAll().where('managed_by', '=', named.managedBy).execute()),
  ])
  const uuids = users.map((user) => user.uuid)
  const profiles = distinctBy('uuid', [
    ...(await rowsIn(trx, 'profiles', 'user_uuid', uuids)),
    ...(await rowsIn(trx, 'profiles', 'uuid', named.profileUuids)),
  ])
  return {
    services: inOrder(await trx.selectFrom('services').selectAll().execute(), 'code'),
    permissions: inOrder(await trx.selectFrom('permissions').selectAll().execute(), 'code'),
    roles: inOrder(await trx.selectFrom('roles').selectAll().execute(), 'code'),
    role_permissions: await trx.selectFrom('role_permissions').selectAll().execute(),
    organisations: inOrder(await trx.selectFrom('organisations').selectAll().execute(), 'code'),
    units: inOrder(await trx.selectFrom('units').selectAll().execute(), 'code', 'uuid'),
    users: inOrder(users, 'email_key'),
    profiles: inOrder(profiles, 'uuid'),
  }
}

async function touchedBy(trx: Kysely<Schema>, parts: AccessParts): Promise<People> {
  const profiles = distinctBy('uuid', [
    ...(await rowsIn(trx, 'profiles', 'role_code', parts.roleCodes)),
    ...(await rowsIn(trx, 'profiles', 'organisation_uuid', parts.organisationUuids)),
    ...(await rowsIn(trx, 'profiles', 'unit_uuid', parts.unitUuids)),
  ])
  return await withUsers(trx, profiles)
}

async function everywhereAs(trx: Kysely<Schema>, roleCodes: readonly string[]): Promise<People> {
  if (roleCodes.length === 0) return { users: [], profiles: [] }
  const profiles = await trx
    .selectFrom('profiles')
    .selectAll()
    .where('organisation_uuid', 'is', null)
    .where('role_code', 'in', roleCodes)
    .execute()
  return await withUsers(trx, profiles)
}

async function withUsers(trx: Kysely<Schema>, profiles: People['profiles']): Promise<People> {
  const users = await rowsIn(trx, 'users', 'uuid', [...new Set(profiles.map((one) => one.user_uuid))])
  return { users: inOrder(users, 'email_key'), profiles: inOrder(profiles, 'uuid') }
}

async function rowsIn<T extends 'users' | 'profiles' | OfClients>(
  trx: Kysely<Schema>,
  table: T,
  column: keyof Tables[T] & string,
  values: readonly string[],
): Promise<Tables[T][]> {
  const rows: Tables[T][] = []
  for (const chunk of chunksOf(values)) {
    const query = sql<
      Tables[T]
    >`select * from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(chunk)})`
    rows.push(...(await query.execute(trx)).rows)
  }
  return rows
}

/**
 * A plan that is shown and the one that is applied must be equal while nothing changed, and an export the same on both
 * databases: PostgreSQL yields rows in the order in which they were written last, and collates text in ways of its own.
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
