/** Applications that know no OpenID Connect: a proxy asks about each of their requests (decisions 36). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { acme, Administrator, administeredOn, profiles, users } from '../administration/support.ts'
import { claimsOf, people } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { introspect } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { type Answer, ask, proxied, Visitor, wiki, wikiClient } from './proxy.ts'

const other = 'https://notes.example.com'

onEachDatabase('forward auth', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, proxied)
  let admin: Administrator
  /** Another process on the same database. */
  let second: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', wikiClient)
    expect(made.status, made.text).toBe(201)
    second = await start(
      {
        ...testSettings({
          TESSERA_DATABASE_URL: tessera.databaseUrl,
          ...proxied,
          TESSERA_ISSUER: tessera.url,
        }),
        host: 'localhost',
      },
      { now: tessera.clock.now },
    )
  })
  afterAll(() => second?.close())
  // The clock moves on, and tokens end.
  beforeEach(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const patch = async (path: string, body: object) => {
    const changed = await admin.patch(path, body)
    expect(changed.status, changed.text).toBe(200)
  }
  const signedIn = async (who: { email: string; password: string } = people.importer, profile?: string) => {
    const visitor = new Visitor(tessera)
    const back = await visitor.signIn(who, { ...(profile !== undefined && { profile }) })
    expect(back.status, back.body).toBe(303)
    return visitor
  }
  /** Whether a page of theirs passes, at both processes. */
  const passes = async (visitor: Visitor, target = '/page'): Promise<number[]> => {
    const asked = { target, cookie: visitor.cookie, lines: [] }
    return [(await ask(tessera.listening, asked)).status, (await ask(second.url, asked)).status]
  }

  it('leads a navigation to the sign-in, and back to where it began', async () => {
    const visitor = new Visitor(tessera)
    const begun = await visitor.ask({ target: '/book/page?a=1&b=%20' })
    expect(begun.status, begun.body).toBe(302)
    const back = await visitor.comeBack(
      await visitor.through(String(begun.headers.location), people.importer),
    )
    expect(back.status, back.body).toBe(303)
    expect(back.headers.location).toBe(`${wiki}/book/page?a=1&b=%20`)
    const passed = await visitor.ask({ target: '/book/page' })
    expect(passed.status, passed.body).toBe(200)
    expect(passed.headers).toMatchObject({
      'remote-user': users.importer,
      'remote-email': people.importer.email,
      'remote-name': 'Acme Importer',
      'remote-groups': 'importer',
      'remote-organisation': 'acme',
      'x-access-token': '',
      cookie: '',
      'cache-control': 'no-store',
    })
    expect(await passes(visitor)).toEqual([200, 200])
  })

  it('asks by the profile that was chosen', async () => {
    const reader = await signedIn(people.both, profiles.bothReader)
    const bookkeeper = await signedIn(people.both, profiles.bothBookkeeper)
    const as = async (visitor: Visitor, method: string) =>
      (await visitor.ask({ method, target: '/ledger/book', lines: [] })).status
    expect([await as(reader, 'GET'), await as(reader, 'POST')]).toEqual([200, 403])
    expect([await as(bookkeeper, 'GET'), await as(bookkeeper, 'POST')]).toEqual([200, 200])
    expect((await bookkeeper.ask({ target: '/' })).headers['remote-organisation']).toBe('globex')
  })

  onOne.it('names the permission that is missing, as a page and as JSON', async () => {
    const visitor = await signedIn()
    const page = await visitor.ask({ target: '/ledger/book' })
    expect(page.status).toBe(403)
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.body).toContain('ledger.entry.read')
    const json = await visitor.ask({ target: '/ledger/book', lines: [['Accept', 'application/json']] })
    expect(JSON.parse(json.body)).toMatchObject({
      error: 'permission_missing',
      error_description: expect.stringContaining('ledger.entry.read'),
    })
  })

  onOne.it('lets everybody into public routes, as nobody', async () => {
    const answer = await ask(tessera.listening, { target: '/public/site.css', lines: [] })
    expect(answer.status).toBe(200)
    for (const name of ['remote-user', 'remote-email', 'remote-name', 'remote-groups', 'remote-organisation'])
      expect(answer.headers[name], name).toBe('')
  })

  onOne.describe('what has no session', () => {
    it.each<[string, string, readonly (readonly [string, string])[], number]>([
      ['a page', 'GET', [['Sec-Fetch-Mode', 'navigate']], 302],
      ['a page of an old browser', 'GET', [['Accept', 'text/html']], 302],
      ['the head of a page', 'HEAD', [['Accept', 'text/html']], 302],
      [
        'a picture',
        'GET',
        [
          ['Sec-Fetch-Mode', 'no-cors'],
          ['Accept', 'image/*'],
        ],
        401,
      ],
      [
        'a script that asks',
        'GET',
        [
          ['Sec-Fetch-Mode', 'cors'],
          ['Accept', 'text/html'],
        ],
        401,
      ],
      [
        'a form',
        'POST',
        [
          ['Sec-Fetch-Mode', 'navigate'],
          ['Accept', 'text/html'],
        ],
        401,
      ],
      ['a program', 'GET', [], 401],
      [
        'a WebSocket',
        'GET',
        [
          ['Sec-Fetch-Mode', 'websocket'],
          ['Connection', 'close'],
        ],
        401,
      ],
    ])('%s by %s', async (_, method, lines, status) => {
      const answer = await ask(tessera.listening, { method, lines })
      expect(answer.status).toBe(status)
      expect(answer.headers.location === undefined).toBe(status !== 302)
      expect(answer.headers['set-cookie'] === undefined).toBe(status !== 302)
      expect(answer.headers['cache-control']).toBe('no-store')
    })

    it('gets the reason as JSON, and a form a page', async () => {
      const json = await ask(tessera.listening, { lines: [['Accept', 'application/json']] })
      expect(JSON.parse(json.body)).toMatchObject({ error: 'sign_in_required' })
      const form = await ask(tessera.listening, { method: 'POST' })
      expect(form.headers['content-type']).toContain('text/html')
    })
  })

  describe('a session ends', () => {
    let visitor: Visitor
    let undo: (() => Promise<void>) | undefined
    beforeEach(async () => {
      await undo?.()
      undo = undefined
      visitor = await signedIn()
      expect(await passes(visitor)).toEqual([200, 200])
    })
    afterAll(async () => {
      admin = await Administrator.machine(tessera.url)
      await undo?.()
    })

    const byChange: [string, string, object, object][] = [
      ['the person is disabled', `/users/${users.importer}`, { active: false }, { active: true }],
      ['the profile is disabled', `/profiles/${profiles.importer}`, { active: false }, { active: true }],
      ['the role is disabled', '/roles/importer', { active: false }, { active: true }],
      ['the client is disabled', '/clients/wiki', { active: false }, { active: true }],
      ['nobody of them may enter', '/clients/wiki', { allowed: { roles: ['reader'] } }, { allowed: null }],
      [
        'a second factor is demanded',
        '/clients/wiki',
        { policy: { second_factor: 'required' } },
        { policy: null },
      ],
    ]
    // What is decided of them stands in one place: two on PostgreSQL stand for all.
    it.each(dialect === 'sqlite' ? byChange : byChange.slice(1, 3))(
      'when %s, at the next request to any process',
      async (_, path, change, back) => {
        await patch(path, change)
        undo = () => patch(path, back)
        const statuses = await passes(visitor)
        for (const status of statuses) expect([401, 403]).toContain(status)
      },
    )

    it('with the session of the browser', async () => {
      expect((await admin.delete(`/users/${users.importer}/sessions`)).status).toBe(204)
      expect(await passes(visitor)).toEqual([401, 401])
    })

    it('with its idle time, and not while it is used', async () => {
      const half = 6.5 * 3_600_000
      tessera.clock.advance(half)
      expect(await passes(visitor)).toEqual([200, 200])
      tessera.clock.advance(half)
      expect(await passes(visitor)).toEqual([200, 200])
      tessera.clock.advance(2 * half)
      expect(await passes(visitor)).toEqual([401, 401])
    })

    onOne.it('at its absolute end, however much it is used', async () => {
      for (let day = 0; day < 14; day++) {
        tessera.clock.advance(12 * 3_600_000 - 1000)
        expect(await passes(visitor), `half a day ${day}`).toEqual([200, 200])
      }
      tessera.clock.advance(15_000)
      expect(await passes(visitor)).toEqual([401, 401])
    })

    it('when its profile has run out', async () => {
      const expires_at = new Date(tessera.clock.now() + 60_000).toISOString()
      await patch(`/profiles/${profiles.importer}`, { expires_at })
      undo = () => patch(`/profiles/${profiles.importer}`, { expires_at: null })
      expect(await passes(visitor)).toEqual([200, 200])
      tessera.clock.advance(60_001)
      expect(await passes(visitor)).toEqual([401, 401])
    })
  })

  onOne.it('no address is told of an account that somebody limited has set', async () => {
    const limited = await Administrator.machine(tessera.url, 'acme-cli')
    const email = 'taken-over@acme.example'
    const importing = { role_code: 'importer', organisation_uuid: acme }
    const made = await admin.post('/users', {
      ...{ email, name: 'Taken', email_verified: true, password: 'a password of their own' },
      profiles: [importing],
    })
    const told = async (password: string) =>
      (await (await signedIn({ email, password })).ask({ target: '/' })).headers['remote-email']
    expect(await told('a password of their own')).toBe(email)
    const password = 'a password that a help desk knows'
    expect((await limited.patch(`/users/${String(made.json.uuid)}`, { password })).status).toBe(200)
    expect(await told(password)).toBe('')
  })

  onOne.it('a change counts at the next request', async () => {
    const visitor = await signedIn()
    const nameOf = async () => (await visitor.ask({ target: '/' })).headers['remote-name']
    expect(await nameOf()).toBe('Acme Importer')
    await patch(`/users/${users.importer}`, { name: 'Jürgen, 100 % “Ä”' })
    expect(await nameOf()).toBe('J%C3%BCrgen, 100 %25 %E2%80%9C%C3%84%E2%80%9D')
    await patch(`/users/${users.importer}`, { name: 'Acme Importer', email_verified: false })
    expect((await visitor.ask({ target: '/' })).headers['remote-email']).toBe('')
    await patch('/clients/wiki', { remote_user: 'email' })
    expect((await visitor.ask({ target: '/' })).headers['remote-user']).toBe('')
    await patch(`/users/${users.importer}`, { email_verified: true })
    expect((await visitor.ask({ target: '/' })).headers['remote-user']).toBe(people.importer.email)
    await patch('/clients/wiki', { remote_user: 'sub', headers: ['Remote-User'] })
    expect((await visitor.ask({ target: '/' })).headers).toMatchObject({
      'remote-user': users.importer,
      'remote-email': '',
      'remote-groups': '',
    })
    await patch('/clients/wiki', { headers: wikiClient.headers })
    await patch('/clients/wiki', { routes: { ...wikiClient.routes, '* /*': 'ledger.entry.read' } })
    expect(await passes(visitor)).toEqual([403, 403])
    await patch('/clients/wiki', { routes: wikiClient.routes })
    await patch('/roles/importer', { permissions: ['ledger.entry.read'] })
    expect(await passes(visitor, '/ledger/book')).toEqual([200, 200])
    await patch('/roles/importer', {
      permissions: ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read'],
    })
    expect(await passes(visitor, '/ledger/book')).toEqual([403, 403])
  })

  describe('an access token', () => {
    const application = {
      ...wikiClient,
      client_id: 'notes',
      client_name: 'Notes',
      origins: [other],
      routes: { '* /*': 'signed-in' },
      headers: ['X-Access-Token'],
      services: ['ledger'],
      groups: { from: 'organisation/role' },
    }
    beforeAll(async () => {
      const made = await (await Administrator.machine(tessera.url)).post('/clients', application)
      expect(made.status, made.text).toBe(201)
    })

    it('is for the one service, signed once, and ends with the session', async () => {
      const visitor = new Visitor(tessera, { origin: other })
      await visitor.signIn(people.both, { profile: profiles.bothBookkeeper })
      const tokenOf = async () => String((await visitor.ask({ target: '/' })).headers['x-access-token'])
      const [token, again] = [await tokenOf(), await tokenOf()]
      expect(again).toBe(token)
      expect(claimsOf(token)).toMatchObject({
        aud: 'https://ledger.acme.example/api',
        client_id: 'notes',
        permissions: ['ledger.entry.create', 'ledger.entry.read'],
        profile_uuid: profiles.bothBookkeeper,
        scope: 'service.api',
      })
      const machine = { client_id: 'ledger-report', client_secret: 'ledger-report-development-secret' }
      expect(await introspect(tessera.url, token, machine)).toMatchObject({ active: true })
      tessera.clock.advance(850_000)
      const renewed = await tokenOf()
      expect(renewed).not.toBe(token)
      await visitor.at('/.tessera/logout', { lines: [['Sec-Fetch-Site', 'same-origin']] })
      expect(await introspect(tessera.url, renewed, machine)).toEqual({ active: false })
    })

    onOne.it.each([[[]], [['ledger', 'submissions-tool']], [['iam']]])(
      'for the services %j is refused',
      async (services) => {
        const refused = await admin.patch('/clients/notes', { services })
        expect(refused.status).toBe(400)
        expect(refused.text).toContain('exactly one service')
      },
    )
  })

  describe('the way back', () => {
    it('is of the browser that began it', async () => {
      const [first, second] = [new Visitor(tessera), new Visitor(tessera)]
      const begun = await first.ask({ target: '/page' })
      const back = await first.through(String(begun.headers.location), people.importer)
      expect((await second.comeBack(back)).status).toBe(400)
      expect(second.cookie).toBe('')
      expect((await first.comeBack(back)).status).toBe(303)
    })

    it('is gone once it was used, and its session goes on', async () => {
      const visitor = new Visitor(tessera)
      const begun = await visitor.ask({ target: '/page' })
      const back = await visitor.through(String(begun.headers.location), people.importer)
      expect((await visitor.comeBack(back)).status).toBe(303)
      expect((await visitor.comeBack(back)).status).toBe(400)
      expect(await passes(visitor)).toEqual([200, 200])
    })

    onOne.it('lasts ten minutes', async () => {
      const visitor = new Visitor(tessera)
      const begun = await visitor.ask({ target: '/page' })
      tessera.clock.advance(601_000)
      const back = await visitor.through(String(begun.headers.location), people.importer)
      expect((await visitor.comeBack(back)).status).toBe(400)
    })

    onOne.it('counts at its own origin alone', async () => {
      const visitor = new Visitor(tessera)
      const begun = await visitor.ask({ target: '/page' })
      const back = await visitor.through(String(begun.headers.location), people.importer)
      const elsewhere = new Visitor(tessera, { origin: other })
      for (const [name, value] of visitor.jar) elsewhere.jar.set(name, value)
      expect((await elsewhere.comeBack(back)).status).toBe(400)
    })

    onOne.it('is there five times at the most, the newest', async () => {
      const visitor = new Visitor(tessera)
      const locations: string[] = []
      for (let page = 0; page < 7; page++) {
        tessera.clock.advance(1000)
        locations.push(String((await visitor.ask({ target: `/page-${page}` })).headers.location))
      }
      expect([...visitor.jar.keys()].sort()).toEqual(
        [1, 2, 3, 4, 5].map((one) => `__Host-tessera-way-${one}`),
      )
      const comeBack = async (location = '') =>
        (await visitor.comeBack(await visitor.through(location, people.importer))).headers.location
      expect(await comeBack(locations[1])).toBeUndefined()
      expect(await comeBack(locations[2])).toBe(`${wiki}/page-2`)
      expect(await comeBack(locations[6])).toBe(`${wiki}/page-6`)
    })

    onOne.it('of a long address leads to its page, without what was asked of it', async () => {
      const visitor = new Visitor(tessera)
      const back = await visitor.signIn(people.importer, { target: `/page?${'a'.repeat(3000)}` })
      expect(back.headers.location).toBe(`${wiki}/page`)
    })
  })

  describe('signing out of the application', () => {
    const out = async (visitor: Visitor, site?: string): Promise<Answer> =>
      await visitor.at('/.tessera/logout', { lines: site === undefined ? [] : [['Sec-Fetch-Site', site]] })

    it('ends the session there alone', async () => {
      const visitor = await signedIn()
      const { cookie } = visitor
      expect((await out(visitor, 'same-origin')).status).toBe(200)
      expect(visitor.cookie).toBe('')
      expect((await ask(tessera.listening, { cookie, lines: [] })).status).toBe(401)
      // The session at the issuer goes on, so nobody types a password.
      const begun = await visitor.ask({ target: '/again' })
      const back = await visitor.issuer.open(String(begun.headers.location))
      expect((await visitor.comeBack(String(back.location))).headers.location).toBe(`${wiki}/again`)
    })

    onOne.it.each(['cross-site', 'same-site', 'none', undefined])(
      'asks where the link is %s',
      async (site) => {
        const visitor = await signedIn()
        const asked = await out(visitor, site)
        expect(asked.status).toBe(200)
        expect(asked.body).toContain('Wiki')
        expect(await passes(visitor)).toEqual([200, 200])
        const csrf = /name="csrf" value="([^"]+)"/.exec(asked.body)?.[1] ?? ''
        const wrong = await visitor.at('/.tessera/logout', { method: 'POST', body: 'csrf=x' })
        expect(wrong.status).toBe(403)
        expect(await passes(visitor)).toEqual([200, 200])
        const { cookie } = visitor
        const done = await visitor.at('/.tessera/logout', { method: 'POST', body: `csrf=${csrf}` })
        expect(done.status).toBe(200)
        expect((await ask(tessera.listening, { cookie, lines: [] })).status).toBe(401)
      },
    )
  })

  onOne.it('sets no cookie of the issuer at an application, and links what is at the issuer', async () => {
    const visitor = await signedIn()
    const page = await visitor.ask({ target: '/ledger/book' })
    expect(page.headers['set-cookie']).toBeUndefined()
    expect(page.headers['strict-transport-security']).toBeUndefined()
    const { origin } = new URL(tessera.url)
    expect(page.body).toContain(`href="${tessera.url}/assets/`)
    expect(page.body).not.toMatch(/(?:href|src|action)="\/(?!\.tessera\/)/)
    expect(String(page.headers['content-security-policy'])).toContain(`style-src ${origin}`)
    expect(String(page.headers['content-security-policy'])).toContain(`script-src ${origin}`)
  })

  onOne.it('gives a proxied client no tokens of its own', async () => {
    const form = (fields: Record<string, string>) =>
      fetch(`${tessera.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) })
    for (const grant_type of ['authorization_code', 'refresh_token', 'client_credentials'])
      for (const secret of [{}, { client_secret: 'x' }])
        expect(
          (await form({ grant_type, client_id: 'wiki', code: 'x', refresh_token: 'x', ...secret })).status,
        ).toBe(401)
  })

  onOne.it('is where it is told, and nobody else is', async () => {
    const problem = async (body: object) =>
      (await admin.post('/clients', { ...wikiClient, client_id: 'another', ...body })).json
    expect(await problem({})).toMatchObject({ error: 'conflict' })
    expect(await problem({ origins: [new URL(tessera.url).origin] })).toHaveProperty('error')
    for (const origins of [
      [],
      ['http://wiki.example.com'],
      ['https://a.example/'],
      ['https://a.example:443'],
      ['https://A.example'],
      ['https://*.example'],
    ])
      expect(await problem({ origins }), JSON.stringify(origins)).toMatchObject({ error: 'invalid_request' })
    expect(await problem({ origins: ['https://a.example'], routes: null })).toMatchObject({
      error: 'invalid_request',
    })
    expect(
      await problem({ origins: ['https://a.example'], routes: { 'GET /x': 'no.such.permission' } }),
    ).toMatchObject({ error: 'invalid_request' })
    expect(
      await problem({ origins: ['https://a.example'], redirect_uris: ['https://b.example/'] }),
    ).toMatchObject({ error: 'invalid_request' })
    expect(await problem({ origins: ['https://a.example'], scope: 'openid service.api' })).toMatchObject({
      error: 'invalid_request',
    })
    expect(
      await problem({
        type: 'web',
        redirect_uris: ['https://b.example/'],
        scope: 'openid',
        origins: ['https://a.example'],
        routes: null,
        headers: [],
      }),
    ).toMatchObject({ error: 'invalid_request' })
  })

  onOne.it('a session counts at one origin of an application alone', async () => {
    await patch('/clients/wiki', { origins: [wiki, 'https://wiki.example.org'] })
    const visitor = await signedIn()
    const asked = { cookie: visitor.cookie, lines: [] }
    expect((await ask(tessera.listening, asked)).status).toBe(200)
    expect((await ask(tessera.listening, { ...asked, origin: 'https://wiki.example.org' })).status).toBe(401)
    await patch('/clients/wiki', { origins: [wiki] })
  })

  onOne.it('a dry run tells what would demand less, and what would be told besides', async () => {
    const { etag } = await admin.get('/clients/wiki')
    const body = {
      routes: { '* /*': 'public' },
      headers: [...wikiClient.headers, 'X-Access-Token'],
      services: ['ledger'],
    }
    const tried = await admin.ask('PATCH', '/clients/wiki?dry_run=true', { body, match: etag })
    const { weakens } = tried.json as { weakens: { field: string; detail: string }[] }
    expect(weakens.map(({ field }) => field)).toContain('headers')
    expect(weakens.find(({ detail }) => detail.startsWith('* /* '))?.detail).toBe(
      '* /* demands public; before it was signed-in.',
    )
    expect(weakens.find(({ detail }) => detail.startsWith('POST /ledger/* '))?.detail).toContain(
      'public; before it was ledger.entry.create',
    )
  })

  onOne.it('is explained by what a route asks: the role alone', async () => {
    const why = async (permission: string) => {
      const query = {
        user_uuid: users.both,
        profile_uuid: profiles.bothReader,
        client_id: 'wiki',
        permission,
      }
      return (await admin.get(`/access/explain?${new URLSearchParams(query)}`)).json
    }
    expect(await why('ledger.entry.read')).toMatchObject({ allowed: true })
    const refused = await why('ledger.entry.create')
    expect(refused).toMatchObject({ allowed: false })
    const failing = (refused.chain as { check: string; holds: boolean }[]).filter(({ holds }) => !holds)
    expect(failing).toMatchObject([{ check: 'role_has_permission' }])
  })

  it('tells beforehand what a visitor would get', async () => {
    const told = async (body: object) =>
      (await admin.post('/clients/wiki/visit', { method: 'GET', url: `${wiki}/ledger/x`, ...body })).json
    expect(await told({})).toMatchObject({
      outcome: 'sign_in',
      status: 302,
      routes: [{ route: 'GET /ledger/*', demands: 'ledger.entry.read' }],
    })
    expect(await told({ user_uuid: users.importer, profile_uuid: profiles.importer })).toMatchObject({
      outcome: 'refused',
      status: 403,
      permission: 'ledger.entry.read',
    })
    expect(await told({ user_uuid: users.both, profile_uuid: profiles.bothReader })).toMatchObject({
      outcome: 'passes',
      headers: { 'Remote-User': users.both, 'Remote-Groups': 'reader', 'X-Access-Token': '' },
    })
    expect(await told({ url: `${wiki}/public/../x` })).toMatchObject({ outcome: 'refused' })
    expect(await told({ url: `${other}/x` })).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('origin'),
    })
    const acme = await Administrator.machine(tessera.url, 'acme-cli')
    expect((await acme.post('/clients/wiki/visit', { method: 'GET', url: `${wiki}/` })).status).toBe(404)
  })
})
