/** What was found in forward auth after the first attack was answered (decisions 36). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRoutes, routesProblem } from '../../dist/protocol/proxied-routes.js'
import { methodsOf } from '../../dist/forward/original.js'
import { hashSecret } from '../../dist/protocol/identifier.js'
import { findingProxiedSessions } from '../../dist/store/proxied-sessions.js'
import { secretAt } from '../../dist/store/token-families.js'
import { Administrator, startAdministered } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import type { Tessera } from '../harness/harness.ts'
import { ask, forwarded, type Lines, proxied, send, Visitor, wikiClient } from './proxy.ts'

describe('a path', () => {
  const table = { '* /*': 'signed-in', '* /admin/*': 'w.admin.read', 'GET /public/*': 'public' }
  const demanded = (target: string) =>
    readRoutes(table)
      .find(['GET'], target)
      ?.map(({ demand }) => demand)
  it.each(['/admin.abcdefghi', '/admin.a-b', '/admin.%C3%A9'])('%s has a format too', (target) => {
    expect(demanded(target)).toContain('w.admin.read')
  })
  it.each(['/public/%EF%BC%8E%EF%BC%8E/admin', '/public/%E2%80%A5/admin', '/public%EF%BC%8Fadmin'])(
    '%s leads elsewhere by NFKC',
    (target) => {
      expect(demanded(target)).toBeUndefined()
    },
  )
  it('of hundreds of segments is none that somebody means', () => {
    expect(demanded(`/${'a/'.repeat(90)}.b`)).toBeDefined()
    expect(demanded(`/${'a/'.repeat(200)}.b`)).toBeUndefined()
  })
  it.each(['/page%3f_method=DELETE', '/page?_method%00x=DELETE'])('%s names another method', (target) => {
    expect(methodsOf({ rawHeaders: [] }, { method: 'POST', target })).toContain('DELETE')
  })
})

describe('a table', () => {
  it('has no line with two slashes', () => {
    expect(routesProblem({ 'GET //*': 'public' })).toBeDefined()
  })
  it('has no line of hundreds of segments', () => {
    expect(routesProblem({ [`GET /${'a/'.repeat(15)}a`]: 'public' })).toBeUndefined()
    expect(routesProblem({ [`GET /${'a/'.repeat(16)}a`]: 'public' })?.reason).toContain('16 segments')
  })
})

it('a session is asked for with its own revision', async () => {
  const ids = Array.from({ length: 65 }, (_, at) => at.toString(16).padStart(32, '0'))
  const secret = 'A'.repeat(43)
  let revision = 10
  const read = async () => {
    const some = revision === 10 ? ids.slice(0, 64) : ids.slice(64)
    const rows = some.map((id) => ({
      id,
      revision,
      family_hash: hashSecret(secretAt('https://a.example', secret)),
    }))
    revision++
    return rows
  }
  const find = findingProxiedSessions({ read } as unknown as Parameters<typeof findingProxiedSessions>[0])
  const all = await Promise.all(ids.map((id) => find(`${id}.${secret}`, 'https://a.example')))
  for (const { revision: seen, session } of all) expect(seen).toBe(session?.revision)
})

describe('a question', () => {
  let tessera: Tessera
  const all = 'https://all.example.com'
  beforeAll(async () => {
    tessera = await startAdministered('sqlite', proxied)
    const admin = await Administrator.machine(tessera.url)
    for (const more of [{}, { client_id: 'all', origins: [all], routes: { '* /*': 'signed-in' } }])
      expect((await admin.post('/clients', { ...wikiClient, ...more })).status).toBe(201)
  })
  afterAll(() => tessera?.close())
  const json: Lines = [['Accept', 'application/json']]

  it.each<[string, Lines]>([
    ['/x?_method=GET', []],
    ['/x', [['X-HTTP-Method-Override', 'GET']]],
  ])('about a preflight of %s is none, where one line stands for all', async (target, more) => {
    const lines: Lines = [
      ['Origin', 'https://evil.example'],
      ['Access-Control-Request-Method', 'GET'],
      ...more,
    ]
    const { status } = await ask(tessera.listening, { origin: all, method: 'OPTIONS', target, lines })
    expect(status).not.toBe(200)
  })
  it('below its path is asked by any method', async () => {
    const visitor = new Visitor(tessera)
    await visitor.signIn(people.importer)
    const lines: Lines = [...forwarded({ target: '/page', method: 'PROPFIND' }), ['Cookie', visitor.cookie]]
    const url = `${tessera.listening}/oauth2/forward-auth/page`
    expect((await send(url, { method: 'PROPFIND', lines })).status).toBe(200)
  })
  it('begins a sign-in whose cookie a browser keeps', async () => {
    const visitor = new Visitor(tessera)
    await visitor.ask({ target: `/page?${'\\'.repeat(1490)}` })
    expect(visitor.cookie.length).toBeLessThan(4096)
  })
  it('and a frame on a page of the application ends no session', async () => {
    const visitor = new Visitor(tessera)
    await visitor.signIn(people.importer)
    const { cookie } = visitor
    const sent: Lines = [
      ['Cookie', cookie],
      ['Sec-Fetch-Site', 'same-origin'],
      ['Sec-Fetch-Mode', 'navigate'],
      ['Sec-Fetch-Dest', 'iframe'],
    ]
    await send(`${tessera.listening}/.tessera/logout`, { lines: [...forwarded({}), ...sent] })
    expect((await ask(tessera.listening, { target: '/page', cookie, lines: json })).status).toBe(200)
  })
})
