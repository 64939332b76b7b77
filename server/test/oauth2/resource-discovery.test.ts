import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard, type Guard } from '@tessera/guard'
import { guardRoutes } from '@tessera/guard/node'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyChanged } from '../declared/change.ts'
import { people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { audiences } from '../harness/program.ts'

const http = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: 'agent' }
const redirectUri = 'http://127.0.0.1:4009/callback'

/**
 * A client that knows only the address of a service finds the issuer from its 401 and signs in, as clients of the
 * Model Context Protocol do (RFC 9728 §5). It was registered by hand.
 */
onOneDatabase('a client that discovers the issuer', (dialect) => {
  const tessera = tesseraOn(dialect)
  let api: Server
  let address: string
  beforeAll(async () => {
    // The address of the service is its audience; so it listens before its guard is made.
    let guard: Guard | undefined
    api = createServer((request, response) => {
      if (guard === undefined) return response.end()
      const table = { 'POST /mcp': 'submissions-tool.vista-import.create' }
      return guardRoutes(guard, table)(request, response, () => response.end('called'))
    })
    await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
    address = `http://127.0.0.1:${(api.address() as AddressInfo).port}/mcp`
    guard = createGuard({
      issuer: tessera.url,
      audience: address,
      now: tessera.clock.now,
      resourceMetadata: true,
    })
    await applyChanged(
      tessera,
      [`audience: ${audiences.submissions}`, `audience: ${address}`],
      [
        'clients:\n',
        `clients:
  - client_id: agent
    client_name: Agent
    type: public
    redirect_uris: ["${redirectUri}"]
    scope: openid service.api
    services: [submissions-tool]
`,
      ],
    )
  })
  afterAll(() => {
    api?.closeAllConnections()
    api?.close()
  })

  it('gets from a 401 to a token that the service takes', async () => {
    const first = await fetch(address, { method: 'POST' })
    expect(first.status).toBe(401)
    const [, metadataUrl = ''] =
      /^Bearer resource_metadata="([^"]+)", scope="openid service\.api"$/.exec(
        first.headers.get('www-authenticate') ?? '',
      ) ?? []
    const resource = await oauth.processResourceDiscoveryResponse(new URL(address), await fetch(metadataUrl))
    // What a client without the challenge asks for is the same document.
    const guessed = await oauth.resourceDiscoveryRequest(new URL(address), http)
    expect(guessed.url).toBe(metadataUrl)
    expect(await guessed.json()).toEqual(resource)

    const issuer = new URL(resource.authorization_servers?.[0] ?? '')
    const found = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' })
    const as = await oauth.processDiscoveryResponse(issuer, found)
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const ask = new URL(as.authorization_endpoint ?? '')
    ask.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: resource.scopes_supported?.join(' ') ?? '',
      resource: resource.resource,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    }).toString()
    const browser = new TestBrowser(tessera.url)
    const consent = await signIn(browser, ask.href, people.importer)
    const left = await browser.submit(consent, { choice: 'allow' })
    const parameters = oauth.validateAuthResponse(as, client, new URL(left.location ?? ''), state)
    const grant = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      { ...http, additionalParameters: { resource: resource.resource } },
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, grant, { expectedNonce: nonce })

    const called = await oauth.protectedResourceRequest(
      tokens.access_token,
      'POST',
      new URL(address),
      undefined,
      undefined,
      http,
    )
    expect([called.status, await called.text()]).toEqual([200, 'called'])
  })

  it('refuses the document of another service than the one it called', async () => {
    const answer = await oauth.resourceDiscoveryRequest(new URL(address), http)
    const other = new URL(address.replace('/mcp', '/other'))
    await expect(oauth.processResourceDiscoveryResponse(other, answer)).rejects.toThrow()
  })
})
