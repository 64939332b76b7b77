/** Where the service takes over the address of a Keycloak realm, applications that know its addresses go on (decisions 38). */
import { request } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { describe, expect, it } from 'vitest'
import { applyChanged } from '../declared/change.ts'
import {
  authorizeRequest,
  formOn,
  people,
  post,
  redirectUri,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { introspect, machine, refusalOf, Visitor } from '../harness/program.ts'
import { approve, deviceClients, enter } from '../oauth2/device-support.ts'

const below = '/protocol/openid-connect'
const endpoints = {
  [`${below}/auth`]: '/oauth2/authorize',
  [`${below}/auth/device`]: '/oauth2/device_authorization',
  [`${below}/certs`]: '/oauth2/jwks',
  [`${below}/ext/par/request`]: '/oauth2/par',
  [`${below}/logout`]: '/oauth2/logout',
  [`${below}/revoke`]: '/oauth2/revoke',
  [`${below}/token`]: '/oauth2/token',
  [`${below}/token/introspect`]: '/oauth2/introspect',
  [`${below}/userinfo`]: '/oauth2/userinfo',
}

async function service(path: string, more: Record<string, string> = {}): Promise<Tessera> {
  const port = String(await freePort('localhost'))
  const settings = { TESSERA_PORT: port, TESSERA_ISSUER: `http://localhost:${port}${path}`, ...more }
  const started = await startTessera('sqlite', { settings })
  await applyChanged(started, deviceClients)
  return started
}

/** What Keycloak's discovery document says of a realm, as an application has it written down. */
const realm = (issuer: string): oidc.ServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}${below}/auth`,
  token_endpoint: `${issuer}${below}/token`,
  introspection_endpoint: `${issuer}${below}/token/introspect`,
  userinfo_endpoint: `${issuer}${below}/userinfo`,
  end_session_endpoint: `${issuer}${below}/logout`,
  jwks_uri: `${issuer}${below}/certs`,
  revocation_endpoint: `${issuer}${below}/revoke`,
  device_authorization_endpoint: `${issuer}${below}/auth/device`,
  pushed_authorization_request_endpoint: `${issuer}${below}/ext/par/request`,
})

function configured(issuer: string, id: string, auth: oidc.ClientAuth = oidc.None()): oidc.Configuration {
  const config = new oidc.Configuration(realm(issuer), id, undefined, auth)
  oidc.allowInsecureRequests(config)
  return config
}

describe.each(['/realms/acme', ''])('an issuer with Keycloak’s aliases at the path "%s"', (path) => {
  const tessera = duringTests(() => service(path, { TESSERA_ALIASES: 'keycloak' }))
  const at = async (address: string, init: RequestInit = {}) =>
    await fetch(`${tessera.url}${address}`, { redirect: 'manual', ...init })

  it('serves an application that has its addresses written down, from sign-in to logout', async () => {
    const web = configured(tessera.url, 'submissions-web')
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
    const to = oidc.buildAuthorizationUrl(web, {
      redirect_uri: redirectUri,
      scope: 'openid email profile service.api',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const browser = new TestBrowser(tessera.url)
    const visit = await signIn(browser, to.href, people.importer)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    const tokens = await oidc.authorizationCodeGrant(web, new URL(visit.location ?? ''), checks)
    const sub = tokens.claims()?.sub ?? ''
    expect((await oidc.fetchUserInfo(web, tokens.access_token, sub)).email).toBe(people.importer.email)
    const again = await oidc.refreshTokenGrant(web, tokens.refresh_token ?? '')
    const asking = configured(tessera.url, machine.client_id, oidc.ClientSecretBasic(machine.client_secret))
    const active = async () => (await oidc.tokenIntrospection(asking, again.access_token)).active
    expect(await active()).toBe(true)
    await oidc.tokenRevocation(web, again.refresh_token ?? '')
    expect(await active()).toBe(false)

    const hint = tokens.id_token ?? ''
    const back = { id_token_hint: hint, post_logout_redirect_uri: 'http://127.0.0.1:4001/', state: 'bye' }
    const left = await browser.request(oidc.buildEndSessionUrl(web, back).href)
    expect([left.status, left.location]).toEqual([303, 'http://127.0.0.1:4001/?state=bye'])
    const silent = await browser.open(authorizeRequest({ prompt: 'none' }).path)
    expect(silent.location).toContain('error=login_required')
  })

  it('serves a device and a machine', async () => {
    const device = configured(tessera.url, 'terminal')
    const begun = await oidc.initiateDeviceAuthorization(device, { scope: 'openid email' })
    await approve(new TestBrowser(tessera.url), begun.user_code, people.importer)
    const tokens = await oidc.pollDeviceAuthorizationGrant(device, { ...begun, interval: 0 })
    expect(tokens.claims()?.email).toBe(people.importer.email)
    const asking = configured(tessera.url, machine.client_id, oidc.ClientSecretPost(machine.client_secret))
    const own = await oidc.clientCredentialsGrant(asking)
    expect((await introspect(tessera.url, own.access_token)).client_id).toBe(machine.client_id)
  })

  it('takes an assertion for the alias of the token endpoint, and of no other', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const key = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] })
    const robot = `clients:
  - client_id: robot
    client_name: Robot
    type: machine
    jwks: ${key}
    assertion_audience: token_endpoint
    services: [submissions-tool]
