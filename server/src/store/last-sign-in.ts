/** The day of each person's last sign-in: noted once a day, by the first. */
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import { rowOf } from '../database/rows.ts'
import type { Store } from '../database/store.ts'
import { dayOf } from '../protocol/values.ts'

/**
 * Yields what notes a sign-in of now, in the last turn of its transaction; nothing where the day is noted already.
 * Concurrency: holds on to the person's row until then, and so comes before what holds it shared: two first sign-ins of
 * a day would otherwise wait for each other.
 */
export function* notingSignIn(user_uuid: string, now: number): Steps<Steps<unknown>[]> {
  const noted = { user_uuid, day: dayOf(now) }
  return (yield* holdEarlier(noted)) === undefined ? [] : [note(noted), noteAtPlaces(noted)]
}

interface Noted {
  user_uuid: string
  day: string
}

const holdEarlier = preparedRow<Noted, { uuid: string }>((db, slot) =>
  db
    .selectFrom('users')
    .select('uuid')
    .where('uuid', '=', slot('user_uuid'))
    .where('last_sign_in_on', '<', slot('day'))
    .forNoKeyUpdate(),
)

/** Moves no version: nobody administers it. */
const note = prepared<Noted, never>((db, slot) =>
  db
    .updateTable('users')
    .set({ last_sign_in_on: slot('day') })
    .where('uuid', '=', slot('user_uuid')),
)

/**
 * Waits for nobody: an administrator who is writing a place of theirs right now, or removing it, may take long. What is
 * written so has the day before, until they sign in on another.
 */
const noteAtPlaces = prepared<Noted, never>((db, slot) =>
  db
    .updateTable('members')
    .set({ last_sign_in_on: slot('day') })
    .where('user_uuid', '=', slot('user_uuid'))
    .where('place_uuid', 'in', (free) =>
      free
        .selectFrom('members as held')
        .select('held.place_uuid')
        .where('held.user_uuid', '=', slot('user_uuid'))
        .forNoKeyUpdate()
        .skipLocked(),
    ),
)

/** The day; empty: none is noted. */
export const lastSignInOf = async ({ db }: Store, uuid: string): Promise<string> =>
  (await rowOf(db, 'users', { uuid }))?.last_sign_in_on ?? ''
