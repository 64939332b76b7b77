import { hashSecret, newSecret } from './identifier.ts'
import type { Store } from './open.ts'

/** How long a browser is known for after somebody's first sign-in there: as long as its cookie, ms. */
export const deviceLifetime = 365 * 24 * 3_600_000

/** One cookie stands for the browser, one row for each person who signed in there. */
const idHash = (device: string, userUuid: string) => hashSecret(`${device} ${userUuid}`)

/** Whether this browser signed this person in before. */
export async function isKnownDevice(store: Store, device: string, userUuid: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('devices')
    .select('id_hash')
    .where('id_hash', '=', idHash(device, userUuid))
    .executeTakeFirst()
  return row !== undefined
}

/** Remembers that a browser signed a person in; yields its cookie, a new one when it has none. */
export async function rememberDevice(
  store: Store,
  known: string | undefined,
  userUuid: string,
  now: number,
): Promise<string> {
  const device = known ?? newSecret()
  await store.db
    .insertInto('devices')
    .values({ id_hash: idHash(device, userUuid), user_uuid: userUuid, created_at: now, last_used_at: now })
    .onConflict((conflict) => conflict.column('id_hash').doUpdateSet({ last_used_at: now }))
    .execute()
  return device
}
