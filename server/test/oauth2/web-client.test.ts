import * as client from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { people, post, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { audiences, refreshAs, refusalOf, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const server = {
  client_id: 'intranet',
  client_name: 'Intranet',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  post_logout_redirect_uris: ['http://127.0.0.1:4001/'],
  scope: 'openid email profile service.api',
  services: ['submissions-tool'],
}
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** A confidential client for people: everything of a public one, and it proves who it is. */
onOneDatabase('a web client', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_CLIENT_AUTH: '0' })
  let admin: Administrator
  let secret: string
  let visitor: Visitor
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', server)
    secret = String(made.json.client_secret)
    visitor = new Visitor(tessera.url)
  })

  const codeFor = async () => await visitor.code({ client_id: server.client_id })

  it('is registered with a secret, shown once, and no origins', async () => {
    const made = await admin.post('/clients', { ...server, client_id: 'wiki' })
    expect(made.json).toMatchObject({
      type: 'web',
      client_secret: expect.stringMatching(/^[\w-]{43}$/),
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
      allowed_origins: [],
      secrets: [{ expires_at: null }],
    })
    expect((await admin.get('/clients/wiki')).text).not.toContain(String(made.json.client_secret))
    expect((await admin.post('/clients/wiki/secrets', {})).status).toBe(201)
    expect(problemOf(await admin.post('/clients/wiki/secrets', {}))).toBe('409 conflict')
  })

  it('lets its own pages ask userinfo from the browser, once their origin is said', async () => {
    const origin = 'https://intranet.example'
    const made = await admin.post('/clients', { ...server, client_id: 'hybrid', allowed_origins: [origin] })
    expect(made.json).toMatchObject({ type: 'web', allowed_origins: [origin] })
    const readable = async (from: string) =>
      (await fetch(`${tessera.url}/oauth2/userinfo`, { headers: { origin: from } })).headers.get(
        'access-control-allow-origin',
      )
    expect([await readable(origin), await readable('https://other.example')]).toEqual([origin, null])
    const change = await admin.patch('/clients/hybrid', { allowed_origins: [] })
    expect(change.status).toBe(200)
    expect(await readable(origin)).toBeNull()
  })

  it.each<[object, string]>([
    [{ allowed_origins: ['https://intranet.example/'] }, 'allowed_origins.0'],
    [{ allowed_origins: ['http://intranet.example'] }, 'allowed_origins.0'],
    [{ allowed_origins: ['null'] }, 'allowed_origins.0'],
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ redirect_uris: ['http://intranet.example/'] }, 'redirect_uris.0'],
    [{ scope: 'email' }, 'scope'],
    [{ grant_types: ['client_credentials'] }, 'grant_types'],
    [{ grant_types: ['refresh_token'] }, 'grant_types'],
    [{ token_endpoint_auth_method: 'none' }, 'token_endpoint_auth_method'],
    [{ client_secret: 'mine' }, 'client_secret'],
  ])('is not registered with %j', async (changes, field) => {
    const answer = await admin.post('/clients', { ...server, client_id: 'wrong', ...changes })
    expect(problemOf(answer)).toBe(`400 invalid_request ${field}`)
  })

  it.each([
    ['client_secret_basic', (text: string) => client.ClientSecretBasic(text)],
    ['client_secret_post', (text: string) => client.ClientSecretPost(text)],
  ])('goes the whole way with openid-client by %s', async (_, proof) => {
    const configuration = await client.discovery(
      new URL(tessera.url),
      server.client_id,
      undefined,
      proof(secret),
      { execute: [client.allowInsecureRequests] },
    )
    const [verifier, state, nonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ]
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: server.scope,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const visit = await signIn(new TestBrowser(tessera.url), url.href, people.importer)
    const tokens = await client.authorizationCodeGrant(configuration, new URL(visit.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const sub = tokens.claims()?.sub ?? ''
    const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
    expect(await client.fetchUserInfo(configuration, refreshed.access_token, sub)).toMatchObject({ sub })
    const about = await client.tokenIntrospection(configuration, refreshed.access_token)
    expect(about).toMatchObject({ active: true, sub, aud: audiences.submissions })
    await client.tokenRevocation(configuration, refreshed.refresh_token ?? '')
    expect(await client.tokenIntrospection(configuration, refreshed.access_token)).toEqual({ active: false })
  })

  describe.each<[string, Record<string, string>, Record<string, string>]>([
    ['no secret', {}, {}],
    ['an empty secret', { client_secret: '' }, {}],
    ['a wrong secret', { client_secret: 'wrong' }, {}],
    ['the secret of another', { client_secret: 'admin-cli-development-secret' }, {}],
    ['an empty secret by Basic', {}, basic(server.client_id, '')],
    ['a wrong secret by Basic', {}, basic(server.client_id, 'wrong')],
  ])('with %s', (_, form, headers) => {
    const refused = (answer: Parameters<typeof refusalOf>[0]) => {
      expect(refusalOf(answer)).toBe('401 invalid_client')
      expect(answer.headers.has('www-authenticate')).toBe('authorization' in headers)
    }

    it('is refused everywhere, and uses nothing up', async () => {
      const code = await codeFor()
      refused(await token(tessera.url, { ...code, ...form }, headers))
      const tokens = tokensOf(await token(tessera.url, code, basic(server.client_id, secret)))
      const again = { client_id: server.client_id, refresh_token: tokens.refresh_token ?? '' }
      refused(await refreshAs(tessera.url, { ...again, ...form }, headers))
      refused(await token(tessera.url, { grant_type: 'refresh_token', ...again, ...form }, headers))
      const about = { client_id: server.client_id, token: tokens.access_token ?? '', ...form }
      refused(await post(`${tessera.url}/oauth2/introspect`, about, headers))
      refused(await post(`${tessera.url}/oauth2/revoke`, about, headers))
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
      tokensOf(await refreshAs(tessera.url, { ...again, client_secret: secret }))
    })
  })

  it('does not do without PKCE', async () => {
    const { code_verifier: _, ...form } = await codeFor()
    const proof = { client_secret: secret }
    expect(refusalOf(await token(tessera.url, { ...form, ...proof }))).toBe('400 invalid_grant')
    const wrong = { ...form, code_verifier: 'w'.repeat(43), ...proof }
    expect(refusalOf(await token(tessera.url, wrong))).toBe('400 invalid_grant')
  })

  it('is no machine', async () => {
    const form = { grant_type: 'client_credentials', client_id: server.client_id, client_secret: secret }
    expect(refusalOf(await token(tessera.url, form))).toBe('400 unauthorized_client')
  })

  it('learns nothing of the tokens of others, for its services either', async () => {
    const tokens = await visitor.tokens()
    const form = { client_id: server.client_id, client_secret: secret, token: tokens.access_token ?? '' }
    expect((await post(`${tessera.url}/oauth2/introspect`, form)).json).toEqual({ active: false })
  })

  it('gets nothing by the code or the refresh token of another client', async () => {
    const proof = { client_id: server.client_id, client_secret: secret }
    expect(refusalOf(await token(tessera.url, { ...(await visitor.code()), ...proof }))).toBe(
      '400 invalid_grant',
    )
    const { refresh_token = '' } = await visitor.tokens()
    expect(refusalOf(await refreshAs(tessera.url, { refresh_token, ...proof }))).toBe('400 invalid_grant')
  })

  it('is stopped by a removed secret at once, and goes on with another', async () => {
    const made = await admin.post('/clients', { ...server, client_id: 'shop' })
    const [first] = made.json.secrets as { id: string }[]
    const tokens = tokensOf(
      await token(tessera.url, {
        ...(await visitor.code({ client_id: 'shop' })),
        client_secret: String(made.json.client_secret),
      }),
    )
    const second = await admin.post('/clients/shop/secrets', {})
    expect((await admin.delete(`/clients/shop/secrets/${first?.id}`)).status).toBe(204)
    const form = { client_id: 'shop', refresh_token: tokens.refresh_token ?? '' }
    const old = await refreshAs(tessera.url, { ...form, client_secret: String(made.json.client_secret) })
    expect(refusalOf(old)).toBe('401 invalid_client')
    tokensOf(await refreshAs(tessera.url, { ...form, client_secret: String(second.json.client_secret) }))
  })
})
