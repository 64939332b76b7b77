/** Attacks on forward auth: what must not pass, must end, must not cost much, and must not be told (decisions 36). */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { loosened, readRoutes } from '../../dist/protocol/proxied-routes.js'
import { start } from '../../dist/server.js'
import {
  acme,
  Administrator,
  administeredOn,
  profiles,
  startAdministered,
  users,
} from '../administration/support.ts'
import { parse } from '../declared/support.ts'
import { quickPasswords } from '../declared/tree.ts'
import { administered } from '../fixtures/administrators.ts'
import { headerOf, people } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { ask, forwarded, type Lines, proxied, question, send, Visitor, wiki, wikiClient } from './proxy.ts'

const json: Lines = [['Accept', 'application/json']]
const sameOrigin: Lines = [['Sec-Fetch-Site', 'same-origin']]

describe('a path is also read', () => {
  const table = { '* /*': 'signed-in', '* /admin/*': 'wiki.admin.read', '* /settings/*': 'wiki.admin.read' }
  const isGuarded = (target: string) => {
    const found = readRoutes(table).find(['GET'], target)
    return found === undefined || found.some(({ demand }) => demand === 'wiki.admin.read')
  }
  it.each([
    ['cut at a ? that was encoded, as by nginx with proxy_pass http://app$uri', '/admin%3fx'],
    ['cut at a # that was encoded', '/admin%23x'],
    ['without its parameters first, and then decoded once more', '/%2561dmin;%25'],
    ['without its parameters, encoded twice, beside what can not be decoded', '/%2561dmin%253b%25ff'],
    ['with ſ for s, as EqualFold of Go, (?i) and casefold of Python read it', '/%C5%BFettings'],
    ['in capitals, where ı is I', '/adm%C4%B1n'],
    ['normalised by NFKC, where ａ is a', '/%EF%BD%81dmin'],
    ['in lower case without its dot, where İ is i', '/ADM%C4%B0N'],
    ['without no-break blanks at its end', '/admin%C2%A0'],
    ['without its format, as Rails and Spring do', '/admin.json'],
  ])('%s', (_, target) => {
    expect(isGuarded(target)).toBe(true)
  })

  it.each(['/users/', '/users/;x', '/users/%20', '/users/%2520'])(
    '%s as /users, which no line lets through',
    (target) => {
      expect(readRoutes({ 'GET /users/:id': 'public' }).find(['GET'], target)).toBeUndefined()
    },
  )
})

describe('a table', () => {
  it('has an exception for its root', () => {
    const found = readRoutes({ '* /*': 'signed-in', 'GET /': 'public' }).find(['GET'], '/')
    expect(found?.map(({ demand }) => demand)).toEqual(['public'])
  })
  it('tells that it demands less where a line goes that crossed another', () => {
    const after = { 'POST /*': 'wiki.pages.edit' }
    // POST /admin/x demanded both.
    expect(loosened({ ...after, '* /admin/*': 'wiki.admin.write' }, after)).not.toEqual([])
  })
})

