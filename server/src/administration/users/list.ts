import { rowOf, rowsOf } from '../../database/rows.ts'
import { type Kysely, sql } from 'kysely'
import type { Store } from '../../database/store.ts'
import type { Flag } from '../../database/flag.ts'
import type { Schema } from '../../database/schema.ts'
import { type At, type Reach, withinReach } from '../../access/reach.ts'
import type { Row } from '../by.ts'
import { type After, emptyPage, type Page } from '../../database/page.ts'
import { inOrderOf, isAmong, pageFound } from '../search.ts'
import { narrowedTo } from '../narrowing.ts'
import { idsBySignIn } from './by-sign-in.ts'
import { disabledAt, managedBy, ofRole } from './narrowed.ts'

export interface UserFilter {
  organisation_uuid?: string | undefined
  organisation_unit_uuid?: string | undefined
  active?: Flag | undefined
  /** The beginning of an e-mail address or of a word of a name; or a uuid. */
  q?: string | undefined
  /** Lists only users with these uuids. */
  uuid?: readonly string[] | undefined
  /** Lists only users with a profile of this role, within what is listed. */
  role_code?: string | undefined
  /** The declared file that manages them. */
  managed_by?: string | undefined
  /** The last sign-in is before this day. */
  signed_in_before?: string | undefined
  sort?: 'last_sign_in_on' | '-last_sign_in_on' | undefined
}

export const notBoth =
  'Not with q: what a search finds comes in the order in which it fits. Leave one of them out.'

/** Whether they are listed in the order of their last sign-in, which no search has. */
export const isBySignIn = ({
  sort,
  signed_in_before,
}: Pick<UserFilter, 'sort' | 'signed_in_before'>): boolean =>
  sort !== undefined || signed_in_before !== undefined

/**
 * The next users by e-mail address or by last sign-in, at most `limit`. Within an organisation or a unit it is a range of `members`,
 * outside of `users`.
 */
export async function listUsers(
  { db }: Store,
  reach: Reach,
  { active, q: search, uuid, role_code, managed_by, signed_in_before, sort, ...places }: UserFilter,
  after: After,
  limit: number,
): Promise<Page<Row<'users'>>> {
  const listed = await placeToList(db, reach, places)
  if (listed === undefined) return emptyPage
  const place = listed.unit ?? listed.organisation
  const bySignIn = isBySignIn({ sort, signed_in_before })
  const sets = [
    ...(role_code === undefined ? [] : [ofRole(role_code, atOf(listed))]),
    ...(managed_by === undefined ? [] : [managedBy(managed_by)]),
    // An index has the disabled in order, but not by the words of their names.
    ...(active === 0 && search !== undefined ? [disabledAt(place)] : []),
  ]
  const read = (ids: string[]) => rowsOf(db, 'users', { uuid: ids }).execute()
  if (bySignIn) {
    const backwards = sort === '-last_sign_in_on'
    const asked = {
      place,
      active,
      uuid,
      before: signed_in_before,
      backwards,
      narrowing: narrowedTo(db, sets),
    }
    const { rows: ids, next } = await idsBySignIn(db, asked, after, limit)
    return { rows: ids.length === 0 ? [] : inOrderOf(ids, await read(ids), (row) => row.uuid), next }
  }
  const id = place === undefined ? 'users.uuid' : 'members.user_uuid'
  const listing = {
    source: sql`${source(place)} and ${isAmong(id, uuid)}`,
    id,
    first: 'email_key',
    search,
    active,
    words: { kind: 'user', place, only: isAmong('words.id', uuid) },
    narrowing: narrowedTo(db, sets),
  } as const
  return await pageFound(db, listing, after, limit, read)
}

interface UserQuery {
  organisation?: string | undefined
  unit?: string | undefined
}

function atOf({ organisation, unit }: UserQuery): At | undefined {
  if (unit !== undefined) return { unitsFrom: unit }
  return organisation === undefined ? undefined : { organisation }
}

/** The organisation or unit whose members are listed; neither: everywhere. Undefined: nobody is. */
async function placeToList(
  db: Kysely<Schema>,
  reach: Reach,
  { organisation_uuid, organisation_unit_uuid: unit_uuid }: UserFilter,
): Promise<UserQuery | undefined> {
  if (unit_uuid === undefined) {
    const { organisation_uuid: own, unit_uuid: unit } = reach
    if (organisation_uuid === undefined || organisation_uuid === own)
      return unit === undefined ? { organisation: own } : { unit }
    return own === undefined ? { organisation: organisation_uuid } : undefined
  }
  const unit = await rowOf(db, 'units', { uuid: unit_uuid })
  if (unit === undefined || unit.organisation_uuid !== (organisation_uuid ?? unit.organisation_uuid))
    return undefined
  const isWithin = await withinReach(db, reach)
  return isWithin({ organisation_uuid: unit.organisation_uuid, unit_uuid }) ? { unit: unit_uuid } : undefined
}

const source = (place: string | undefined) =>
  place === undefined
    ? sql`select uuid as id, email_key as first_key from users where true`
    : sql`select user_uuid as id, email_key as first_key from members where place_uuid = ${place}`
