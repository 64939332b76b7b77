import { hashSecret, newSecret } from './identifier.ts'
import type { Store } from './open.ts'

/** Whether this browser signed this person in before. */
export async function isKnownDevice(store: Store, device: string, userUuid: string): Promise<boolean> {
  const row = await store.db
    .selectFrom('devices')
    .select('id_hash')
    .where('id_hash', '=', hashSecret(device))
    .where('user_uuid', '=', userUuid)
    .executeTakeFirst()
  return row !== undefined
}

/** Remembers that a browser signed a person in; yields the new cookie. */
export async function rememberDevice(store: Store, userUuid: string, now: number): Promise<string> {
  const device = newSecret()
  await store.db
    .insertInto('devices')
    .values({ id_hash: hashSecret(device), user_uuid: userUuid, created_at: now, last_used_at: now })
    .execute()
  return device
}
