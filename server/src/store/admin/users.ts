import { type Kysely, sql } from 'kysely'
import type { Store } from '../open.ts'
import type { Schema } from '../schema.ts'
import type { Row } from './change.ts'
import { isMember, type Reach, withinReach } from './reach.ts'
import { inOrderOf, type LaterWords, listPage, type SearchCursor } from './search.ts'

export interface UserFilter {
  reach: Reach
  organisationUuid?: string | undefined
  unitUuid?: string | undefined
  active?: boolean | undefined
  /** The beginning of an e-mail address or of a word of a name. */
  search?: string | undefined
}

/**
 * The next users by e-mail address, at most `limit`. Within an organisation or a unit it is a range of `members`,
 * outside of `users`.
 */
export async function listUsers(
  store: Store,
  filter: UserFilter,
  after: SearchCursor | undefined,
  limit: number,
): Promise<{ rows: Row<'users'>[]; next: SearchCursor | undefined }> {
  const { db } = store
  const listed = await placeToList(db, filter)
  if (listed === undefined) return { rows: [], next: undefined }
  const listing = {
    source: source(listed.place),
    first: 'email_key',
    search: filter.search,
    active: filter.active,
    later: laterWords(listed.place),
  } as const
  const { ids, next } = await listPage(db, listing, after, limit)
  if (ids.length === 0) return { rows: [], next }
  const rows = await db.selectFrom('users').selectAll().where('uuid', 'in', ids).execute()
  return { rows: inOrderOf(ids, rows), next }
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

const source = (place: string | undefined) =>
  place === undefined
    ? sql`select uuid as id, email_key as first_key, name_key from users where true`
    : sql`select user_uuid as id, email_key as first_key, name_key from members where place_uuid = ${place}`

/** A cross join, which SQLite makes in this order: a range of the words, and whose each is. */
function laterWords(place: string | undefined): LaterWords {
  const columns = sql`later.user_uuid as id, later.email_key as first_key, later.words as name_key`
  if (place === undefined) {
    const source = sql`select ${columns} from user_words as later cross join users as named
      where named.uuid = later.user_uuid`
    return { table: 'user_words', keys: ['user_uuid'], source }
  }
  const source = sql`select ${columns} from member_words as later cross join members as named
    where later.place_uuid = ${place} and named.place_uuid = later.place_uuid and named.user_uuid = later.user_uuid`
  return { table: 'member_words', keys: ['place_uuid', 'user_uuid'], source }
}

/** A user within the reach. */
export async function readUser(store: Store, uuid: string, reach: Reach): Promise<Row<'users'> | undefined> {
  return (await isMember(store.db, uuid, reach)) ? await selectUser(store.db, uuid) : undefined
}

/** Whoever it is; within a transaction as it finds them. */
export async function selectUser(db: Kysely<Schema>, uuid: string): Promise<Row<'users'> | undefined> {
  return await db.selectFrom('users').selectAll().where('uuid', '=', uuid).executeTakeFirst()
}
