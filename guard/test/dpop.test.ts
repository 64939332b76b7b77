import { randomBytes } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import type { CredentialSource } from '../src/index.ts'
import { createHolder, origin, startBound, url } from './holder.ts'
import { create, encode, read } from './issuer.ts'

/** RFC 9449: a token that is bound to a key counts only together with a proof of that key, once. */

const { clock, issuer, guard, guardWith, holder, token, boundTo, prove, requestOf, told } = await startBound()
const start = clock.ms
afterEach(() => {
  clock.ms = start
})

describe('a bound token with a proof of its key', () => {
  it.each(['ES256', 'PS256', 'EdDSA'])(
    'is let in, signed by %s, with the key beside the claims',
    async (alg) => {
      const by = await createHolder(alg)
      const of = await boundTo(by)
      const sent = async () =>
        requestOf({ authorization: `dpop  ${of}`, proof: await prove({ by, token: of }) })
      for (const _ of ['verified', 'remembered'])
        expect(await guard.check(await sent(), create)).toMatchObject({
          allowed: true,
          claims: { cnf: { jkt: by.jkt } },
        })
    },
  )

  it.each<[string, string]>([
    ['https://SUBMISSIONS.acme.example:443/s/vista-import', '/s/vista-import'],
    [`${url}?of=the#proof`, '/s/vista-import?of=the-request'],
    [`${origin}/%7Euser/%c3%a9/a%2fb`, '/~user/%C3%A9/a%2Fb'],
    [`${origin}/s/vista-import/`, '/s/vista-import/'],
    [origin, '/'],
  ])('is let in for %s, which is %s here', async (htu, target) => {
    expect(await told({ proof: await prove({ claims: { htu } }), target })).toBe('allowed')
  })

  it('is let in at the least and the greatest age', async () => {
    for (const age of [300, -30])
      expect(await told({ proof: await prove({ claims: { iat: clock.ms / 1000 - age } }) })).toBe('allowed')
  })

  it('behind a proxy that cuts a path off, by an origin with that path', async () => {
    const behind = guardWith({ dpop: { origin: `${origin}/v1` } })
    const proofFor = async (htu: string) => ({ proof: await prove({ claims: { htu } }) })
    expect(await told(await proofFor(`${origin}/v1/s/vista-import`), behind)).toBe('allowed')
    for (const htu of [`${origin}/v1`, `${origin}/v1/`])
      expect(await told({ ...(await proofFor(htu)), target: '/' }, behind)).toBe('allowed')
    expect(await told(await proofFor(url), behind)).toMatch(/another address/)
    expect(await told(await proofFor(`${origin}/v1s/vista-import`), behind)).toMatch(/another address/)
  })

  it('counts once for each request, however often that one is checked', async () => {
    const request = requestOf({ proof: await prove() })
    expect(await guard.check(request, create)).toMatchObject({ allowed: true })
    expect(await guard.check(request, create)).toMatchObject({ allowed: true })
    expect(await guard.check(request, read)).toMatchObject({ status: 403 })
    expect(await guard.check({ ...(request as object) } as CredentialSource, create)).toMatchObject({
      reason: 'invalid_dpop_proof',
    })
  })
})

