import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as onFastify from '../src/adapters/fastify.ts'
import * as onNode from '../src/adapters/node.ts'
import * as onWeb from '../src/adapters/web.ts'
import { type AccessTokenClaims, createGuard, type Guard, PUBLIC } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'
import { audience, create, read } from './issuer.ts'

let issuer: TestIssuer
let guard: Guard
let importer: Record<string, string>
let reader: Record<string, string>
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  guard = createGuard(issuer.guardOptions)
  importer = { authorization: `Bearer ${await issuer.token({ sub: 'importer', permissions: [create] })}` }
  reader = { authorization: `Bearer ${await issuer.token({ sub: 'reader', permissions: [read] })}` }
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What each adapter must do with POST /s/vista-import, which answers with the caller's `sub`. */
async function expectGuarded(send: (headers: Record<string, string>) => Promise<Response>): Promise<void> {
  const bare = await send({})
  expect(bare.status).toBe(401)
  expect(bare.headers.get('www-authenticate')).toBe('Bearer')
  expect(bare.headers.get('cache-control')).toBe('no-store')
  const junk = await send({ authorization: 'Bearer junk' })
  expect(junk.status).toBe(401)
  expect(junk.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
  const forbidden = await send(reader)
  expect(forbidden.status).toBe(403)
  expect(forbidden.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await forbidden.json()).toMatchObject({ error: 'insufficient_scope', permission: create })
  const allowed = await send(importer)
  expect([allowed.status, await allowed.text()]).toEqual([200, 'importer'])
}

const post = (url: string) => (headers: Record<string, string>) =>
  fetch(url, { method: 'POST', headers, body: 'x' })

/** GET with header lines as they are: one Authorization is let in, a second one is not, whichever it is. */
async function expectOneHeader(address: string): Promise<void> {
  const { port, hostname } = new URL(address)
  const send = (lines: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname)
      socket.on('data', (data) => (text += String(data))).on('close', () => resolve(text))
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines}\r\n`)
    })
  const line = `Authorization: ${importer.authorization}\r\n`
  expect(await send(line)).toMatch(/^HTTP\/1.1 200 /)
  expect(await send(line + line)).toMatch(/^HTTP\/1.1 401 /)
  expect(await send(`${line}AUTHORIZATION: Bearer x\r\n`)).toMatch(/^HTTP\/1.1 401 /)
}

/** A node:http server that calls middleware the way Connect and Express do. */
function listenWith(middleware: onNode.Middleware, handler: RequestListener): Promise<string> {
  return listen((request, response) => {
    middleware(request, response, (problem) => {
      if (problem !== undefined) response.writeHead(500).end('the guard failed')
      else handler(request, response)
    })
  })
}

const answerSub: RequestListener = (request, response) => void response.end(onNode.claimsOf(request).sub)

describe('node:http', () => {
  it('a wrapped handler', async () => {
    const url = await listen(
      onNode.protect(guard, create, (_, response, claims: AccessTokenClaims) => response.end(claims.sub)),
    )
    await expectGuarded(post(url))
  })

  it('a repeated Authorization header on the wire is refused, though node shows only the first', async () => {
    const url = await listen(onNode.protect(guard, create, (_, response) => response.end('in')))
    await expectOneHeader(url)
  })

  it('refuses a permission that is none when it starts', () => {
    for (const wrong of ['', 'create', 'a.b', `${create} `]) {
      expect(() => onNode.protect(guard, wrong, () => undefined)).toThrow(TypeError)
      expect(() => onNode.requirePermission(guard, wrong)).toThrow(TypeError)
      expect(() => onFastify.requirePermission(guard, wrong)).toThrow(TypeError)
      expect(() => onWeb.protect(guard, wrong, () => new Response())).toThrow(TypeError)
    }
  })
})

describe('Express and Connect', () => {
  it('middleware of one route', async () => {
    await expectGuarded(post(await listenWith(onNode.requirePermission(guard, create), answerSub)))
  })

  it('middleware of a whole service', async () => {
    const routes = onNode.guardRoutes(guard, { 'POST /:area/vista-import': create, 'GET /health': PUBLIC })
    const url = await listenWith(routes, (request, response) => {
      if (request.url === '/health') response.end('up')
      else answerSub(request, response)
    })
    await expectGuarded(post(`${url}/s/vista-import`))
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect((await fetch(`${url}/other`)).status).toBe(401)
    expect((await fetch(`${url}/other`, { headers: importer })).status).toBe(403)
    expect((await fetch(`${url}/s/vista-import/`, { method: 'POST', headers: importer })).status).toBe(403)
  })

  it('claims of a request that passed no guard are an error, not nothing', () => {
    expect(() => onNode.claimsOf({})).toThrow('did not pass a guard')
  })
})

describe('Fastify', () => {
  it('a hook of one route, before and after the body is read', async () => {
    for (const hook of ['onRequest', 'preHandler'] as const) {
      const app = fastify()
      closing.push(() => app.close())
      app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null))
      app.post(
        '/',
        { [hook]: onFastify.requirePermission(guard, create) },
        async (r) => onFastify.claimsOf(r).sub,
      )
      await expectGuarded(post(await app.listen({ port: 0, host: '127.0.0.1' })))
    }
  })

  it('a plugin for a whole service, prefixes and missing routes included', async () => {
    const app = fastify()
    closing.push(() => app.close())
    app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => done(null))
    await app.register(
      onFastify.guardRoutes(guard, {
        'POST /:api_area/vista-import': create,
        'GET /:api_area/vista-import': read,
        'GET /health': PUBLIC,
      }),
    )
    await app.register(
      async (area) => {
        area.post('/vista-import', async (request) => onFastify.claimsOf(request).sub)
        area.get('/vista-import', async () => 'list')
        area.get('/unmapped', async () => 'never')
      },
      { prefix: '/:area' },
    )
    app.get('/health', async () => 'up')
    app.get('/wild/*', async () => 'never')
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    await expectGuarded(post(`${url}/s/vista-import`))
    const status = async (path: string, headers = importer, method = 'GET') =>
      (await fetch(url + path, { method, headers })).status
    expect(await status('/health', {})).toBe(200)
    expect(await status('/s/vista-import', reader)).toBe(200)
    expect(await status('/s/vista-import', reader, 'HEAD')).toBe(200)
    expect(await status('/s/vista-import')).toBe(403)
    for (const path of ['/s/unmapped', '/nothing', '/wild/x', '/s/vista-import/', '/HEALTH', '//health']) {
      expect([path, await status(path)]).toEqual([path, 403])
      expect([path, await status(path, {})]).toEqual([path, 401])
    }
    expect(await status('/s/vista-import', importer, 'OPTIONS')).toBe(403)
  })
})

type Wrap = (request: IncomingMessage) => object
it.each<[string, Wrap]>([
  ['Fastify', (raw) => ({ raw })],
  ['Koa', (req) => ({ req })],
  ['hapi', (req) => ({ raw: { req } })],
])('a request wrapped as %s does hides no repeated header', async (_, wrap) => {
  const url = await listen((request, response) => {
    const wrapped = { headers: request.headers, ...wrap(request) }
    void guard.check(wrapped, create).then((decision) => {
      response.writeHead(decision.allowed ? 200 : decision.status).end()
    })
  })
  await expectOneHeader(url)
})

it("Fastify's own request, given to the guard without its adapter, hides no repeated header", async () => {
  const app = fastify()
  closing.push(() => app.close())
  app.get('/', async (request, reply) => {
    const decision = await guard.check(request, create)
    return reply.code(decision.allowed ? 200 : decision.status).send('')
  })
  await expectOneHeader(await app.listen({ port: 0, host: '127.0.0.1' }))
})

describe('web-standard handlers', () => {
  const send = (handler: (request: Request) => Promise<Response>) => (headers: Record<string, string>) =>
    handler(new Request('https://x.test/s/vista-import', { method: 'POST', headers }))

  it('a wrapped handler, which gets what the framework passes after the request', async () => {
    const handler = onWeb.protect(guard, create, (_, claims, context: { params: { id: string } }) => {
      expect(context.params.id).toBe('7')
      return new Response(claims.sub)
    })
    await expectGuarded(send((request) => handler(request, { params: { id: '7' } })))
  })

  it('a whole service', async () => {
    const table = { 'POST /:area/vista-import': create, 'GET /health': PUBLIC }
    const handler = onWeb.protectRoutes(guard, table, (_, claims) => new Response(claims?.sub ?? 'public'))
    await expectGuarded(send(handler))
    expect(await (await handler(new Request('https://x.test/health'))).text()).toBe('public')
    expect((await handler(new Request('https://x.test/x', { headers: importer }))).status).toBe(403)
  })

  it('Hono', async () => {
    const app = new Hono<{ Variables: { claims: AccessTokenClaims } }>()
    app.use('*', async (context, next) => {
      const decision = await guard.check(context.req.raw, create)
      if (!decision.allowed) return onWeb.toResponse(decision)
      context.set('claims', decision.claims)
      return next()
    })
    app.post('/s/vista-import', (context) => context.text(context.get('claims').sub))
    await expectGuarded(send(async (request) => app.fetch(request)))
  })
})

describe('CORS before the guard, as docs/integrate-api.md has it', () => {
  const origin = 'https://app.acme.example'
  const app = (corsFirst: boolean) => {
    const routes = guard.routes({ 'POST /imports': create })
    const hono = new Hono()
    const allow = cors({ origin, exposeHeaders: ['WWW-Authenticate'] })
    if (corsFirst) hono.use('*', allow)
    hono.use('*', async (context, next) => {
      const decision = await routes.check(context.req.raw)
      return decision.allowed ? next() : onWeb.toResponse(decision)
    })
    if (!corsFirst) hono.use('*', allow)
    return hono.post('/imports', (context) => context.text('imported'))
  }
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }

  it('answers preflights, and lets pages read refusals', async () => {
    const hono = app(true)
    expect((await hono.request('/imports', preflight)).status).toBe(204)
    for (const [status, headers] of [
      [401, {}],
      [403, reader],
      [200, importer],
    ] as const) {
      const answer = await hono.request('/imports', { method: 'POST', headers: { origin, ...headers } })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, origin])
      expect(answer.headers.get('access-control-expose-headers')).toBe('WWW-Authenticate')
    }
  })

  it('after it would refuse them', async () => {
    expect((await app(false).request('/imports', preflight)).status).toBe(401)
  })
})
