import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isCoseKey } from '../../dist/protocol/cose-key.js'

const hexOf = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').toString('hex')
const isKey = (hex: string) => isCoseKey(Buffer.from(hex, 'hex').toString('base64url'))

const jwk = (publicKey: { export(options: { format: 'jwk' }): JsonWebKey }) =>
  publicKey.export({ format: 'jwk' })
const ed25519 = jwk(generateKeyPairSync('ed25519').publicKey)
const p256 = jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
const rsa = jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)

const eddsa = `a4010103272006215820${hexOf(ed25519.x)}`
const es256 = `a5010203262001215820${hexOf(p256.x)}225820${hexOf(p256.y)}`
const rs256 = `a401030339010020590100${hexOf(rsa.n)}2143010001`

describe('the public key of a credential', () => {
  it.each([
    ['EdDSA', eddsa],
    ['ES256', es256],
    ['RS256', rs256],
  ])('is of %s', (_name, hex) => {
    expect(isKey(hex)).toBe(true)
  })

  it.each([
    ['nothing', ''],
    ['a key with something behind it', `${es256}00`],
    ['half of a key', es256.slice(0, -64)],
    ['a point that is not on the curve', `a5010203262001215820${'01'.repeat(32)}225820${'02'.repeat(32)}`],
    ['another algorithm', es256.replace('0326', '0322')],
    ['an RSA key of 1024 bits', `a401030339010020590080${hexOf(rsa.n).slice(0, 256)}2143010001`],
    ['a length that is not that of the modulus', rs256.replace('590100', '590101')],
  ])('is not %s', (_what, hex) => {
    expect(isKey(hex)).toBe(false)
  })
})
