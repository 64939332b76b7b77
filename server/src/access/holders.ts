import { rowOf } from '../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import { exchangeIn } from '../protocol/exchange.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import type { Store } from '../database/store.ts'
import type { Flag } from '../database/flag.ts'
import type { ProfileRow, Schema } from '../database/schema.ts'
import type { Beyond } from '../database/schema-admin.ts'
import { entryOf } from '../store/entry.ts'
import { makerNames, makersIn } from '../store/ownership.ts'
import { heldProfiles, inActiveOrganisation, onlyUsable, usableClients } from '../store/usable.ts'
import type { ClientPermissionRow } from '../database/schema-admin.ts'
import { type PlaceAsked, type Spot, spotsOf } from './places.ts'
import { type After, emptyPage, firstOf, type Page } from '../database/page.ts'
import { isMember, isOwnedWithin, permissionsOf, withinReach, type Reach } from './reach.ts'

/** A profile with what it holds by. */
export interface HeldByRow extends ProfileRow {
  user_active: Flag
  role_name: string
  role_active: Flag
  organisation_name: string | null
  organisation_active: Flag | null
  unit_name: string | null
  unit_active: Flag | null
  beyond: Beyond | null
  suspended: Flag
  counts_until: number | null
  /** The time since which nobody proved the account; null: it is proved, or nobody knows. */
  unproved_since: number | null
  /** The maker of the account by name, where it was looked up. */
  maker?: string
}

function heldBy(db: Kysely<Schema>) {
  return heldProfiles(db)
    .selectAll('profiles')
    .select([
      'users.active as user_active',
      'roles.name as role_name',
      'roles.active as role_active',
      'organisations.name as organisation_name',
      'organisations.active as organisation_active',
      'units.name as unit_name',
      'units.active as unit_active',
      'users.unproved_since',
    ])
}

export interface HolderQuestion extends PlaceAsked {
  permission: string
  now: number
}

/** A person who may act under a profile that gives the permission, or a client that has it. */
export type Holder =
  | (HeldByRow & { kind: 'user'; email: string; name: string })
  | (Omit<ClientPermissionRow, 'permission'> & {
      kind: 'client'
      organisation_name: string | null
      /** The service for whose callers the client gets it by exchange, not for itself. */
      acting_for?: string
    })

type HoldingClient = Extract<Holder, { kind: 'client' }>

/** A position in the list: people come before machines, each by place and role, and what is got by exchange is last. */
interface Position {
  kind: 'user' | 'client' | 'exchange'
  role: string
  /** The key of the spot where it holds. */
  place: string
  /** The uuid of the profile, or the client_id. */
  id: string
}

/**
 * Lists who holds a permission now, at most `limit`. Reads the profiles of each role that gives it, in each spot that
 * counts at the place asked about. Each pair is a range of an index, however many profiles there are.
 */
export async function listHolders(
  { db }: Store,
  question: HolderQuestion,
  cursor: After,
  limit: number,
): Promise<Page<Holder>> {
  const spots = await spotsOf(db, question)
  if (spots === undefined) return emptyPage
  const after = positionOf(cursor)
  const found: { holder: Holder; at: Position }[] = []
  const want = limit + 1
  if (after === undefined || after.kind === 'user') {
    for (const segment of await segmentsOf(db, question.permission, spots)) {
      if (found.length === want) break
      if (after !== undefined && isBefore(segment, after)) continue
      const { role, spot } = segment
      const from = after?.role === role && after.place === spot.key ? after.id : undefined
      for (const holder of await heldIn(db, { ...segment, now: question.now }, from, want - found.length)) {
        found.push({ holder, at: { kind: 'user', role, place: spot.key, id: holder.uuid } })
      }
    }
  }
  if (question.reach.unit_uuid === undefined)
    for (const [kind, clientsBy] of [
      ['client', machinesWith],
      ['exchange', actingWith],
    ] as const) {
      if (found.length === want || (kind === 'client' && after?.kind === 'exchange')) continue
      const from = after?.kind === kind ? after.id : undefined
      for (const holder of await clientsBy(db, question.permission, spots, from, want - found.length))
        found.push({ holder, at: { kind, role: '', place: '', id: holder.client_id } })
    }
  const { rows, next } = firstOf(found, limit, ({ at }) => [at.kind, at.role, at.place, at.id])
  return { rows: rows.map(({ holder }) => holder), next }
}

