import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { createTestIssuer } from '../src/testing.ts'
import { answerWith, audience, create, down, type HttpIssuer, reassemble, startIssuer } from './issuer.ts'

let issuer: HttpIssuer

// One issuer for all, because its key takes long to make; each test makes guards of its own.
beforeAll(async () => {
  issuer = await startIssuer()
})
beforeEach(() => {
  issuer.misbehave = undefined
  issuer.requests.length = 0
})
afterAll(() => issuer.close())

const minute = 60_000
const permissions = [create]
const statusOf = async (guard: Guard, token: string) => {
  const decision = await guard.check(`Bearer ${token}`, create)
  return decision.allowed ? 200 : decision.status
}
/** For what a fetch in the background brings about: a busy machine takes its time. */
const eventually = (expected: () => Promise<void> | void) =>
  vi.waitFor(expected, { timeout: 60_000, interval: 5 })

describe('fetching', () => {
  it('happens once for any number of first requests', async () => {
    const guard = issuer.guard()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => issuer.token({ permissions })))
    expect(await Promise.all(tokens.map((token) => statusOf(guard, token)))).toEqual(tokens.map(() => 200))
    expect(issuer.requests).toEqual(['/.well-known/openid-configuration', '/oauth2/jwks'])
  })

  it('does not happen for what is refused without keys', async () => {
    const guard = issuer.guard()
    for (const token of ['', 'x', 'a.b.c', reassemble(await issuer.token(), { header: { alg: 'none' } })]) {
      expect(await statusOf(guard, token)).toBe(401)
    }
    expect(issuer.requests).toEqual([])
  })

  it('can be done ahead, and says whether it worked', async () => {
    const guard = issuer.guard()
    issuer.misbehave = down
    expect(await guard.ready()).toBe(false)
    issuer.misbehave = undefined
    issuer.clock.ms += 5_000
    expect(await guard.ready()).toBe(true)
  })
})

describe('a key of another service, which the issuer marks', () => {
  const mark = { tessera_foreign: true }

  it.each([
    ['true', mark],
    ['anything', { tessera_foreign: false }],
    ['null', { tessera_foreign: null }],
  ])('counts for nothing, whatever the mark says: %s', async (_, marked) => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'old', use: 'sig', alg: 'RS256' }
    const claims = decodeJwt(await issuer.token({ permissions }))
    const signed = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'old' })
    const token = await signed.sign(privateKey)
    const withKey = async (key: object) => {
      const guard = issuer.guard()
      issuer.misbehave = (request, response) =>
        request.url === '/oauth2/jwks' && answerWith(200, JSON.stringify({ keys: [key] }))(request, response)
      return await statusOf(guard, token)
    }
    expect(await withKey(jwk)).toBe(200)
    expect(await withKey({ ...jwk, ...marked })).toBe(401)
  })
})

describe('an unknown kid', () => {
  const unknown = (token: string, at: number) => reassemble(token, { header: { kid: `unknown-${at}` } })

  it('1,000 of them, at once and one after another, cause one fetch', async () => {
    const guard = issuer.guard()
    const token = await issuer.token({ permissions })
    expect(await statusOf(guard, token)).toBe(200)
    const before = issuer.requests.length
    const statuses = await Promise.all(
      Array.from({ length: 500 }, (_, at) => statusOf(guard, unknown(token, at))),
    )
    for (let at = 500; at < 1000; at += 1) statuses.push(await statusOf(guard, unknown(token, at)))
    expect(new Set(statuses)).toEqual(new Set([401]))
    expect(issuer.requests.slice(before)).toEqual(['/oauth2/jwks'])
    issuer.clock.ms += 30_000
    await statusOf(guard, unknown(token, 1001))
    expect(issuer.requests.length).toBe(before + 2)
  })

  it('as the very first request causes one fetch as well', async () => {
    const guard = issuer.guard()
    const token = await issuer.token({ permissions })
    for (let at = 0; at < 100; at += 1) expect(await statusOf(guard, unknown(token, at))).toBe(401)
    expect(issuer.keyFetches()).toBe(1)
  })

  it("is found at once when it is the issuer's new key", async () => {
    const guard = issuer.guard()
    const old = await issuer.token({ permissions })
    expect(await statusOf(guard, old)).toBe(200)
    await issuer.rotate()
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
    expect(await statusOf(guard, old)).toBe(200)
  })
})

