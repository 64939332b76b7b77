import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Decision, Guard, Refused } from '../src/index.ts'
import { audience, create, decode, encode, type HttpIssuer, read, reassemble, startIssuer } from './issuer.ts'

let issuer: HttpIssuer
let guard: Guard

beforeAll(async () => {
  issuer = await startIssuer()
  guard = issuer.guard()
})
afterAll(() => issuer.close())

async function check(token: string, permission = create): Promise<Decision> {
  return guard.check(`Bearer ${token}`, permission)
}

async function refusal(token: string, permission = create): Promise<Refused> {
  const decision = await check(token, permission)
  if (decision.allowed) throw new Error('was allowed')
  return decision
}

async function expectInvalid(token: string, description: RegExp): Promise<void> {
  // Twice: a refusal must not be forgotten once the token was seen.
  for (const _ of [1, 2]) {
    const refused = await refusal(token)
    expect(refused).toMatchObject({ status: 401, reason: 'invalid_token', body: { error: 'invalid_token' } })
    expect(refused.headers['www-authenticate']).toMatch(
      /^Bearer error="invalid_token", error_description="[^"\\]+"$/,
    )
    expect(refused.body.error_description).toMatch(description)
  }
}

describe('a valid token', () => {
  it('with the permission is let in, with its claims', async () => {
    const decision = await check(await issuer.token({ permissions: [read, create], organisation_uuid: 'o' }))
    expect(decision).toMatchObject({ allowed: true, claims: { aud: audience, organisation_uuid: 'o' } })
  })

  it('is let in again without its signature being checked, and its claims can not be changed', async () => {
    const token = await issuer.token({ permissions: [create], nested: { list: [1] } })
    const first = await check(token)
    const second = await check(token)
    if (!first.allowed || !second.allowed) throw new Error('was refused')
    expect(second.claims).toBe(first.claims)
    expect(() => (first.claims.permissions as string[]).push(read)).toThrow(TypeError)
    expect(await refusal(token, read)).toMatchObject({ status: 403 })
  })

  it.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/AT+jwt'])(
    'may be of type %s',
    async (typ) => {
      expect(await check(await issuer.token({ permissions: [create] }, { typ }))).toMatchObject({
        allowed: true,
      })
    },
  )

  it('may have several audiences, and may come from a machine', async () => {
    const aud = ['https://ledger.acme.example/api', audience]
    expect(await check(await issuer.machineToken({ permissions: [create], aud }))).toMatchObject({
      allowed: true,
      claims: { sub: 'test-machine' },
    })
  })

  it('may be issued by a clock a little ahead', async () => {
    const iat = issuer.clock.ms / 1000 + 5
    expect(await check(await issuer.token({ permissions: [create], iat, nbf: iat }))).toMatchObject({
      allowed: true,
    })
  })
})

describe('403: a valid token without exactly the permission', () => {
  it('names what is missing', async () => {
    const refused = await refusal(await issuer.token({ permissions: [read] }))
    expect(refused.status).toBe(403)
    expect(refused.headers).toEqual({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'www-authenticate': `Bearer error="insufficient_scope", error_description="The access token lacks the permission ${create}"`,
    })
    expect(refused.body).toEqual({
      error: 'insufficient_scope',
      error_description: `The access token lacks the permission ${create}`,
      permission: create,
    })
  })

  it.each([
    ['no permissions claim', undefined],
    ['an empty list', []],
    ['a longer permission', [`${create}.all`, `x${create}`]],
    ['a shorter permission', ['submissions-tool.vista-import', 'submissions-tool.vista-import.creat']],
    ['another case', [create.toUpperCase()]],
    ['surrounding space', [` ${create}`, `${create} `]],
    ['wildcards', ['*', 'submissions-tool.*', 'submissions-tool.vista-import.*', '*.*.*']],
    ['one text of two', [`${read} ${create}`]],
    ['prototype names', ['__proto__', 'constructor']],
  ])('%s', async (_, permissions) => {
    expect(await refusal(await issuer.token({ permissions }))).toMatchObject({ status: 403 })
  })

  it("a scope of the permission's name is no permission", async () => {
    expect(await refusal(await issuer.token({ scope: create, permissions: [] }))).toMatchObject({
      status: 403,
    })
  })

  it('a permission asked for by mistake is never met, and can not break out of the header', async () => {
    const token = await issuer.token({ permissions: [create, ''] })
    for (const wrong of [undefined, null, 1, {}, []]) {
      const refused = await guard.check(`Bearer ${token}`, wrong as unknown as string)
      expect(refused).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
    }
    const refused = await refusal(token, 'a"\r\nset-cookie: x=\\é')
    expect(refused.headers['www-authenticate']).toMatch(
      /^Bearer error="insufficient_scope", error_description="[ !#-[\]-~]+"$/,
    )
  })
})

