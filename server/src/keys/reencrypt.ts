import type { Origin } from '../store/audit.ts'
import type { Store } from '../store/open.ts'
import { allKeys, reencryptKey } from '../store/signing-keys.ts'
import { encryptPrivateKey } from './encryption.ts'
import { opened } from './signing-key.ts'

/** Encrypts every private key with the new secret; yields how many there were. Throws when one can't be opened. */
export async function reencryptKeys(
  store: Store,
  { secret, previousSecret }: { secret: string; previousSecret: string | undefined },
  event: { now: number; by: Origin },
): Promise<number> {
  const keys = await allKeys(store)
  // All are opened before any is written: a wrong secret changes nothing.
  const pems = keys.map((key) => opened(key, [secret, previousSecret]))
  for (const [index, key] of keys.entries()) {
    const to = encryptPrivateKey(pems[index] ?? '', key.kid, secret)
    await reencryptKey(store, key.kid, { from: key.privateKey, to, ...event })
  }
  return keys.length
}