describe('age', () => {
  it('a dropped key stops counting, even for a token seen before', async () => {
    const guard = issuer.guard()
    const old = await issuer.token({ permissions })
    expect(await statusOf(guard, old)).toBe(200)
    await issuer.rotate({ drop: true })
    issuer.clock.ms += 10 * minute
    await eventually(async () => expect(await statusOf(guard, old)).toBe(401))
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
  })

  it('nobody waits for the refresh, unless the keys are twice as old', async () => {
    const guard = issuer.guard()
    const old = await issuer.token({ permissions, exp: issuer.clock.ms / 1000 + 86_400 })
    expect(await statusOf(guard, old)).toBe(200)
    await issuer.rotate({ drop: true })
    issuer.clock.ms += 20 * minute
    expect(await statusOf(guard, old)).toBe(401)
  })

  it('fetches again only when due, for remembered tokens too', async () => {
    const guard = issuer.guard()
    const token = await issuer.token({ permissions })
    for (let at = 0; at < 100; at += 1) expect(await statusOf(guard, token)).toBe(200)
    expect(issuer.keyFetches()).toBe(1)
    issuer.clock.ms += 10 * minute
    for (let at = 0; at < 100; at += 1) expect(await statusOf(guard, token)).toBe(200)
    await eventually(() => expect(issuer.keyFetches()).toBe(2))
    // With the new keys in hand, or the fetch still under way: nobody asks for another.
    for (let at = 0; at < 100; at += 1) expect(await statusOf(guard, token)).toBe(200)
    expect(issuer.keyFetches()).toBe(2)
  })

  it('a clock that is set back does not stop the refresh', async () => {
    const guard = issuer.guard()
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
    issuer.clock.ms -= 60 * minute
    await issuer.rotate()
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
  })

  it('a key that is published anew under the same kid replaces the old one', async () => {
    const guard = issuer.guard()
    const old = await issuer.token({ permissions })
    expect(await statusOf(guard, old)).toBe(200)
    const keys = (await (await fetch(`${issuer.issuer}/oauth2/jwks`)).json()) as { keys: JsonWebKey[] }
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
    const replaced = JSON.stringify({ keys: [{ ...keys.keys[0], n: other.n }] })
    issuer.misbehave = (request, response) =>
      request.url === '/oauth2/jwks' && answerWith(200, replaced)(request, response)
    issuer.clock.ms += 10 * minute
    await eventually(async () => expect(await statusOf(guard, old)).toBe(401))
  })
})

