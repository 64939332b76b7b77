import * as client from 'openid-client'
import { beforeAll, expect, it } from 'vitest'
import { readRecipe, settingsOf } from '../../dist/administration/recipes.js'
import { people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { audiences, machine } from '../harness/program.ts'

const because = (word: string) => ({ cause: { message: expect.stringContaining(word) } })

/** A relying party that we did not write: openid-client 6, as its documentation says to use it. */
onOneDatabase('openid-client', (dialect) => {
  const tessera = tesseraOn(dialect)
  let web: client.Configuration
  beforeAll(async () => {
    web = await discover('submissions-web', client.None())
  })

  const discover = async (id: string, auth: client.ClientAuth) =>
    await client.discovery(new URL(tessera.url), id, undefined, auth, {
      execute: [client.allowInsecureRequests],
    })

  it('begins a sign-in by what its recipe says to paste, also on http', async () => {
    const recipe = readRecipe('openid-client')
    const filling = { issuer: tessera.url, url: new URL(redirectUri).origin, scope: 'openid profile' }
    const own = {
      client_id: 'submissions-web',
      client_secret: 'secret',
      redirect_uri: redirectUri,
      random: '',
    }
    const [start, signingIn] = settingsOf(recipe, { ...filling, ...own })
    const begins = `${start?.text}${signingIn?.text}`.replace(/^import.*$/m, '')
    const Pasted = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor
    const to: unknown = await new Pasted('client', `${begins}; return to.href`)(client)
    expect(to).toMatch(`${tessera.url}/oauth2/authorize?`)
  })

  interface Begun {
    verifier: string
    state: string
    nonce: string
    callback: URL
  }

  async function begin(browser: TestBrowser, parameters: Record<string, string> = {}): Promise<Begun> {
    const [verifier, state, nonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ]
    const url = client.buildAuthorizationUrl(web, {
      redirect_uri: redirectUri,
      scope: 'openid email profile service.api',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...parameters,
    })
    const visit = await signIn(browser, url.href, people.importer)
    return { verifier, state, nonce, callback: new URL(visit.location ?? '') }
  }

  const finish = async ({ verifier, state, nonce, callback }: Begun, changes: Partial<Begun> = {}) =>
    await client.authorizationCodeGrant(web, changes.callback ?? callback, {
      pkceCodeVerifier: changes.verifier ?? verifier,
      expectedState: changes.state ?? state,
      expectedNonce: changes.nonce ?? nonce,
      idTokenExpected: true,
    })

  it('goes the whole way: sign-in, userinfo, refresh, revocation, logout', async () => {
    const browser = new TestBrowser(tessera.url)
    const tokens = await finish(await begin(browser, { max_age: '600' }))
    const claims = tokens.claims()
    expect(claims).toMatchObject({ aud: 'submissions-web', email: people.importer.email })
    expect(tokens.expiresIn()).toBeGreaterThan(890)

    const sub = claims?.sub ?? ''
    const person = await client.fetchUserInfo(web, tokens.access_token, sub)
    expect(person).toMatchObject({ sub, email: people.importer.email, role_code: 'importer' })

    const refreshed = await client.refreshTokenGrant(web, tokens.refresh_token ?? '')
    expect(refreshed.claims()).toMatchObject({ sub, auth_time: claims?.auth_time })
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)

    const end = client.buildEndSessionUrl(web, {
      id_token_hint: refreshed.id_token ?? '',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      state: 'bye',
    })
    const visit = await browser.open(end.href)
    expect(visit.location).toBe('http://127.0.0.1:4001/?state=bye')
    await expect(client.refreshTokenGrant(web, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(client.fetchUserInfo(web, refreshed.access_token, sub)).rejects.toMatchObject({
      status: 401,
    })
  })

  it('sees through a callback that was tampered with', async () => {
    const begun = await begin(new TestBrowser(tessera.url))
    await expect(finish(begun, { state: 'another' })).rejects.toMatchObject(because('state'))
    const mixedUp = new URL(begun.callback)
    mixedUp.searchParams.set('iss', 'https://other.example')
    await expect(finish(begun, { callback: mixedUp })).rejects.toMatchObject(because('iss'))
    await expect(finish(begun, { verifier: client.randomPKCECodeVerifier() })).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    })
    // None of it burned the code.
    expect((await finish(begun)).claims()?.sub).toBeDefined()
    await expect(finish(begun)).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('refuses an ID token with another nonce', async () => {
    const begun = await begin(new TestBrowser(tessera.url))
    await expect(finish(begun, { nonce: client.randomNonce() })).rejects.toMatchObject(because('nonce'))
  })

  it('gives up tokens that it revokes', async () => {
    const tokens = await finish(await begin(new TestBrowser(tessera.url)))
    await client.tokenRevocation(web, tokens.refresh_token ?? '', { token_type_hint: 'refresh_token' })
    await expect(client.refreshTokenGrant(web, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  it.each([
    ['client_secret_post', client.ClientSecretPost(machine.client_secret)],
    ['client_secret_basic', client.ClientSecretBasic(machine.client_secret)],
  ])('as a machine by %s gets, inspects and revokes its token', async (_, auth) => {
    const configuration = await discover(machine.client_id, auth)
    const tokens = await client.clientCredentialsGrant(configuration, { resource: audiences.submissions })
    expect(Object.keys(tokens).sort()).toEqual(['access_token', 'expires_in', 'token_type'])
    const about = await client.tokenIntrospection(configuration, tokens.access_token)
    expect(about).toMatchObject({ active: true, client_id: machine.client_id, aud: audiences.submissions })
    await client.tokenRevocation(configuration, tokens.access_token)
    expect(await client.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false })
  })

  it('as a machine with a wrong secret is told invalid_client and how to authenticate', async () => {
    const configuration = await discover(machine.client_id, client.ClientSecretBasic('wrong'))
    const refused = client.clientCredentialsGrant(configuration)
    await expect(refused).rejects.toMatchObject({ cause: [{ scheme: 'basic' }], status: 401 })
  })
})
