import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What is encrypted, each under a key of its own. What stands here is what the keys are derived by: it never changes. */
type Purpose =
  | 'tessera signing keys'
  | 'tessera webhook secrets'
  | 'tessera audit key'
  | 'tessera totp secrets'
  | 'tessera upstream secrets'
  | 'tessera mails'
  | 'tessera ways back'

/** What a service is started with. */
export interface Secrets {
  /** Encrypts. */
  secret: string
  /** Still opens what it encrypted. */
  previousSecret: string | undefined
}

/**
 * How secrets that are needed again rest: AES-256-GCM under a key derived (HKDF-SHA256) from the service's secret. The
 * id of the row is authenticated with it, so it can't be moved under another id.
 * Format: `v1.<iv>.<ciphertext and tag>`, base64url.
 */
export function encrypt(text: string, id: string, { purpose, secret }: Under): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', derive(secret, purpose), iv)
  cipher.setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `v1.${iv.toString('base64url')}.${sealed.toString('base64url')}`
}

interface Under {
  purpose: Purpose
  secret: string
}

/** The reverse; undefined when none of the secrets opens it, or it was altered. */
export function decrypt(
  text: string,
  id: string,
  { purpose, secrets }: { purpose: Purpose; secrets: readonly (string | undefined)[] },
): string | undefined {
  for (const secret of secrets) {
    if (secret === undefined) continue
    try {
      return open(text, id, { purpose, secret })
    } catch {
      // Another secret may open it.
    }
  }
  return undefined
}

function open(text: string, id: string, { purpose, secret }: Under): string {
  const [version, iv, sealed] = text.split('.')
  if (version !== 'v1' || iv === undefined || sealed === undefined) {
    throw new Error(`${id} is stored in an unknown format.`)
  }
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', derive(secret, purpose), Buffer.from(iv, 'base64url'))
  decipher.setAAD(Buffer.from(id))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
}

function derive(secret: string, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
