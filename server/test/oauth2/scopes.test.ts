import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
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
import { onOneDatabase } from '../harness/databases.ts'
import { introspect, refreshAs, refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'
const app = {
  client_id: 'grafana',
  client_name: 'Grafana',
  type: 'public',
  first_party: true,
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token', deviceCode],
  scope: 'openid email groups offline_access service.api',
  services: ['submissions-tool'],
}

onOneDatabase('the scopes groups and offline_access', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let visitor: Visitor
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    visitor = new Visitor(tessera.url)
    expect((await admin.post('/clients', app)).status).toBe(201)
    await admin.post('/clients', { ...app, client_id: 'plain', scope: 'openid email' })
  })

  it('are granted to a client that is registered with them, and told by every answer', async () => {
    const tokens = await visitor.tokens({ client_id: 'grafana', scope: app.scope })
    expect(tokens.scope).toBe(app.scope)
    expect(claimsOf(tokens.access_token).scope).toBe(app.scope)
    expect(await introspect(tessera.url, tokens.access_token)).toMatchObject({ scope: app.scope })
    const refresh = async (scope: string) =>
      await refreshAs(tessera.url, {
        client_id: 'grafana',
        refresh_token: tokens.refresh_token ?? '',
        scope,
      })
    expect(refusalOf(await refresh('openid profile'))).toBe('400 invalid_scope')
    expect(tokensOf(await refresh('openid groups')).scope).toBe('openid groups')
  })

  it.each(['groups', 'offline_access'])('%s is refused to a client without it', async (scope) => {
    const asked = { client_id: 'plain', scope: `openid ${scope}` }
    const visit = await visitor.browser.open(authorizeRequest(asked).path)
    expect(answerOf(visit)).toMatchObject({ error: 'invalid_scope' })
    const device = async (client_id: string) =>
      await post(`${tessera.url}/oauth2/device_authorization`, { ...asked, client_id })
    expect(refusalOf(await device('plain'))).toBe('400 invalid_scope')
    expect((await device('grafana')).status).toBe(200)
    const tokens = await visitor.tokens({ client_id: 'plain', scope: 'openid' })
    const form = { client_id: 'plain', refresh_token: tokens.refresh_token ?? '' }
    expect(refusalOf(await refreshAs(tessera.url, { ...form, scope: asked.scope }))).toBe('400 invalid_scope')
  })

  it('end with the registration, and are named by the consent page', async () => {
    const { client_id } = { client_id: 'third' }
    await admin.post('/clients', { ...app, client_id, first_party: false, services: [] })
    const browser = new TestBrowser(tessera.url)
    const request = authorizeRequest({ client_id, scope: 'openid groups offline_access' })
    const page = await signIn(browser, request.path, people.importer)
    for (const text of ['Your groups', 'Access while you are away']) expect(page.body).toContain(text)
    const { code = '' } = answerOf(await browser.submit(page, { choice: 'allow' }))
    await admin.patch('/clients/third', { scope: 'openid' })
    const tokens = await token(tessera.url, {
      grant_type: 'authorization_code',
      client_id,
      code,
      redirect_uri: redirectUri,
      code_verifier: request.verifier,
    })
    expect(tokensOf(tokens).scope).toBe('openid')
  })

  it('are registered for people alone, and offline_access with the refresh grant alone', async () => {
    const add = async (body: object) =>
      problemOf(await admin.post('/clients', { ...app, client_id: 'wrong', ...body }))
    const only = { grant_types: ['authorization_code'] }
    expect(await add(only)).toBe('400 invalid_request scope')
    expect(await add({ scope: 'openid admin' })).toBe('400 invalid_request scope')
    const machine = { client_id: 'wrong', client_name: 'Robot', type: 'machine' }
    const answer = await admin.post('/clients', { ...machine, scope: 'service.api groups' })
    expect(problemOf(answer)).toBe('400 invalid_request scope')
    expect(problemOf(await admin.patch('/clients/grafana', only))).toBe('400 invalid_request scope')
  })
})