describe('a question', () => {
  let tessera: Tessera
  let admin: Administrator
  let visitor: Visitor
  beforeAll(async () => {
    tessera = await startAdministered('sqlite', proxied)
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', wikiClient)
    expect(made.status, made.text).toBe(201)
    visitor = new Visitor(tessera)
    await visitor.signIn(people.importer)
  })
  afterAll(() => tessera?.close())
  const url = () => `${tessera.listening}${question}`
  const statusOf = async (lines: Lines, asked: { method?: string; target?: string } = {}) =>
    (await send(url(), { lines: [...forwarded({ target: '/page', ...asked }), ...lines] })).status
  const signedIn = (): Lines => [['Cookie', visitor.cookie]]

  describe('about a preflight that names another method', () => {
    const preflight: Lines = [
      ['Origin', 'https://evil.example'],
      ['Access-Control-Request-Method', 'GET'],
    ]
    it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('by %s', async (name) => {
      const status = await statusOf([...preflight, [name, 'POST']], {
        method: 'OPTIONS',
        target: '/ledger/x',
      })
      expect(status).toBe(403)
    })
    it('by _method in its query', async () => {
      const asked = { method: 'OPTIONS', target: '/ledger/x?_method=POST' }
      expect(await statusOf(preflight, asked)).toBe(403)
    })
  })

  it('that names hundreds of methods is refused, also where one line stands for all', async () => {
    const all = {
      ...wikiClient,
      client_id: 'all',
      origins: ['https://all.example.com'],
      routes: { '* /*': 'public' },
    }
    expect((await admin.post('/clients', all)).status).toBe(201)
    const about = async (count: number) => {
      const query = Array.from({ length: count }, (_, at) => `_method=M${'X'.repeat(at % 15)}`).join('&')
      return (await ask(tessera.listening, { origin: 'https://all.example.com', target: `/?${query}` }))
        .status
    }
    expect([await about(1), await about(300)]).toEqual([200, 403])
  })

  describe('that names another method', () => {
    it.each(['X_HTTP_Method_Override', 'X-HTTP_METHOD', 'X_Method_Override'])(
      'by %s, which CGI, WSGI and PHP take for the one with hyphens',
      async (name) => {
        expect(await statusOf([...signedIn(), [name, 'DELETE']])).toBe(403)
      },
    )
    it.each([
      ['with an encoded name', '/page?%5fmethod=DELETE'],
      ['with an encoded letter', '/page?_%6dethod=DELETE'],
      ['behind a semicolon', '/page?a=1;_method=DELETE'],
      ['as PHP writes its names, with a dot', '/page?.method=DELETE'],
      ['as PHP writes its names, behind a blank', '/page?+_method=DELETE'],
    ])('in its query %s', async (_, target) => {
      expect(await statusOf(signedIn(), { target })).toBe(403)
    })
  })

  it.each(['Remote.User', 'Remote.Groups', 'Remote~User', 'X.Access.Token'])(
    'of a visitor who claims to be somebody by %s, which PHP and lighttpd take for the one with a hyphen',
    async (name) => {
      for (const target of ['/page', '/public/page'])
        expect(await statusOf([...signedIn(), [name, 'admin']], { target })).toBe(403)
    },
  )

  it.each(['X-Rewrite-URL', 'X_Rewrite_URL', 'x.rewrite.url'])(
    'of a visitor who names another path by %s, which frameworks take the path from',
    async (name) => {
      expect(await statusOf([[name, '/ledger/x']], { target: '/public/page' })).toBe(403)
    },
  )

  it.each(['Remote-User', 'X-HTTP-Method-Override'])(
    'with %s behind as many headers as Node keeps is no pass',
    async (name) => {
      const others: Lines = Array.from({ length: 1100 }, (_, at) => [`A${at}`, 'x'] as const)
      expect(await statusOf([...signedIn(), ...others, [name, 'DELETE']])).not.toBe(200)
    },
  )

  describe('that the framework refuses is refused ahead of it', () => {
    const raw = async (target: string, lines: Lines, method = 'GET') =>
      await new Promise<string>((resolve) => {
        const { hostname, port } = new URL(tessera.listening)
        const all = [...forwarded({ target: '/page' }), ...signedIn(), ...lines]
        const text = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
        const socket = connect(Number(port), hostname, () =>
          socket.write(`${method} ${target} HTTP/1.1\r\n${text}\r\n`),
        )
        socket.once('data', (part) => {
          resolve(String(part).split('\r\n')[0] ?? '')
          socket.destroy()
        })
      })
    const host: Lines = [['Host', 'tessera']]
    it.each<[string, Lines]>([
      ['without Host', []],
      ['with large headers', [...host, ['X-Large', 'x'.repeat(20_000)]]],
      ['with many headers', [...host, ...Array.from({ length: 300 }, (_, at) => [`A${at}`, 'x'] as const)]],
      ['with Authorization twice', [...host, ['Authorization', 'Basic a'], ['Authorization', 'Basic b']]],
    ])('%s', async (_, lines) => {
      expect(await raw(question, lines)).toMatch(/^HTTP\/1\.1 4/)
    })
    it.each(['PROPFIND', 'MKCOL', 'REPORT', 'LOCK'])(
      'by %s, as a proxy asks that keeps it',
      async (method) => {
        const lines: Lines = [...forwarded({ target: '/page', method }), ...json]
        expect((await send(url(), { method, lines: [...lines, ...signedIn()] })).status).toBe(200)
        expect((await send(url(), { method, lines })).status).toBe(401)
      },
    )
  })

  it('with no other cookie than ours answers an empty one, or Caddy leaves ours or sends a placeholder', async () => {
    const { headers } = await send(url(), { lines: [...forwarded({ target: '/page' }), ...signedIn()] })
    expect(headers).toHaveProperty('cookie', '')
  })

  describe('ways back', () => {
    it('five of them leave room in the 8 KB that nginx takes', async () => {
      const other = new Visitor(tessera)
      for (let at = 0; at < 6; at++) await other.ask({ target: `/page?${'a'.repeat(1400)}${at}` })
      expect(other.cookie.length).toBeLessThan(7000)
    })
    it('one fits into a cookie, whatever its address', async () => {
      const other = new Visitor(tessera)
      await other.ask({ target: `/page?${'"'.repeat(1490)}` })
      expect(other.cookie.length).toBeLessThan(4096)
    })
  })

  describe('signing out', () => {
    it.each<[string, 'GET' | 'POST', Lines]>([
      ['a form of another site, which brings no cookie', 'POST', [['Sec-Fetch-Site', 'cross-site']]],
      [
        'an image of another site',
        'GET',
        [
          ['Sec-Fetch-Site', 'cross-site'],
          ['Sec-Fetch-Dest', 'image'],
        ],
      ],
    ])('%s takes no cookie away', async (_, method, lines) => {
      const all = [...forwarded({}), ...lines]
      const answer = await send(`${tessera.listening}/.tessera/logout`, {
        method,
        lines: all,
        ...(method === 'POST' && { body: '' }),
      })
      expect(answer.headers).not.toHaveProperty('set-cookie')
    })
    it.each<[string, Lines]>([
      [
        'an image on a page of the application',
        [
          ['Sec-Fetch-Dest', 'image'],
          ['Sec-Fetch-Mode', 'no-cors'],
        ],
      ],
      [
        'a link that the browser fetches beforehand',
        [
          ['Sec-Fetch-Dest', 'document'],
          ['Sec-Fetch-Mode', 'navigate'],
          ['Sec-Purpose', 'prefetch'],
        ],
      ],
    ])('%s ends no session', async (_, lines) => {
      const other = new Visitor(tessera)
      await other.signIn(people.importer)
      const { cookie } = other
      const all = [...forwarded({}), ['Cookie', cookie] as const, ...sameOrigin, ...lines]
      await send(`${tessera.listening}/.tessera/logout`, { lines: all })
      expect((await ask(tessera.listening, { target: '/page', cookie, lines: json })).status).toBe(200)
    })
  })

  describe('the tester', () => {
    const foreseen = async (method: string, target: string) => {
      const who = { user_uuid: users.importer, profile_uuid: profiles.importer }
      const answer = await admin.post('/clients/wiki/visit', { method, url: `${wiki}${target}`, ...who })
      return answer.json.outcome
    }
    it('knows another method in the query', async () => {
      expect(await statusOf(signedIn(), { target: '/page?_method=DELETE' })).toBe(403)
      expect(await foreseen('GET', '/page?_method=DELETE')).toBe('refused')
    })
    it('knows what is no method', async () => {
      expect(await statusOf(signedIn(), { method: 'get' })).toBe(403)
      expect(await foreseen('get', '/page')).not.toBe('passes')
    })
    it('knows that the client is disabled', async () => {
      expect((await admin.patch('/clients/wiki', { active: false })).status).toBe(200)
      const outcome = await foreseen('GET', '/page')
      expect((await admin.patch('/clients/wiki', { active: true })).status).toBe(200)
      expect(outcome).toBe('refused')
    })
  })

  it('remote_user: email is told by the dry run, as the header with the address is', async () => {
    const { etag } = await admin.post('/clients', {
      ...wikiClient,
      ...{ client_id: 'told', origins: ['https://told.example.com'], headers: ['Remote-User'] },
    })
    const body = { remote_user: 'email' }
    const tried = await admin.ask('PATCH', '/clients/told?dry_run=true', { body, match: etag })
    expect(tried.json.weakens).toMatchObject([{ client_id: 'told', field: 'remote_user' }])
  })
})