`
    await applyChanged(tessera, ['clients:\n', robot])
    const asked = async (aud: string) => {
      const claims = { iss: 'robot', sub: 'robot', aud: `${tessera.url}${aud}`, jti: aud }
      const made = new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime('1m')
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
      const assertion = { client_assertion_type: type, client_assertion: await made.sign(privateKey) }
      const form = { grant_type: 'client_credentials', ...assertion }
      return (await post(`${tessera.url}${below}/token`, form)).status
    }
    expect(await asked(`${below}/token`)).toBe(200)
    expect(await asked(`${below}/revoke`)).toBe(401)
    await applyChanged(tessera, deviceClients)
  })

  it('refuses the password grant, and a logout to an address of the old kind', async () => {
    const form = { grant_type: 'password', client_id: 'submissions-web', username: people.importer.email }
    const password = { ...form, password: people.importer.password, scope: 'openid' }
    expect(refusalOf(await post(`${tessera.url}${below}/token`, password))).toBe('400 unsupported_grant_type')
    const visitor = new Visitor(tessera.url)
    const { id_token: hint } = await visitor.tokens()
    const leave = (query: string) => visitor.browser.open(`${below}/logout?${query}`)
    const old = 'redirect_uri=http%3A%2F%2F127.0.0.1%3A4001%2F'
    const question = await leave(old)
    expect([question.status, question.location]).toEqual([200, undefined])
    expect(new URL(formOn(question).action).pathname).toBe(`${path}/oauth2/logout/confirm`)
    const left = await leave(`${old}&id_token_hint=${hint}`)
    expect([left.status, left.location]).toEqual([200, undefined])
  })

  it('puts nothing that a program posts for a logout into an address', async () => {
    const secrets = { refresh_token: 'a-token', client_secret: 'a-secret', state: 'kept' }
    const answer = await at(`${below}/logout`, { method: 'POST', body: new URLSearchParams(secrets) })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${path}/oauth2/logout?state=kept`])
  })

  it('keeps the proof of a form, which is of the page and not of its address', async () => {
    const visitor = new Visitor(tessera.url)
    await visitor.code()
    const page = await visitor.browser.open(`${below}/logout`)
    const { action, hidden } = formOn(page)
    expect(hidden.csrf).toMatch(/^[\w-]{20,}/)
    const forged = await visitor.browser.request(action, { form: { ...hidden, csrf: 'x' } })
    expect(forged.status).toBe(403)
    expect((await visitor.browser.open(authorizeRequest({ prompt: 'none' }).path)).location).toContain(
      'code=',
    )
  })

  it.each(Object.entries(endpoints))('answers at %s as at %s', async (alias, own) => {
    const told = async (address: string, init: RequestInit) => {
      const answer = await at(address, { ...init, headers: { origin: 'http://127.0.0.1:4001' } })
      const headers = [...answer.headers].filter(([name]) => !/^(date|x-request-id|set-cookie)$/.test(name))
      const location = answer.headers.get('location')?.replace(/=.*/, '')
      return [answer.status, { ...Object.fromEntries(headers), location, 'content-length': '' }]
    }
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect(await told(alias, { method })).toEqual(await told(own, { method }))
    const body = new URLSearchParams({ a: '1' })
    expect(await told(alias, { method: 'POST', body })).toEqual(await told(own, { method: 'POST', body }))
  })

  it.each([
    `${below}/token/`,
    `${below}/Token`,
    `${below}/%74oken`,
    `${below}//token`,
    `/${below}/token`,
    `${below}/../openid-connect/token`,
    `${below}/registrations`,
    `${below}/login-status-iframe.html`,
    `${below}/ext/par`,
    `${below}/ext/ciba/auth`,
    `${below}/toString`,
    below,
    '/protocol/saml',
    '/realms/other/protocol/openid-connect/token',
  ])('has nothing at %s', async (address) => {
    const { port } = new URL(tessera.url)
    // Not by fetch, which would make another path of it.
    const status = new Promise((resolve) => {
      const asked = request(
        { port, host: 'localhost', path: `${path}${address}`, method: 'POST' },
        (answer) => resolve(answer.resume().statusCode),
      )
      asked.end()
    })
    expect(await status).toBe(404)
  })

  it('tells its own addresses in the discovery document', async () => {
    const document = JSON.stringify(await (await at('/.well-known/openid-configuration')).json())
    expect(document).not.toContain(below)
  })
})

describe('the limits of an address', () => {
  const settings = { TESSERA_ALIASES: 'keycloak', TESSERA_LIMIT_CLIENT_AUTH: '4' }
  const tessera = duringTests(() => service('/realms/acme', settings))

  it('count at both addresses together', async () => {
    const asked = async (address: string, client_secret: string) =>
      (
        await post(`${tessera.url}${address}`, {
          grant_type: 'client_credentials',
          ...machine,
          client_secret,
        })
      ).status
    const statuses = []
    for (const address of ['/oauth2/token', `${below}/token`, '/oauth2/token', `${below}/token`])
      statuses.push(await asked(address, 'wrong'))
    expect(statuses).toEqual([401, 401, 401, 401])
    expect(await asked(`${below}/token`, machine.client_secret)).toBe(429)
    expect(await asked('/oauth2/token', machine.client_secret)).toBe(429)
  })
})

describe('without the setting', () => {
  const tessera = duringTests(() => service('/realms/acme'))

  it.each(Object.keys(endpoints))('there is nothing at %s', async (alias) => {
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect((await fetch(`${tessera.url}${alias}`, { method })).status).toBe(404)
  })
})

describe('a page that was opened by an alias', () => {
  const tessera = duringTests(() => service('/realms/acme', { TESSERA_ALIASES: 'keycloak' }))

  it('is where the device is entered, too', async () => {
    const begun = await post(`${tessera.url}${below}/auth/device`, { client_id: 'terminal', scope: 'openid' })
    const address = String(begun.json.verification_uri)
    // Keycloak has it there as well.
    expect(address).toBe(`${tessera.url}/device`)
    const page = await enter(new TestBrowser(tessera.url), String(begun.json.user_code))
    expect(page.status).toBe(200)
  })
})
