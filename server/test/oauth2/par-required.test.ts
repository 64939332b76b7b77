import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Administrator, administeredOn, problemOf, recordsWith, users } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { type Changes, refusalOf } from '../harness/program.ts'
import { askDevice } from './device-support.ts'
import { intranet, opening, push, pushed } from './par-support.ts'

const field = 'require_pushed_authorization_requests'
const device = 'urn:ietf:params:oauth:grant-type:device_code'
const strict = { ...intranet, client_id: 'strict', type: 'public', [field]: true }

onOneDatabase('a client that has to push its requests', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_AUTHORIZE: '0' })
  let admin: Administrator
  let visitor: TestBrowser
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const grant_types = ['authorization_code', 'refresh_token', device]
    expect((await admin.post('/clients', { ...strict, grant_types })).json).toMatchObject({ [field]: true })
    visitor = new TestBrowser(tessera.url)
    await signIn(visitor, authorizeRequest().path, people.importer)
  })
  const asked = async (changes: Changes = {}) =>
    await visitor.request(authorizeRequest({ client_id: 'strict', ...changes }).path)

  it('is answered at its redirect_uri, with the state, whatever else is right', async () => {
    for (const changes of [{}, { prompt: 'none' }, { max_age: '1' }] as Changes[]) {
      const { parameters } = authorizeRequest(changes)
      const answer = answerOf(await asked({ ...changes, state: parameters.state }))
      expect(answer).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('/oauth2/par'),
        state: parameters.state,
        iss: tessera.url,
      })
    }
    const stranger = new TestBrowser(tessera.url)
    const { path } = authorizeRequest({ client_id: 'strict' })
    expect(answerOf(await stranger.request(path))).toMatchObject({ error: 'invalid_request' })
    const { query } = authorizeRequest({ client_id: 'strict' })
    expect(answerOf(await stranger.request('/oauth2/authorize', { form: query }))).toHaveProperty('error')
  })

  it('is answered with a page where the redirect_uri is not its own', async () => {
    const { status, location } = await asked({ redirect_uri: 'https://evil.example/' })
    expect([status, location]).toEqual([400, undefined])
  })

  it('is told of another request_uri as everybody is', async () => {
    expect(answerOf(await asked({ request_uri: 'https://client.example/r' }))).toMatchObject({
      error: 'request_uri_not_supported',
    })
    const bare = await visitor.request(opening('strict', 'https://client.example/r'))
    expect([bare.status, bare.location]).toEqual([400, undefined])
  })

  it('signs people in by what it pushed', async () => {
    const one = await pushed(tessera.url, { client_id: 'strict' })
    expect(answerOf(await visitor.open(one.path))).toHaveProperty('code')
  })

  it('goes on with devices, whose requests come without a browser', async () => {
    expect((await askDevice(tessera.url, { client_id: 'strict' })).status).toBe(200)
  })

  it('is tried by an administrator, for whom nothing is pushed', async () => {
    const browser = new TestBrowser(tessera.url)
    const changes = { client_id: 'admin-web', scope: 'openid service.api' }
    const tokens = await tokensFor(tessera.url, people.admin, { browser, changes })
    const person = new Administrator(tessera.url, tokens.access_token ?? '')
    const trial = await person.post('/clients/strict/trials', {})
    expect(trial.status).toBe(201)
    expect(new URL((await browser.open(String(trial.json.url))).url).pathname).toBe('/console/try')
  })

  it('may be changed to that while somebody is signing in, who then comes to the end', async () => {
    expect((await admin.patch('/clients/strict', { [field]: false })).status).toBe(200)
    const stranger = new TestBrowser(tessera.url)
    const page = await stranger.open(authorizeRequest({ client_id: 'strict' }).path)
    expect((await admin.patch('/clients/strict', { [field]: true })).status).toBe(200)
    expect(answerOf(await stranger.submit(page, people.importer))).toHaveProperty('code')
  })

  it.each<[string, object]>([
    ['machine', { client_id: 'robot', client_name: 'Robot', type: 'machine' }],
    [
      'proxied',
      {
        client_id: 'wiki',
        client_name: 'Wiki',
        type: 'proxied',
        origins: ['https://wiki.example'],
        routes: { '* /*': 'signed-in' },
      },
    ],
  ])('is none of the type %s', async (_, made) => {
    expect(problemOf(await admin.post('/clients', { ...made, [field]: true }))).toBe(
      `400 invalid_request ${field}`,
    )
    expect((await admin.post('/clients', { ...made, [field]: false })).status).toBe(201)
  })

  it.each([null, 'yes', 1])('is not registered with %j', async (value) => {
    const answer = await admin.post('/clients', { ...strict, client_id: 'wrong', [field]: value })
    expect(problemOf(answer)).toBe(`400 invalid_request ${field}`)
  })

  describe('by the command and the declared file', () => {
    it('is set, shown and exported, and the others have no line of it', async () => {
      const environment = ways.http(tessera)
      const made = await runHere(
        ['client', 'change', 'submissions-web', '--require-pushed-authorization-requests', '--override-file'],
        { environment },
      )
      expect([made.code, made.stderr]).toEqual([0, expect.any(String)])
      const shown = await runHere(['client', 'show', 'submissions-web', '--json'], { environment })
      expect(JSON.parse(shown.stdout)).toMatchObject({ [field]: true })
      const exported = await runHere(['export'], { environment: ways.database(tessera) })
      const { clients } = parse(exported.stdout) as { clients: Record<string, unknown>[] }
      const having = clients.filter((one) => field in one)
      expect(having.map((one) => [one.client_id, one[field]])).toEqual([
        ['strict', true],
        ['submissions-web', true],
      ])
      const back = [
        'client',
        'change',
        'submissions-web',
        '--no-require-pushed-authorization-requests',
        '--override-file',
      ]
      expect((await runHere(back, { environment })).code).toBe(0)
      expect((await admin.get('/clients/submissions-web')).json).toMatchObject({ [field]: false })
    })
  })

  it('leaves in the audit what any sign-in leaves', async () => {
    const kinds = async (path: string, client: string) => {
      const browser = new TestBrowser(tessera.url)
      const before = (await recordsWith(admin)).length
      await signIn(browser, path, people.importer)
      return (await recordsWith(admin))
        .slice(before)
        .map((one) => [one.kind, one.client_id === client, one.user_uuid === users.importer])
    }
    const ordinary = await kinds(authorizeRequest().path, 'submissions-web')
    expect(ordinary.length).toBeGreaterThan(0)
    const one = await pushed(tessera.url, { client_id: 'strict' })
    expect(await kinds(one.path, 'strict')).toEqual(ordinary)
  })

  it('is told to operators where it pushes an address that is not registered', async () => {
    const { query } = authorizeRequest({
      client_id: 'strict',
      redirect_uri: 'http://127.0.0.1:4001/callback/',
    })
    // A row is written at most once a second.
    tessera.clock.advance(2000)
    expect(refusalOf(await push(tessera.url, query))).toBe('400 invalid_request')
    const { json } = await admin.get('/clients/strict/refused-addresses')
    expect(json.items).toMatchObject([{ parameter: 'redirect_uri', differences: ['slash'] }])
  })
})