describe('an issuer that is down', () => {
  it('before anything was fetched: 503 with Retry-After, and no storm of tries', async () => {
    issuer.misbehave = down
    const problems: Error[] = []
    const guard = issuer.guard({ onKeysFailure: (problem) => problems.push(problem) })
    const token = await issuer.token({ permissions })
    for (let at = 0; at < 20; at += 1) {
      expect(await guard.check(`Bearer ${token}`, create)).toMatchObject({
        status: 503,
        reason: 'keys_unavailable',
        headers: { 'retry-after': '5' },
        body: { error: 'temporarily_unavailable' },
      })
    }
    expect(issuer.requests.length).toBe(1)
    expect(problems.length).toBe(1)
    issuer.misbehave = undefined
    issuer.clock.ms += 5_000
    expect(await statusOf(guard, token)).toBe(200)
  })

  it('later: the keys in hand go on being used, and nobody waits', async () => {
    const guard = issuer.guard({ fetchTimeoutMs: 20_000 })
    const exp = issuer.clock.ms / 1000 + 86_400
    expect(await statusOf(guard, await issuer.token({ permissions, exp }))).toBe(200)
    issuer.misbehave = down
    for (let hour = 0; hour < 5; hour += 1) {
      issuer.clock.ms += 60 * minute
      expect(await statusOf(guard, await issuer.token({ permissions, exp }))).toBe(200)
    }
    issuer.clock.ms += 60 * minute
    issuer.misbehave = () => true
    const started = performance.now()
    expect(await statusOf(guard, await issuer.token({ permissions, exp }))).toBe(200)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('ends at once where the clock was set back by more than it takes', async () => {
    const guard = issuer.guard()
    issuer.misbehave = down
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(503)
    issuer.misbehave = undefined
    issuer.clock.ms -= 60 * minute
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
  })

  it('does not make forged tokens or unknown keys good', async () => {
    const guard = issuer.guard()
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
    issuer.misbehave = down
    expect(await statusOf(guard, await issuer.forgedToken({ permissions }))).toBe(401)
    await issuer.rotate()
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(401)
    issuer.misbehave = undefined
    issuer.clock.ms += 5_000
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
  })

  it('a log that throws changes nothing', async () => {
    issuer.misbehave = down
    const guard = issuer.guard({
      onKeysFailure: () => {
        throw new Error('log')
      },
    })
    expect(await statusOf(guard, await issuer.token())).toBe(503)
  })
})

describe('documents that are not taken: 503', () => {
  type Document = { issuer: string; jwks_uri: string }
  /** What is wrong with the discovery document; the keys are there, so nothing else is why nobody is let in. */
  const statusWith = async (answer: (right: Document) => Response) => {
    const right = { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/oauth2/jwks` }
    const guard = issuer.guard({
      fetch: async (url, init) =>
        url === `${issuer.issuer}/.well-known/openid-configuration`
          ? answer(right)
          : issuer.fetch(right.jwks_uri, init),
    })
    return await statusOf(guard, await issuer.token({ permissions }))
  }

  it('the right one is', async () => {
    expect(await statusWith((right) => Response.json(right))).toBe(200)
  })

  it.each<[string, (right: Document) => Response]>([
    ['that of another issuer', (right) => Response.json({ ...right, issuer: 'https://evil.test' })],
    ['an issuer with a slash more', (right) => Response.json({ ...right, issuer: `${right.issuer}/` })],
    ['no issuer', ({ jwks_uri }) => Response.json({ jwks_uri })],
    ['no jwks_uri', (right) => Response.json({ issuer: right.issuer })],
    ['a relative jwks_uri', (right) => Response.json({ ...right, jwks_uri: '/oauth2/jwks' })],
    [
      'a jwks_uri without https',
      (right) => Response.json({ ...right, jwks_uri: 'http://keys.example/jwks' }),
    ],
    ['a jwks_uri that is a file', (right) => Response.json({ ...right, jwks_uri: 'file:///etc/passwd' })],
    ['no JSON', () => new Response('<html>')],
    ['null', () => new Response('null')],
    ['a list', () => new Response('[]')],
    ['an error', (right) => Response.json(right, { status: 500 })],
    ['not found', (right) => Response.json(right, { status: 404 })],
    ['an endless document', (right) => Response.json({ ...right, x: 'x'.repeat(300_000) })],
  ])('%s', async (_, answer) => {
    expect(await statusWith(answer)).toBe(503)
  })

  it('a redirect, although it leads to the right one', async () => {
    issuer.misbehave = (request, response) => {
      if (request.url === '/oauth2/jwks') return false
      const right = JSON.stringify({ issuer: issuer.issuer, jwks_uri: `${issuer.issuer}/oauth2/jwks` })
      const moved = answerWith(302, '', { location: `${issuer.issuer}/moved` })
      return (request.url === '/moved' ? answerWith(200, right) : moved)(request, response)
    }
    expect(await statusOf(issuer.guard(), await issuer.token({ permissions }))).toBe(503)
  })

  it('keys on loopback, where the issuer has https', async () => {
    const own = await createTestIssuer({ audience })
    const statusWithKeysAt = async (jwks_uri: string) => {
      const fetch: GuardOptions['fetch'] = async (url, init) =>
        url === jwks_uri
          ? own.fetch(`${own.issuer}/oauth2/jwks`, init)
          : Response.json({ issuer: own.issuer, jwks_uri })
      return await statusOf(createGuard({ ...own.guardOptions, fetch }), await own.token({ permissions }))
    }
    expect(await statusWithKeysAt('https://localhost/jwks')).toBe(200)
    expect(await statusWithKeysAt('http://localhost/jwks')).toBe(503)
  })

  it.each([
    ['keys that are no list', '{"keys":{}}'],
    ['no keys', '{}'],
    ['an endless set', `{"keys":["${'x'.repeat(300_000)}"]}`],
  ])('%s', async (_, body) => {
    issuer.misbehave = (request, response) =>
      request.url === '/oauth2/jwks' && answerWith(200, body)(request, response)
    expect(await statusOf(issuer.guard(), await issuer.token({ permissions }))).toBe(503)
  })

  it('no answer in time, at the head or in the body, heeded by fetch or not', async () => {
    const token = await issuer.token({ permissions })
    issuer.misbehave = () => true
    expect(await statusOf(issuer.guard({ fetchTimeoutMs: 50 }), token)).toBe(503)
    issuer.misbehave = (_, response) => response.writeHead(200).write('{')
    expect(await statusOf(issuer.guard({ fetchTimeoutMs: 50 }), token)).toBe(503)
    const deaf = issuer.guard({ fetchTimeoutMs: 50, fetch: () => new Promise(() => {}) })
    expect(await statusOf(deaf, token)).toBe(503)
  })

  it('but an answer that waits while the process itself stands still is read', async () => {
    const still = issuer.guard({
      fetchTimeoutMs: 100,
      fetch: async (url, init) => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
        await new Promise((resolve) => setTimeout(resolve, 20))
        return issuer.fetch(url, init)
      },
    })
    expect(await statusOf(still, await issuer.token({ permissions }))).toBe(200)
  })
})

describe('keys that do not fit are left out, and the others are used', () => {
  const guardWithKeys = (change: (keys: Record<string, unknown>[]) => unknown[]): Guard =>
    createGuard({
      ...issuer.guardOptions,
      fetch: async (url, init) => {
        const answer = await issuer.fetch(url, init)
        if (!url.endsWith('/jwks')) return answer
        const { keys } = (await answer.json()) as { keys: Record<string, unknown>[] }
        return Response.json({ keys: change(keys) })
      },
    })
  const guardWith = (change: (key: Record<string, unknown>) => unknown): Guard =>
    guardWithKeys((keys) => keys.map(change))

  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
  it.each<[string, (key: Record<string, unknown>) => unknown]>([
    ['for encryption', (key) => ({ ...key, use: 'enc' })],
    ['for other operations', (key) => ({ ...key, key_ops: ['encrypt'] })],
    ['for another algorithm', (key) => ({ ...key, alg: 'RS512' })],
    ['of another type', (key) => ({ ...key, kty: 'oct', k: 'AAAA' })],
    ['too small', (key) => ({ ...key, n: small.n })],
    ['too small, padded with zeros', (key) => ({ ...key, n: `${'A'.repeat(400)}${small.n}` })],
    ['without a kid', (key) => ({ ...key, kid: undefined })],
    ['not a key', (key) => ({ ...key, n: '!'.repeat(400) })],
    ['null', () => null],
    ['a text', () => 'key'],
  ])('%s', async (_, change) => {
    expect(await statusOf(guardWith(change), await issuer.token({ permissions }))).toBe(401)
  })

  it('a private key in the set is not used as such', async () => {
    const guard = guardWith((key) => ({ ...key, d: 'AAAA', p: 'AA', q: 'AA', dp: 'AA', dq: 'AA', qi: 'AA' }))
    expect(await statusOf(guard, await issuer.token({ permissions }))).toBe(200)
  })

  it('another key under the same kid does not take the place of the first', async () => {
    const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
    const twice = (reversed: boolean) =>
      guardWithKeys((keys) => {
        const both = keys.flatMap((key) => [key, { ...key, n }])
        return reversed ? both.reverse() : both
      })
    const token = await issuer.token({ permissions })
    expect(await statusOf(twice(false), token)).toBe(200)
    expect(await statusOf(twice(true), token)).toBe(401)
  })
})

describe('other algorithms, when the configuration names them', () => {
  it.each(['RS512', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const)('%s', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', use: 'sig' }]
    const options: GuardOptions = {
      ...issuer.guardOptions,
      fetch: async (url, init) => (url.endsWith('/jwks') ? Response.json({ keys }) : issuer.fetch(url, init)),
    }
    const token = await new SignJWT({ client_id: 'c', jti: 'j', permissions })
      .setProtectedHeader({ alg, kid: 'k', typ: 'at+jwt' })
      .setIssuer(issuer.issuer)
      .setAudience(audience)
      .setSubject('s')
      .setIssuedAt(issuer.clock.ms / 1000)
      .setExpirationTime(issuer.clock.ms / 1000 + 60)
      .sign(privateKey)
    expect(await statusOf(createGuard({ ...options, algorithms: ['RS256', alg] }), token)).toBe(200)
    // As delivered, the two that Tessera signs with.
    expect(await statusOf(createGuard(options), token)).toBe(alg === 'ES256' ? 200 : 401)
    expect(await statusOf(createGuard({ ...options, algorithms: ['RS256'] }), token)).toBe(401)
    const tampered = reassemble(token, { payload: { sub: 'other' } })
    expect(await statusOf(createGuard({ ...options, algorithms: [alg] }), tampered)).toBe(401)
  })
})

describe('what is remembered', () => {
  it('is bounded, and forgetting changes no decision', async () => {
    for (const rememberedTokens of [0, 1, 3, 10]) {
      const guard = issuer.guard({ rememberedTokens })
      const tokens = await Promise.all(
        Array.from({ length: 12 }, (_, at) => issuer.token({ permissions: at % 2 ? permissions : [] })),
      )
      for (const _ of [1, 2, 3]) {
        for (const [at, token] of tokens.entries())
          expect(await statusOf(guard, token)).toBe(at % 2 ? 200 : 403)
      }
    }
  })

  it('is nothing where nothing is to be', async () => {
    const token = await issuer.token({ permissions })
    const claims = async (guard: Guard) => {
      const decision = await guard.authenticate(`Bearer ${token}`)
      return decision.allowed && decision.claims
    }
    // What is remembered is given out again; what is not is read anew.
    const [remembers, forgets] = [issuer.guard(), issuer.guard({ rememberedTokens: 0 })]
    expect(await claims(remembers)).toBe(await claims(remembers))
    expect(await claims(forgets)).not.toBe(await claims(forgets))
  })
})

describe('options that stop the start', () => {
  const good = { issuer: 'https://id.acme.example', audience }
  it.each([
    { issuer: 'http://id.acme.example' },
    { issuer: 'http://127.0.0.1.evil.test' },
    { issuer: 'http://localhost.evil.test' },
    { issuer: 'http://notlocalhost' },
    { issuer: 'ftp://localhost' },
    { issuer: 'id.acme.example' },
    { issuer: '' },
    { issuer: undefined },
    { issuer: 'https://id.acme.example?x' },
    { issuer: 'https://id.acme.example#' },
    { issuer: 'https://user:pass@id.acme.example' },
    { audience: '' },
    { audience: undefined },
    { audience: [audience] },
    { algorithms: ['none'] },
    { algorithms: ['HS256'] },
    { algorithms: ['RS256', 'HS512'] },
    { algorithms: [] },
    { algorithms: 'RS256' },
    { clockToleranceMs: -1 },
    { clockToleranceMs: 3_600_000 },
    { clockToleranceMs: Number.NaN },
    { keysMaxAgeMs: '600000' },
    { rememberedTokens: -1 },
    { fetchTimeoutMs: 0 },
    { maxTokenLength: Number.POSITIVE_INFINITY },
  ])('%j', (wrong) => {
    expect(() => createGuard({ ...good, ...wrong } as unknown as GuardOptions)).toThrow(TypeError)
  })

  it('https anywhere and http on loopback are fine', () => {
    for (const fine of [
      'https://id.acme.example/tenant',
      'http://localhost:4000',
      'http://[::1]:1',
      'http://127.0.0.2',
    ]) {
      expect(() => createGuard({ ...good, issuer: fine })).not.toThrow()
    }
  })
})
