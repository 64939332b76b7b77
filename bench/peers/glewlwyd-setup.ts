/** What glewlwyd is told by its own API: a scope, a person, two clients and the plugin that speaks OpenID Connect. */
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

const person = { username: 'person', password: 'correct horse battery of the bench' }
/** Whom the package's tables come with. */
const administrator = { username: 'admin', password: 'password' }

export const web = {
  client_id: 'web',
  redirect_uri: 'https://app.bench.example/callback',
  scope: 'openid service.api',
}
export const machine = {
  client_id: 'machine',
  client_secret: 'machine-secret-of-the-bench',
  scope: 'service.api',
}

/** Yields the cookie of somebody who is signed in and has granted. */
export async function setUp(url: string, issuer: string): Promise<string> {
  await answers(url)
  const admin = await signedIn(url, administrator)
  const scope = { name: 'service.api', display_name: 'API', password_required: false }
  await send(url, admin, 'POST', '/api/scope/', scope)
  const scopes = ['g_profile', 'openid', 'service.api']
  await send(url, admin, 'POST', '/api/user/', { ...person, name: 'Person', enabled: true, scope: scopes })
  for (const client of clients()) await send(url, admin, 'POST', '/api/client/', { enabled: true, ...client })
  await send(url, admin, 'POST', '/api/mod/plugin/', plugin(issuer))
  const cookie = await signedIn(url, person)
  await send(url, cookie, 'PUT', `/api/auth/grant/${web.client_id}`, { scope: web.scope })
  return cookie
}

function clients() {
  return [
    {
      client_id: web.client_id,
      name: 'Web',
      confidential: false,
      redirect_uri: [web.redirect_uri],
      authorization_type: ['code', 'refresh_token'],
      token_endpoint_auth_method: ['none'],
      scope: [],
    },
    {
      client_id: machine.client_id,
      // Compared as it is; its `password` would be hashed for each request.
      client_secret: machine.client_secret,
      name: 'Machine',
      confidential: true,
      redirect_uri: [],
      authorization_type: ['client_credentials'],
      token_endpoint_auth_method: ['client_secret_post'],
      scope: [machine.scope],
    },
  ]
}

function plugin(issuer: string) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return {
    module: 'oidc',
    name: 'oidc',
    display_name: 'OpenID Connect',
    enabled: true,
    parameters: {
      iss: issuer,
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      key: privateKey,
      cert: publicKey,
      'jwks-show': true,
      'access-token-duration': 3600,
      'refresh-token-duration': 1_209_600,
      'code-duration': 600,
      'refresh-token-rolling': true,
      'refresh-token-one-use': 'always',
      // Without it there are no client credentials.
      'allow-non-oidc': true,
      'auth-type-code-enabled': true,
      'auth-type-client-enabled': true,
      'auth-type-refresh-enabled': true,
      'pkce-allowed': true,
      'pkce-required-public-client': true,
    },
  }
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const answered = await fetch(`${url}/config`).then(
      () => true,
      () => false,
    )
    if (answered) return
    await wait(50)
  }
  throw new Error('glewlwyd did not answer within ten seconds.')
}

async function signedIn(url: string, credentials: { username: string; password: string }): Promise<string> {
  const { headers } = await send(url, '', 'POST', '/api/auth', credentials)
  return headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
}

async function send(
  url: string,
  cookie: string,
  method: string,
  path: string,
  body: object,
): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (response.status === 200) return response
  const said = (await response.text()).slice(0, 300)
  throw new Error(`glewlwyd answered ${method} ${path} with ${response.status}: ${said}`)
}
