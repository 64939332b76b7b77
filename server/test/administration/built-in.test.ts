/** The client of the service's own pages: what it gives, and what nobody can do to it. */
import { beforeAll, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { exportDeclared } from '../../dist/declared/export.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { start } from '../../dist/server.js'
import { passwords } from '../declared/change.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  redirectUri,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { refusalOf, userinfo, withStore } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { acme, Administrator, administeredOn, globex, heads, problemOf } from './support.ts'

const id = 'tessera:api-doc'

onEachDatabase('the client of the interface description', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const asking = (changes: Record<string, string | undefined> = {}, url = tessera.url) =>
    authorizeRequest({ client_id: id, redirect_uri: `${url}/api/doc/oauth2-redirect`, ...changes })
  /** A code for the request, as it stands in the address of the page that ends the sign-in. */
  const exchanged = async (person: { email: string; password: string }) => {
    const request = asking()
    const { url } = await signIn(new TestBrowser(tessera.url), request.path, person)
    const answer = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: id,
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: new URL(url).searchParams.get('code') ?? '',
      code_verifier: request.verifier,
    })
    return answer.json as Record<string, string>
  }
  const ask = async (token: string | undefined, path: string) =>
    await new Administrator(tessera.url, token ?? '').get(path)
  /** Another process on the same database. */
  const started = async (settings: Record<string, string>) =>
    await start(testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl, ...settings }), {
      now: tessera.clock.now,
    })

  it('gives a token that may do what the person may, asks for no consent, and refreshes nothing', async () => {
    const tokens = await exchanged(people.admin)
    expect(Object.keys(tokens).sort()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'scope',
      'token_type',
    ])
    expect(claimsOf(tokens.access_token).client_id).toBe(id)
    expect((await ask(tokens.access_token, '/users')).status).toBe(200)
    // It is looked for like any other, and counted.
    for (const path of ['/token-families?', '/consents?', '/statistics?metric=sign_ins&step=day&'])
      expect((await admin.get(`${path}client_id=${id}`)).status, path).toBe(200)
    const given = await admin.all(`/token-families?client_id=${id}`)
    expect(given.map((one) => one.client_id)).toEqual([id])
    expect(problemOf(await admin.get('/token-families?client_id=a%20b'))).toBe(
      '400 invalid_request client_id',
    )
  })

  it('gives those who administer an organisation no more than that, and others nothing', async () => {
    const { access_token: own } = await exchanged(heads.head)
    expect((await ask(own, `/organisations/${acme}`)).status).toBe(200)
    expect(problemOf(await ask(own, `/organisations/${globex}`))).toBe('404 not_found')
    const { access_token: none } = await exchanged(people.importer)
    expect((await ask(none, '/users')).status).toBe(403)
  })

  it.each([
    ['elsewhere', { redirect_uri: redirectUri }, 'The return address is not registered'],
    ['at another page', { redirect_uri: 'http://localhost/api/doc' }, 'The return address is not registered'],
  ])('sends nobody %s', async (_case, changes, heading) => {
    const page = await new TestBrowser(tessera.url).open(asking(changes).path)
    expect(page.status).toBe(400)
    expect(page.body).toContain(heading)
  })

  it('needs PKCE, state and nonce', async () => {
    const browser = new TestBrowser(tessera.url)
    for (const without of ['code_challenge', 'state', 'nonce']) {
      const refused = await browser.request(asking({ [without]: undefined }).path)
      expect(answerOf(refused).error, without).toBe('invalid_request')
    }
  })

  it('has no other grant, and no page of another origin reads its tokens', async () => {
    const token = async (form: Record<string, string>) =>
      refusalOf(await post(`${tessera.url}/oauth2/token`, { client_id: id, ...form }))
    expect(await token({ grant_type: 'client_credentials' })).toContain('unauthorized_client')
    expect(await token({ grant_type: 'refresh_token', refresh_token: 'any' })).toContain(
      'unauthorized_client',
    )
    const device = await post(`${tessera.url}/oauth2/device_authorization`, {
      client_id: id,
      scope: 'openid',
    })
    expect(refusalOf(device)).toContain('unauthorized_client')
    const { headers } = await post(`${tessera.url}/oauth2/token`, {}, { origin: 'https://other.example' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is no thing to read, change, remove or give a secret, by whoever administers', async () => {
    const path = `/clients/${encodeURIComponent(id)}`
    const head = await Administrator.person(tessera.url, heads.head)
    for (const who of [admin, head]) {
      expect(problemOf(await who.get(path))).toBe('404 not_found')
      expect(problemOf(await who.ask('PATCH', path, { body: { active: false }, match: '*' }))).toBe(
        '404 not_found',
      )
      expect(problemOf(await who.delete(path, '*'))).toBe('404 not_found')
      expect(problemOf(await who.post(`${path}/secrets`, {}))).toBe('404 not_found')
      expect(JSON.stringify(await who.all('/clients', 2))).not.toContain(id)
      for (const q of ['tessera', 'Interface']) expect(await who.all(`/clients?q=${q}`)).toEqual([])
    }
  })

  it('takes no id that somebody could register, and a registered api-doc stays its own', async () => {
    const mine = {
      client_id: 'api-doc',
      type: 'public',
      client_name: 'Ours',
      scope: 'openid',
      redirect_uris: [redirectUri],
    }
    expect(problemOf(await admin.post('/clients', { ...mine, client_id: id }))).toBe(
      '400 invalid_request client_id',
    )
    expect((await admin.post('/clients', mine)).json.redirect_uris).toEqual([redirectUri])
    const page = await new TestBrowser(tessera.url).open(asking({ client_id: 'api-doc' }).path)
    expect(page.body).toContain('The return address is not registered')
  })

  it('is in no declared file and no export, and no pruning takes it', async () => {
    const file = (clients: string) =>
      parseDeclared(`services: []\n${clients}`, { file: 'pruning.yaml', mode: 'development' })
    expect(() => file(`clients: [{ client_id: "${id}", client_name: x, type: public }]`)).toThrow('client_id')
    await withStore(tessera, async (store) => {
      expect(await exportDeclared(store, 0)).not.toContain('tessera:')
      await applyDeclared(store, file(''), { now: tessera.clock.now(), prune: true, ...passwords })
    })
    expect((await exchanged(people.admin)).access_token).toBeDefined()
  })

  it('goes back to the issuer that the service has now', async () => {
    const issuer = 'http://localhost:9'
    const other = await started({ TESSERA_ISSUER: issuer })
    try {
      const there = new TestBrowser(other.url)
      expect((await there.open(asking({}, issuer).path)).status).toBe(200)
      expect((await there.open(asking().path)).body).toContain('The return address is not registered')
    } finally {
      await other.close()
    }
    await (await started({ TESSERA_ISSUER: tessera.url })).close()
    expect((await new TestBrowser(tessera.url).open(asking().path)).status).toBe(200)
  })

  it('is gone with all that it gave where the setting says so', async () => {
    const { access_token: token } = await exchanged(people.admin)
    expect((await userinfo(tessera.url, token)).status).toBe(200)
    await (await started({ TESSERA_ISSUER: tessera.url, TESSERA_API_DOC_SIGN_IN: 'false' })).close()
    expect((await userinfo(tessera.url, token)).status).toBe(401)
    const page = await new TestBrowser(tessera.url).open(asking().path)
    expect(page.body).toContain('This application is not known here')
    // What it gave before does not count again.
    tessera.clock.advance(10_000)
    await (await started({ TESSERA_ISSUER: tessera.url })).close()
    expect((await userinfo(tessera.url, token)).status).toBe(401)
    expect((await exchanged(people.admin)).access_token).toBeDefined()
  })
})
