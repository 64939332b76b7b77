import { Agent, get } from 'node:http'
import fc from 'fast-check'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGuard, type Guard, PUBLIC, type RoutableRequest, type RouteTable } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'
import { audience, create, read } from './issuer.ts'

const other = 'submissions-tool.submission.approve'
const table: RouteTable = {
  'POST /:api_area/vista-import': create,
  'GET /:api_area/vista-import': read,
  'GET /health': PUBLIC,
  'GET /': PUBLIC,
  'GET /:api_area/open': PUBLIC,
  'GET /admin/open': other,
  'DELETE /a/b/:c': other,
}

let issuer: TestIssuer
let guard: Guard
let authorization: string

beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  guard = createGuard(issuer.guardOptions)
  authorization = `Bearer ${await issuer.token({ permissions: [create, read] })}`
})

/** The status that a request with both import permissions gets, and why. */
async function ask(method: string, url: string, headers: Record<string, string> = { authorization }) {
  const decision = await guard.routes(table).check({ method, url, headers })
  return decision.allowed ? (decision.claims === undefined ? 'public' : 'allowed') : decision.reason
}

describe('an entry', () => {
  it.each([
    ['POST', '/submissions/vista-import', 'allowed'],
    ['POST', '/submissions/vista-import?x=/../health', 'allowed'],
    ['POST', '/any%20area/vista-import', 'allowed'],
    ['GET', '/submissions/vista-import', 'allowed'],
    ['HEAD', '/submissions/vista-import', 'allowed'],
    ['GET', '/health', 'public'],
    ['HEAD', '/health', 'public'],
    ['GET', '/', 'public'],
    ['GET', '/?a', 'public'],
    ['GET', '/x/open', 'public'],
    ['GET', '/admin/open', 'insufficient_scope'],
    ['DELETE', '/a/b/c', 'insufficient_scope'],
  ])('%s %s: %s', async (method, url, outcome) => {
    expect(await ask(method, url)).toBe(outcome)
  })

  it('is not met without a token, and public ones need none, whatever token comes', async () => {
    expect(await ask('POST', '/submissions/vista-import', {})).toBe('no_credential')
    expect(await ask('GET', '/health', {})).toBe('public')
    expect(await ask('GET', '/health', { authorization: 'Bearer junk' })).toBe('public')
  })

  it('works for web-standard requests', async () => {
    const routes = guard.routes(table)
    const request = (url: string, method: string) => new Request(url, { method, headers: { authorization } })
    expect(await routes.check(request('https://x.test/s/vista-import?a', 'POST'))).toMatchObject({
      allowed: true,
    })
    expect(await routes.check(request('https://x.test', 'GET'))).toMatchObject({
      allowed: true,
      claims: undefined,
    })
    expect(await routes.check(request('https://x.test/health/x', 'GET'))).toMatchObject({
      reason: 'unmapped_route',
    })
  })

  it('sees the whole path under an Express mount, and what was rewritten before', async () => {
    const routes = guard.routes(table)
    const at = (target: object) =>
      routes
        .check({ method: 'GET', headers: { authorization }, ...target })
        .then((decision) => decision.allowed)
    expect(await at({ originalUrl: '/s/vista-import', baseUrl: '/s', url: '/vista-import' })).toBe(true)
    expect(await at({ originalUrl: '/health', baseUrl: '/health', url: '/' })).toBe(true)
    expect(await at({ originalUrl: '/health?x', baseUrl: '/health', url: '/?x' })).toBe(true)
    expect(await at({ originalUrl: '/s/vista-import', url: '/vista-import' })).toBe(true)
    expect(await at({ originalUrl: '/health', baseUrl: '', url: '/secret' })).toBe(false)
    expect(await at({ originalUrl: '/secret/health', baseUrl: '/secret', url: '/health' })).toBe(false)
  })
})

