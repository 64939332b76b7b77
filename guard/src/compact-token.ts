import { base64url } from 'jose'

/** The parts of a token; nothing in it is verified yet. */
export interface CompactToken {
  readonly token: string
  readonly kid: string
  readonly alg: string
  readonly typ: unknown
  readonly payload: Readonly<Record<string, unknown>>
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Splits a JWS in compact form (RFC 7515 §7.1): three parts in canonical base64url. Undefined for anything else. */
export function splitCompact(jws: string): [header: string, payload: string, signature: string] | undefined {
  const [header = '', payload = '', signature = '', ...more] = jws.split('.', 6)
  const parts: [string, string, string] = [header, payload, signature]
  return more.length === 0 && parts.every(isCanonicalBase64url) ? parts : undefined
}

/**
 * Reads a JWS in compact form, strictly: canonical base64url, UTF-8, JSON objects.
 * @returns the parts, or a sentence that says what is wrong with it. Never throws.
 */
export function readCompactToken(token: string): CompactToken | string {
  const parts = splitCompact(token)
  const header = parts && readObject(parts[0])
  const payload = parts && readObject(parts[1])
  if (header === undefined || payload === undefined) return 'The access token is not a signed JWT'
  // RFC 7515 §4.1.11: an extension that is not understood MUST be refused, and none is understood here.
  if (Object.hasOwn(header, 'crit')) return 'The access token asks for an extension that is not supported'
  const { alg, kid, typ } = header
  if (typeof alg !== 'string') return 'The access token does not name its algorithm'
  if (typeof kid !== 'string' || kid === '' || kid.length > 256)
    return 'The access token does not name its key'
  return { token, kid, alg, typ, payload }
}

/**
 * True for base64url without padding whose unused last bits are zero (RFC 4648 §3.5), so that each token has one
 * spelling.
 */
function isCanonicalBase64url(part: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return false
  const last = part.charAt(part.length - 1)
  switch (part.length % 4) {
    case 0:
      return true
    case 2:
      return 'AQgw'.includes(last)
    case 3:
      return 'AEIMQUYcgkosw048'.includes(last)
    default:
      return false
  }
}

/** Buffer takes a tenth of the time. Both decoders are lenient; the input was checked to be canonical. */
function bytesOf(part: string): Uint8Array {
  return typeof Buffer === 'undefined' ? base64url.decode(part) : Buffer.from(part, 'base64url')
}

/** The JSON object that a part holds, or undefined. Never throws. */
export function readObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(strict.decode(bytesOf(part)))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
