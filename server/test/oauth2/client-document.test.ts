import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, profiles, users } from '../administration/support.ts'
import { answerOf, claimsOf, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, sampleOn } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { audiences, refreshAs, refusalOf, token, tokensOf } from '../harness/program.ts'
import {
  asked,
  codeFor,
  consentTo,
  exchanged,
  permission,
  registered,
  registration,
} from './client-document-support.ts'

onEachDatabase('a client that is a document', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  let host: DocumentServer
  let admin: Administrator
  let agent: string
  beforeAll(async () => {
    host = await DocumentServer.start()
    admin = await Administrator.machine(tessera.url)
    agent = await registered(admin, host)
  })
  afterAll(async () => await host.close())
  beforeEach(() => host.reset())

  const path = (client_id: string) => `/clients/${encodeURIComponent(client_id)}`
  const discovered = async () =>
    (await (await fetch(`${tessera.url}/.well-known/oauth-authorization-server`)).json()) as Record<
      string,
      unknown
    >

  it('has what its document says, and what the administrator does', async () => {
    const { json } = await admin.get(path(agent))
    expect(json).toMatchObject({
      client_id: agent,
      metadata: 'document',
      client_name: 'Agent',
      redirect_uris: host.says['redirect_uris'],
      token_endpoint_auth_method: 'none',
      permissions: [permission],
      logo_uri: null,
      document_read: { failure: null, gone_at: null, fetched_at: expect.any(String) as string },
      weakenings: [],
    })
  })

  it('gets a token for its service, and renews it', async () => {
    const request = asked(agent)
    const tokens = tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
    expect(claimsOf(tokens['access_token'])).toMatchObject({
      aud: audiences.submissions,
      client_id: agent,
      permissions: [permission],
    })
    expect(claimsOf(tokens['id_token'])).not.toHaveProperty('nonce')
    const renewed = tokensOf(
      await refreshAs(tessera.url, {
        client_id: agent,
        refresh_token: tokens['refresh_token'] ?? '',
        resource: audiences.submissions,
      }),
    )
    expect(claimsOf(renewed['access_token'])).toMatchObject({ aud: audiences.submissions })
    // Neither the token nor the refresh asked the host.
    expect(host.asked).toBe(0)
  })

  it('asks for consent at every sign-in, and says whose it is and where it leads', async () => {
    const browser = new TestBrowser(tessera.url)
    const first = asked(agent)
    const page = await signIn(browser, first.path, people.importer)
    expect(page.body).toContain(new URL(agent).host)
    expect(page.body).toContain('goes to a program on this computer')
    expect(page.body).toContain('Submissions tool')
    expect(page.body).toContain('Import a VISTA file')
    expect(answerOf(await browser.submit(page, { choice: 'allow' }))).toHaveProperty('code')
    const again = await browser.open(asked(agent).path)
    expect(new URL(again.url).pathname).toBe('/consent')
    expect(answerOf(await browser.submit(again, { choice: 'deny' }))).toMatchObject({
      error: 'access_denied',
    })
    const silent = await browser.request(asked(agent, { prompt: 'none' }).path)
    expect(answerOf(silent)).toMatchObject({ error: 'consent_required' })
    const web = await browser.open(asked(agent, { redirect_uri: `${host.origin}/callback` }).path)
    expect(web.body).not.toContain('goes to a program on this computer')
  })

  onOne.it('asks for all of its scopes where it names none', async () => {
    const request = asked(agent, { scope: undefined })
    const tokens = tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
    expect(tokens['scope']).toBe('openid service.api')
  })

  onOne.it('needs a state, and drops an offline_access that it does not have', async () => {
    const browser = new TestBrowser(tessera.url)
    const stateless = await browser.request(asked(agent, { state: undefined }).path)
    expect(answerOf(stateless)).toMatchObject({ error: 'invalid_request' })
    const unknown = await browser.request(asked(agent, { scope: 'openid service.api email' }).path)
    expect(answerOf(unknown)).toMatchObject({ error: 'invalid_scope' })
    const request = asked(agent, { scope: 'openid service.api offline_access' })
    const tokens = tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
    expect(tokens['scope']).toBe('openid service.api')
  })

  it.each(
    sampleOn(dialect, 1, [
      ['http://127.0.0.1:7777/callback'],
      ['http://localhost:1/callback'],
      ['http://localhost/callback'],
    ]),
  )('comes back to any port of this computer: %s', async (redirect_uri) => {
    const page = await consentTo(tessera.url, asked(agent, { redirect_uri }))
    expect(new URL(page.url).pathname).toBe('/consent')
  })

  onOne.it.each([
    ['http://[::1]:7777/callback'],
    ['http://localhost:7777/other'],
    ['http://localhost:7777/callback/'],
    ['https://localhost:7777/callback'],
    ['https://evil.example/callback'],
    ['http://localhost:99999/callback'],
    ['http://localhost:80@evil.example/callback'],
  ])('comes back to nothing that its document does not say: %s', async (redirect_uri) => {
    const page = await new TestBrowser(tessera.url).request(asked(agent, { redirect_uri }).path)
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.body).toContain('invalid_redirect_uri')
    const { text } = await admin.get(`${path(agent)}/refused-addresses`)
    expect(text).toContain('is none that the document of the client says')
    expect(text).not.toContain('tessera client change')
  })

  describe('and its resource', () => {
    it('may be missing, where it has one service', async () => {
      const request = asked(agent, { resource: undefined })
      const tokens = tokensOf(await exchanged(tessera.url, request, await codeFor(tessera.url, request)))
      expect(claimsOf(tokens['access_token'])).toMatchObject({ aud: audiences.submissions })
    })

    it('is needed where it has several, and is one of them', async () => {
      const services = ['submissions-tool', 'ledger']
      const both = await registered(admin, host, { services, permissions: [permission, 'ledger.entry.read'] })
      const browser = new TestBrowser(tessera.url)
      for (const resource of [
        undefined,
        'https://evil.example/api',
        `${audiences.submissions}/`,
        tessera.url,
      ])
        expect(answerOf(await browser.request(asked(both, { resource }).path))).toMatchObject({
          error: 'invalid_target',
        })
      const request = asked(both)
      const code = await codeFor(tessera.url, request)
      const other = await exchanged(tessera.url, request, code, { resource: audiences.ledger })
      expect(refusalOf(other)).toBe('400 invalid_target')
      const tokens = tokensOf(
        await exchanged(tessera.url, request, code, { resource: audiences.submissions }),
      )
      expect(claimsOf(tokens['access_token'])).toMatchObject({ aud: audiences.submissions })
      const form = { client_id: both, refresh_token: tokens['refresh_token'] ?? '' }
      const wider = await refreshAs(tessera.url, { ...form, resource: audiences.ledger })
      expect(refusalOf(wider)).toBe('400 invalid_target')
      tokensOf(await refreshAs(tessera.url, form))
    })

    it('may have a slash after a bare host, and aud has none', async () => {
      const bare = 'https://mcp.acme.example'
      await admin.post('/services', { code: 'mcp', name: 'MCP', audience: bare })
      const client = await registered(admin, host, { services: ['mcp'], permissions: [] })
      const request = asked(client, { resource: `${bare}/` })
      const code = await codeFor(tessera.url, request)
      const tokens = tokensOf(await exchanged(tessera.url, request, code, { resource: `${bare}/` }))
      expect(claimsOf(tokens['access_token'])).toMatchObject({ aud: bare })
      const form = { client_id: client, refresh_token: tokens['refresh_token'] ?? '' }
      const renewed = tokensOf(await refreshAs(tessera.url, { ...form, resource: `${bare}/` }))
      expect(claimsOf(renewed['access_token'])).toMatchObject({ aud: bare })
    })
  })

  it('is unknown where nobody registered it, and its address is never asked', async () => {
    const client_id = `${host.origin}/oauth/stranger.json`
    const page = await new TestBrowser(tessera.url).request(asked(client_id).path)
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.body).toContain(new URL(client_id).host)
    expect(page.body).toContain('tessera client create')
    const answer = await fetch(`${tessera.url}${asked(client_id).path}`, {
      headers: { accept: 'application/json' },
    })
    expect(await answer.json()).toMatchObject({ error: 'invalid_client' })
    for (const odd of [`${client_id}'`, `${client_id}?a`, `${host.origin}/`]) {
      const plain = await new TestBrowser(tessera.url).request(asked(odd).path)
      expect([plain.status, plain.body.includes('tessera client create')]).toEqual([400, false])
    }
    const form = {
      grant_type: 'authorization_code',
      client_id,
      code: 'a',
      redirect_uri: 'a',
      code_verifier: 'a',
    }
    expect(refusalOf(await token(tessera.url, form))).toBe('401 invalid_client')
    expect(host.asked).toBe(0)
  })

  it('is announced while one is active', async () => {
    const supported = 'client_id_metadata_document_supported'
    expect(await discovered()).toMatchObject({ [supported]: true })
    const all = await admin.all('/clients')
    const documents = all
      .filter((one) => one['metadata'] === 'document')
      .map((one) => String(one['client_id']))
    for (const one of documents) await admin.patch(path(one), { active: false })
    expect(await discovered()).not.toHaveProperty(supported)
    for (const one of documents) await admin.patch(path(one), { active: true })
    expect(await discovered()).toMatchObject({ [supported]: true })
  })

  onOne.it.each<[string, Record<string, unknown>]>([
    ['a type that proves itself', { type: 'web' }],
    ['the type of a machine', { type: 'machine' }],
    ['no list of permissions', { permissions: undefined }],
    ['no list of permissions, said', { permissions: null }],
    ['no consent', { first_party: true }],
    ['redirect URIs of its own', { redirect_uris: ['https://acme.example/callback'] }],
    ['keys of its own', { jwks_uri: 'https://acme.example/jwks' }],
    ['no state', { require_state: false }],
    ['devices', { grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] }],
    ['a client_id that is no address', { client_id: 'agent' }],
    ['a client_id over http', { client_id: 'http://localhost/oauth/client.json' }],
    ['a client_id with a query', { client_id: 'https://localhost/oauth/client.json?a=1' }],
    ['a host that is none', { redirect_hosts: ['https://app.acme.example'] }],
    ['a document of another address', { document: { client_id: 'https://localhost/other.json' } }],
    ['no document, and hosts', { metadata: 'registered', client_name: 'A', redirect_hosts: ['a.example'] }],
  ])('is not registered with %s', async (_, changes) => {
    const client_id = `${host.origin}/oauth/none.json`
    const answer = await admin.post('/clients', registration(client_id, changes))
    expect(answer.status, answer.text).toBe(400)
    expect(host.asked).toBe(0)
  })

  onOne.it('is explained: what it may do is the list, and its document has to be read', async () => {
    const profile = profiles.importer
    const explained = async (client_id: string, asked = permission) => {
      const query = new URLSearchParams({
        user_uuid: users.importer,
        profile_uuid: profile,
        client_id,
        permission: asked,
      })
      const { json, text } = await admin.get(`/access/explain?${query}`)
      expect(json['chain'], text).toBeDefined()
      return json as { allowed: boolean; chain: { check: string; holds: boolean; detail: string }[] }
    }
    const right = await explained(agent)
    expect(right.allowed).toBe(true)
    expect(right.chain.find(({ check }) => check === 'client_document_read')).toMatchObject({ holds: true })
    const other = await explained(agent, 'submissions-tool.vista-import.read')
    expect(other.chain.filter((one) => !one.holds).map(({ check }) => check)).toEqual([
      'client_allows_permission',
    ])
    const ordinary = await explained('submissions-web')
    expect(ordinary.chain.map(({ check }) => check)).not.toContain('client_document_read')
  })

  onOne.it('keeps from a change what its document says', async () => {
    for (const changes of [
      { redirect_uris: ['https://a.example/'] },
      { client_name: 'B' },
      { first_party: true },
    ])
      expect((await admin.patch(path(agent), changes)).status).toBe(400)
    expect((await admin.patch(path(agent), { permissions: null })).status).toBe(400)
  })
})
