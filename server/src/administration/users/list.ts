import { rowOf, rowsOf } from '../../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import type { Store } from '../../database/store.ts'
import type { Flag } from '../../database/flag.ts'
import type { Schema } from '../../database/schema.ts'
import { type Reach, withinReach } from '../../access/reach.ts'
import type { Row } from '../by.ts'
import { type After, emptyPage, type Page } from '../../database/page.ts'
import { isAmong, pageFound } from '../search.ts'

export interface UserFilter {
  organisation_uuid?: string | undefined
  organisation_unit_uuid?: string | undefined
  active?: Flag | undefined
  /** The beginning of an e-mail address or of a word of a name; or a uuid. */
  q?: string | undefined
  /** These alone. */
  uuid?: readonly string[] | undefined
}

/**
 * The next users by e-mail address, at most `limit`. Within an organisation or a unit it is a range of `members`,
 * outside of `users`.
 */
export async function listUsers(
  { db }: Store,
  reach: Reach,
  { active, q: search, uuid, ...places }: UserFilter,
  after: After,
  limit: number,
): Promise<Page<Row<'users'>>> {
  const listed = await placeToList(db, reach, places)
  if (listed === undefined) return emptyPage
  const id = listed.place === undefined ? 'uuid' : 'user_uuid'
  const listing = {
    source: sql`${source(listed.place)} and ${isAmong(id, uuid)}`,
    id,
    first: 'email_key',
    search,
    active,
    words: { kind: 'user', place: listed.place, only: isAmong('words.id', uuid) },
  } as const
  return await pageFound(db, listing, after, limit, (ids) => rowsOf(db, 'users', { uuid: ids }).execute())
}

/** The organisation or unit whose members are listed; without `place`: everywhere. Undefined: nobody is. */
async function placeToList(
  db: Kysely<Schema>,
  reach: Reach,
  { organisation_uuid: organisationUuid, organisation_unit_uuid: unitUuid }: UserFilter,
): Promise<{ place: string | undefined } | undefined> {
  if (unitUuid === undefined) {
    const own = reach.unitUuid ?? reach.organisationUuid
    if (organisationUuid === undefined || organisationUuid === reach.organisationUuid) return { place: own }
    return own === undefined ? { place: organisationUuid } : undefined
  }
  const unit = await rowOf(db, 'units', { uuid: unitUuid })
  if (unit === undefined || unit.organisation_uuid !== (organisationUuid ?? unit.organisation_uuid))
    return undefined
  const isWithin = await withinReach(db, reach)
  const { organisation_uuid } = unit
  return isWithin({ organisation_uuid, unit_uuid: unitUuid }) ? { place: unitUuid } : undefined
}

const source = (place: string | undefined) =>
  place === undefined
    ? sql`select uuid as id, email_key as first_key from users where true`
    : sql`select user_uuid as id, email_key as first_key from members where place_uuid = ${place}`
