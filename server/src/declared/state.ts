import { installationPeople } from '../store/break-glass.ts'
import { asNamed, ownFactorsOf } from '../store/gets-in.ts'
import { givenByHand } from '../store/write/given.ts'
import { type EntryChange, entryChanges } from '../access/entering.ts'
import { type Kysely, sql, type Transaction } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import { atOneMoment } from '../database/locks.ts'
import type { Store } from '../database/store.ts'
import { makerIds } from '../access/waiting.ts'
import { type Maker, makersOf, type AuditTarget } from './makers.ts'
import type { Policies } from '../access/policies.ts'
import { type Strengthened, strengthened } from '../access/strengthened.ts'
import type { MakerRow } from '../database/schema-admin.ts'
import type { HeldAddressRow } from '../database/schema-mail.ts'
import type { Schema, Tables } from '../database/schema.ts'
import type { WrittenRow, WrittenTable } from '../store/write/rows.ts'
import { makerNames, makersOf as storedMakers, type Owned } from '../store/ownership.ts'
import { isBuiltIn } from '../protocol/built-in-clients.ts'

/**
 * The tables that a declared file can change, and by what their rows are ordered. Equal states give equal plans and
 * exports, on both databases: PostgreSQL yields the rows that were written last at the end, and compares text in its own
 * way.
 */
const order = {
  installation: ['name'],
  services: ['code'],
  permissions: ['code'],
  roles: ['code'],
  role_permissions: ['role_code', 'permission'],
  organisations: ['code'],
  units: ['code', 'uuid'],
  upstreams: ['code', 'uuid'],
  domains: ['name', 'uuid'],
  directories: ['code', 'uuid'],
  users: ['email_key'],
  profiles: ['uuid'],
  clients: ['client_id'],
  client_secrets: ['id'],
  invitations: ['email_key', 'uuid'],
} as const satisfies { [T in WrittenTable]?: readonly (keyof Tables[T])[] }

export type DeclaredTable = keyof typeof order

export const declaredTables = Object.keys(order) as DeclaredTable[]

/** Rows of those tables: of users and their profiles those that were asked for, of the others all. */
export type DeclaredState = { [T in DeclaredTable]: DeclaredRow<T>[] } & {
  /** Addresses of the file that people gave up, with their present ones. */
  held?: readonly (HeldAddressRow & { holder: string })[]
}

export type DeclaredRow<T extends DeclaredTable> = WrittenRow<T>

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
  /** The file, for all that it manages. */
  managedBy: string
}

/** What profiles depend on. */
export interface AccessParts {
  roleCodes: readonly string[]
  organisationUuids: readonly string[]
  unitUuids: readonly string[]
}

export type People = Pick<DeclaredState, 'users' | 'profiles' | 'held'>

/** The stored state at one moment. It can be asked until the transaction that reads it ends. */
export interface DeclaredView {
  state: DeclaredState
  /** Everybody with a profile by one of these, also those whom the file does not name, and those profiles. */
  touchedBy(parts: AccessParts): Promise<People>
  /** Break-glass people, and their factors that count everywhere. */
  breakGlass(): Promise<People & { factors: NamedFactors }>
  /** The makers of these unproved accounts: what they could give, and how they are called. */
  accountMakersOf(users: readonly Pick<Owned, 'makers'>[]): Promise<AccountMakers>
  /** The people that these policies would stop. */
  strengthenedBy(after: Policies, now: number): Promise<Strengthened | undefined>
  /** People whose entry to a client ends or begins. */
  entryChanges(after: Pick<DeclaredState, 'clients'>, now: number): Promise<EntryChange[]>
  /** The makers of these, by `targetKey`. */
  makersOf(targets: readonly AuditTarget[]): Promise<ReadonlyMap<string, Maker>>
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
    const clients = await rowsBy(trx, 'clients', {
      client_id: named.clientIds,
      managed_by: [named.managedBy],
    })
    const client_id = clients.map((client) => client.client_id)
    return {
      ...(await places(trx)),
      ...(await people(trx, named)),
      clients,
      client_secrets: await rowsBy(trx, 'client_secrets', { client_id }),
      invitations: await invitationsOf(trx, named),
    }
  })
}

/** All of it, everybody too, as it is at one moment. */
export async function readDeclaredState(store: Store): Promise<DeclaredState> {
  return await atOneMoment(store).execute(async (trx) => ({
    ...(await places(trx)),
    users: await rowsOf(trx, 'users'),
    profiles: await givenByHand(trx, await rowsOf(trx, 'profiles')),
    ...(await clients(trx)),
    // An invitation is no state to bring back.
    invitations: [],
  }))
}

/** The view of a transaction that is open. */
export async function viewWithin(trx: Transaction<Schema>, named: NamedByFile): Promise<DeclaredView> {
  const state = {
    ...(await places(trx)),
    ...(await people(trx, named)),
    ...(await clients(trx)),
    invitations: await invitationsOf(trx, named),
  }
  return {
    state,
    strengthenedBy: (after, now) => strengthened(trx, { before: state, after }, now),
    entryChanges: (after, now) => entryChanges(trx, state.clients, after.clients, now),
    touchedBy: (parts) => touchedBy(trx, parts),
    breakGlass: () => breakGlass(trx, state),
    makersOf: (targets) => makersOf(trx, targets),
    accountMakersOf: (users) => accountMakersOf(trx, users),
  }
}

