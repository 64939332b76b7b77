import { hashSecret } from '../protocol/identifier.ts'
import { prepared, preparedRow, type Steps } from '../database/prepared.ts'
import { userByEmail } from './users.ts'

/** How long a browser is known for after somebody's first sign-in there: as long as its cookie, ms. */
export const deviceLifetime = 365 * 24 * 3_600_000

/** One cookie stands for the browser, one row for each person who signed in there. */
const idHash = (device: string, user_uuid: string) => hashSecret(`${device} ${user_uuid}`)

const selectDevice = preparedRow<{ id: string }, { id_hash: string }>((db, slot) =>
  db.selectFrom('devices').select('id_hash').where('id_hash', '=', slot('id')),
)

/** The id that this browser is known by, if it signed in the person with this address before. */
export function* knownDevice(device: string, email: string): Steps<string | undefined> {
  const user = yield* userByEmail(email)
  return yield* knownDeviceOf(device, user?.uuid ?? 'nobody')
}

/** Finds a known browser by the person's id. */
export function* knownDeviceOf(device: string, user_uuid: string): Steps<string | undefined> {
  return (yield* selectDevice({ id: idHash(device, user_uuid) }))?.id_hash
}

const upsertDevice = prepared<{ id: string; user_uuid: string; now: number }, never>((db, slot) =>
  db
    .insertInto('devices')
    .values({
      id_hash: slot('id'),
      user_uuid: slot('user_uuid'),
      created_at: slot('now'),
      last_used_at: slot('now'),
    })
    .onConflict((conflict) => conflict.column('id_hash').doUpdateSet({ last_used_at: slot('now') })),
)

/** Remembers that a browser signed a person in; part of the verb that does so. */
export const rememberDevice = (device: string, user_uuid: string, now: number) =>
  upsertDevice({ id: idHash(device, user_uuid), user_uuid, now })