describe('a stolen token', () => {
  it('is refused without a proof', async () => {
    expect(await told({})).toBe(
      '401 invalid_dpop_proof: The access token is bound to a key, and the DPoP header that proves it is missing',
    )
  })

  it('is refused with a proof of the thief’s own key', async () => {
    const thief = await createHolder('ES256')
    const expected = '401 invalid_token: The access token is bound to another key than that of the DPoP proof'
    expect(await told({ proof: await prove({ by: thief }) })).toBe(expected)
    expect(await told({ proof: await prove({ by: { ...thief, jwk: holder.jwk } }) })).toMatch(/not signed/)
  })

  it('is refused with a proof that was made for another token of the same key', async () => {
    const other = await boundTo(holder)
    expect(await told({ proof: await prove({ token: other }) })).toMatch(/is for another access token/)
    expect(await told({ proof: await prove({ claims: { ath: undefined } }) })).toMatch(/another access token/)
  })

  it('is refused as Bearer, with a proof and without, also once it was let in', async () => {
    const fresh = await boundTo(holder)
    const authorization = `Bearer ${fresh}`
    const refused = '401 invalid_token: The access token is bound to a key and can not be used as Bearer'
    const tries = async () => {
      expect(await told({ authorization })).toBe(refused)
      expect(await told({ authorization, proof: await prove({ token: fresh }) })).toBe(refused)
    }
    await tries()
    const proof = await prove({ token: fresh })
    expect(await told({ authorization: `DPoP ${fresh}`, proof })).toBe('allowed')
    await tries()
  })

  it('is refused once it expired, and with a signature that is not the issuer’s', async () => {
    const expired = await issuer.expiredToken({ cnf: { jkt: holder.jkt } })
    const forged = await issuer.forgedToken({ cnf: { jkt: holder.jkt }, permissions: [create] })
    for (const [of, why] of [
      [expired, /has expired/],
      [forged, /not signed by a key of the issuer/],
    ] as const)
      expect(await told({ authorization: `DPoP ${of}`, proof: await prove({ token: of }) })).toMatch(why)
  })
})