describe('a permission that a route names was removed', () => {
  let tessera: Tessera
  let admin: Administrator
  beforeAll(async () => {
    tessera = await startAdministered('sqlite', proxied)
    admin = await Administrator.machine(tessera.url)
    expect((await admin.post('/clients', wikiClient)).status).toBe(201)
    expect((await admin.delete('/permissions/ledger.entry.create', '*')).status).toBe(204)
  })
  afterAll(() => tessera?.close())

  it('and the client can still be renamed', async () => {
    const changed = await admin.patch('/clients/wiki', { client_name: 'Wiki of ours' })
    expect(changed.status, changed.text).toBe(200)
  })
  it('and disabled', async () => {
    const changed = await admin.patch('/clients/wiki', { active: false })
    expect(changed.status, changed.text).toBe(200)
  })
  it('and an export says which it is', async () => {
    const exported = withStore(tessera, async (store) => await exportDeclared(store, Date.now()))
    await expect(exported).rejects.toThrow('ledger.entry.create')
  })
})

describe('the origin of Tessera itself', () => {
  it('is no application, also by a file', async () => {
    const issuer = 'https://id.example.com'
    const tessera = await startAdministered('sqlite', { ...proxied, TESSERA_ISSUER: issuer })
    try {
      const own = `  - client_id: wiki
    client_name: Wiki
    type: proxied
    origins: [${issuer}]
    routes: {"* /*": public}
`
      await withStore(tessera, async (store) => {
        const text = administered.replace('\nclients:\n', () => `\nclients:\n${own}`)
        await applyDeclared(store, parse(text), { now: Date.now(), ...quickPasswords })
      })
      expect((await ask(tessera.listening, { origin: issuer, target: '/page' })).status).toBe(403)
    } finally {
      await tessera.close()
    }
  })
})