describe('401: the signature', () => {
  it('of another key under the same kid', async () => {
    await expectInvalid(
      await issuer.forgedToken({ permissions: [create] }),
      /not signed by a key of the issuer/,
    )
  })

  it('over a tampered payload', async () => {
    const token = await issuer.token({ permissions: [read] })
    await expectInvalid(reassemble(token, { payload: { permissions: [create] } }), /not signed/)
  })

  it('with any character changed, the last one included', async () => {
    const token = await issuer.token({ permissions: [create] })
    expect(await check(token)).toMatchObject({ allowed: true })
    for (let back = 1; back <= 5; back += 1) {
      for (const other of 'AQgwBx-_') {
        const at = token.length - back
        if (token[at] === other) continue
        await expectInvalid(token.slice(0, at) + other + token.slice(at + 1), /signed/)
      }
    }
  })

  it('of a token seen before does not vouch for another payload', async () => {
    const token = await issuer.token({ permissions: [read] })
    expect(await refusal(token)).toMatchObject({ status: 403 })
    await expectInvalid(reassemble(token, { payload: { permissions: [create] } }), /not signed/)
  })

  it('missing, or alg none', async () => {
    const token = await issuer.token({ permissions: [create] })
    await expectInvalid(reassemble(token, { signature: '' }), /not a signed JWT/)
    for (const alg of ['none', 'None', 'NONE', '']) {
      await expectInvalid(reassemble(token, { header: { alg }, signature: 'AA' }), /algorithm/)
    }
  })

  it.each(['HS256', 'HS384', 'HS512'])('%s with the public key as the secret', async (alg) => {
    const token = await issuer.token({ permissions: [create] })
    const jwks = await (await fetch(`${issuer.issuer}/oauth2/jwks`)).text()
    const jwk = JSON.stringify((JSON.parse(jwks) as { keys: unknown[] }).keys[0])
    for (const secret of [jwks, jwk]) {
      const [head, body] = reassemble(token, { header: { alg } }).split('.')
      const mac = createHmac(`sha${alg.slice(2)}`, secret)
        .update(`${head}.${body}`)
        .digest('base64url')
      await expectInvalid(`${head}.${body}.${mac}`, /algorithm/)
    }
  })

  it.each(['RS384', 'PS256', 'ES384', 'EdDSA', 'rs256', 'es256'])('%s, which nobody named', async (alg) => {
    await expectInvalid(
      reassemble(await issuer.token({ permissions: [create] }), { header: { alg } }),
      /algorithm/,
    )
  })

  it('by a key that the token brings or points to', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = publicKey.export({ format: 'jwk' })
    const [header = '', payload = ''] = (await issuer.token({ permissions: [create] })).split('.')
    const urls = { jku: `${issuer.issuer}/evil`, x5u: `${issuer.issuer}/evil` }
    const before = issuer.requests.length
    for (const kid of [decode(header).kid, 'unheard-of']) {
      const forged = encode({
        alg: 'RS256',
        typ: 'at+jwt',
        kid,
        jwk: { ...jwk, kid },
        x5c: ['AA=='],
        ...urls,
      })
      const signature = sign('sha256', Buffer.from(`${forged}.${payload}`), privateKey).toString('base64url')
      await expectInvalid(`${forged}.${payload}.${signature}`, /not signed by a key of the issuer/)
    }
    expect(issuer.requests.slice(before)).not.toContain('/evil')
  })

  it('without a kid', async () => {
    for (const kid of [undefined, '', 1, ['a'], 'k'.repeat(257)]) {
      await expectInvalid(reassemble(await issuer.token(), { header: { kid } }), /does not name its key/)
    }
  })

  it('with a critical extension, known to others or not', async () => {
    const token = await issuer.token({ permissions: [create] })
    for (const crit of [['b64'], ['exp'], [], null]) {
      await expectInvalid(reassemble(token, { header: { crit, b64: false } }), /extension/)
    }
  })
})

