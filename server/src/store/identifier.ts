import { hash, randomFillSync } from 'node:crypto'

/**
 * A new id: 48 bits of time, then 80 random bits, as 32 hexadecimal digits. Ids grow with time, so that rows
 * are appended to their index. An id is no secret.
 */
export function newId(now: number): string {
  return now.toString(16).padStart(12, '0') + randomText(10, 'hex')
}

const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

/** Random bytes as text. Taken from the system many at a time: the call takes longer than the bytes. Each is given out once. */
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

/** A new secret of 256 random bits, as 43 base64url characters. */
export function newSecret(): string {
  return randomText(32, 'base64url')
}

/**
 * How a secret of at least 256 random bits is kept: its SHA-256. It can't be guessed, so nothing slower is
 * needed; passwords are hashed elsewhere.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