function positionOf(cursor: After): Position | undefined {
  const [kind, role = '', place = '', id = ''] = cursor ?? []
  if (kind === undefined) return undefined
  return { kind: kind === 'client' || kind === 'exchange' ? kind : 'user', role, place, id }
}

interface Segment {
  role: string
  spot: Spot
}

async function segmentsOf(
  db: Kysely<Schema>,
  permission: string,
  spots: readonly Spot[],
): Promise<Segment[]> {
  const rows = await db
    .selectFrom('role_permissions')
    .innerJoin('roles', 'roles.code', 'role_permissions.role_code')
    .select('role_code')
    .distinct()
    .where('permission', 'in', listings(permission))
    .where('roles.active', '=', 1)
    .execute()
  // Sorted here, not in SQL: the databases collate text differently.
  const roles = rows.map((row) => row.role_code).sort()
  return roles.flatMap((role) => spots.map((spot) => ({ role, spot })))
}

/** Codes that give the permission in a role's or a machine's list. */
const listings = (permission: string) =>
  serviceOf(permission) === iamService ? [permission, iamWildcard] : [permission]

function isBefore({ role, spot }: Segment, after: Position): boolean {
  return role === after.role ? spot.key < after.place : role < after.role
}

async function heldIn(
  db: Kysely<Schema>,
  { role, spot: { organisation_uuid, unit_uuid }, now }: Segment & { now: number },
  after: string | undefined,
  limit: number,
) {
  const rows = await onlyUsable(heldBy(db), now)
    .select(['users.email', 'users.name'])
    .where('profiles.role_code', '=', role)
    .where(isAt('profiles.unit_uuid', unit_uuid))
    .where(isAt('profiles.organisation_uuid', organisation_uuid))
    .$if(after !== undefined, (query) => query.where('profiles.uuid', '>', after ?? ''))
    .orderBy('profiles.uuid')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ kind: 'user' as const, ...row }))
}

/** The SQL condition that a column names this place; undefined: every place. */
function isAt(column: string, uuid: string | null | undefined) {
  if (uuid === undefined) return sql<boolean>`true`
  return uuid === null ? sql<boolean>`${sql.ref(column)} is null` : sql<boolean>`${sql.ref(column)} = ${uuid}`
}

/**
 * The machines that list the permission, and those that list all of its service, of each organisation and of none: each
 * a range of an index. A machine reaches the whole organisation, and so every unit of it.
 */
async function machinesWith(
  db: Kysely<Schema>,
  permission: string,
  spots: readonly Spot[],
  after: string | undefined,
  limit: number,
) {
  const found = new Map<string, HoldingClient>()
  for (const { organisation_uuid } of spots.filter((spot) => !isOfUnit(spot))) {
    for (const listed of listings(permission)) {
      const rows = await db
        .selectFrom('client_permissions')
        .leftJoin('organisations', 'organisations.uuid', 'client_permissions.organisation_uuid')
        .select(['client_id', 'client_name', 'organisation_uuid', 'organisations.name as organisation_name'])
        .where('permission', '=', listed)
        .where(inActiveOrganisation('client_permissions'))
        .where(isAt('organisation_uuid', organisation_uuid))
        .$if(after !== undefined, (query) => query.where('client_id', '>', after ?? ''))
        .orderBy('client_id')
        .limit(limit)
        .execute()
      for (const row of rows) found.set(row.client_id, { kind: 'client', ...row })
    }
  }
  return [...found.values()].sort((a, b) => (a.client_id < b.client_id ? -1 : 1)).slice(0, limit)
}