describe('401: signed by the issuer, and still not for this service', () => {
  it('an ID token', async () => {
    await expectInvalid(await issuer.idToken({ permissions: [create], aud: audience }), /not an access token/)
  })

  it.each([undefined, '', 'JWT', 'at', 'at+jwt ', 'at+jwtx', 'application/jwt', 'x/at+jwt', 1])(
    'type %j',
    async (typ) => {
      await expectInvalid(await issuer.token({ permissions: [create] }, { typ }), /not an access token/)
    },
  )

  it.each(['x', '/', '?a', '#', ' '])('an issuer that only begins alike (%j)', async (tail) => {
    await expectInvalid(await issuer.token({ iss: issuer.issuer + tail }), /another issuer/)
  })

  it('another audience', async () => {
    for (const aud of [
      'https://other.test',
      [],
      ['a', 'b'],
      `${audience}/`,
      `${audience} x`,
      audience.toUpperCase(),
      issuer.issuer,
    ]) {
      await expectInvalid(await issuer.token({ permissions: [create], aud }), /another audience/)
    }
  })

  it.each(['iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'client_id'])('without %s', async (claim) => {
    await expectInvalid(await issuer.token({ permissions: [create], [claim]: undefined }), /lacks a claim/)
  })

  it.each<Record<string, unknown>>([
    { exp: '9999999999' },
    { exp: -1 },
    { sub: 1 },
    { sub: '' },
    { aud: { 0: audience } },
    { aud: [1] },
    { permissions: create },
    { permissions: { [create]: true } },
    { permissions: [1] },
    { organisation_uuid: 7 },
    { organisation_uuid: null },
    { amr: 'pwd' },
    { nbf: 'now' },
  ])('with a claim of a wrong type: %j', async (claims) => {
    await expectInvalid(await issuer.token({ permissions: [create], ...claims }), /wrong type/)
  })

  it('not valid yet', async () => {
    const later = issuer.clock.ms / 1000 + 6
    await expectInvalid(await issuer.token({ permissions: [create], iat: later }), /not valid yet/)
    await expectInvalid(await issuer.token({ permissions: [create], nbf: later }), /not valid yet/)
  })

  it('bound to a key', async () => {
    await expectInvalid(await issuer.token({ permissions: [create], cnf: { jkt: 'x' } }), /bound to a key/)
  })
})

describe('401: expiry', () => {
  it('is refused the moment it expires, remembered or not', async () => {
    const start = issuer.clock.ms
    const token = await issuer.token({ permissions: [create] })
    const fresh = issuer.guard({ clockToleranceMs: 60_000 })
    issuer.clock.ms = start + 900_000 - 1
    expect(await check(token)).toMatchObject({ allowed: true })
    expect(await fresh.check(`Bearer ${token}`, create)).toMatchObject({ allowed: true })
    issuer.clock.ms = start + 900_000
    await expectInvalid(token, /expired/)
    expect(await fresh.check(`Bearer ${token}`, create)).toMatchObject({ status: 401 })
    const cold = issuer.guard({ clockToleranceMs: 60_000 })
    expect(await cold.check(`Bearer ${token}`, create)).toMatchObject({ status: 401 })
    issuer.clock.ms = start
  })

  it('already past, and a clock that fails', async () => {
    await expectInvalid(await issuer.expiredToken({ permissions: [create] }), /expired/)
    const broken = issuer.guard({ now: () => Number.NaN })
    const token = await issuer.token({ permissions: [create] })
    expect(await broken.check(`Bearer ${token}`, create)).toMatchObject({ status: 401 })
  })
})

it('401 comes before 403: an invalid token is not told about permissions', async () => {
  expect(await refusal(await issuer.expiredToken({ permissions: [read] }))).toMatchObject({ status: 401 })
})

it('authenticate asks for a valid token and nothing more', async () => {
  expect(await guard.authenticate(`Bearer ${await issuer.token()}`)).toMatchObject({ allowed: true })
  expect(await guard.authenticate(`Bearer ${await issuer.idToken()}`)).toMatchObject({ status: 401 })
  expect(await guard.authenticate(undefined)).toMatchObject({ status: 401, reason: 'no_credential' })
})
