import { base64url } from 'jose'

/** A token taken apart; nothing in it is trusted yet. */
export interface CompactToken {
  readonly token: string
  readonly kid: string
  readonly alg: string
  readonly typ: unknown
  readonly payload: Readonly<Record<string, unknown>>
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Takes a JWS in compact form apart (RFC 7515 §7.1), strictly: canonical base64url, UTF-8, JSON objects.
 * @returns the parts, or a sentence that says why this is no token that could be checked. Never throws.
 */
export function readCompactToken(token: string): CompactToken | string {
  const parts = token.split('.', 6)
  if (parts.length !== 3 || !parts.every(isCanonicalBase64url)) return 'The access token is not a signed JWT'
  const header = readObject(parts[0])
  const payload = readObject(parts[1])
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
 * True for base64url without padding whose unused last bits are zero (RFC 4648 §3.5), so that no two texts
 * stand for the same bytes and a changed character is always a changed token.
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

/** Where there is a Buffer it takes a tenth of the time. Either is lenient; what comes here is canonical. */
function bytesOf(part: string): Uint8Array {
  return typeof Buffer === 'undefined' ? base64url.decode(part) : Buffer.from(part, 'base64url')
}

function readObject(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(strict.decode(bytesOf(part ?? '')))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
