import { hash, randomFillSync } from 'node:crypto'

/**
 * A new id: 48 bits of time, then 80 random bits, as 32 hexadecimal digits. Ids grow with time, so that an index only
 * grows at its end. An id is no secret.
 */
export function newId(now: number): string {
  return idsBefore(now) + randomText(10, 'hex')
}

/** Ids that were made before this time are less than this. */
export const idsBefore = (time: number): string => time.toString(16).padStart(12, '0')

const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/** Random bytes as text, taken from a pool because a call to the system costs more than its bytes. */
export function randomText(bytes: number, encoding: 'hex' | 'base64url'): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const taken = pool.subarray(used, used + bytes)
  used += bytes
  const text = taken.toString(encoding)
  taken.fill(0)
  return text
}

/** A new secret of 32 random bytes, as 43 base64url characters: the first is no `-`, by which options begin. */
export function newSecret(): string {
  const secret = randomText(32, 'base64url')
  return secret.startsWith('-') ? newSecret() : secret
}

/** The stored form of a secret of at least 256 random bits: its SHA-256. Such a secret needs no slower hash. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
