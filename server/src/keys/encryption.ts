import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * How private keys rest: AES-256-GCM under a key derived (HKDF-SHA256) from the service's secret. The key's id
 * is authenticated with it, so a row can't be moved under another id.
 * Format: `v1.<iv>.<ciphertext and tag>`, base64url.
 */
export function encryptPrivateKey(pem: string, kid: string, secret: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', derive(secret), iv)
  cipher.setAAD(Buffer.from(kid))
  const sealed = Buffer.concat([cipher.update(pem, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `v1.${iv.toString('base64url')}.${sealed.toString('base64url')}`
}

/** The reverse. Throws when the secret is another one, or the text was altered. */
export function decryptPrivateKey(text: string, kid: string, secret: string): string {
  const [version, iv, sealed] = text.split('.')
  if (version !== 'v1' || iv === undefined || sealed === undefined) {
    throw new Error(`The signing key ${kid} is stored in an unknown format.`)
  }
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', derive(secret), Buffer.from(iv, 'base64url'))
  decipher.setAAD(Buffer.from(kid))
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8')
}

function derive(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'tessera signing keys', 32))
}
