import type { Origin } from '../store/audit.ts'
import type { Store } from '../store/open.ts'
import { allKeys, reencryptKey, type StoredKey } from '../store/signing-keys.ts'
import { allWebhookSecrets, type KeptSecret, reencryptWebhookSecret } from '../store/webhook-secrets.ts'
import { encryptedKey, opened } from './signing-key.ts'
import { encryptedSecret, openedSecret } from './webhook-secret.ts'

interface Secrets {
  secret: string
  previousSecret: string | undefined
}

interface Encrypted {
  keys: readonly StoredKey[]
  webhookSecrets: readonly KeptSecret[]
}

/**
 * Encrypts every private key, and every secret of a webhook, with the new secret; yields how many there were. Throws
 * when one can't be opened.
 *
 * Each is a transaction, so one that is killed leaves some under the one secret and some under the other, and the next
 * one goes on. What another process writes meanwhile under the previous secret is encrypted as well, and what it writes
 * under a third one is told: when this is done, the new secret opens all.
 */
export async function reencryptAll(
  store: Store,
  secrets: Secrets,
  event: { now: number; by: Origin },
): Promise<{ keys: number; webhookSecrets: number }> {
  await encryptAnew(store, await everything(store), secrets, event)
  for (;;) {
    const { keys, webhookSecrets } = await everything(store)
    const left = {
      keys: keys.filter((key) => !opens(() => opened(key, [secrets.secret]))),
      webhookSecrets: webhookSecrets.filter((row) => !opens(() => openedSecret(row, [secrets.secret]))),
    }
    if (left.keys.length + left.webhookSecrets.length === 0)
      return { keys: keys.length, webhookSecrets: webhookSecrets.length }
    await encryptAnew(store, left, secrets, event)
  }
}

const everything = async (store: Store): Promise<Encrypted> => ({
  keys: await allKeys(store),
  webhookSecrets: await allWebhookSecrets(store),
})

async function encryptAnew(
  store: Store,
  { keys, webhookSecrets }: Encrypted,
  { secret, previousSecret }: Secrets,
  event: { now: number; by: Origin },
): Promise<void> {
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
}

function opens(open: () => string): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}
