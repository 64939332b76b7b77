/**
 * node-oidc-provider as a process of its own: RS256, JWT access tokens by resource indicators, everything in memory.
 * Prints what a client has to know as a line of JSON when it is ready. bench/README.md says why it is set up so.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'

const port = Number(process.argv[2])
const issuer = `http://localhost:${port}`
const resource = 'https://api.bench.example'
const person = 'person'

// Given itself, the provider would keep the last thousand entries and forget the others.
const entries = new Map()

const web = {
  client_id: 'web',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://app.bench.example/callback'],
}
const machine = {
  client_id: 'machine',
  client_secret: 'machine-secret-of-the-bench',
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const provider = new Provider(issuer, {
  adapter: (model) => new MemoryAdapter(model, entries),
  clients: [web, machine],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'bench' }] },
  cookies: { keys: ['a key for the cookies of the bench'] },
  scopes: ['openid'],
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'service.api',
        audience: resource,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  // A refresh token without a page of consent for each, as Tessera gives its own clients.
  issueRefreshToken: () => true,
  expiresWithSession: () => false,
  loadExistingGrant: newGrant,
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
})

/** No consent for first-party clients. One grant for each code, because its store slows down with tokens per grant. */
async function newGrant({ oidc }) {
  const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
  grant.addOIDCScope('openid')
  grant.addResourceScope(resource, 'service.api')
  await grant.save()
  return grant
}

const answer = provider.callback()
createServer((request, response) => {
  // In place of a sign-in page: the one person is signed in.
  if (request.url?.startsWith('/interaction/'))
    void provider.interactionFinished(request, response, { login: { accountId: person } })
  else answer(request, response)
}).listen(port, '127.0.0.1', () => {
  process.stdout.write(
    `${JSON.stringify({
      issuer,
      port,
      jwks: '/jwks',
      authorize: '/auth',
      token: '/token',
      web: { client_id: web.client_id, redirect_uri: web.redirect_uris[0], scope: 'openid service.api' },
      machine: { client_id: machine.client_id, client_secret: machine.client_secret, scope: 'service.api' },
    })}\n`,
  )
})