describe('a proof', () => {
  it('counts once: not again at the same place, another place, or by another method', async () => {
    const proof = await prove()
    expect(await told({ proof })).toBe('allowed')
    expect(await told({ proof })).toBe('401 invalid_dpop_proof: The DPoP proof was used before')
    expect(await told({ proof, target: '/s/other' })).toBe(
      `401 invalid_dpop_proof: The DPoP proof is for another address than ${origin}/s/other`,
    )
    expect(await told({ proof, method: 'PUT' })).toMatch(/is for another method/)
    clock.ms += 300_000
    expect(await told({ proof })).toMatch(/was used before/)
    clock.ms += 1
    expect(await told({ proof })).toMatch(/is too old/)
  })

  it('counts once of fifty at the same time', async () => {
    const proof = await prove()
    const answers = await Promise.all(Array.from({ length: 50 }, () => told({ proof })))
    expect(answers.filter((one) => one === 'allowed')).toHaveLength(1)
  })

  it('that was refused is not used up', async () => {
    const proof = await prove()
    expect(await told({ proof, target: '/s/other' })).toMatch(/another address/)
    expect(await told({ proof })).toBe('allowed')
  })

  it('is for the address in the configuration, whatever the request says about it', async () => {
    const proof = await prove({ claims: { htu: 'https://evil.example/s/vista-import' } })
    const more = {
      host: 'evil.example',
      forwarded: 'host=evil.example;proto=https',
      'x-forwarded-host': 'evil.example',
      'x-original-url': '/s/vista-import',
    }
    expect(await told({ proof, more })).toMatch(/is for another address/)
    expect(await told({ proof: await prove(), more })).toBe('allowed')
  })

  it.each<[string, unknown, string?]>([
    ['another path', `${origin}/s/other`],
    ['another case', `${origin}/S/vista-import`],
    ['a longer path', `${url}/x`],
    ['a slash at the end', `${url}/`],
    ['another scheme', url.replace('https', 'http')],
    ['another port', url.replace('.example', '.example:8443')],
    ['another host that begins alike', url.replace('.example', '.example.evil')],
    ['the path alone', '/s/vista-import'],
    ['an encoded slash', `${origin}/s%2Fvista-import`],
    ['no text', 7],
    ['a list', [url]],
    ['nothing', undefined],
    ['what dots lead to', `${origin}/b`, '/a/../b'],
    ['what encoded dots lead to', `${origin}/b`, '/a/%2E%2e/b'],
    ['what a backslash leads to', `${origin}/a/b`, '/a\\b'],
    ['another host than an absolute target', 'https://evil.example/b', 'https://evil.example/b'],
    ['a host that the target goes on', 'https://submissions.acme.example.evil/b', '.evil/b'],
    ['an empty target', origin, ''],
  ])('is refused for %s', async (_what, htu, target) => {
    const sent = { proof: await prove({ claims: { htu } }), ...(target !== undefined && { target }) }
    expect(await told(sent)).toMatch(/^401 invalid_dpop_proof: .*is for another address( than \S+)?$/)
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['another method', { htm: 'GET' }, /another method/],
    ['a method in small letters', { htm: 'post' }, /another method/],
    ['no method', { htm: undefined }, /another method/],
    ['a day that is too long ago', { iat: 1_800_000_000 - 301 }, /too old/],
    ['a time ahead', { iat: 1_800_000_000 + 31 }, /not valid yet/],
    ['a time in milliseconds', { iat: 1_800_000_000_000 }, /not valid yet/],
    ['a time that is a text', { iat: '1800000000' }, /too old/],
    ['no time', { iat: undefined }, /too old/],
    ['no jti', { jti: undefined }, /jti/],
    ['an empty jti', { jti: '' }, /jti/],
    ['a jti that is no text', { jti: 7 }, /jti/],
    ['a jti of 513 characters', { jti: 'x'.repeat(513) }, /jti/],
    ['a hash of another kind', { ath: 'x' }, /another access token/],
  ])('is refused with %s', async (_what, claims, why) => {
    expect(await told({ proof: await prove({ claims }) })).toMatch(why)
  })

  it.each<[string, Record<string, unknown>]>([
    ['typ JWT', { typ: 'JWT' }],
    ['no typ', { typ: undefined }],
    ['an extension', { crit: ['b64'], b64: true }],
    ['no key', { jwk: undefined }],
    ['a key that is a text', { jwk: 'x' }],
    ['a key that is null', { jwk: null }],
    ['a key of another kind', { jwk: { kty: 'oct', k: 'c2VjcmV0' } }],
    ['a key without y', { jwk: { kty: 'EC', crv: 'P-256', x: 'AA' } }],
    ['its key by address alone', { jwk: undefined, jku: 'https://evil.example/jwks' }],
  ])('is refused with %s', async (_what, header) => {
    expect(await told({ proof: await prove({ header }) })).toMatch(
      /^401 invalid_dpop_proof: The DPoP (header|proof) does not hold /,
    )
  })

  it('is refused with the private key in it', async () => {
    const secret = await exportJWK(holder.key)
    expect(secret.d).toBeTypeOf('string')
    expect(await told({ proof: await prove({ header: { jwk: secret } }) })).toMatch(
      /does not hold the public key/,
    )
    for (const name of ['p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) {
      const jwk = { ...holder.jwk, [name]: 'x' }
      expect(await told({ proof: await prove({ header: { jwk } }) })).toMatch(/does not hold the public key/)
    }
  })

  it.each(['RS256', 'ES384', 'Ed25519', 'PS512'])('is refused when it is signed by %s', async (alg) => {
    const by = await createHolder(alg)
    const of = await boundTo(by)
    expect(await told({ authorization: `DPoP ${of}`, proof: await prove({ by, token: of }) })).toBe(
      '401 invalid_dpop_proof: The DPoP proof must be signed by one of ES256, PS256, EdDSA',
    )
  })

  it('is refused unsigned, and with a signature by a shared secret', async () => {
    const [, payload] = (await prove()).split('.')
    const unsigned = (alg: string, signature: string) =>
      `${encode({ alg, typ: 'dpop+jwt', jwk: holder.jwk })}.${payload}.${signature}`
    expect(await told({ proof: unsigned('none', '') })).toMatch(/does not hold a proof/)
    expect(await told({ proof: unsigned('none', 'AAAA') })).toMatch(/must be signed by one of/)
    const secret = new TextEncoder().encode(JSON.stringify(holder.jwk))
    const shared = await new SignJWT({ jti: 'a' })
      .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: holder.jwk })
      .sign(secret)
    expect(await told({ proof: shared })).toMatch(/must be signed by one of/)
    expect(await told({ proof: unsigned('ES256', 'A'.repeat(86)) })).toMatch(/not signed by its key/)
  })

  it('is refused by a key that is too weak, or too dear to verify', async () => {
    for (const jwk of [
      { kty: 'RSA', e: 'AQAB', n: randomBytes(255).toString('base64url') },
      { kty: 'RSA', e: 'AQAB', n: randomBytes(513).toString('base64url') },
      { kty: 'RSA', e: randomBytes(256).toString('base64url'), n: randomBytes(256).toString('base64url') },
    ]) {
      const by = { ...holder, alg: 'PS256', jwk, jkt: await calculateJwkThumbprint(jwk) }
      const of = await boundTo(by)
      const header = encode({ alg: 'PS256', typ: 'dpop+jwt', jwk })
      const proof = `${header}.${encode({ jti: 'a' })}.${randomBytes(256).toString('base64url')}`
      expect(await told({ authorization: `DPoP ${of}`, proof })).toMatch(/does not hold the public key/)
    }
  })

  it('is refused by a key that is none', async () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) }
    const of = await boundTo({ ...holder, jkt: await calculateJwkThumbprint(jwk) })
    const proof = await prove({ header: { jwk }, token: of })
    expect(await told({ authorization: `DPoP ${of}`, proof })).toMatch(/does not hold the public key/)
  })

  it('is refused when there are two, whichever way they arrive', async () => {
    const two = [await prove(), await prove()]
    for (const proof of [two, two.join(', '), two.join(',')])
      expect(await told({ proof })).toBe('401 invalid_dpop_proof: The DPoP header was sent more than once')
  })

  it.each(['', 'x', 'a.b.c', `${'a'.repeat(8190)}.b.c`, 'é', '{}'])(
    'is refused when it is %j',
    async (proof) => {
      expect(await told({ proof })).toMatch(/does not hold a proof/)
    },
  )

  it('is refused above 8 KiB, and with a changed signature', async () => {
    expect(await told({ proof: await prove({ claims: { more: 'x'.repeat(6000) } }) })).toMatch(/hold a proof/)
    const [header, payload] = (await prove()).split('.')
    const [, , signature] = (await prove()).split('.')
    expect(await told({ proof: [header, payload, signature].join('.') })).toMatch(/not signed by its key/)
  })

  it('is never checked where nobody says for which request it is', async () => {
    const proof = await prove()
    const headers = { authorization: `DPoP ${token}`, dpop: proof }
    for (const source of [
      headers.authorization,
      new Headers(headers),
      { headers },
      { headers: new Headers(headers) },
      { headers, method: 'POST' },
      { headers, url: '/s/vista-import' },
      { headers, method: 'POST', url: new URL(url) },
    ])
      expect(await guard.check(source, create)).toMatchObject({
        status: 401,
        reason: 'invalid_dpop_proof',
        body: { error_description: expect.stringMatching(/it was not given method, url and headers$/) },
      })
  })
})

