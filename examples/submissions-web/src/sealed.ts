/**
 * What is made from the session's cookie. The cookie holds 256 random bits, and the database only their hash; tokens and
 * verifiers are encrypted with a key made from those bits. A copy of the database gives neither a session nor a token.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

export function hashed(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

// The id is already uniformly random, so one HMAC per purpose is all the key derivation it needs.
function derived(sessionId: string, purpose: string): Buffer {
  return createHmac('sha256', sessionId).update(purpose).digest()
}

export function seal(sessionId: string, value: unknown): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', derived(sessionId, 'seal'), iv)
  const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
}

/** Throws when the text was not sealed under this session id. The caller names the type that it sealed. */
export function unseal<T>(sessionId: string, sealed: string): T {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', derived(sessionId, 'seal'), bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  return JSON.parse(text.toString('utf8')) as T
}

/** Derived rather than stored: it lives exactly as long as the session, and reveals nothing about its id. */
export function csrfToken(sessionId: string): string {
  return derived(sessionId, 'csrf').toString('base64url')
}

export function isCsrfToken(sessionId: string, sent: string | null): boolean {
  const expected = Buffer.from(csrfToken(sessionId))
  const actual = Buffer.from(sent ?? '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
