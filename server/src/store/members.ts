import { type Kysely, sql } from 'kysely'
import { chunksOf } from '../database/chunks.ts'
import type { Schema } from '../database/schema.ts'
import { indexWords } from './words.ts'

/**
 * Notes anew in which organisations and units these users have profiles, and under which address and name they are
 * found there. Part of every verb that writes users or profiles.
 */
export async function indexMembers(trx: Kysely<Schema>, userUuids: readonly string[]): Promise<void> {
  await indexPlaces(trx, userUuids)
  await indexWords(trx, 'user', userUuids)
}

/** Adds no words of names: for a change that leaves name, address and places as they are. */
export async function indexPlaces(trx: Kysely<Schema>, userUuids: readonly string[]): Promise<void> {
  const chunks = [...chunksOf(userUuids)]
  for (const chunk of chunks) await trx.deleteFrom('members').where('user_uuid', 'in', chunk).execute()
  for (const chunk of chunks) await insertMembers(trx, chunk)
}

async function insertMembers(trx: Kysely<Schema>, userUuids: readonly string[]): Promise<void> {
  const these = sql.join(userUuids)
  await sql`
    insert into members (place_uuid, user_uuid, email_key, active, last_sign_in_on)
    with recursive places (user_uuid, place_uuid) as (
      select user_uuid, unit_uuid from profiles where user_uuid in (${these}) and unit_uuid is not null
      union
      select places.user_uuid, units.parent_uuid from places
      join units on units.uuid = places.place_uuid where units.parent_uuid is not null
    )
    select held.place_uuid, users.uuid, users.email_key, users.active, users.last_sign_in_on from (
      select user_uuid, place_uuid from places
      union
      select user_uuid, organisation_uuid from profiles
      where user_uuid in (${these}) and organisation_uuid is not null
    ) as held join users on users.uuid = held.user_uuid`.execute(trx)
}

/** Forgets who has a profile in an organisation or at its units, before they are removed. */
export async function forgetPlaces(trx: Kysely<Schema>, organisation_uuid: string): Promise<void> {
  const units = sql`select uuid from units where organisation_uuid = ${organisation_uuid}`
  const places = sql`(select ${organisation_uuid} union all ${units})`
  await sql`delete from members where place_uuid in ${places}`.execute(trx)
  await sql`delete from words where kind = 'user' and place in ${places}`.execute(trx)
}

/** The users with a profile at one of these organisations or units, or below it. */
export async function membersOf(trx: Kysely<Schema>, placeUuids: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const placeUuid of placeUuids) {
    const rows = await trx
      .selectFrom('members')
      .select('user_uuid')
      .where('place_uuid', '=', placeUuid)
      .execute()
    for (const row of rows) found.add(row.user_uuid)
  }
  return [...found]
}
