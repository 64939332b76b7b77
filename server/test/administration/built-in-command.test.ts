/** The client of `tessera login`: what it gives, and what nobody can do to it. */
import { beforeAll, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { refresh, refusalOf } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { acme, Administrator, administeredOn, globex, heads, problemOf } from './support.ts'

const id = 'tessera:command'
const redirectUri = 'http://127.0.0.1:53682/callback'

onEachDatabase('the client of the command', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const asking = (changes: Record<string, string | undefined> = {}) =>
    authorizeRequest({ client_id: id, redirect_uri: redirectUri, scope: 'openid service.api', ...changes })
  /** Signs in and allows it. */
  async function allowed(person: { email: string; password: string }): Promise<Record<string, string>> {
    const browser = new TestBrowser(tessera.url)
    const { path, verifier } = asking()
    const asked = await signIn(browser, path, person)
    expect(asked.body).toContain('Tessera command line')
    const done = await browser.submit(asked, { choice: 'allow' })
    const { code = '' } = answerOf(done)
    const form = { grant_type: 'authorization_code', client_id: id, redirect_uri: redirectUri, code }
    const { json } = await post(`${tessera.url}/oauth2/token`, { ...form, code_verifier: verifier })
    return json as Record<string, string>
  }
  const ask = async (token: string | undefined, path: string) =>
    await new Administrator(tessera.url, token ?? '').get(path)
  const refreshed = async (tokens: Record<string, string>) =>
    await refresh(tessera.url, tokens.refresh_token ?? '', { client_id: id })
  const device = async (url: string) =>
    await post(`${url}/oauth2/device_authorization`, { client_id: id, scope: 'openid service.api' })
  /** Another process on the same database. */
  const started = async (settings: Record<string, string>) =>
    await start(
      testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url, ...settings }),
      { now: tessera.clock.now },
    )

  it('asks for consent, gives what the person may do, and ends as soon as they withdraw it', async () => {
    const tokens = await allowed(people.admin)
    expect(claimsOf(tokens.access_token).client_id).toBe(id)
    expect((await ask(tokens.access_token, '/users')).status).toBe(200)
    const next = await refreshed(tokens)
    expect(next.status).toBe(200)
    const uuid = String(claimsOf(tokens.access_token).sub)
    expect(await admin.all(`/consents?client_id=${id}`)).toMatchObject([{ user_uuid: uuid }])
    expect((await admin.delete(`/users/${uuid}/consents/${id}`)).status).toBe(204)
    expect((await ask(String(next.json.access_token), '/users')).status).toBe(401)
    const ended = { refresh_token: String(next.json.refresh_token) }
    expect(refusalOf(await refreshed(ended))).toBe('400 invalid_grant')
  })

  it('gives who administers an organisation no more than that, and others nothing', async () => {
    const own = await allowed(heads.head)
    expect((await ask(own.access_token, `/organisations/${acme}`)).status).toBe(200)
    expect(problemOf(await ask(own.access_token, `/organisations/${globex}`))).toBe('404 not_found')
    const none = await allowed(people.importer)
    expect((await ask(none.access_token, '/users')).status).toBe(403)
  })

  it.each([
    ['to another machine', 'https://evil.example/callback'],
    ['to another page of this machine', 'http://127.0.0.1:53682/other'],
    ['by a name that leads elsewhere', 'http://localhost:53682/callback'],
    ['to the issuer', 'http://localhost/console/callback'],
  ])('sends nobody %s', async (_, redirect_uri) => {
    const page = await new TestBrowser(tessera.url).open(asking({ redirect_uri }).path)
    expect([page.status, page.body.includes('The return address is not registered')]).toEqual([400, true])
  })

  it('needs PKCE, and says no without a page to who has not allowed it', async () => {
    const browser = new TestBrowser(tessera.url)
    expect(answerOf(await browser.request(asking({ code_challenge: undefined }).path)).error).toBe(
      'invalid_request',
    )
    await browser.submit(await browser.open('/account'), people.both)
    const { error } = answerOf(await browser.request(asking({ prompt: 'none' }).path))
    expect(['consent_required', 'interaction_required']).toContain(error)
  })

  it('has no other grant, and that of devices in development alone', async () => {
    const form = { client_id: id, grant_type: 'client_credentials' }
    expect(refusalOf(await post(`${tessera.url}/oauth2/token`, form))).toContain('unauthorized_client')
    expect((await device(tessera.url)).status).toBe(200)
    const other = await started({ TESSERA_MODE: 'production' })
    try {
      expect(refusalOf(await device(other.url))).toBe('400 unauthorized_client')
    } finally {
      await other.close()
    }
    await (await started({})).close()
    expect((await device(tessera.url)).status).toBe(200)
  })

  it('is no thing to read, change, remove or register, by whoever administers', async () => {
    const path = `/clients/${encodeURIComponent(id)}`
    expect(problemOf(await admin.get(path))).toBe('404 not_found')
    const off = { body: { active: false }, match: '*' }
    expect(problemOf(await admin.ask('PATCH', path, off))).toBe('404 not_found')
    expect(problemOf(await admin.delete(path, '*'))).toBe('404 not_found')
    expect(JSON.stringify(await admin.all('/clients'))).not.toContain(id)
    const mine = {
      client_id: id,
      type: 'public',
      client_name: 'Ours',
      scope: 'openid',
      redirect_uris: [redirectUri],
    }
    expect(problemOf(await admin.post('/clients', mine))).toBe('400 invalid_request client_id')
  })

  it('is gone with all that it gave where the setting says so', async () => {
    const tokens = await allowed(people.admin)
    await (await started({ TESSERA_COMMAND_SIGN_IN: 'false' })).close()
    expect((await ask(tokens.access_token, '/users')).status).toBe(401)
    const page = await new TestBrowser(tessera.url).open(asking().path)
    expect(page.body).toContain('This application is not known here')
    tessera.clock.advance(10_000)
    await (await started({})).close()
    expect((await ask(tokens.access_token, '/users')).status).toBe(401)
    // What was allowed to it went too.
    expect((await allowed(people.admin)).access_token).toBeDefined()
  })
})
