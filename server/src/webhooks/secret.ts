import { createHmac, randomBytes } from 'node:crypto'
import { decrypt, encrypt } from '../keys/encryption.ts'

const purpose = 'tessera webhook secrets'
const prefix = 'whsec_'

/** A new secret in the form of Standard Webhooks: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`
}

/** A secret as it is stored. */
export const encryptedSecret = (text: string, id: string, secret: string): string =>
  encrypt(text, id, { purpose, secret })

/** The plain text of a stored secret. Throws when none of the service's secrets opens it. */
export function openedSecret(
  row: { id: string; webhook_uuid: string; secret: string },
  secrets: readonly (string | undefined)[],
): string {
  const text = decrypt(row.secret, row.id, { purpose, secrets })
  if (text !== undefined) return text
  throw new Error(
    `A secret of the webhook ${row.webhook_uuid} was encrypted with another secret than TESSERA_SECRET. Set TESSERA_SECRET_PREVIOUS to the one that was before, and run tessera keys reencrypt. When that one is lost or has leaked, give the webhook another by tessera webhook secret add, and remove the one before by tessera webhook secret remove.`,
  )
}

/** The signatures of a message, one per live secret (Standard Webhooks, “Signature scheme”). `id` holds no dot. */
export function webhookSignature(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  secrets: readonly string[],
): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64')
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')
}
