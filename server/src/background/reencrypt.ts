import { keptAuditKey } from '../database/audit-key.ts'
import type { Origin } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { allKeys, reencryptKey } from '../keys/kept-keys.ts'
import { allWebhookSecrets, reencryptWebhookSecret } from '../webhooks/kept-secrets.ts'
import { encryptedAuditKey, openedAuditKey, reencryptAuditKey } from '../keys/audit-key.ts'
import type { Secrets } from '../keys/encryption.ts'
import { encryptedKey, opened } from '../keys/signing-key.ts'
import { encryptedTotp, openedTotp } from '../keys/totp-secret.ts'
import type { TotpSecret } from '../protocol/totp-secret.ts'
import { allTotpSecrets, reencryptTotp } from '../store/totp-secrets.ts'
import { encryptedSecret, openedSecret } from '../webhooks/secret.ts'

/** A stored secret: opened by one of these secrets of the service, and written anew by the current one. */
interface Encrypted {
  kind: 'key' | 'webhook' | 'factor' | 'audit'
  open(secrets: readonly (string | undefined)[]): string
  write(text: string): Promise<unknown>
}

/**
 * Encrypts every private key, every secret of a webhook or second factor and the audit key with the new secret; yields
 * the numbers of the first three. Throws when one can't be opened.
 *
 * Each write is a transaction of its own: after a kill the next run goes on. It repeats until the new secret opens all,
 * because other processes may still write under the previous one.
 */
export async function reencryptAll(
  store: Store,
  { secret, previousSecret }: Secrets,
  event: { now: number; by: Origin },
): Promise<{ keys: number; webhookSecrets: number; factors: number }> {
  let all = await everything(store, secret, event)
  for (let left = all; left.length > 0; left = all.filter((one) => !opens(one, secret))) {
    // All are opened before any is written: a wrong secret changes nothing.
    const texts = left.map((one) => one.open([secret, previousSecret]))
    for (const [index, one] of left.entries()) await one.write(texts[index] ?? '')
    all = await everything(store, secret, event)
  }
  const count = (kind: Encrypted['kind']) => all.filter((one) => one.kind === kind).length
  return { keys: count('key'), webhookSecrets: count('webhook'), factors: count('factor') }
}

async function everything(
  store: Store,
  secret: string,
  event: { now: number; by: Origin },
): Promise<Encrypted[]> {
  const keys = (await allKeys(store)).map((key): Encrypted => {
    const { kid, private_key: from } = key
    return {
      kind: 'key',
      open: (secrets) => opened(key, secrets),
      write: (pem) => reencryptKey(store, kid, { from, to: encryptedKey(pem, kid, secret), ...event }),
    }
  })
  const webhookSecrets = (await allWebhookSecrets(store)).map((row): Encrypted => {
    const { id, secret: from } = row
    return {
      kind: 'webhook',
      open: (secrets) => openedSecret(row, secrets),
      write: (text) =>
        reencryptWebhookSecret(store, id, { from, to: encryptedSecret(text, id, secret), ...event }),
    }
  })
  const factors = (await allTotpSecrets(store)).map((row): Encrypted => {
    const { id, secret: from } = row
    return {
      kind: 'factor',
      open: (secrets) => JSON.stringify(openedTotp(row, secrets)),
      write: (text) =>
        reencryptTotp(store, id, {
          from,
          to: encryptedTotp(JSON.parse(text) as TotpSecret, id, secret),
          ...event,
        }),
    }
  })
  const from = await keptAuditKey(store.db)
  if (from === undefined) return [...keys, ...webhookSecrets, ...factors]
  const auditKey: Encrypted = {
    kind: 'audit',
    open: (secrets) => openedAuditKey(from, secrets),
    write: (text) => reencryptAuditKey(store, { from, to: encryptedAuditKey(text, secret), ...event }),
  }
  return [...keys, ...webhookSecrets, ...factors, auditKey]
}

function opens({ open }: Encrypted, secret: string): boolean {
  try {
    open([secret])
    return true
  } catch {
    return false
  }
}
