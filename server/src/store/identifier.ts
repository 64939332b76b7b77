import { createHash, randomBytes } from 'node:crypto'

/**
 * A new id: 48 bits of time, then 80 random bits, as 32 hexadecimal digits. Ids grow with time, so that rows
 * are appended to their index. An id is no secret.
 */
export function newId(now: number): string {
  return now.toString(16).padStart(12, '0') + randomBytes(10).toString('hex')
}

/** A new secret of 256 random bits, as 43 base64url characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * How a secret of at least 256 random bits is kept: its SHA-256. It can't be guessed, so nothing slower is
 * needed; passwords are hashed elsewhere.
 */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
