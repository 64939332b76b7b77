import { type Kysely, sql } from 'kysely'
import { emailKey } from '../../protocol/values.ts'
import type { Store } from '../open.ts'
import type { Schema } from '../schema.ts'
import type { Row } from './change.ts'
import { isMember, type Reach, withinReach } from './reach.ts'

export interface UserFilter {
  reach: Reach
  organisationUuid?: string | undefined
  unitUuid?: string | undefined
  active?: boolean | undefined
  /** The beginning of an e-mail address or a name. */
  search?: string | undefined
}

/** Where a page begins: after this user. People whose address matches come before those whose name does. */
export interface UserCursor {
  by: 'email' | 'name'
  emailKey: string
  nameKey: string
}

/**
 * The next users by e-mail address, at most `limit`; each page is a range of an index, however many users there
 * are. Within an organisation or a unit it is a range of `members`, outside of `users`.
 */
export async function listUsers(
  store: Store,
  filter: UserFilter,
  after: UserCursor | undefined,
  limit: number,
): Promise<{ rows: Row<'users'>[]; next: UserCursor | undefined }> {
  const { db } = store
  const listed = await placeToList(db, filter)
  if (listed === undefined) return { rows: [], next: undefined }
  const { place } = listed
  const keys: Key[] = []
  const want = limit + 1
  if (after?.by !== 'name') keys.push(...(await keysByEmail(db, { place, filter, after, limit: want })))
  if (filter.search !== undefined && keys.length < want) {
    const from = after?.by === 'name' ? after : undefined
    keys.push(...(await keysByName(db, { place, filter, after: from, limit: want - keys.length })))
  }
  const page = keys.slice(0, limit)
  const last = keys.length > limit ? page.at(-1) : undefined
  const rows = await usersOf(db, page)
  const next = last && { by: last.by, emailKey: last.email_key, nameKey: last.name_key }
  return { rows, next }
}

/** The organisation or unit whose members are listed; without `place`: everywhere. Undefined: nobody is. */
async function placeToList(
  db: Kysely<Schema>,
  { reach, organisationUuid, unitUuid }: UserFilter,
): Promise<{ place: string | undefined } | undefined> {
  if (unitUuid === undefined) {
    const own = reach.unitUuid ?? reach.organisationUuid
    if (organisationUuid === undefined || organisationUuid === reach.organisationUuid) return { place: own }
    return own === undefined ? { place: organisationUuid } : undefined
  }
  const unit = await db.selectFrom('units').selectAll().where('uuid', '=', unitUuid).executeTakeFirst()
  if (unit === undefined || unit.organisation_uuid !== (organisationUuid ?? unit.organisation_uuid))
    return undefined
  const isWithin = await withinReach(db, reach)
  const { organisation_uuid } = unit
  return isWithin({ organisation_uuid, unit_uuid: unitUuid }) ? { place: unitUuid } : undefined
}

interface Key {
  by: 'email' | 'name'
  uuid: string
  email_key: string
  name_key: string
}

interface Page {
  place: string | undefined
  filter: UserFilter
  after: UserCursor | undefined
  limit: number
}

/** Follows every character that a text can hold: what begins with a prefix lies between it and this after it. */
const end = '\u{10FFFF}'

function source({ place, filter }: Page) {
  const rows =
    place === undefined
      ? sql`select uuid, email_key, name_key from users where true`
      : sql`select user_uuid as uuid, email_key, name_key from members where place_uuid = ${place}`
  if (filter.active === undefined) return rows
  return sql`${rows} and active = ${filter.active ? 1 : 0}`
}

async function keysByEmail(db: Kysely<Schema>, page: Page): Promise<Key[]> {
  const { filter, after, limit } = page
  const prefix = filter.search === undefined ? undefined : emailKey(filter.search)
  const { rows } = await sql<Omit<Key, 'by'>>`
    ${source(page)}
    and ${prefix === undefined ? sql`true` : sql`email_key >= ${prefix} and email_key < ${prefix + end}`}
    and ${after === undefined ? sql`true` : sql`email_key > ${after.emailKey}`}
    order by email_key limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'email', ...row }))
}

async function keysByName(db: Kysely<Schema>, page: Page): Promise<Key[]> {
  const { filter, after, limit } = page
  const prefix = emailKey(filter.search ?? '')
  const { rows } = await sql<Omit<Key, 'by'>>`
    ${source(page)}
    and name_key >= ${prefix} and name_key < ${prefix + end}
    and not (email_key >= ${prefix} and email_key < ${prefix + end})
    and ${after === undefined ? sql`true` : sql`(name_key, email_key) > (${after.nameKey}, ${after.emailKey})`}
    order by name_key, email_key limit ${limit}`.execute(db)
  return rows.map((row) => ({ by: 'name', ...row }))
}

async function usersOf(db: Kysely<Schema>, keys: readonly Key[]): Promise<Row<'users'>[]> {
  if (keys.length === 0) return []
  const uuids = keys.map((key) => key.uuid)
  const rows = await db.selectFrom('users').selectAll().where('uuid', 'in', uuids).execute()
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  // Somebody may have been removed between the two statements.
  return uuids.flatMap((uuid) => byUuid.get(uuid) ?? [])
}

/** A user within the reach. */
export async function readUser(store: Store, uuid: string, reach: Reach): Promise<Row<'users'> | undefined> {
  return (await isMember(store.db, uuid, reach)) ? await selectUser(store.db, uuid) : undefined
}

/** Whoever it is; within a transaction as it finds them. */
export async function selectUser(db: Kysely<Schema>, uuid: string): Promise<Row<'users'> | undefined> {
  return await db.selectFrom('users').selectAll().where('uuid', '=', uuid).executeTakeFirst()
}
