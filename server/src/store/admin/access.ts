import type { Kysely } from 'kysely'
import { iamService, iamWildcard, serviceOf } from '../../protocol/permission.ts'
import type { Store } from '../open.ts'
import type { Flag, ProfileRow, Schema } from '../schema.ts'
import type { ClientPermissionRow } from '../schema-admin.ts'
import { isMember, permissionsOf, type Reach, unitsFrom, withinReach } from './reach.ts'
import { selectUser } from './users.ts'

/** A profile with what it holds by. */
export interface HeldByRow extends ProfileRow {
  role_name: string
  role_active: Flag
  organisation_name: string | null
  organisation_active: Flag | null
  unit_name: string | null
  unit_active: Flag | null
}

function heldBy(db: Kysely<Schema>) {
  return db
    .selectFrom('profiles')
    .innerJoin('roles', 'roles.code', 'profiles.role_code')
    .leftJoin('organisations', 'organisations.uuid', 'profiles.organisation_uuid')
    .leftJoin('units', 'units.uuid', 'profiles.unit_uuid')
    .selectAll('profiles')
    .select([
      'roles.name as role_name',
      'roles.active as role_active',
      'organisations.name as organisation_name',
      'organisations.active as organisation_active',
      'units.name as unit_name',
      'units.active as unit_active',
    ])
}

export interface HolderQuestion {
  permission: string
  reach: Reach
  /** The uuid or the code of an organisation: those who hold it there. */
  organisation: string | undefined
  now: number
}

/** A person who may act under a profile that gives the permission, or a machine that has it. */
export type Holder =
  | (HeldByRow & { kind: 'user'; email: string; name: string })
  | (Omit<ClientPermissionRow, 'permission'> & { kind: 'client' })

/** Where a page begins: after this one. People come before machines, by place and role. */
export interface HolderCursor {
  kind: 'user' | 'client'
  /** A unit's uuid, when units are administered; else empty. */
  place: string
  role: string
  /** The uuid of the profile, or the client_id. */
  id: string
}

/**
 * Who holds a permission now, at most `limit`: the profiles of each role that gives it, at each place that is asked
 * about. Each pair of them is a range of an index, however many profiles there are.
 */
export async function listHolders(
  { db }: Store,
  question: HolderQuestion,
  after: HolderCursor | undefined,
  limit: number,
): Promise<{ holders: Holder[]; next: HolderCursor | undefined }> {
  const place = await placeAsked(db, question)
  if (place === undefined) return { holders: [], next: undefined }
  const found: { holder: Holder; at: HolderCursor }[] = []
  const want = limit + 1
  if (after?.kind !== 'client') {
    for (const segment of await segmentsOf(db, question, place)) {
      if (found.length === want) break
      if (after !== undefined && isBefore(segment, after)) continue
      const from = after?.role === segment.role && after.place === segment.place ? after.id : undefined
      for (const holder of await heldIn(db, { ...segment, now: question.now }, from, want - found.length)) {
        found.push({ holder, at: { ...segment.key, id: holder.uuid } })
      }
    }
  }
  if (found.length < want && question.reach.unitUuid === undefined) {
    const from = after?.kind === 'client' ? after.id : undefined
    for (const client of await machinesWith(db, question.permission, place, from, want - found.length)) {
      found.push({ holder: client, at: { kind: 'client', place: '', role: '', id: client.client_id } })
    }
  }
  const page = found.slice(0, limit)
  return { holders: page.map((one) => one.holder), next: found.length > limit ? page.at(-1)?.at : undefined }
}

/** The organisation that is asked about; without `organisationUuid`: everywhere. Undefined: it is none. */
async function placeAsked(
  db: Kysely<Schema>,
  { reach, organisation }: HolderQuestion,
): Promise<{ organisationUuid: string | undefined } | undefined> {
  if (organisation === undefined) return { organisationUuid: reach.organisationUuid }
  const row = await db
    .selectFrom('organisations')
    .select('uuid')
    .where((w) => w.or([w('uuid', '=', organisation.toLowerCase()), w('code', '=', organisation)]))
    .executeTakeFirst()
  if (row === undefined || row.uuid !== (reach.organisationUuid ?? row.uuid)) return undefined
  return { organisationUuid: row.uuid }
}

interface Segment {
  place: string
  role: string
  organisationUuid: string | undefined
  key: Omit<HolderCursor, 'id'>
}

async function segmentsOf(
  db: Kysely<Schema>,
  { permission, reach }: HolderQuestion,
  { organisationUuid }: { organisationUuid: string | undefined },
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
  const places = reach.unitUuid === undefined ? [''] : [...(await unitsFrom(db, reach.unitUuid))].sort()
  return places.flatMap((place) =>
    roles.map((role) => ({ place, role, organisationUuid, key: { kind: 'user' as const, place, role } })),
  )
}

