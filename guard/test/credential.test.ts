import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CredentialSource, Guard } from '../src/index.ts'
import { create, encode, type HttpIssuer, startIssuer } from './issuer.ts'

let issuer: HttpIssuer
let guard: Guard
let token: string

beforeAll(async () => {
  issuer = await startIssuer()
  guard = issuer.guard()
  token = await issuer.token({ permissions: [create] })
})
afterAll(() => issuer.close())

const check = (source: unknown) => guard.check(source as CredentialSource, create)

describe('accepted', () => {
  it('as a header value, whatever the case of the scheme and the number of spaces', async () => {
    for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'bEaReR   ']) {
      for (const _ of [1, 2]) expect(await check(scheme + token)).toMatchObject({ allowed: true })
    }
  })

  it('from Headers, a Request, and what looks like a node:http or an Express request', async () => {
    const authorization = `Bearer ${token}`
    const headers = { authorization }
    const rawHeaders = ['Host', 'x', 'AUTHORIZATION', authorization]
    for (const source of [
      new Headers(headers),
      new Request('https://x.test', { headers }),
      { headers },
      { headers: new Headers(headers) },
      { headers, rawHeaders },
      { headers: { authorization: [authorization] } },
      { headers, get: () => 'Bearer from-express-get' },
    ]) {
      expect(await check(source)).toMatchObject({ allowed: true })
    }
  })
})

describe('no credential: 401 with a bare challenge', () => {
  it.each([
    undefined,
    null,
    '',
    ' ',
    'Basic dXNlcjpwYXNz',
    'DPoP abc',
    'Bearerabc',
    'Bear er',
    'BearerX abc',
    { headers: {} },
    { headers: { Authorization: 'Bearer in-wrong-case' } },
    { headers: { cookie: 'access_token=x', 'x-authorization': 'Bearer x' } },
    new Headers(),
    new Request('https://x.test/?access_token=abc'),
    42,
    true,
  ])('%o', async (source) => {
    expect(await check(source)).toMatchObject({
      status: 401,
      reason: 'no_credential',
      headers: { 'www-authenticate': 'Bearer' },
      body: { error: 'unauthorized' },
    })
  })
})

describe('a credential that is not one Bearer token: 401 invalid_token', () => {
  it.each([
    'Bearer',
    'Bearer ',
    'Bearer    ',
    'Bearer a b',
    'Bearer a,b',
    'Bearer a, Bearer b',
    'Bearer\tabc',
    'Bearer abc\n',
    'Bearer abc\r\nx: y',
    'Bearer "abc"',
    'Bearer é',
    'Bearer abc\0',
    'Bearer ab=c',
    'Bearer,abc',
    'Bearer .',
    'Bearer ..',
    'Bearer a.b',
    'Bearer a.b.c',
    'Bearer a.b.c.d',
    'Bearer a.b.c.d.e',
    'Bearer ====',
    { headers: { authorization: ['Bearer a', 'Bearer b'] } },
    { headers: { authorization: [] } },
    { headers: { authorization: 7 } },
    { headers: null },
    {},
    [],
  ])('%j', async (source) => {
    expect(await check(source)).toMatchObject({ status: 401, reason: 'invalid_token' })
  })

  it('a good token beside a second header, a space or a comma', async () => {
    const authorization = `Bearer ${token}`
    const twice = ['Authorization', authorization, 'authorization', authorization]
    const combined = new Headers([
      ['authorization', authorization],
      ['authorization', authorization],
    ])
    for (const source of [
      { headers: { authorization }, rawHeaders: twice },
      { headers: { authorization: [authorization, authorization] } },
      combined,
      new Request('https://x.test', { headers: combined }),
      ` ${authorization}`,
      `${authorization} `,
      `${authorization},`,
      `${authorization}=`,
      `Bearer .${token}`,
      `Bearer ${token}.`,
      `Basic  ${token}`,
      `Digest ${token}`,
    ]) {
      expect(await check(source)).toMatchObject({ status: 401 })
    }
  })

  it('too long', async () => {
    for (const length of [16_385, 20_000, 1_000_000]) {
      const refused = await check(`Bearer ${'a'.repeat(length)}`)
      expect(refused).toMatchObject({
        status: 401,
        body: { error_description: 'The access token is too long' },
      })
    }
    expect(await check('a'.repeat(1_000_000))).toMatchObject({ reason: 'no_credential' })
    const small = issuer.guard({ maxTokenLength: 256 })
    expect(await small.check(`Bearer ${token}`, create)).toMatchObject({ status: 401 })
  })

  it('a getter that throws', async () => {
    const throwing = () => {
      throw new Error('no')
    }
    expect(await check({ get: throwing })).toMatchObject({ status: 401 })
    expect(await check(Object.defineProperty({}, 'headers', { get: throwing }))).toMatchObject({
      status: 401,
    })
    expect(await check({ get: () => 5 })).toMatchObject({ status: 401 })
  })

  it('parts that are JSON but no objects, or no UTF-8, or with a byte order mark', async () => {
    const payload = encode({})
    const heads = ['null', '[]', '"x"', '1', '{', '{"alg":"RS256"', '\ufeff{"alg":"RS256","kid":"a"}']
    for (const head of [...heads.map((text) => Buffer.from(text)), Buffer.from([0xff, 0xfe])]) {
      const forged = `${head.toString('base64url')}.${payload}.AAAA`
      expect(await check(`Bearer ${forged}`)).toMatchObject({ status: 401, reason: 'invalid_token' })
    }
  })
})

describe('whatever comes, the guard answers', () => {
  const refused = async (source: unknown) => {
    const decision = await check(source)
    expect(decision.allowed).toBe(false)
  }

  it('any text', () => fc.assert(fc.asyncProperty(fc.string({ unit: 'binary' }), refused), { numRuns: 300 }))

  it('any text after the scheme', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), (text) => refused(`Bearer ${text}`)),
      { numRuns: 300 },
    ))

  it('any value', () => fc.assert(fc.asyncProperty(fc.anything(), refused), { numRuns: 300 }))

  it('any JSON in the place of header and payload', () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), (header, payload) =>
        refused(`Bearer ${encode(header)}.${encode(payload)}.AAAA`),
      ),
      { numRuns: 200 },
    ))

  it('any change of a good token', () =>
    fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.string({ minLength: 1, maxLength: 2 }),
        async (at, text) => {
          const changed = token.slice(0, at) + text + token.slice(at + 1)
          // Any number of blanks may stand before the token (RFC 9110 §11.4).
          if (changed.replace(/^ +/, '') !== token) await refused(`Bearer ${changed}`)
        },
      ),
      { numRuns: 300 },
    ))
})