describe('a token that is not bound to one key alone', () => {
  it('is refused with the scheme DPoP, and let in as Bearer', async () => {
    const plain = await issuer.token({ permissions: [create] })
    const proof = await prove({ token: plain })
    const bound = '401 invalid_token: The access token is bound to no key and is sent as Bearer'
    for (const _ of ['verified', 'remembered']) {
      expect(await told({ authorization: `DPoP ${plain}`, proof })).toBe(bound)
      expect(await told({ authorization: `Bearer ${plain}` })).toBe('allowed')
    }
  })

  it.each<unknown>([
    {},
    null,
    'x',
    [],
    { jkt: 7 },
    { 'x5t#S256': 'x' },
    { jwk: {} },
    { kid: 'x' },
    { jkt: 'x', 'x5t#S256': 'x' },
  ])('is refused with cnf %j, whichever the scheme', async (cnf) => {
    const of = await issuer.token({ permissions: [create], cnf: cnf as { jkt: string } })
    const proof = await prove({ token: of })
    expect(await told({ authorization: `DPoP ${of}`, proof })).toBe(
      '401 invalid_token: The access token is bound in a way that is not supported',
    )
    expect(await told({ authorization: `Bearer ${of}`, proof })).toMatch(/can not be used as Bearer/)
  })

  it.each(['DPoP', 'DPoP ', 'DPoP a b', 'dpop a,b', 'DPoP a, Bearer b', 'DPoP "a"'])(
    'and what is no token (%j) is refused',
    async (authorization) => {
      expect(await told({ authorization, proof: await prove() })).toBe(
        '401 invalid_token: The Authorization header does not hold one DPoP token',
      )
    },
  )

  it('is refused when it is longer than tokens are', async () => {
    for (const length of [16_385, 20_000])
      expect(await told({ authorization: `DPoP ${'a'.repeat(length)}` })).toMatch(/is too long/)
  })
})