onOneDatabase('pushed requests are counted', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_AUTHORIZE: '4' })
  const secrets: Record<string, string> = {}
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    for (const client_id of ['busy', 'calm'])
      secrets[client_id] = String(
        (await admin.post('/clients', { ...intranet, client_id })).json.client_secret,
      )
  })
  const by = async (client_id: string, more: Record<string, string> = {}) =>
    await push(tessera.url, { ...Object.fromEntries(authorizeRequest({ client_id }).query), ...more })

  it('for each client that proves itself, also the refused ones, and for its people’s addresses not', async () => {
    const proof = (id: string) => ({ client_secret: secrets[id] ?? '' })
    for (let count = 0; count < 3; count++) expect((await by('busy', proof('busy'))).status).toBe(201)
    expect((await by('busy', { ...proof('busy'), scope: 'email' })).status).toBe(400)
    const answer = await by('busy', proof('busy'))
    expect(refusalOf(answer)).toBe('429 too_many_requests')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await by('calm', proof('calm'))).status).toBe(201)
    expect((await by('submissions-web')).status).toBe(201)
    // A wrong secret counts nothing in the name of the client.
    for (let count = 0; count < 6; count++) await by('calm', { client_secret: 'wrong' })
    expect((await by('calm', proof('calm'))).status).toBe(201)
    tessera.clock.advance(61_000)
    expect((await by('busy', proof('busy'))).status).toBe(201)
  })

  it('for the address of a public client, with its authorization requests', async () => {
    tessera.clock.advance(61_000)
    const browser = new TestBrowser(tessera.url)
    for (let count = 0; count < 2; count++) expect((await by('submissions-web')).status).toBe(201)
    for (let count = 0; count < 2; count++)
      expect((await browser.request(authorizeRequest().path)).status).toBe(303)
    expect(refusalOf(await by('submissions-web'))).toBe('429 too_many_requests')
    expect((await browser.request(authorizeRequest().path)).status).toBe(429)
  })
})
