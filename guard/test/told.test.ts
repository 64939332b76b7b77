/** What a guard says when its configuration, a token or a route is not what it should be. */
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGuard, type Guard, type GuardOptions } from '../src/index.ts'
import { audience, create, down, type HttpIssuer, startIssuer } from './issuer.ts'

let issuer: HttpIssuer
let log: ReturnType<typeof vi.spyOn>
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.close())
beforeEach(() => {
  issuer.misbehave = undefined
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => log.mockRestore())

const permissions = [create]
/** As it is delivered: it writes to the console. */
const guardOf = (options: Partial<GuardOptions> = {}) =>
  issuer.guard({ onKeysFailure: undefined, ...options })
const lines = () => log.mock.calls.map((line: unknown[]) => line.join(' '))
const ask = async (guard: Guard, token: string) => await guard.check(`Bearer ${token}`, create)
const describedBy = async (guard: Guard, token: string) => {
  const decision = await ask(guard, token)
  return decision.allowed ? 'allowed' : `${decision.status} ${decision.body.error_description}`
}

describe('a wrong issuer', () => {
  it('with a slash at its end stops the start, and says how it is right', () => {
    const wrong: GuardOptions = { issuer: 'https://id.acme.example/', audience }
    expect(() => createGuard(wrong)).toThrow(
      new TypeError('Guard option issuer: it must not end with a slash; write https://id.acme.example'),
    )
    expect(() => createGuard({ ...wrong, issuer: 'https://id.acme.example/tenant//' })).toThrow(
      /https:\/\/id\.acme\.example\/tenant$/,
    )
  })

  it('that another host name reaches is told once, with what was expected and what was found', async () => {
    const found = issuer.issuer
    const expected = found.replace('127.0.0.1', 'localhost')
    const guard = guardOf({
      issuer: expected,
      retryCooldownMs: 100,
      fetch: (url, init) => fetch(url.replace('localhost', '127.0.0.1'), init),
    })
    const token = await issuer.token({ permissions })
    for (let time = 0; time < 3; time += 1) {
      expect((await ask(guard, token)).allowed).toBe(false)
      issuer.clock.ms += 1000
    }
    expect(lines()).toEqual([
      `@tessera/guard: no keys, so requests with a token are answered 503. The document at ${expected}/.well-known/openid-configuration is of another issuer: expected "${expected}", found "${found}"`,
    ])
  })

  it('at a port where nothing listens is told with the address and the reason', async () => {
    const port = await freePort()
    const guard = guardOf({ issuer: `http://127.0.0.1:${port}` })
    expect(await ask(guard, await issuer.token({ permissions }))).toMatchObject({ status: 503 })
    expect(lines()).toEqual([
      expect.stringMatching(
        new RegExp(
          `No answer from http://127\\.0\\.0\\.1:${port}/\\.well-known/openid-configuration: .*ECONNREFUSED`,
        ),
      ),
    ])
  })

  it('that is none at all is told in one line, whatever its document holds', async () => {
    const fetch: GuardOptions['fetch'] = async () =>
      Response.json({ issuer: `\n\u001b[31m${'x'.repeat(5000)}` })
    await ask(guardOf({ fetch }), await issuer.token({ permissions }))
    const [line = ''] = lines()
    expect(line.length).toBeLessThan(700)
    expect(line).not.toMatch(/\p{Cc}/u)
  })

  it('is told again when it is another problem, and when keys were had in between', async () => {
    const guard = guardOf({ keysMaxAgeMs: 1000, retryCooldownMs: 100 })
    const turn = async (misbehave: typeof issuer.misbehave) => {
      issuer.misbehave = misbehave
      issuer.clock.ms += 5000
      await guard.ready()
    }
    for (const misbehave of [down, down, undefined, down]) await turn(misbehave)
    expect(lines()).toHaveLength(2)
    expect(lines()[1]).toContain('the keys in hand are used')
  })

  it('is told to the service alone where it listens, each time', async () => {
    issuer.misbehave = down
    const onKeysFailure = vi.fn()
    const guard = guardOf({ onKeysFailure, retryCooldownMs: 100 })
    for (let time = 0; time < 2; time += 1) {
      await guard.ready()
      issuer.clock.ms += 1000
    }
    expect(onKeysFailure).toHaveBeenCalledTimes(2)
    expect(lines()).toEqual([])
  })
})

describe('a token for another audience', () => {
  const said = async (aud: string | string[]) =>
    await describedBy(guardOf(), await issuer.token({ permissions, aud }))

  it('is told which it has and which is needed', async () => {
    expect(await said('https://archive.acme.example/api')).toBe(
      `401 The access token is meant for another audience: it is for https://archive.acme.example/api, and this service is ${audience}`,
    )
    expect(await said(['urn:a', 'urn:b'])).toContain('it is for urn:a, urn:b, and this')
    expect(await said([])).toContain('it is for nobody, and this')
  })

  it('is told of the scope service.api where the token is for the issuer alone', async () => {
    expect(await said(issuer.issuer)).toMatch(
      /: it is for the issuer alone, .*; ask for the scope service\.api$/,
    )
    expect(await said([issuer.issuer, 'urn:a'])).not.toContain('service.api')
  })

  it('stays short, and within the quotes of the header', async () => {
    const token = await issuer.token({
      permissions,
      aud: ['" , Bearer realm="x', 'é'.repeat(50), ...Array<string>(500).fill('urn:long')],
    })
    const decision = await ask(guardOf(), token)
    if (decision.allowed) throw new Error('let in')
    const header = decision.headers['www-authenticate'] ?? ''
    expect(header.length).toBeLessThan(600)
    expect(header).toMatch(
      /^Bearer error="invalid_token", error_description="[\x20-\x21\x23-\x5b\x5d-\x7e]*"$/,
    )
  })

  it('learns nothing when the issuer did not sign it', async () => {
    const forged = await issuer.forgedToken({ permissions, aud: 'urn:a' })
    expect(await describedBy(guardOf(), forged)).not.toContain(audience)
  })
})

describe('a route without an entry', () => {
  const table = { 'GET /imports': create }
  const at = async (method: string | undefined, url: string, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${await issuer.token({ permissions })}`
    const request = { method, url, headers: { authorization, ...headers } }
    const decision = await guardOf().routes(table).check(request)
    return decision.allowed ? 'allowed' : decision.body.error_description
  }

  it('is named with its method and path, without the query', async () => {
    expect(await at('DELETE', '/imports?code=secret')).toBe(
      'No permission is mapped for DELETE /imports, so nobody may call it',
    )
    expect(await at('GET', '/imports/')).toContain('GET /imports/,')
    expect(await at('GET', `/${'x'.repeat(9000)}`)).toMatch(/^.{100,400}$/)
    expect(await at('GET', '/a\u0000\nb')).not.toMatch(/\p{Cc}/u)
  })

  it('is named by the pattern of the router where that is known, and by the path where it has none', async () => {
    const routes = guardOf().routes(table)
    const headers = { authorization: `Bearer ${await issuer.token({ permissions })}` }
    const said = async (pattern: string | undefined, source: object) => {
      const decision = await routes.checkRoute('PUT', pattern, source as { headers: typeof headers })
      return decision.allowed ? 'allowed' : decision.body.error_description
    }
    expect(await said('/imports/:id', { headers, url: '/imports/7' })).toContain('for PUT /imports/:id,')
    expect(await said(undefined, { headers, url: '/nowhere?x' })).toContain('for PUT /nowhere,')
    expect(await said(undefined, { headers })).toContain('for PUT, so')
  })

  it('is not named to who brings no valid token', async () => {
    const decision = await guardOf().routes(table).check({ method: 'GET', url: '/x', headers: {} })
    expect(JSON.stringify(decision)).not.toContain('/x')
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
