/**
 * The entry to an application (decisions 35): the client's `allowed` as people say it, as a profile is held against
 * it, and as SQL.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { ClientRow, ProfileRow, Schema } from '../database/schema.ts'
import { iamService, iamWildcard, serviceOf } from '../protocol/permission.ts'
import { selectUnitsFrom } from './units.ts'

export const entryLists = ['roles', 'organisations', 'permissions'] as const

/** Codes. A profile meets each list that is there; an empty one is met by none. */
export type EntryLists = { readonly [L in (typeof entryLists)[number]]?: readonly string[] | undefined }

export type AllowedColumns = Pick<ClientRow, 'allowed'> & { allowed_removed?: string | null }

export const listsIn = (json: string | null | undefined): EntryLists => JSON.parse(json ?? '{}') as EntryLists

export type ListName = (typeof entryLists)[number]

/** What `allowed` names and is still there. Undefined: everybody with a profile gets in. */
export function entryListsOf({ allowed, allowed_removed }: AllowedColumns): EntryLists | undefined {
  if (allowed === null) return undefined
  const removed = listsIn(allowed_removed)
  return picked(listsIn(allowed), (name, one) => !names(removed, name, one))
}

/** What was removed of the lists, when they are written anew. Null: nothing of them. */
export const stillRemoved = (allowed: string | null, removed: string | null | undefined): string | null =>
  textOf(picked(listsIn(removed), (name, one) => names(listsIn(allowed), name, one)))

export const names = (named: EntryLists, name: ListName, one: string) => named[name]?.includes(one) === true

/** The lists that are there, with the entries that are wanted. */
export const picked = (named: EntryLists, isWanted: (name: ListName, one: string) => boolean): EntryLists =>
  Object.fromEntries(
    entryLists
      .map((name) => [name, named[name]?.filter((one) => isWanted(name, one))] as const)
      .filter(([, wanted]) => wanted !== undefined),
  )

export function textOf(named: EntryLists): string | null {
  const filled = entryLists.filter((name) => named[name]?.length)
  return filled.length === 0
    ? null
    : JSON.stringify(Object.fromEntries(filled.map((name) => [name, named[name]])))
}

/** The lists as a profile is held against them. Undefined: anything does. */
export interface Entry {
  /** The codes of roles that are listed and give a permission that is. */
  roles: ReadonlySet<string> | undefined
  /** The uuids of organisations, and of units with those below them. */
  places: ReadonlySet<string> | undefined
}

/** What of a profile is held against the lists. */
export type Placed = Pick<ProfileRow, 'role_code' | 'organisation_uuid' | 'unit_uuid'>

/** Whether a profile lets its person in. Undefined: everybody gets in. */
export const enters = (profile: Placed, entry: Entry | undefined): boolean =>
  entry === undefined ||
  ((entry.roles === undefined || entry.roles.has(profile.role_code)) &&
    (entry.places === undefined ||
      entry.places.has(profile.organisation_uuid ?? '') ||
      entry.places.has(profile.unit_uuid ?? '')))