describe('what has no entry is refused', () => {
  it.each([
    ['PUT', '/submissions/vista-import'],
    ['DELETE', '/submissions/vista-import'],
    ['OPTIONS', '/submissions/vista-import'],
    ['HEAD', '/'.padEnd(5000, 'a')],
    ['post', '/submissions/vista-import'],
    ['TRACE', '/health'],
    ['__proto__', '/health'],
    ['', '/health'],
    ['GET', '/submissions'],
    ['GET', '/submissions/vista-import/1'],
    ['GET', ''],
    ['GET', '*'],
    ['GET', 'health'],
    ['GET', 'http://x.test/health'],
    ['GET', '//health'],
    ['GET', '/health/'],
    ['GET', '//'],
    ['GET', '/./health'],
    ['GET', '/x/../health'],
    ['GET', '/%2e/health'],
    ['GET', '/%2E%2e/open'],
    ['GET', '/../open'],
    ['GET', '/x%2fy/open'],
    ['GET', '/x%5Cy/open'],
    ['GET', '/x\\y/open'],
    ['GET', '/x;y/open'],
    ['GET', '/x#/open'],
    ['GET', '/x%00/open'],
    ['GET', '/x%0d%0a/open'],
    ['GET', '/x%zz/open'],
    ['GET', '/x%/open'],
    ['GET', '/%ff/open'],
    ['GET', '/é/open'],
    ['GET', '/a b/open'],
    ['GET', '/HEALTH'],
    ['GET', '/__proto__'],
    ['GET', '//open'],
    ['GET', '/:api_area/open/'],
    // Routers disagree on whether these are /admin/open, which is not public.
    ['GET', '/ADMIN/open'],
    ['GET', '/%61dmin/open'],
    ['GET', '/%41dmin/open'],
    ['GET', '/admi%6e/open'],
  ])('%s %s', async (method, url) => {
    expect(await ask(method, url)).toBe('unmapped_route')
    expect(await ask(method, url, {})).toBe('no_credential')
  })

  it('a path that one router alone, which folds case and does not decode, takes for another entry', async () => {
    const routes = guard.routes({ 'GET /Area/open': PUBLIC, 'GET /area/:name': other })
    const at = async (url: string) => await routes.check({ method: 'GET', url, headers: { authorization } })
    expect(await at('/Area/open')).toMatchObject({ allowed: true })
    expect(await at('/Area/%6Fpen')).toMatchObject({ reason: 'unmapped_route' })
  })

  it('with 403 and a body that says so', async () => {
    const decision = await guard.routes(table).check({ method: 'GET', url: '/x', headers: { authorization } })
    expect(decision).toMatchObject({ status: 403, body: { error: 'unmapped_route' } })
  })

  it('even when the request is nearly nothing', async () => {
    expect(await guard.routes({}).check({ headers: {} })).toMatchObject({ status: 401 })
    for (const wrong of [null, undefined, 1, {}, { headers: null }, { headers: { authorization }, url: 7 }]) {
      expect(await guard.routes(table).check(wrong as unknown as RoutableRequest)).toMatchObject({
        allowed: false,
      })
    }
  })
})