/** What a role or a machine may list to give the permission. */
const listings = (permission: string) =>
  serviceOf(permission) === iamService ? [permission, iamWildcard] : [permission]

function isBefore(segment: Segment, after: HolderCursor): boolean {
  if (segment.place !== after.place) return segment.place < after.place
  return segment.role < after.role
}

async function heldIn(
  db: Kysely<Schema>,
  { place, role, organisationUuid, now }: Segment & { now: number },
  after: string | undefined,
  limit: number,
) {
  const rows = await heldBy(db)
    .innerJoin('users', 'users.uuid', 'profiles.user_uuid')
    .select(['users.email', 'users.name'])
    .where('profiles.role_code', '=', role)
    .$if(place !== '', (query) => query.where('profiles.unit_uuid', '=', place))
    .$if(organisationUuid !== undefined, (query) =>
      query.where('profiles.organisation_uuid', '=', organisationUuid ?? ''),
    )
    .$if(after !== undefined, (query) => query.where('profiles.uuid', '>', after ?? ''))
    .where('users.active', '=', 1)
    .where('profiles.active', '=', 1)
    .where((w) => w.or([w('profiles.expires_at', 'is', null), w('profiles.expires_at', '>', now)]))
    .where((w) => w.or([w('profiles.organisation_uuid', 'is', null), w('organisations.active', '=', 1)]))
    .where((w) => w.or([w('profiles.unit_uuid', 'is', null), w('units.active', '=', 1)]))
    .orderBy('profiles.uuid')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ kind: 'user' as const, ...row }))
}

/** The machines that list the permission, and those that list all of its service: each a range of an index. */
async function machinesWith(
  db: Kysely<Schema>,
  permission: string,
  { organisationUuid }: { organisationUuid: string | undefined },
  after: string | undefined,
  limit: number,
) {
  const found = new Map<string, Extract<Holder, { kind: 'client' }>>()
  for (const listed of listings(permission)) {
    const rows = await db
      .selectFrom('client_permissions')
      .leftJoin('organisations', 'organisations.uuid', 'client_permissions.organisation_uuid')
      .select(['client_id', 'client_name', 'organisation_uuid'])
      .where('permission', '=', listed)
      .where((w) => w.or([w('organisation_uuid', 'is', null), w('organisations.active', '=', 1)]))
      .$if(organisationUuid !== undefined, (query) =>
        query.where('organisation_uuid', '=', organisationUuid ?? ''),
      )
      .$if(after !== undefined, (query) => query.where('client_id', '>', after ?? ''))
      .orderBy('client_id')
      .limit(limit)
      .execute()
    for (const row of rows) found.set(row.client_id, { kind: 'client', ...row })
  }
  return [...found.values()].sort((a, b) => (a.client_id < b.client_id ? -1 : 1)).slice(0, limit)
}

/** Everything that one person's access comes from, within the reach; undefined: there is no such user. */
export async function accessOf({ db }: Store, userUuid: string, reach: Reach) {
  const user = (await isMember(db, userUuid, reach)) ? await selectUser(db, userUuid) : undefined
  if (user === undefined) return undefined
  const isWithin = await withinReach(db, reach)
  const rows = await heldBy(db).where('user_uuid', '=', userUuid).orderBy('profiles.uuid').execute()
  const profiles: (HeldByRow & { permissions: string[] })[] = []
  for (const row of rows.filter(isWithin)) {
    profiles.push({ ...row, permissions: await permissionsOf(db, row.role_code) })
  }
  return { user, profiles }
}

/** A client within the reach, with whether its organisation is active; machines and applications alike. */
export async function clientWithin({ db }: Store, clientId: string, reach: Reach) {
  if (reach.unitUuid !== undefined) return undefined
  const row = await db
    .selectFrom('clients')
    .leftJoin('organisations', 'organisations.uuid', 'clients.organisation_uuid')
    .selectAll('clients')
    .select('organisations.active as organisation_active')
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  const within = reach.organisationUuid === undefined || row?.organisation_uuid === reach.organisationUuid
  return within ? row : undefined
}

export type ClientFacts = NonNullable<Awaited<ReturnType<typeof clientWithin>>>

/** Whether a permission was declared. */
export async function isDeclared({ db }: Store, permission: string): Promise<boolean> {
  const row = await db
    .selectFrom('permissions')
    .select('code')
    .where('code', '=', permission)
    .executeTakeFirst()
  return row !== undefined
}