/** The condition of `enters` in SQL, of a row with these columns. */
export function entering(profiles: string, named: EntryLists): RawBuilder<boolean> {
  const column = (name: keyof Placed) => sql.ref(`${profiles}.${name}`)
  const { roles, organisations, permissions } = named
  const conditions = [
    ...(roles === undefined ? [] : [sql`${column('role_code')} in (${listed(roles)})`]),
    ...(permissions === undefined ? [] : [sql`${column('role_code')} in (${rolesGiving(permissions)})`]),
    ...(organisations === undefined
      ? []
      : [
          sql`(${column('organisation_uuid')} in (${organisationsNamed(organisations)})
            or ${column('unit_uuid')} in (${selectUnitsFrom(sql`select named.uuid from (${unitsNamed(organisations)}) as named`)}))`,
        ]),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

/** Reads what the lists of a client name. */
export async function entryOf(db: Kysely<Schema>, client: AllowedColumns): Promise<Entry | undefined> {
  const [entry] = await entriesOf(db, [client])
  return entry
}

/** Reads what the lists of each client name, by as many statements for many as for one. */
export async function entriesOf(
  db: Kysely<Schema>,
  clients: readonly AllowedColumns[],
): Promise<(Entry | undefined)[]> {
  const all = clients.map(entryListsOf)
  const every = (name: ListName) => [...new Set(all.flatMap((named) => named?.[name] ?? []))]
  const [giving, places] = [await rolesByPermission(db, every('permissions')), every('organisations')]
  const under = await placesNamed(db, places)
  return all.map((named) => {
    if (named === undefined) return undefined
    const { roles, organisations, permissions } = named
    const given = permissions && new Set(permissions.flatMap((one) => giving.get(one) ?? []))
    const both = roles && given ? roles.filter((one) => given.has(one)) : (roles ?? given)
    return {
      roles: both && new Set(both),
      places: organisations && new Set(organisations.flatMap((one) => under.get(one) ?? [])),
    }
  })
}

/** The roles that give each of these permissions. */
async function rolesByPermission(
  db: Kysely<Schema>,
  permissions: readonly string[],
): Promise<Map<string, string[]>> {
  const roles = new Map<string, string[]>()
  const ofIam = permissions.filter((one) => serviceOf(one) === iamService)
  const listings = ofIam.length > 0 ? [...permissions, iamWildcard] : permissions
  for (const some of chunksOf(listings)) {
    const rows = await db.selectFrom('role_permissions').selectAll().where('permission', 'in', some).execute()
    for (const { permission, role_code } of rows)
      for (const one of permission === iamWildcard ? ofIam : [permission])
        roles.set(one, [...(roles.get(one) ?? []), role_code])
  }
  return roles
}

/** The uuids of what each place names: of an organisation, or of a unit with those below it. */
async function placesNamed(db: Kysely<Schema>, places: readonly string[]): Promise<Map<string, string[]>> {
  const uuids = new Map<string, string[]>()
  const [units, organisations] = [
    places.filter((one) => one.includes('/')),
    places.filter((one) => !one.includes('/')),
  ]
  for (const some of chunksOf(organisations)) {
    const rows = await db
      .selectFrom('organisations')
      .select(['uuid', 'code'])
      .where('code', 'in', some)
      .execute()
    for (const { uuid, code } of rows) uuids.set(code, [uuid])
  }
  for (const some of chunksOf(units)) {
    const { rows } = await sql<{ place: string; uuid: string }>`
      with recursive below (place, uuid) as (
        ${unitsNamed(some)}
        union
        select below.place, units.uuid from below join units on units.parent_uuid = below.uuid
      )
      select place, uuid from below`.execute(db)
    for (const { place, uuid } of rows) uuids.set(place, [...(uuids.get(place) ?? []), uuid])
  }
  return uuids
}

const listed = (values: readonly string[]) => (values.length === 0 ? sql`null` : sql.join(values))

const rolesGiving = (permissions: readonly string[]) => {
  const listings = permissions.some((one) => serviceOf(one) === iamService)
    ? [...permissions, iamWildcard]
    : permissions
  return sql`select role_code from role_permissions where permission in (${listed(listings)})`
}

const organisationsNamed = (places: readonly string[]) =>
  sql`select uuid from organisations where code in (${listed(places.filter((one) => !one.includes('/')))})`

const unitsNamed = (places: readonly string[]) => {
  const units = places.filter((one) => one.includes('/')).map((one) => one.split('/'))
  const pairs = units.map(([organisation, unit]) => sql`(o.code = ${organisation} and u.code = ${unit})`)
  return sql`select o.code || '/' || u.code as place, u.uuid as uuid
    from units as u join organisations as o on o.uuid = u.organisation_uuid
    where ${pairs.length === 0 ? sql`1 = 0` : sql.join(pairs, sql` or `)}`
}