describe('a wrong table stops the start', () => {
  it.each<[string, unknown]>([
    ['get /x', read],
    ['GET  /x', read],
    ['GET /x ', read],
    ['GET', read],
    ['/x', read],
    ['', read],
    ['FETCH /x', read],
    ['* /x', read],
    ['GET x', read],
    ['GET /x/', read],
    ['GET //x', read],
    ['GET /x//y', read],
    ['GET /x/*', read],
    ['GET /*', read],
    ['GET /:', read],
    ['GET /:a-:b', read],
    ['GET /:a?', read],
    ['GET /:a(\\d+)', read],
    ['GET /x?y', read],
    ['GET /x#y', read],
    ['GET /../x', read],
    ['GET /./x', read],
    ['GET /%78', read],
    ['GET /é', read],
    ['GET /:a/:a', read],
    ['GET /x', ''],
    ['GET /x', 'read'],
    ['GET /x', 'a.b'],
    ['GET /x', 'a.b.c.d'],
    ['GET /x', 'a.b.*'],
    ['GET /x', 'A.b.c'],
    ['GET /x', ' a.b.c'],
    ['GET /x', 'PUBLIC'],
    ['GET /x', 'public'],
    ['GET /x', undefined],
    ['GET /x', null],
    ['GET /x', true],
    ['GET /x', [read]],
    ['GET /x', Symbol('public')],
    ['GET /x', { everybody: true }],
  ])('%s: %s', (key, requirement) => {
    expect(() => guard.routes({ [key]: requirement } as RouteTable)).toThrow(TypeError)
  })

  it.each([
    ['GET /:a', 'GET /:b'],
    ['GET /:a/x', 'GET /:b/x'],
    ['GET /:a/x', 'GET /x/:a'],
    ['GET /x', 'GET /X'],
    ['GET /a/:b/c/:d', 'GET /:a/b/:c/d'],
    ['HEAD /:a/x', 'GET /x/:a'],
  ])('%s beside %s', (one, two) => {
    expect(() => guard.routes({ [one]: read, [two]: create })).toThrow(TypeError)
    expect(() => guard.routes({ [two]: create, [one]: read })).toThrow(TypeError)
  })

  it('entries that are apart, or one plainly more specific, are fine', () => {
    const fine = [
      'GET /:a',
      'GET /x',
      'POST /:b',
      'GET /:a/x',
      'GET /y/x',
      'GET /:a/z',
      'HEAD /x',
      'OPTIONS /x',
    ]
    expect(() => guard.routes(Object.fromEntries(fine.map((key) => [key, read])))).not.toThrow()
  })
})

/**
 * The routers themselves, against the table: whatever path comes, a handler whose permission the caller lacks
 * must not be reached through the entry of another route.
 */
describe('the table sees what the router sees', () => {
  const app: FastifyInstance = fastify()
  const hono = new Hono()
  const patterns = Object.keys(table)
    .filter((key) => key.startsWith('GET '))
    .map((key) => key.slice(4))
  for (const pattern of patterns) {
    app.get(pattern, async () => pattern)
    hono.get(pattern, (context) => context.text(pattern))
  }
  let port = 0
  beforeAll(async () => {
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
  })
  const agent = new Agent({ keepAlive: true })
  afterAll(() => {
    agent.destroy()
    return app.close()
  })

  /** The path exactly as written, which fetch and Fastify's inject would tidy up. Undefined unless answered 200. */
  const sendRaw = (path: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      get({ port, host: '127.0.0.1', path, agent }, (answer) => {
        let text = ''
        answer.on('data', (data) => {
          text += String(data)
        })
        answer.on('end', () => resolve(answer.statusCode === 200 ? text : undefined))
      }).on('error', reject)
    })

  const askHono = async (path: string) => {
    const answer = await hono.request(`http://x.test${path}`)
    return answer.ok ? answer.text() : undefined
  }

  const piece = fc.constantFrom(
    '/',
    '//',
    '.',
    '..',
    '%2e',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    ';',
    '?',
    '%',
    '%25',
    'admin',
    'ADMIN',
    '%61dmin',
    'open',
    'OPEN',
    'op%65n',
    'health',
    'x',
    '%00',
    ':api_area',
    'vista-import',
    '+',
    '%20',
    '*',
  )
  const path = fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join('')}`)

  it('Fastify and Hono', async () => {
    const routes = guard.routes(table)
    const reached = new Set<string>()
    const agree = async (url: string) => {
      const seen = await routes.check({ method: 'GET', url, headers: { authorization } })
      const seenOnWeb = await routes.check(new Request(`http://x.test${url}`, { headers: { authorization } }))
      const answers = [
        [seen, await sendRaw(url)],
        [seenOnWeb, await askHono(url)],
      ] as const
      for (const [decision, handler] of answers) {
        if (!decision.allowed || handler === undefined) continue
        reached.add(handler)
        const requirement = table[`GET ${handler}`]
        if (decision.claims === undefined) expect([url, requirement]).toEqual([url, PUBLIC])
        else expect([PUBLIC, read]).toContain(requirement)
      }
    }
    await fc.assert(fc.asyncProperty(path, agree), { numRuns: 1500 })
    for (const url of ['/', '/health', '/x/open', '/x/vista-import']) await agree(url)
    expect([...reached].sort()).toEqual(['/', '/:api_area/open', '/:api_area/vista-import', '/health'])
  })
})
