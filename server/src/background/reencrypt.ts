import { keptAuditKey } from '../database/audit-key.ts'
import type { Origin } from '../audit/record.ts'
import type { Store } from '../database/store.ts'
import { allKeys, reencryptKey } from '../keys/kept-keys.ts'
import { allWebhookSecrets, reencryptWebhookSecret } from '../webhooks/kept-secrets.ts'
import { encryptedAuditKey, openedAuditKey, reencryptAuditKey } from '../keys/audit-key.ts'
import type { Secrets } from '../keys/encryption.ts'
import { encryptedKey, opened } from '../keys/signing-key.ts'
import { encryptedTotp, openedTotp } from '../keys/totp-secret.ts'
import { encryptedUpstream, openedUpstream } from '../keys/upstream-secret.ts'
import { allBodies, encryptedBody, lockedMail, openedBody, reencryptBody } from '../mail/body.ts'
import type { TotpSecret } from '../protocol/totp-secret.ts'
import { allTotpSecrets, reencryptTotp } from '../store/totp-secrets.ts'
import { allUpstreamSecrets, reencryptUpstream } from '../upstream/kept-secrets.ts'
import { encryptedSecret, openedSecret } from '../webhooks/secret.ts'

/** A stored secret: opened by one of these secrets of the service, and written anew by the current one. */
interface Encrypted {
  kind: 'key' | 'webhook' | 'factor' | 'upstream' | 'mail' | 'audit'
  open(secrets: readonly (string | undefined)[]): string
  write(text: string): Promise<unknown>
}

/**
 * Encrypts every private key, every secret of a webhook, second factor or upstream, every mail that may still be sent and the
 * audit key with the new secret; yields the numbers of all but the last. Throws when one can't be opened.
 *
 * Each write is a transaction of its own: after a kill the next run goes on. It repeats until the new secret opens all,
 * because other processes may still write under the previous one.
 */
export async function reencryptAll(
  store: Store,
  { secret, previousSecret }: Secrets,
  event: { now: number; by: Origin },
): Promise<{ keys: number; webhookSecrets: number; factors: number; upstreams: number; mails: number }> {
  const anew = { secret, ...event }
  let all = await everything(store, anew)
  for (let left = all; left.length > 0; left = all.filter((one) => !opens(one, secret))) {
    // All are opened before any is written: a wrong secret changes nothing.
    const texts = left.map((one) => one.open([secret, previousSecret]))
    for (const [index, one] of left.entries()) await one.write(texts[index] ?? '')
    all = await everything(store, anew)
  }
  const count = (kind: Encrypted['kind']) => all.filter((one) => one.kind === kind).length
  return {
    keys: count('key'),
    webhookSecrets: count('webhook'),
    factors: count('factor'),
    upstreams: count('upstream'),
    mails: count('mail'),
  }
}

/** What the stored secrets are encrypted anew with, and how that is recorded. */
interface Anew {
  secret: string
  now: number
  by: Origin
}

async function everything(store: Store, anew: Anew): Promise<Encrypted[]> {
  const all: Encrypted[] = []
  for (const kind of [signingKeys, webhookSecrets, factors, upstreams, mails, auditKey])
    all.push(...(await kind(store, anew)))
  return all
}

const signingKeys = async (store: Store, { secret, ...event }: Anew): Promise<Encrypted[]> =>
  (await allKeys(store)).map((key) => {
    const { kid, private_key: from } = key
    return {
      kind: 'key',
      open: (secrets) => opened(key, secrets),
      write: (pem) => reencryptKey(store, kid, { from, to: encryptedKey(pem, kid, secret), ...event }),
    }
  })

const webhookSecrets = async (store: Store, { secret, ...event }: Anew): Promise<Encrypted[]> =>
  (await allWebhookSecrets(store)).map((row) => {
    const { id, secret: from } = row
    return {
      kind: 'webhook',
      open: (secrets) => openedSecret(row, secrets),
      write: (text) =>
        reencryptWebhookSecret(store, id, { from, to: encryptedSecret(text, id, secret), ...event }),
    }
  })

const factors = async (store: Store, { secret, ...event }: Anew): Promise<Encrypted[]> =>
  (await allTotpSecrets(store)).map((row) => {
    const { id, secret: from } = row
    const sealed = (text: string) => encryptedTotp(JSON.parse(text) as TotpSecret, id, secret)
    return {
      kind: 'factor',
      open: (secrets) => JSON.stringify(openedTotp(row, secrets)),
      write: (text) => reencryptTotp(store, id, { from, to: sealed(text), ...event }),
    }
  })

const upstreams = async (store: Store, { secret, ...event }: Anew): Promise<Encrypted[]> =>
  (await allUpstreamSecrets(store)).map((kept) => ({
    kind: 'upstream',
    open: (secrets) => openedUpstream(kept, secrets),
    write: (text) =>
      reencryptUpstream(store, kept, { to: encryptedUpstream(text, kept.uuid, kept.of, secret), ...event }),
  }))

const mails = async (store: Store, { secret }: Anew): Promise<Encrypted[]> =>
  (await allBodies(store)).map((row) => {
    const { id, body: from } = row
    return {
      kind: 'mail',
      open(secrets) {
        const text = openedBody(row, secrets)
        if (text === undefined) throw lockedMail(id)
        return text
      },
      write: (text) => reencryptBody(store, id, { from, to: encryptedBody(text, id, secret) }),
    }
  })

async function auditKey(store: Store, { secret, ...event }: Anew): Promise<Encrypted[]> {
  const from = await keptAuditKey(store.db)
  if (from === undefined) return []
  return [
    {
      kind: 'audit',
      open: (secrets) => openedAuditKey(from, secrets),
      write: (text) => reencryptAuditKey(store, { from, to: encryptedAuditKey(text, secret), ...event }),
    },
  ]
}

function opens({ open }: Encrypted, secret: string): boolean {
  try {
    open([secret])
    return true
  } catch {
    return false
  }
}