/** The makers of accounts, by their ids. */
export interface AccountMakers {
  makers: ReadonlyMap<string, MakerRow>
  names: ReadonlyMap<string, string>
}

async function accountMakersOf(trx: Trx, users: readonly Pick<Owned, 'makers'>[]): Promise<AccountMakers> {
  const makers = await storedMakers(trx, makerIds(users))
  return { makers, names: await makerNames(trx, makers.values()) }
}

const places = async (trx: Trx) => ({
  installation: await rowsOf(trx, 'installation'),
  services: await rowsOf(trx, 'services'),
  permissions: await rowsOf(trx, 'permissions'),
  roles: await rowsOf(trx, 'roles'),
  role_permissions: await rowsOf(trx, 'role_permissions'),
  organisations: await rowsOf(trx, 'organisations'),
  units: await rowsOf(trx, 'units'),
  upstreams: await rowsOf(trx, 'upstreams'),
  domains: await rowsOf(trx, 'domains'),
  directories: await rowsOf(trx, 'directories'),
})

const clients = async (trx: Trx) => ({
  // The settings decide over clients of the service's own pages.
  clients: (await rowsOf(trx, 'clients')).filter(({ client_id }) => !isBuiltIn(client_id)),
  client_secrets: await rowsOf(trx, 'client_secrets'),
})

const invitationsOf = async (trx: Trx, { managedBy }: NamedByFile) =>
  await rowsBy(trx, 'invitations', { managed_by: [managedBy] })

async function people(trx: Trx, named: NamedByFile): Promise<People> {
  const users = await rowsBy(trx, 'users', {
    uuid: named.userUuids,
    email_key: named.emailKeys,
    managed_by: [named.managedBy],
  })
  const all = await rowsBy(trx, 'profiles', {
    user_uuid: users.map((user) => user.uuid),
    uuid: named.profileUuids,
  })
  const profiles = await givenByHand(trx, all)
  const held: NonNullable<DeclaredState['held']>[number][] = []
  for (const keys of chunksOf(named.emailKeys))
    held.push(
      ...(await trx
        .selectFrom('held_addresses')
        .innerJoin('users', 'users.uuid', 'held_addresses.user_uuid')
        .selectAll('held_addresses')
        .select('users.email as holder')
        .where('held_addresses.email_key', 'in', keys)
        .execute()),
    )
  return { users, profiles, held }
}

async function touchedBy(trx: Trx, parts: AccessParts): Promise<People> {
  const profiles = await rowsBy(trx, 'profiles', {
    role_code: parts.roleCodes,
    organisation_uuid: parts.organisationUuids,
    unit_uuid: parts.unitUuids,
  })
  const users = await rowsBy(trx, 'users', { uuid: [...new Set(profiles.map((one) => one.user_uuid))] })
  return { users, profiles }
}

/** The kinds of factors, by the person. */
export type NamedFactors = Awaited<ReturnType<typeof ownFactorsOf>>

async function breakGlass(
  trx: Trx,
  { installation, organisations }: Pick<DeclaredState, 'installation' | 'organisations'>,
): Promise<People & { factors: NamedFactors }> {
  const lists = organisations.map((one) => asNamed({ uuid: one.uuid, break_glass: one.break_glass ?? '[]' }))
  const people = [...new Set([...installationPeople(installation), ...lists.flatMap((one) => one.people)])]
  return {
    users: await rowsBy(trx, 'users', { uuid: people }),
    profiles: await rowsBy(trx, 'profiles', { user_uuid: people }),
    factors: await ownFactorsOf(trx, people),
  }
}

type Trx = Kysely<Schema>

async function rowsOf<T extends DeclaredTable>(trx: Trx, table: T): Promise<DeclaredRow<T>[]> {
  const rows: unknown[] = await trx.selectFrom<DeclaredTable>(table).selectAll().execute()
  return inOrder(table, rows as DeclaredRow<T>[])
}

/** The rows that have one of the values in one of the columns. */
async function rowsBy<T extends DeclaredTable>(
  trx: Trx,
  table: T,
  values: { [K in keyof DeclaredRow<T>]?: readonly string[] },
): Promise<DeclaredRow<T>[]> {
  const rows = new Map<string, DeclaredRow<T>>()
  for (const [column, some = []] of Object.entries<readonly string[] | undefined>(values))
    for (const chunk of chunksOf(some)) {
      const condition = sql`${sql.ref(column)} in (${sql.join(chunk)})`
      const query = sql<DeclaredRow<T>>`select * from ${sql.table(table)} where ${condition}`
      for (const row of (await query.execute(trx)).rows) rows.set(keyOf(table, row), row)
    }
  return inOrder(table, [...rows.values()])
}

const columnsOf = <T extends DeclaredTable>(table: T): readonly (keyof DeclaredRow<T>)[] => {
  const columns: { readonly [K in DeclaredTable]: readonly (keyof DeclaredRow<K>)[] } = order
  return columns[table]
}

const keyOf = <T extends DeclaredTable>(table: T, row: DeclaredRow<T>): string =>
  columnsOf(table)
    .map((column) => row[column])
    .join(' ')

function inOrder<T extends DeclaredTable>(table: T, rows: readonly DeclaredRow<T>[]): DeclaredRow<T>[] {
  return rows.toSorted((one, other) => {
    const column = columnsOf(table).find((name) => one[name] !== other[name])
    return column === undefined ? 0 : one[column] < other[column] ? -1 : 1
  })
}
