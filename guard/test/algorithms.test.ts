import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { create, encode } from './issuer.ts'

/** Two algorithms are accepted as delivered, and each key is for one of them, whatever a token says. */

const issuer = 'https://id.acme.example'
const audience = 'https://submissions.acme.example/api'
const now = 1_800_000_000_000
const claims = {
  iss: issuer,
  aud: audience,
  sub: 's',
  client_id: 'c',
  jti: 'j',
  iat: now / 1000,
  exp: now / 1000 + 900,
  permissions: [create],
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const larger = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const jwkOf = (key: KeyObject, more: { kid: string; alg: string | undefined }) => ({
  ...key.export({ format: 'jwk' }),
  use: 'sig',
  ...more,
})
const keys = [
  jwkOf(rsa.publicKey, { kid: 'rsa', alg: 'RS256' }),
  jwkOf(ec.publicKey, { kid: 'ec', alg: 'ES256' }),
  jwkOf(larger.publicKey, { kid: 'p-384', alg: 'ES256' }),
  jwkOf(larger.publicKey, { kid: 'p-384 without alg', alg: undefined }),
]

const p1363 = 'ieee-p1363'
const part = (header: object) => `${encode({ typ: 'at+jwt', ...header })}.${encode(claims)}`
const signed = (
  header: object,
  key: KeyObject,
  dsaEncoding: 'der' | 'ieee-p1363' = p1363,
  digest = 'sha256',
) => withSignature(header, sign(digest, Buffer.from(part(header)), { key, dsaEncoding }))
const withSignature = (header: object, signature: Buffer) =>
  `${part(header)}.${signature.toString('base64url')}`
const fetch: GuardOptions['fetch'] = async (url) =>
  Response.json(url === `${issuer}/jwks` ? { keys } : { issuer, jwks_uri: `${issuer}/jwks` })

describe.each(['node:crypto', 'WebCrypto'])('RS256 and ES256 by %s', (crypto) => {
  let guard: Guard
  beforeEach(() => {
    // What runtimes without node:crypto say; the keys are imported at the first check.
    if (crypto === 'WebCrypto') vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    guard = createGuard({ issuer, audience, fetch, now: () => now })
  })
  afterEach(() => void vi.restoreAllMocks())

  const ask = async (token: string) => {
    const decision = await guard.check(`Bearer ${token}`, create)
    return decision.allowed ? 200 : `${decision.status} ${decision.body.error_description}`
  }
  const unsigned = '401 The access token is not signed by a key of the issuer'
  const unaccepted = '401 The access token is signed with an algorithm that is not accepted'

  it('are both accepted, each by its key', async () => {
    expect(await ask(signed({ alg: 'RS256', kid: 'rsa' }, rsa.privateKey))).toBe(200)
    expect(await ask(signed({ alg: 'ES256', kid: 'ec' }, ec.privateKey))).toBe(200)
  })

  it.each([
    ['ES256 under the name of the RSA key', { alg: 'ES256', kid: 'rsa' }, ec.privateKey],
    ['RS256 under the name of the key on P-256', { alg: 'RS256', kid: 'ec' }, rsa.privateKey],
    ['an RSA signature that says ES256', { alg: 'ES256', kid: 'rsa' }, rsa.privateKey],
    ['an ECDSA signature that says RS256', { alg: 'RS256', kid: 'ec' }, ec.privateKey],
    ['an ECDSA signature under the RSA key', { alg: 'RS256', kid: 'rsa' }, ec.privateKey],
    ['a key on P-384 that says it is for ES256', { alg: 'ES256', kid: 'p-384' }, larger.privateKey],
    ['a key on P-384', { alg: 'ES256', kid: 'p-384 without alg' }, larger.privateKey],
    ['a key on P-384 under the name of the right one', { alg: 'ES256', kid: 'ec' }, larger.privateKey],
    [
      'another key on P-256',
      { alg: 'ES256', kid: 'ec' },
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    ],
  ])('not %s', async (_, header, key) => {
    expect(await ask(signed(header, key))).toBe(unsigned)
  })

  it('not a payload that is spelt otherwise than its bytes are, although the issuer signed it so', async () => {
    const [head = ''] = part({ alg: 'ES256', kid: 'ec' }).split('.')
    const asked = (payload: string) => {
      const text = `${head}.${payload}`
      const signature = sign('sha256', Buffer.from(text), { key: ec.privateKey, dsaEncoding: p1363 })
      return ask(`${text}.${signature.toString('base64url')}`)
    }
    const malformed = '401 The access token is not a signed JWT'
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const more of ['', 'x', 'xx']) {
      const payload = encode({ ...claims, more })
      expect(await asked(payload)).toBe(200)
      // Of whole groups of four characters every bit counts.
      if (payload.length % 4 === 0) continue
      const next = letters[letters.indexOf(payload.at(-1) ?? '') + 1]
      expect(await asked(`${payload.slice(0, -1)}${next}`)).toBe(malformed)
    }
    const json = JSON.stringify({ ...claims, more: 'x' })
    const marked = Buffer.from(`\uFEFF${json}`)
    const spoilt = Buffer.from(json.replace('"x"', '"\xFF"'), 'latin1')
    for (const bytes of [marked, spoilt]) expect(await asked(bytes.toString('base64url'))).toBe(malformed)
  })

  it('not ES256 over another digest', async () => {
    expect(await ask(signed({ alg: 'ES256', kid: 'ec' }, ec.privateKey, p1363, 'sha384'))).toBe(unsigned)
  })

  it('not a signature in DER, which is another spelling of the right one', async () => {
    expect(await ask(signed({ alg: 'ES256', kid: 'ec' }, ec.privateKey, 'der'))).toBe(unsigned)
  })

  it('no signature of zeros, of the order of the curve, or of another length', async () => {
    const header = { alg: 'ES256', kid: 'ec' }
    const right = sign('sha256', Buffer.from(part(header)), { key: ec.privateKey, dsaEncoding: p1363 })
    expect(await ask(withSignature(header, right))).toBe(200)
    const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
    const wrong = [
      Buffer.alloc(64),
      Buffer.alloc(64, 255),
      Buffer.concat([order, order]),
      Buffer.concat([right.subarray(0, 32), Buffer.alloc(32)]),
      Buffer.concat([Buffer.alloc(32), right.subarray(32)]),
      right.subarray(0, 63),
      right.subarray(0, 32),
      Buffer.concat([right, Buffer.alloc(1)]),
      Buffer.concat([right, right]),
      Buffer.concat([Buffer.alloc(1), right]),
      Buffer.concat([right.subarray(32), right.subarray(0, 32)]),
    ]
    for (const signature of wrong) expect(await ask(withSignature(header, signature))).toBe(unsigned)
    expect(await ask(`${part(header)}.`)).toMatch(/^401/)
  })

  it('nothing without a signature, and no secret that everybody knows', async () => {
    for (const alg of ['none', 'None', 'HS256']) {
      for (const { kid } of keys) {
        const header = { alg, kid }
        expect(await ask(`${part(header)}.`)).toMatch(/^401/)
        for (const { publicKey } of [rsa, ec]) {
          for (const secret of [
            publicKey.export({ type: 'spki', format: 'pem' }),
            publicKey.export({ type: 'spki', format: 'der' }),
            JSON.stringify(keys.find((key) => key.kid === kid)),
          ]) {
            const mac = createHmac('sha256', secret).update(part(header)).digest()
            expect(await ask(withSignature(header, mac))).toBe(unaccepted)
          }
        }
      }
    }
  })

  it('not what a key signed whose name is another key’s since', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const header = { alg: 'ES256', kid: 'ec' }
    const [before, after] = [signed(header, ec.privateKey), signed(header, other.privateKey)]
    let [current, time] = [ec.publicKey, now]
    const anew: GuardOptions['fetch'] = async (url, init) =>
      url === `${issuer}/jwks`
        ? Response.json({ keys: [jwkOf(current, { kid: 'ec', alg: 'ES256' })] })
        : await fetch(url, init)
    guard = createGuard({ issuer, audience, fetch: anew, now: () => time, keysMaxAgeMs: 1000 })
    expect([await ask(before), await ask(after)]).toEqual([200, unsigned])
    // Older than twice their age: nobody is answered before they were fetched anew.
    ;[current, time] = [other.publicKey, now + 2000]
    expect([await ask(before), await ask(after)]).toEqual([unsigned, 200])
  })

  it('no RSA key below 2048 bits, padded or not', async () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const jwk = jwkOf(small.publicKey, { kid: 'rsa', alg: 'RS256' })
    const token = signed({ alg: 'RS256', kid: 'rsa' }, small.privateKey)
    for (const n of [jwk.n, `${'A'.repeat(344)}${jwk.n}`]) {
      const own: GuardOptions['fetch'] = async (url, init) =>
        url === `${issuer}/jwks` ? Response.json({ keys: [{ ...jwk, n }] }) : await fetch(url, init)
      guard = createGuard({ issuer, audience, fetch: own, now: () => now })
      expect(await ask(token)).toBe(unsigned)
    }
  })

  it('but one alone, when the configuration names one', async () => {
    const tokens = [
      signed({ alg: 'RS256', kid: 'rsa' }, rsa.privateKey),
      signed({ alg: 'ES256', kid: 'ec' }, ec.privateKey),
    ]
    for (const [index, alg] of (['RS256', 'ES256'] as const).entries()) {
      guard = createGuard({ issuer, audience, fetch, now: () => now, algorithms: [alg] })
      for (const [at, token] of tokens.entries())
        expect(await ask(token)).toBe(at === index ? 200 : unaccepted)
    }
  })
})
