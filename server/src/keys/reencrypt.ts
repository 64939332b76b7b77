import type { Store } from '../store/open.ts'
import { allKeys, reencryptKey } from '../store/signing-keys.ts'
import { encryptPrivateKey } from './encryption.ts'
import { opened } from './key-ring.ts'

/** Encrypts every private key with the new secret; yields how many there were. Throws when one can't be opened. */
export async function reencryptKeys(
  store: Store,
  { secret, previousSecret }: { secret: string; previousSecret: string | undefined },
): Promise<number> {
  const keys = await allKeys(store)
  // All are opened before any is written: a wrong secret changes nothing.
  const pems = keys.map((key) => opened(key, [secret, previousSecret]))
  for (const [index, key] of keys.entries()) {
    await reencryptKey(store, key.kid, key.privateKey, encryptPrivateKey(pems[index] ?? '', key.kid, secret))
  }
  return keys.length
}