onEachDatabase('forward auth under attack', (dialect) => {
  const tessera = administeredOn(dialect, proxied)
  const [two, api] = ['https://two.example.com', 'https://api.example.com']
  let admin: Administrator
  let second: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const forApi = { services: ['submissions-tool'], headers: ['Remote-User', 'X-Access-Token'] }
    for (const more of [{ origins: [wiki, two] }, { client_id: 'api', origins: [api], ...forApi }]) {
      const made = await admin.post('/clients', { ...wikiClient, ...more })
      expect(made.status, made.text).toBe(201)
    }
    const settings = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url, ...proxied }
    second = await start({ ...testSettings(settings), host: 'localhost' }, { now: tessera.clock.now })
    return async () => await second.close()
  })
  const statuses = async (cookie: string, origin = wiki) => {
    const asked = [tessera.listening, second.url].map(
      async (listening) => (await ask(listening, { origin, target: '/page', cookie, lines: json })).status,
    )
    return await Promise.all(asked)
  }
  const inside = async (origin = wiki) => {
    const visitor = new Visitor(tessera, { origin })
    await visitor.signIn(people.importer)
    expect(await statuses(visitor.cookie, origin)).toEqual([200, 200])
    return visitor
  }

  it('a cookie of one origin of a client is none at another', async () => {
    const visitor = await inside()
    expect(await statuses(visitor.cookie, two)).toEqual([401, 401])
  })

  it('a cookie of an origin that was taken from the client is none at those that are left', async () => {
    const visitor = await inside()
    expect((await admin.patch('/clients/wiki', { origins: [two] })).status).toBe(200)
    const left = await statuses(visitor.cookie, two)
    expect((await admin.patch('/clients/wiki', { origins: [wiki, two] })).status).toBe(200)
    expect(left).toEqual([401, 401])
  })

  it('who signed out while a policy refused them stays so when it is taken back', async () => {
    const visitor = await inside()
    const { cookie } = visitor
    expect((await admin.patch('/clients/wiki', { policy: { second_factor: 'required' } })).status).toBe(200)
    expect(await statuses(cookie)).toEqual([401, 401])
    const left = await visitor.at('/.tessera/logout', { lines: sameOrigin })
    expect((await admin.patch('/clients/wiki', { policy: null })).status).toBe(200)
    expect(left.status).toBe(200)
    expect(await statuses(cookie)).toEqual([401, 401])
  })

  describe('X-Access-Token is signed anew', () => {
    const tokenOf = async ({ cookie }: Visitor) => {
      const { headers } = await ask(tessera.listening, { origin: api, target: '/page', cookie, lines: json })
      return String(headers['x-access-token'])
    }
    it('when its service asks for another algorithm, and another type', async () => {
      const visitor = await inside(api)
      expect(headerOf(await tokenOf(visitor)).alg).toBe('RS256')
      const set = { access_token_alg: 'ES256', access_token_typ: 'JWT' }
      expect((await admin.patch('/services/submissions-tool', set)).status).toBe(200)
      expect(headerOf(await tokenOf(visitor))).toMatchObject({ alg: 'ES256', typ: 'JWT' })
    })
    it('when tokens of the client live shorter', async () => {
      const visitor = await inside(api)
      await tokenOf(visitor)
      expect((await admin.patch('/clients/api', { access_token_lifetime: 60 })).status).toBe(200)
      const [, claims = ''] = (await tokenOf(visitor)).split('.')
      const { iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>
      expect((exp ?? 0) - (iat ?? 0)).toBe(60)
    })
  })

  describe('an administrator of an organisation', () => {
    const own = { client_id: 'acme-wiki', origins: ['https://acme.example.com'], organisation_uuid: acme }
    let head: Administrator
    beforeAll(async () => {
      head = await Administrator.machine(tessera.url, 'acme-cli')
      const made = await admin.post('/clients', {
        ...{ ...wikiClient, ...own, first_party: false, routes: { '* /*': 'signed-in' } },
      })
      expect(made.status, made.text).toBe(201)
    })
    it('is told the same of a permission that is not theirs as of one that is not there', async () => {
      const there = await head.patch('/clients/acme-wiki', { routes: { '* /*': 'ledger.entry.create' } })
      const not = await head.patch('/clients/acme-wiki', { routes: { '* /*': 'ledger.entry.nothing' } })
      expect(there.status).toBe(not.status)
    })
    it('is not told who holds permissions of another service, by groups', async () => {
      await head.patch('/clients/acme-wiki', {
        routes: { '* /*': 'signed-in' },
        groups: { from: 'permissions', service: 'ledger' },
      })
      const foreseen = await head.post('/clients/acme-wiki/visit', {
        ...{ method: 'GET', url: 'https://acme.example.com/page' },
        ...{ user_uuid: users.both, profile_uuid: profiles.bothReader },
      })
      expect(foreseen.text).not.toContain('ledger.entry.read')
    })
    it('sees of groups by the tester what the preview shows, and no more', async () => {
      const made = await admin.post('/clients', {
        ...{ ...wikiClient, ...own, client_id: 'acme-other', origins: ['https://other.example.com'] },
        ...{ services: ['ledger'], groups: { from: 'permissions', service: 'ledger' } },
      })
      expect(made.status, made.text).toBe(201)
      const who = { user_uuid: users.both, profile_uuid: profiles.bothReader }
      const preview = await head.post('/clients/acme-other/preview', who)
      expect(JSON.stringify(preview.json.userinfo)).not.toContain('ledger.entry.read')
      const url = 'https://other.example.com/page'
      const foreseen = await head.post('/clients/acme-other/visit', { method: 'GET', url, ...who })
      expect(foreseen.text).not.toContain('ledger.entry.read')
    })
  })

  it('groups of a proxied client are made of its own services, as of every other', async () => {
    const made = await admin.post('/clients', {
      ...{ ...wikiClient, client_id: 'groups', origins: ['https://groups.example.com'] },
      groups: { from: 'permissions', service: 'ledger' },
    })
    expect(made.status).toBe(400)
  })
})
