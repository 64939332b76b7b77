import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import * as onFastify from '../src/adapters/fastify.ts'
import * as onNode from '../src/adapters/node.ts'
import * as onWeb from '../src/adapters/web.ts'
import { createGuard, type Guard, type GuardOptions, PUBLIC } from '../src/index.ts'
import { createTestIssuer, type TestIssuer } from '../src/testing.ts'
import { audience, create, read } from './issuer.ts'

/** RFC 9728: a service says where tokens for it come from. */

const path = '/.well-known/oauth-protected-resource/api'
const url = `https://submissions.acme.example${path}`
const document = {
  resource: audience,
  authorization_servers: ['https://issuer.test'],
  scopes_supported: ['openid', 'service.api'],
  bearer_methods_supported: ['header'],
}
const table = { 'POST /s/vista-import': create, 'GET /health': PUBLIC }

let issuer: TestIssuer
let guard: Guard
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  issuer = await createTestIssuer({ audience })
  guard = createGuard({ ...issuer.guardOptions, resourceMetadata: true })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const withAudience = (other: string) =>
  createGuard({ ...issuer.guardOptions, audience: other, resourceMetadata: true })
const challengeOf = async (of: Guard, authorization?: string) => {
  const decision = await of.check(authorization, create)
  return decision.allowed ? 'allowed' : decision.headers['www-authenticate']
}

describe('the challenge', () => {
  it('of a 401 names the metadata, after what it says already', async () => {
    expect(await challengeOf(guard)).toBe(`Bearer resource_metadata="${url}", scope="openid service.api"`)
    expect(await challengeOf(guard, 'Bearer junk')).toBe(
      `Bearer error="invalid_token", error_description="The access token is not a signed JWT", resource_metadata="${url}", scope="openid service.api"`,
    )
    expect(await guard.authenticate(undefined)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${url}", scope="openid service.api"` },
    })
  })

  it('of a 403 does not: another token of this person would not help', async () => {
    const token = await issuer.token({ permissions: [read] })
    expect(await challengeOf(guard, `Bearer ${token}`)).toMatch(/^Bearer error="insufficient_scope".*[^=]"$/)
    expect(await challengeOf(guard, `Bearer ${token}`)).not.toContain('resource_metadata')
  })

  it('is as it was where nothing was asked for', async () => {
    const usual = createGuard(issuer.guardOptions)
    expect(await challengeOf(usual)).toBe('Bearer')
    expect(await challengeOf(usual, 'Bearer junk')).not.toContain('resource_metadata')
    expect(usual.resourceMetadata).toBeUndefined()
    const decision = await usual.routes(table).check(new Request(url))
    expect(decision).toMatchObject({ allowed: false, status: 401 })
  })
})

describe('the address', () => {
  it.each([
    ['https://a.example', 'https://a.example/.well-known/oauth-protected-resource'],
    ['https://a.example/', 'https://a.example/.well-known/oauth-protected-resource'],
    ['https://a.example/mcp', 'https://a.example/.well-known/oauth-protected-resource/mcp'],
    ['https://a.example/mcp/', 'https://a.example/.well-known/oauth-protected-resource/mcp/'],
    ['https://a.example:8443/a/b', 'https://a.example:8443/.well-known/oauth-protected-resource/a/b'],
    ['https://a.example/x?k=v', 'https://a.example/.well-known/oauth-protected-resource/x?k=v'],
    ['https://a.example?k=v', 'https://a.example/.well-known/oauth-protected-resource?k=v'],
    ['http://127.0.0.1:4002/api', 'http://127.0.0.1:4002/.well-known/oauth-protected-resource/api'],
  ])('of %s has the well-known path between host and path (§3.1)', async (resource, expected) => {
    const other = withAudience(resource)
    expect(await challengeOf(other)).toBe(
      `Bearer resource_metadata="${expected}", scope="openid service.api"`,
    )
    expect(other.resourceMetadata?.body.resource).toBe(resource)
    const asked = await other.routes(table).check(new Request(expected))
    expect(asked).toBe(other.resourceMetadata)
  })

  it('can end no quotes, whatever the audience is', async () => {
    const challenge = await challengeOf(withAudience('https://a.example/x"y\\z?"=\u00e9'))
    expect(challenge).toMatch(
      /^Bearer resource_metadata="[\x21\x23-\x5b\x5d-\x7e]+", scope="openid service\.api"$/,
    )
  })

  it.each(['urn:acme:submissions', 'submissions', 'http://submissions.acme.example/api', `${audience}#part`])(
    'of %s can not be, and the start says so',
    (other) => {
      expect(() => withAudience(other)).toThrow(/^Guard option resourceMetadata: the audience must be/)
    },
  )

  it.each(['true', 1, null, {}])('is not taken for %o', (resourceMetadata) => {
    const options = { ...issuer.guardOptions, resourceMetadata } as unknown as GuardOptions
    expect(() => createGuard(options)).toThrow('Guard option resourceMetadata: true or false is needed')
  })
})

describe('the document', () => {
  const listen = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async function expectServed(get: (at: string, init?: RequestInit) => Promise<Response>): Promise<void> {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(await answer.json()).toEqual(document)
    for (const other of [
      '/.well-known/oauth-protected-resource',
      `${path}/`,
      `${path}/more`,
      `${path}?x=1`,
      '/.well-known/oauth-protected-resource/%61pi',
      '/.well-known/OAUTH-protected-resource/api',
    ])
      expect([other, (await get(other)).status]).toEqual([other, 401])
    expect((await get(path, { method: 'POST' })).status).toBe(401)
    expect((await get('/health')).status).toBe(200)
  }

  it('is served by the route table of node:http, without a token', async () => {
    const middleware = onNode.guardRoutes(guard, table)
    const origin = await listen((request, response) =>
      middleware(request, response, () => response.end('ok')),
    )
    await expectServed((at, init) => fetch(`${origin}${at}`, init))
  })

  it('is served by the route table of Fastify', async () => {
    const app = fastify()
    closing.push(() => app.close())
    await app.register(onFastify.guardRoutes(guard, table))
    app.get('/health', async () => 'ok')
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    await expectServed((at, init) => fetch(`${origin}${at}`, init))
  })

  it('is served by the route table for web-standard requests', async () => {
    const handler = onWeb.protectRoutes(guard, table, () => new Response('ok'))
    await expectServed((at, init) => handler(new Request(`https://submissions.acme.example${at}`, init)))
  })

  it('is there to be mounted where there is no route table', async () => {
    const answer = guard.resourceMetadata
    if (answer === undefined) throw new Error('There is none.')
    expect(await onWeb.toResponse(answer).json()).toEqual(document)
    const origin = await listen((_request, response) => onNode.sendRefusal(response, answer))
    const served = await fetch(origin)
    expect([served.status, await served.json()]).toEqual([200, document])
    expect(Object.isFrozen(answer.body)).toBe(true)
  })
})
