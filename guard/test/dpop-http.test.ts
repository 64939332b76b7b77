import { createServer, type IncomingMessage, request as send, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { Hono } from 'hono'
import { calculateJwkThumbprint, exportJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterEach, expect, it } from 'vitest'
import * as onFastify from '../src/adapters/fastify.ts'
import * as onNode from '../src/adapters/node.ts'
import * as onWeb from '../src/adapters/web.ts'
import { createGuard, type Guard } from '../src/index.ts'
import { createTestHolder, createTestIssuer } from '../src/testing.ts'
import { audience, create } from './issuer.ts'

/** DPoP over HTTP, by the clock on the wall, with the proofs that oauth4webapi makes. */

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A service whose guard knows its address. */
async function serve(listenerOf: (guard: Guard) => RequestListener | Promise<RequestListener>) {
  let listener: RequestListener | undefined
  const server = createServer((request, response) => listener?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issuer = await createTestIssuer({ audience })
  listener = await listenerOf(createGuard({ ...issuer.guardOptions, dpop: { origin } }))
  return { origin, issuer }
}

async function challenges(asked: Promise<Response>): Promise<oauth.WWWAuthenticateChallenge[]> {
  const problem: unknown = await asked.then(
    () => undefined,
    (one: unknown) => one,
  )
  expect(problem).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  return (problem as oauth.WWWAuthenticateChallengeError).cause
}

/** What each adapter must do with POST /s/vista-import, which answers with the caller's `sub`. */
async function expectBound(listenerOf: Parameters<typeof serve>[0]): Promise<void> {
  const { origin, issuer } = await serve(listenerOf)
  const keys = await oauth.generateKeyPair('ES256')
  const jkt = await calculateJwkThumbprint(await exportJWK(keys.publicKey))
  const token = await issuer.token({ sub: 'holder', permissions: [create], cnf: { jkt } })
  const ask = (of: string) =>
    oauth.protectedResourceRequest(
      of,
      'POST',
      new URL(`${origin}/s/vista-import?dry=run`),
      undefined,
      undefined,
      { DPoP: oauth.DPoP({}, keys), [oauth.allowInsecureRequests]: true },
    )
  for (const _ of [1, 2]) {
    const answer = await ask(token)
    expect([answer.status, await answer.text()]).toEqual([200, 'holder'])
  }
  const [first, second] = await challenges(ask(await issuer.token({ permissions: [create] })))
  expect(first).toMatchObject({
    scheme: 'dpop',
    parameters: { algs: 'ES256 PS256 EdDSA', error: 'invalid_token' },
  })
  expect(second?.scheme).toBe('bearer')
  const asBearer = { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  expect((await fetch(`${origin}/s/vista-import`, asBearer)).status).toBe(401)
}

it('node:http, a whole service', () =>
  expectBound((guard) => {
    const routes = onNode.guardRoutes(guard, { 'POST /:area/vista-import': create })
    return (request, response) => routes(request, response, () => response.end(onNode.claimsOf(request).sub))
  }))

it('a router that is mounted, as Express does it', () =>
  expectBound((guard) => {
    const middleware = onNode.requirePermission(guard, create)
    return (request, response) => {
      const mounted = Object.assign(request, { originalUrl: request.url ?? '', baseUrl: '/s' })
      mounted.url = mounted.originalUrl.slice(2)
      middleware(mounted, response, () => response.end(onNode.claimsOf(request).sub))
    }
  }))

it('Fastify, by a plugin and again by the route', () =>
  expectBound(async (guard) => {
    const app = fastify()
    closing.push(() => app.close())
    await app.register(onFastify.guardRoutes(guard, { 'POST /:area/vista-import': create }))
    const again = { preHandler: onFastify.requirePermission(guard, create) }
    app.post('/:area/vista-import', again, async (request) => onFastify.claimsOf(request).sub)
    await app.ready()
    return app.routing
  }))

it.each<[string, (request: IncomingMessage) => object]>([
  ['Fastify', (raw) => ({ raw })],
  ['Koa', (req) => ({ req })],
  ['hapi', (req) => ({ raw: { req }, method: 'post', url: new URL('http://x.test/') })],
])('a request wrapped as %s does, without an adapter', (_, wrap) =>
  expectBound((guard) => (request, response) => {
    void guard.check({ headers: request.headers, ...wrap(request) }, create).then((decision) => {
      if (decision.allowed) response.end(decision.claims.sub)
      else onNode.sendRefusal(response, decision)
    })
  }),
)

it('Hono, whose Request names the host inside', () =>
  expectBound((guard) => {
    const routes = guard.routes({ 'POST /s/vista-import': create })
    const app = new Hono().post('/s/vista-import', async (context) => {
      const decision = await routes.check(context.req.raw)
      return decision.allowed ? context.text(decision.claims?.sub ?? '') : onWeb.toResponse(decision)
    })
    return (request, response) => {
      const headers = new Headers()
      for (const name of ['authorization', 'dpop'])
        if (request.headers[name] !== undefined) headers.set(name, String(request.headers[name]))
      const asked = new Request(`http://inside${request.url}`, { method: request.method ?? '', headers })
      void Promise.resolve(app.fetch(asked)).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
      })
    }
  }))

it('refuses two proofs on the wire, and a captured request that is sent again, there and elsewhere', async () => {
  const { origin, issuer } = await serve((guard) =>
    onNode.protect(guard, create, (_, response, claims) => response.end(claims.sub)),
  )
  const holder = await createTestHolder()
  const token = await issuer.token({ permissions: [create], cnf: { jkt: holder.jkt } })
  const statusOf = (path: string, headers: Record<string, string | string[]>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const request = send(origin + path, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      request.on('error', reject).end()
    })
  const captured = await holder.headers(token, 'POST', `${origin}/s`)
  const other = await holder.headers(token, 'POST', `${origin}/s`)
  expect(await statusOf('/s', { ...captured, dpop: [captured.dpop, other.dpop] })).toBe(401)
  expect(await statusOf('/other', captured)).toBe(401)
  const disguised = { ...captured, host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  expect(await statusOf('/s', disguised)).toBe(200)
  expect(await statusOf('/s', captured)).toBe(401)
})
