/** A proxy's question that is missing something, doubled, malformed, foreign or not of a proxy is never a pass. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Administrator, startAdministered } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import type { Tessera } from '../harness/harness.ts'
import {
  type Answer,
  forwarded,
  type Lines,
  proxied,
  question,
  send,
  Visitor,
  wiki,
  wikiClient,
} from './proxy.ts'

let tessera: Tessera
let visitor: Visitor
beforeAll(async () => {
  tessera = await startAdministered('sqlite', proxied)
  const admin = await Administrator.machine(tessera.url)
  const made = await admin.post('/clients', wikiClient)
  expect(made.status, made.text).toBe(201)
  visitor = new Visitor(tessera)
  await visitor.signIn(people.importer)
})
afterAll(() => tessera?.close())

const url = () => `${tessera.listening}${question}`
const signedIn = (): Lines => [['Cookie', visitor.cookie]]
const sent = async (lines: Lines) => await send(url(), { lines })

function expectRefused(answer: Answer): void {
  expect(answer.status, answer.body).toBe(403)
  expect(answer.headers).not.toHaveProperty('remote-user')
  expect(answer.headers).not.toHaveProperty('location')
  expect(answer.headers).not.toHaveProperty('set-cookie')
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'forward_auth_refused' })
}

const names = ['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Method', 'X-Forwarded-Uri']
const right = forwarded({ target: '/page' })

it('the question itself passes, signed in', async () => {
  const answer = await sent([...right, ...signedIn()])
  expect(answer.status, answer.body).toBe(200)
})

describe.each(names)('%s', (name) => {
  const others = right.filter(([one]) => one !== name)
  const own = right.find(([one]) => one === name)?.[1] ?? ''
  const wrong: [string, Lines][] = [
    ['missing', []],
    ['empty', [[name, '']]],
    [
      'twice',
      [
        [name, own],
        [name, own],
      ],
    ],
    [
      'twice, in another case',
      [
        [name, own],
        [name.toUpperCase(), own],
      ],
    ],
    // A path may have a comma.
    ...(name === 'X-Forwarded-Uri' ? [] : [['a list', [[name, `${own}, ${own}`]]] as [string, Lines]]),
    ['in front of a blank and more', [[name, `${own} x`]]],
  ]
  it.each(wrong)('%s', async (_, lines) => {
    for (const cookie of [[], signedIn()] as Lines[])
      expectRefused(await sent([...others, ...lines, ...cookie]))
  })
})

describe('a host', () => {
  const at = (host: string): Lines => [
    ...right.filter(([name]) => name !== 'X-Forwarded-Host'),
    ['X-Forwarded-Host', host],
    ...signedIn(),
  ]
  it.each(['WIKI.example.com', 'wiki.example.com:443'])('%s is the same one', async (host) => {
    expect((await sent(at(host))).status).toBe(200)
  })

  it.each([
    'wiki.example.com.',
    'wiki.example.com:8443',
    'wiki.example.com:0443x',
    'wiki.example.com:',
    'other.example.com',
    'wiki.example.com.evil.example',
    'evil.example/wiki.example.com',
    'wiki.example.com/',
    'user@wiki.example.com',
    'wiki.example.com@evil.example',
    'wiki.example.com#',
    'wiki.example.com\\',
    'wiki%2eexample.com',
    'wíki.example.com',
    'xn--wki-qla.example.com',
    '[::1]',
    '[wiki.example.com]',
    'localhost',
    '*',
    'https://wiki.example.com',
  ])('%s is none that is known', async (host) => {
    expectRefused(await sent(at(host)))
  })

  it.each(['http', 'HTTPS', 'wss', 'https:', 'file', 'javascript'])('by %s is none', async (proto) => {
    const others = right.filter(([name]) => name !== 'X-Forwarded-Proto')
    expectRefused(await sent([...others, ['X-Forwarded-Proto', proto], ...signedIn()]))
  })
})

describe('a visitor who claims to be somebody', () => {
  it.each([
    'Remote-User',
    'remote-user',
    'REMOTE-USER',
    'Remote_User',
    'remote_user',
    'Remote-Email',
    'Remote_Email',
    'Remote-Name',
    'Remote-Groups',
    'Remote_groups',
    'Remote-Organisation',
    'X-Access-Token',
    'x_access_token',
    'X_Access-Token',
    'Remote.User',
    'remote~email',
    'X.Access.Token',
  ])('by %s', async (name) => {
    for (const target of ['/page', '/public/page'])
      for (const value of ['admin', ''])
        expectRefused(await sent([...forwarded({ target }), [name, value], ...signedIn()]))
  })
})

describe('a path', () => {
  it.each([
    '/admin/../page',
    '/page/..;/admin',
    '/page/%2e%2e/admin',
    '/public/%2e%2e/page',
    '//page',
    '/public//page',
    '/public/\\page',
    '/public%2fpage',
    '/public/x%00',
    '/public/%0d%0aSet-Cookie:%20a=b',
    'page',
    'https://wiki.example.com/page',
  ])('%s is refused, also for who is signed in', async (target) => {
    expectRefused(await sent([...forwarded({ target }), ...signedIn()]))
  })
})

describe('another method than it seems', () => {
  it.each<[string, Lines]>([
    ['by X-HTTP-Method-Override', [['X-HTTP-Method-Override', 'POST']]],
    ['by X.HTTP.Method.Override', [['X.HTTP.Method.Override', 'POST']]],
    ['by X_HTTP_METHOD_OVERRIDE', [['X_HTTP_METHOD_OVERRIDE', 'POST']]],
    ['by X-HTTP-Method', [['X-HTTP-Method', 'DELETE']]],
    ['by X-Method-Override', [['x-method-override', 'post']]],
    [
      'by X-HTTP-Method-Override twice',
      [
        ['X-HTTP-Method-Override', 'GET'],
        ['X-HTTP-Method-Override', 'POST'],
      ],
    ],
  ])('%s', async (_, lines) => {
    expectRefused(await sent([...right, ...lines, ...signedIn()]))
  })
  it('by _method in the query', async () => {
    expectRefused(await sent([...forwarded({ target: '/ledger/x?_method=post' }), ...signedIn()]))
  })
  it('by an encoded _method in the query', async () => {
    expectRefused(await sent([...forwarded({ target: '/ledger/x?%5fmethod=post' }), ...signedIn()]))
    expectRefused(
      await sent([...forwarded({ target: '/ledger/x?a=%5Fmethod&_%6dethod=post' }), ...signedIn()]),
    )
  })
  it('the same as it seems is no other', async () => {
    const lines: Lines = [['X-HTTP-Method-Override', 'get']]
    expect((await sent([...right, ...lines, ...signedIn()])).status).toBe(200)
  })
})

describe('OPTIONS', () => {
  const about = (lines: Lines, target = '/page') =>
    sent([...forwarded({ method: 'OPTIONS', target }), ...lines])
  const origin: Lines = [['Origin', 'https://other.example.com']]
  const asked: Lines = [['Access-Control-Request-Method', 'POST']]
  it('passes as a preflight, as nobody', async () => {
    const answer = await about([...origin, ...asked])
    expect(answer.status, answer.body).toBe(200)
    expect(answer.headers['remote-user']).toBe('')
  })
  it.each<[string, Lines]>([
    ['without Origin', asked],
    ['without the method that it asks for', origin],
    ['with a wrong method', [...origin, ['Access-Control-Request-Method', 'po st']]],
    ['with credentials', [...origin, ...asked, ['Authorization', 'Basic YTpi']]],
    ['with a cookie', [...origin, ...asked, ['Cookie', 'a=b']]],
  ])('%s is none, and needs a session', async (_, lines) => {
    expect((await about(lines)).status).toBe(401)
  })
})

describe('a cookie', () => {
  const about = async (cookie: string) =>
    await sent([...forwarded({ target: '/page' }), ['Cookie', cookie], ['Accept', 'application/json']])
  it('that came twice counts for nothing', async () => {
    expect((await about(`${visitor.cookie}; ${visitor.cookie}`)).status).toBe(401)
  })
  it('of another name, or cut, or changed, counts for nothing', async () => {
    const [, value = ''] = visitor.cookie.split('=')
    for (const cookie of [
      `tessera-proxied=${value}`,
      `__Host-tessera-session=${value}`,
      `__Host-tessera-proxied=${value.slice(0, -1)}`,
      `__Host-tessera-proxied=${value.slice(0, -2)}AA`,
      `__Host-tessera-proxied=${value}.${value.split('.')[1]}`,
      '__Host-tessera-proxied=',
      `__Host-tessera-proxied=${'0'.repeat(32)}.${'A'.repeat(43)}`,
    ])
      expect((await about(cookie)).status, cookie).toBe(401)
  })
  it('of ours is handed to no application; its own are', async () => {
    const answer = await about(`a=1; ${visitor.cookie}; __Host-tessera-way-1=x; b=2`)
    expect(answer.status).toBe(200)
    expect(answer.headers['cookie']).toBe('a=1; b=2')
    expect((await about(visitor.cookie)).headers.cookie).toBe('')
  })
})

describe('who is no trusted proxy', () => {
  it.each([
    {},
    { TESSERA_FORWARD_AUTH_PROXIES: '192.0.2.1, 2001:db8::/32', TESSERA_TRUSTED_PROXIES: '127.0.0.1, ::1' },
  ])('gets no answer, with %j', async (settings: Record<string, string>) => {
    const other = await startAdministered('sqlite', settings)
    try {
      const admin = await Administrator.machine(other.url)
      await admin.post('/clients', wikiClient)
      const asked = `${other.listening}${question}`
      for (const target of ['/page', '/public/page'])
        for (const more of [[], [['X-Forwarded-For', '192.0.2.1']]] as Lines[])
          expectRefused(await send(asked, { lines: [...forwarded({ target }), ...more] }))
      for (const path of ['/.tessera/callback', '/.tessera/logout'])
        expectRefused(await send(`${other.listening}${path}`, { lines: forwarded({}) }))
    } finally {
      await other.close()
    }
  })
})

describe('an address below /.tessera/', () => {
  it.each(['/.tessera/', '/.tessera/other', '/.tessera/callback/x', '/.tessera/sign-in', '/.tessera'])(
    '%s is none',
    async (path) => {
      expect((await send(`${tessera.listening}${path}`, { lines: forwarded({}) })).status).toBe(404)
    },
  )
  it('of no application is refused', async () => {
    for (const path of ['/.tessera/callback?state=x', '/.tessera/logout'])
      for (const origin of [tessera.url, 'https://other.example.com'])
        expectRefused(await send(`${tessera.listening}${path}`, { lines: forwarded({ origin }) }))
  })
})

it('the other family of headers is not read', async () => {
  const original: Lines = [
    ['X-Original-URL', `${wiki}/page`],
    ['X-Original-Method', 'GET'],
  ]
  expectRefused(await sent([...original, ...signedIn()]))
  expect((await sent([...right, ['X-Original-URL', 'https://evil.example/'], ...signedIn()])).status).toBe(
    200,
  )
})
