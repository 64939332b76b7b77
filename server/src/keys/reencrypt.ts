import type { Origin } from '../store/audit.ts'
import type { Store } from '../store/open.ts'
import { allKeys, reencryptKey } from '../store/signing-keys.ts'
import { allWebhookSecrets, reencryptWebhookSecret } from '../store/webhook-secrets.ts'
import { encryptedKey, opened } from './signing-key.ts'
import { encryptedSecret, openedSecret } from './webhook-secret.ts'

/**
 * Encrypts every private key, and every secret of a webhook, with the new secret; yields how many there were. Throws
 * when one can't be opened.
 */
export async function reencryptAll(
  store: Store,
  { secret, previousSecret }: { secret: string; previousSecret: string | undefined },
  event: { now: number; by: Origin },
): Promise<{ keys: number; webhookSecrets: number }> {
  const keys = await allKeys(store)
  const webhookSecrets = await allWebhookSecrets(store)
  // All are opened before any is written: a wrong secret changes nothing.
  const pems = keys.map((key) => opened(key, [secret, previousSecret]))
  const texts = webhookSecrets.map((row) => openedSecret(row, [secret, previousSecret]))
  for (const [index, key] of keys.entries()) {
    const to = encryptedKey(pems[index] ?? '', key.kid, secret)
    await reencryptKey(store, key.kid, { from: key.privateKey, to, ...event })
  }
  for (const [index, row] of webhookSecrets.entries()) {
    const to = encryptedSecret(texts[index] ?? '', row.id, secret)
    await reencryptWebhookSecret(store, row.id, { from: row.secret, to, ...event })
  }
  return { keys: keys.length, webhookSecrets: webhookSecrets.length }
}