const isOfUnit = (spot: Spot) => typeof spot.unit_uuid === 'string'

/** The clients that may do it for whoever calls the service that they are (decisions 31): few are one, so all are read. */
async function actingWith(
  db: Kysely<Schema>,
  permission: string,
  spots: readonly Spot[],
  after: string | undefined,
  limit: number,
): Promise<HoldingClient[]> {
  const rows = await usableClients(db)
    .select(['c.client_id', 'c.client_name', 'c.organisation_uuid', 'c.acts_as', 'c.exchange'])
    .select('organisations.name as organisation_name')
    .where('c.acts_as', 'is not', null)
    .$if(after !== undefined, (query) => query.where('c.client_id', '>', after ?? ''))
    .orderBy('c.client_id')
    .execute()
  const isHere = (uuid: string | null) =>
    spots.some((one) => !isOfUnit(one) && [undefined, uuid].includes(one.organisation_uuid))
  return rows
    .filter(
      (row) => exchangeIn(row.exchange).permissions.includes(permission) && isHere(row.organisation_uuid),
    )
    .slice(0, limit)
    .map(({ client_id, client_name, organisation_uuid, organisation_name, acts_as }) => ({
      kind: 'client',
      client_id,
      client_name,
      organisation_uuid,
      organisation_name,
      acting_for: acts_as ?? '',
    }))
}

/** Everything that one person's access comes from, within the reach; undefined: there is no such user. */
export async function accessOf({ db }: Store, user_uuid: string, reach: Reach) {
  if (!(await isMember(db, user_uuid, reach))) return undefined
  const user = await rowOf(db, 'users', { uuid: user_uuid })
  if (user === undefined) return undefined
  const isWithin = await withinReach(db, reach)
  const rows = await heldBy(db).where('user_uuid', '=', user_uuid).orderBy('profiles.uuid').execute()
  const maker = rows.some((row) => row.beyond !== null) ? await makerText(db, user, reach) : undefined
  const profiles: (HeldByRow & { permissions: string[] })[] = []
  for (const row of rows.filter(isWithin)) {
    const made = maker === undefined ? row : { ...row, maker }
    profiles.push({ ...made, permissions: await permissionsOf(db, row.role_code) })
  }
  return { user, profiles }
}

/** Names the maker of an unproved account; one beyond the reader's reach is told as an administrator. */
async function makerText(
  db: Kysely<Schema>,
  { makers }: { makers: string | null },
  { organisation_uuid }: Reach,
): Promise<string | undefined> {
  const [id] = makers === null ? [] : makersIn(makers)
  const maker = id === undefined ? undefined : await rowOf(db, 'makers', { id })
  if (maker === undefined) return undefined
  if (organisation_uuid !== undefined && maker.organisation_uuid !== organisation_uuid)
    return 'an administrator of the installation'
  return (await makerNames(db, [maker])).get(maker.id)
}

/** A client within the reach, with whether its organisation is active; machines and applications alike. */
export async function clientWithin({ db }: Store, clientId: string, reach: Reach) {
  const [row] = await clientFacts(db, [clientId])
  if (row === undefined || !isOwnedWithin(reach, row)) return undefined
  return { ...row, entry: await entryOf(db, row) }
}

export const clientFacts = async (db: Kysely<Schema>, clientIds: readonly string[]) =>
  await db
    .selectFrom('clients')
    .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
    .selectAll('clients')
    .select(['organisations.active as organisation_active', 'organisations.name as organisation_name'])
    .where('client_id', 'in', clientIds)
    .execute()

export type ClientFacts = Awaited<ReturnType<typeof clientFacts>>[number]

export type ClientWithin = NonNullable<Awaited<ReturnType<typeof clientWithin>>>
