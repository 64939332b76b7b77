import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { claimsOf, formOn, people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import { freePort } from '../harness/process.ts'
import { tokensOf, token } from '../harness/program.ts'
import { intranet } from './par-support.ts'

/** Applications that push by what they find in discovery, as libraries do that we did not write. */
onOneDatabase('pushed requests of', (dialect) => {
  const tessera = administeredOn(dialect)
  const keys = { kid: 'own', privateKey: undefined as CryptoKey | undefined }
  let secret: string
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    secret = String((await admin.post('/clients', intranet)).json.client_secret)
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: keys.kid }] }
    keys.privateKey = privateKey
    expect((await admin.post('/clients', { ...intranet, client_id: 'signing', jwks })).status).toBe(201)
  })

  const proofs: [string, string, () => oidc.ClientAuth][] = [
    ['a public client', 'submissions-web', () => oidc.None()],
    ['a secret by Basic', 'intranet', () => oidc.ClientSecretBasic(secret)],
    ['a secret in the body', 'intranet', () => oidc.ClientSecretPost(secret)],
    [
      'private_key_jwt',
      'signing',
      () => oidc.PrivateKeyJwt({ key: keys.privateKey as CryptoKey, kid: keys.kid }),
    ],
  ]

  it.each(proofs)('openid-client, by %s', async (_, id, proof) => {
    const config = await oidc.discovery(new URL(tessera.url), id, undefined, proof(), {
      execute: [oidc.allowInsecureRequests],
    })
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
    const to = await oidc.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    expect([...to.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const visit = await signIn(new TestBrowser(tessera.url), to.href, people.importer)
    const tokens = await oidc.authorizationCodeGrant(config, new URL(visit.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    expect(tokens.claims()).toMatchObject({ aud: id, email: people.importer.email })
  })

  it('oauth4webapi, which checks every answer against its standard', async () => {
    const http = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(tessera.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
    const client: oauth.Client = { client_id: 'intranet' }
    const verifier = oauth.generateRandomCodeVerifier()
    const parameters = {
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
    }
    const ask = async (sent: Record<string, string>) =>
      await oauth.processPushedAuthorizationResponse(
        as,
        client,
        await oauth.pushedAuthorizationRequest(as, client, oauth.ClientSecretBasic(secret), sent, http),
      )
    expect(await ask(parameters)).toEqual({ request_uri: expect.any(String), expires_in: 60 })
    const wrong = ask({ ...parameters, redirect_uri: 'https://evil.example/' })
    await expect(wrong).rejects.toMatchObject({ error: 'invalid_request', status: 400 })
  })

  /**
   * ASP.NET Core 9 pushes by itself. These are its requests, as `OpenIdConnectHandler` of its source makes them: the order
   * of the fields, spaces as `+`, the secret at the end, and what Microsoft.IdentityModel adds to the address.
   */
  describe('ASP.NET Core', () => {
    const verifier = randomBytes(32).toString('base64url')
    const message = (): [string, string][] => [
      ['client_id', 'intranet'],
      ['redirect_uri', redirectUri],
      ['response_type', 'code'],
      ['scope', 'openid profile'],
      ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
      ['code_challenge_method', 'S256'],
      ['response_mode', 'form_post'],
      ['nonce', `638684352000000000.${randomBytes(72).toString('base64')}`],
      ['state', `CfDJ8${randomBytes(500).toString('base64url')}`],
    ]
    const encoded = (fields: [string, string][]) =>
      fields.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%20', '+')}`).join('&')
    const challenge = async (fields: [string, string][]) =>
      await fetch(`${tessera.url}/oauth2/par`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'user-agent': 'Microsoft ASP.NET Core OpenIdConnect handler',
        },
        body: encoded([...fields, ['client_secret', secret]]),
      })

    it('gets its answer by form_post, with the state that it pushed', async () => {
      const fields = message()
      const answer = await challenge(fields)
      // The handler looks for JSON, and for request_uri in it.
      expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
      const { request_uri } = (await answer.json()) as { request_uri: string }
      const sent: [string, string][] = [
        ['client_id', 'intranet'],
        ['request_uri', request_uri],
        ['x-client-SKU', 'ID_NET9_0'],
        ['x-client-ver', '8.0.1.0'],
      ]
      const browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, `/oauth2/authorize?${encoded(sent)}`, people.importer)
      const { action, hidden } = formOn(page)
      expect([page.status, action]).toEqual([200, redirectUri])
      const values = Object.fromEntries(fields)
      expect(hidden).toEqual({ code: expect.any(String), state: values.state, iss: tessera.url })
      const tokens = await token(tessera.url, {
        client_id: 'intranet',
        client_secret: secret,
        code: hidden.code ?? '',
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      })
      expect(claimsOf(tokensOf(tokens).id_token)).toMatchObject({
        nonce: values.nonce,
        name: expect.any(String),
      })
    })

    it('keeps what OnRedirectToIdentityProvider sets, such as Prompt, LoginHint and AcrValues', async () => {
      const more: [string, string][] = [
        ['prompt', 'login'],
        ['login_hint', 'ada@acme.example'],
        ['ui_locales', 'de'],
      ]
      const { request_uri } = (await (await challenge([...message(), ...more])).json()) as {
        request_uri: string
      }
      const browser = new TestBrowser(tessera.url)
      const page = await browser.open(
        `/oauth2/authorize?${encoded([
          ['client_id', 'intranet'],
          ['request_uri', request_uri],
        ])}`,
      )
      expect(page.body).toContain('value="ada@acme.example"')
      expect(page.body).toContain('<html lang="de"')
    })

    it('is told of what is wrong, which its challenge then throws', async () => {
      const answer = await challenge([...message(), ['prompt', 'create']])
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        400,
        expect.stringMatching(/^application\/json/),
      ])
      expect(await answer.json()).toMatchObject({
        error: 'invalid_request',
        error_description: expect.any(String),
      })
    })
  })
})

describe('an issuer with a path', () => {
  const tessera = duringTests(async () => {
    const port = String(await freePort('localhost'))
    const issuer = `http://localhost:${port}/id`
    return await startTessera('sqlite', { settings: { TESSERA_PORT: port, TESSERA_ISSUER: issuer } })
  })

  it('takes pushed requests below it', async () => {
    const config = await oidc.discovery(new URL(tessera.url), 'submissions-web', undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    })
    const { pushed_authorization_request_endpoint: endpoint } = config.serverMetadata()
    expect(endpoint).toBe(`${tessera.url}/oauth2/par`)
    const verifier = oidc.randomPKCECodeVerifier()
    const to = await oidc.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...{ state: oidc.randomState(), nonce: oidc.randomNonce() },
    })
    expect(to.href).toMatch(`${tessera.url}/oauth2/authorize?`)
    const visit = await signIn(new TestBrowser(tessera.url), to.href, people.importer)
    expect(new URL(visit.location ?? '').searchParams.get('code')).toEqual(expect.any(String))
  })
})
