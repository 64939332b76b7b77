import * as oauth from 'oauth4webapi'
import { beforeAll, expect, it } from 'vitest'
import { people, profilesOfBoth, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { audiences, machine } from '../harness/program.ts'

const web: oauth.Client = { client_id: 'submissions-web' }
const service: oauth.Client = { client_id: machine.client_id }
const http = { [oauth.allowInsecureRequests]: true }

/** The strictest of relying parties that we did not write: oauth4webapi checks every answer against its standard. */
onOneDatabase('oauth4webapi', (dialect) => {
  const tessera = tesseraOn(dialect)
  let as: oauth.AuthorizationServer
  beforeAll(async () => {
    const issuer = new URL(tessera.url)
    as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  })

  interface Begun {
    callback: URL
    verifier: string
    nonce: string
    state: string
  }

  async function begin(profile: string, changes: Record<string, string> = {}): Promise<Begun> {
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: web.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile service.api',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...changes,
    }).toString()
    const browser = new TestBrowser(tessera.url)
    const first = await browser.open(url.href)
    const refused = first.location !== undefined
    const visit = refused ? first : await signIn(browser, url.href, people.both, profile)
    return { callback: new URL(visit.location ?? ''), verifier, nonce, state }
  }

  async function exchange({ callback, verifier, nonce, state }: Begun) {
    const parameters = oauth.validateAuthResponse(as, web, callback, state)
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      web,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      http,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(as, web, answer, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(as, answer, http)
    return tokens
  }

  it('finds the same document by OAuth’s own discovery', async () => {
    const issuer = new URL(tessera.url)
    const answer = await oauth.discoveryRequest(issuer, { ...http, algorithm: 'oauth2' })
    expect(await oauth.processDiscoveryResponse(issuer, answer)).toEqual(as)
  })

  it('goes the whole way with one of several profiles, and switches it by refresh', async () => {
    const tokens = await exchange(await begin(profilesOfBoth.reader))
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    expect(claims).toMatchObject({ profile_uuid: profilesOfBoth.reader, given_name: 'Acme' })

    const sub = claims?.sub ?? ''
    const answer = await oauth.userInfoRequest(as, web, tokens.access_token, http)
    expect(await oauth.processUserInfoResponse(as, web, sub, answer)).toMatchObject({ role_code: 'reader' })

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      web,
      await oauth.refreshTokenGrantRequest(as, web, oauth.None(), tokens.refresh_token ?? '', {
        ...http,
        additionalParameters: { profile_uuid: profilesOfBoth.bookkeeper },
      }),
    )
    expect(oauth.getValidatedIdTokenClaims(refreshed)).toMatchObject({
      sub,
      profile_uuid: profilesOfBoth.bookkeeper,
    })
  })

  it('takes the access token as RFC 9068 says a protected service does', async () => {
    const tokens = await exchange(await begin(profilesOfBoth.reader))
    const request = (jwt: string) =>
      new Request('https://submissions.acme.example/api/imports', {
        headers: { authorization: `Bearer ${jwt}` },
      })
    const validated = await oauth.validateJwtAccessToken(
      as,
      request(tokens.access_token),
      audiences.submissions,
      http,
    )
    expect(validated).toMatchObject({
      client_id: 'submissions-web',
      permissions: ['submissions-tool.vista-import.read'],
    })
    const other = oauth.validateJwtAccessToken(as, request(tokens.access_token), audiences.ledger, http)
    await expect(other).rejects.toThrow(/aud/)
    const idToken = oauth.validateJwtAccessToken(as, request(tokens.id_token ?? ''), 'submissions-web', http)
    await expect(idToken).rejects.toThrow()
  })

  it('reads every refusal as an OAuth error', async () => {
    const begun = await begin(profilesOfBoth.reader)
    const wrong = { ...begun, verifier: oauth.generateRandomCodeVerifier() }
    await expect(exchange(wrong)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
    await exchange(begun)
    await expect(exchange(begun)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
    const refused = await begin(profilesOfBoth.reader, { resource: audiences.ledger })
    const read = () => oauth.validateAuthResponse(as, web, refused.callback, refused.state)
    expect(read).toThrow(expect.objectContaining({ error: 'invalid_target' }))
  })

  it('as a machine gets, inspects and revokes its token', async () => {
    const auth = oauth.ClientSecretBasic(machine.client_secret)
    const granted = await oauth.clientCredentialsGrantRequest(as, service, auth, {}, http)
    const { access_token, ...more } = await oauth.processClientCredentialsResponse(as, service, granted)
    expect(more).toEqual({ token_type: 'bearer', expires_in: 900 })

    const inspect = async () => {
      const answer = await oauth.introspectionRequest(as, service, auth, access_token, http)
      return await oauth.processIntrospectionResponse(as, service, answer)
    }
    expect(await inspect()).toMatchObject({ active: true, sub: machine.client_id })
    const revoked = await oauth.revocationRequest(as, service, auth, access_token, http)
    expect(await oauth.processRevocationResponse(revoked)).toBeUndefined()
    expect(await inspect()).toEqual({ active: false })
  })
})
