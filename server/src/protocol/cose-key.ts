import { createPublicKey } from 'node:crypto'

const hex = (bytes: number) => `([0-9a-f]{${2 * bytes}})`
/** Keys of EdDSA, ES256 and RS256, each in the one encoding that authenticators use (CTAP2 §8, RFC 9053 §7). */
const eddsa = new RegExp(`^a4010103272006215820${hex(32)}$`)
const es256 = new RegExp(`^a5010203262001215820${hex(32)}225820${hex(32)}$`)
const rs256 = /^a40103033901002059([0-9a-f]{4})([0-9a-f]+)2143010001$/

/** Whether a text is the public key of a credential, as COSE in base64url, and one that signatures are checked by. */
export function isCoseKey(text: string): boolean {
  const jwk = jwkOf(Buffer.from(text, 'base64url').toString('hex'))
  if (jwk === undefined) return false
  try {
    createPublicKey({ format: 'jwk', key: jwk })
    return true
  } catch {
    return false
  }
}

function jwkOf(cose: string): Record<string, string> | undefined {
  const base64url = (part = '') => Buffer.from(part, 'hex').toString('base64url')
  const [, okp] = eddsa.exec(cose) ?? []
  if (okp !== undefined) return { kty: 'OKP', crv: 'Ed25519', x: base64url(okp) }
  const [, x, y] = es256.exec(cose) ?? []
  if (x !== undefined) return { kty: 'EC', crv: 'P-256', x: base64url(x), y: base64url(y) }
  const [, length = '', n = ''] = rs256.exec(cose) ?? []
  const bytes = Number.parseInt(length, 16)
  const isRsa = bytes >= 256 && bytes <= 1024 && n.length === 2 * bytes
  return isRsa ? { kty: 'RSA', n: base64url(n), e: 'AQAB' } : undefined
}
