import { createLocalJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { claimsOf, headerOf, people, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { keyOf, type Signing } from './workload-tokens.ts'

/** What docs/fapi.md says to set, and nothing more. */
const bank = {
  client_id: 'bank',
  client_name: 'Bank',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid email profile service.api',
  services: ['ledger'],
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'ES256',
  id_token_signed_response_alg: 'ES256',
  require_pushed_authorization_requests: true,
  dpop_bound_access_tokens: true,
}

/** Relying parties that we did not write, with everything that FAPI 2.0 asks for. */
onOneDatabase('a client of the FAPI 2.0 security profile', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_AUTHORIZE: '0' })
  let key: Signing
  beforeAll(async () => {
    key = await keyOf('ES256', 'bank-1')
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', { ...bank, jwks: { keys: [key.jwk] } })
    expect(made.status, made.text).toBe(201)
    expect(made.json).toMatchObject(bank)
  })

  it('goes the whole way with openid-client: push, sign-in, tokens, userinfo, refresh', async () => {
    const auth = client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
    const options = { execute: [client.allowInsecureRequests] }
    const config = await client.discovery(
      new URL(tessera.url),
      'bank',
      { id_token_signed_response_alg: 'ES256' },
      auth,
      options,
    )
    expect(config.serverMetadata()).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    })
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
    const [verifier, state, nonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ]
    const to = await client.buildAuthorizationUrlWithPAR(
      config,
      {
        redirect_uri: redirectUri,
        scope: 'openid email service.api',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      },
      { DPoP },
    )
    expect([...to.searchParams.keys()].toSorted()).toEqual(['client_id', 'request_uri'])
    const visit = await signIn(new TestBrowser(tessera.url), to.href, people.importer)
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
    const callback = new URL(visit.location ?? '')
    const tokens = await client.authorizationCodeGrant(config, callback, checks, undefined, { DPoP })
    expect(tokens.token_type).toBe('dpop')
    expect(headerOf(tokens.id_token).alg).toBe('ES256')
    const sub = tokens.claims()?.sub ?? ''
    expect(await client.fetchUserInfo(config, tokens.access_token, sub, { DPoP })).toMatchObject({
      sub,
      email: people.importer.email,
    })
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
    expect(next.token_type).toBe('dpop')
    // FAPI 2.0 §5.3.2.1: it does not rotate, so no answer that is lost signs anybody out.
    tessera.clock.advance(40_000)
    for (const change of [{}, { profile_uuid: String(claimsOf(next.access_token).profile_uuid) }]) {
      const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', change, { DPoP })
      expect(again.refresh_token).toBe(tokens.refresh_token)
    }
    tessera.clock.advance(-40_000)
    expect(next.refresh_token).toBe(tokens.refresh_token)
    expect(await client.fetchUserInfo(config, next.access_token, sub, { DPoP })).toHaveProperty('sub', sub)
    await expect(client.fetchUserInfo(config, next.access_token, sub)).rejects.toThrow()
  })

  it('may be of plain OAuth 2.0: with services alone, and without an ID token', async () => {
    const admin = await Administrator.machine(tessera.url)
    const plain = { ...bank, client_id: 'plain', id_token_signed_response_alg: 'RS256', scope: 'service.api' }
    const changes = { jwks: { keys: [key.jwk] }, require_nonce: false }
    expect((await admin.post('/clients', { ...plain, ...changes })).status).toBe(201)
    const refused = await admin.post('/clients', { ...plain, ...changes, client_id: 'none', scope: 'email' })
    expect(problemOf(refused)).toBe('400 invalid_request scope')
    const auth = client.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
    const options = { execute: [client.allowInsecureRequests] }
    const config = await client.discovery(new URL(tessera.url), 'plain', undefined, auth, options)
    const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair('ES256'))
    const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()]
    const request = {
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    }
    for (const scope of ['openid service.api', 'openid', ''])
      await expect(
        client.buildAuthorizationUrlWithPAR(config, { ...request, scope }, { DPoP }),
      ).rejects.toMatchObject({ error: 'invalid_scope' })
    const begin = { ...request, scope: 'service.api' }
    const to = await client.buildAuthorizationUrlWithPAR(config, begin, { DPoP })
    const visit = await signIn(new TestBrowser(tessera.url), to.href, people.importer)
    const callback = new URL(visit.location ?? '')
    const exchange = async (checks: client.AuthorizationCodeGrantChecks) =>
      await client.authorizationCodeGrant(config, callback, { ...checks, expectedState: state }, undefined, {
        DPoP,
      })
    // Of a client that proves itself a missing verifier is what RFC 7636 §4.6 says of a wrong one.
    await expect(exchange({})).rejects.toMatchObject({ error: 'invalid_grant' })
    const tokens = await exchange({ pkceCodeVerifier: verifier })
    expect(tokens).not.toHaveProperty('id_token')
    expect(claimsOf(tokens.access_token)).toMatchObject({ scope: 'service.api', cnf: expect.anything() })
    await expect(
      client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck, { DPoP }),
    ).rejects.toThrow()
  })

  it('gets no tokens without a proof from oauth4webapi, and with one it does', async () => {
    const issuer = new URL(tessera.url)
    const insecure = { [oauth.allowInsecureRequests]: true }
    const found = await oauth.discoveryRequest(issuer, insecure)
    const as = await oauth.processDiscoveryResponse(issuer, found)
    const rp: oauth.Client = { client_id: 'bank', id_token_signed_response_alg: 'ES256' }
    const auth = oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const DPoP = oauth.DPoP(rp, await oauth.generateKeyPair('ES256'))
    const pushed = await oauth.pushedAuthorizationRequest(
      as,
      rp,
      auth,
      {
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: 'openid',
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      },
      { DPoP, ...insecure },
    )
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, rp, pushed)
    const path = `/oauth2/authorize?${new URLSearchParams({ client_id: 'bank', request_uri })}`
    const visit = await signIn(new TestBrowser(tessera.url), path, people.importer)
    const answer = oauth.validateAuthResponse(as, rp, new URL(visit.location ?? ''), state)
    const ask = async (options: oauth.TokenEndpointRequestOptions) =>
      await oauth.authorizationCodeGrantRequest(as, rp, auth, answer, redirectUri, verifier, {
        ...options,
        ...insecure,
      })
    const refused = await ask({})
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_request' }])
    const stolen = await ask({ DPoP: oauth.DPoP(rp, await oauth.generateKeyPair('ES256')) })
    expect([stolen.status, await stolen.json()]).toMatchObject([400, { error: 'invalid_grant' }])
    const given = await oauth.processAuthorizationCodeResponse(as, rp, await ask({ DPoP }), {
      expectedNonce: nonce,
    })
    const keys = await (await fetch(as.jwks_uri ?? '')).json()
    const verified = await jwtVerify(given.id_token ?? '', createLocalJWKSet(keys), {
      currentDate: new Date(tessera.clock.now()),
    })
    expect(verified.protectedHeader.alg).toBe('ES256')
    // The ID token counts as the hint of a later request, too.
    const silent = new URLSearchParams({ client_id: 'bank', id_token_hint: given.id_token ?? '' })
    const out = await new TestBrowser(tessera.url).request(`/oauth2/logout?${silent}`)
    expect(out.status).toBeLessThan(400)
  })
})
