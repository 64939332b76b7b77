import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGuard } from '@tessera/guard'
import { createRemoteJWKSet, type JWTVerifyOptions, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as relyingParty from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyTimes } from '../../dist/keys/key-times.js'
import { start } from '../../dist/server.js'
import { claimsOf, headerOf, people, post, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { complaintsOf, runHere } from '../cli/command-support.ts'
import { onEachDatabase, onOneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { acme, edited, machineFor } from '../declared/support.ts'
import { type Tessera, tesseraOn } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'
import {
  audiences,
  introspect,
  machine,
  machineToken,
  otherMachine,
  refresh,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { privateKeyOf } from '../harness/states.ts'

afterAll(cleanUp)

/** Lets the service of this audience ask for ES256. */
const es256 = (audience: string): [string, string] => [
  `audience: ${audience}\n`,
  `audience: ${audience}\n    access_token_alg: ES256\n`,
]
const fast = es256(audiences.submissions)

const secret = 'a-secret-of-the-tests-0123456789-abcdef'

type Header = ReturnType<typeof headerOf>
const algOf = (jwt: string | undefined) => headerOf(jwt).alg
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function keysOf(url: string): Promise<(JsonWebKey & Header)[]> {
  return ((await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: (JsonWebKey & Header)[] }).keys
}

/** As a service does that knows one algorithm. */
async function verifies(
  { url, clock }: Pick<Tessera, 'url' | 'clock'>,
  jwt: string | undefined,
  options: JWTVerifyOptions & { algorithms: ['RS256' | 'ES256'] },
) {
  const keys = createRemoteJWKSet(new URL(`${url}/oauth2/jwks`))
  const at = { currentDate: new Date(clock.now()), issuer: url }
  return (await jwtVerify(jwt ?? '', keys, { ...at, ...options })).payload
}

onOneDatabase('access_token_alg', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    await applyChanged(tessera, fast)
  })

  const machineAlg = async (form: Record<string, string> = {}) =>
    algOf(await machineToken(tessera.url, { ...machine, ...form }))

  it('ES256 makes a machine’s token that jose and the guard take, by a key on P-256', async () => {
    const jwt = await machineToken(tessera.url)
    const { alg, typ, kid } = headerOf(jwt)
    expect({ alg, typ }).toEqual({ alg: 'ES256', typ: 'at+jwt' })
    expect(Buffer.from(jwt.split('.')[2] ?? '', 'base64url')).toHaveLength(64)
    expect((await keysOf(tessera.url)).find((key) => key.kid === kid)).toMatchObject({ crv: 'P-256', alg })
    const options = { audience: audiences.submissions, typ: 'at+jwt' }
    expect(await verifies(tessera, jwt, { ...options, algorithms: ['ES256'] })).toMatchObject({
      sub: 'nightly-import',
      permissions: ['submissions-tool.vista-import.create'],
    })
    await expect(verifies(tessera, jwt, { ...options, algorithms: ['RS256'] })).rejects.toThrow(/alg/)
    const guard = createGuard({ issuer: tessera.url, audience: audiences.submissions })
    const permitted = async (permission: string) => (await guard.check(`Bearer ${jwt}`, permission)).allowed
    expect(await permitted('submissions-tool.vista-import.create')).toBe(true)
    expect(await permitted('submissions-tool.vista-import.read')).toBe(false)
  })

  it('left out is RS256, and that of another service says nothing', async () => {
    const jwt = await machineToken(tessera.url, otherMachine)
    expect(algOf(jwt)).toBe('RS256')
    await verifies(tessera, jwt, { audience: audiences.ledger, algorithms: ['RS256'] })
  })

  it('does not change the ID token, nor an access token for the issuer', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    expect([algOf(tokens.access_token), algOf(tokens.id_token)]).toEqual(['ES256', 'RS256'])
    await verifies(tessera, tokens.id_token, { audience: 'submissions-web', algorithms: ['RS256'] })
    const forIssuer = await visitor.tokens({ scope: 'openid email' })
    expect([algOf(forIssuer.access_token), algOf(forIssuer.id_token)]).toEqual(['RS256', 'RS256'])
    const refreshed = tokensOf(await refresh(tessera.url, tokens.refresh_token))
    expect([algOf(refreshed.access_token), algOf(refreshed.id_token)]).toEqual(['ES256', 'RS256'])
    const narrowed = await refresh(tessera.url, refreshed.refresh_token, { scope: 'openid' })
    expect(algOf(tokensOf(narrowed).access_token)).toBe('RS256')
  })

  it('is RS256 when one service of several does not ask for ES256, or the built-in iam is among them', async () => {
    const other = es256(audiences.ledger)
    try {
      await applyChanged(tessera, fast, machineFor('submissions-tool, ledger'))
      expect(await machineAlg()).toBe('RS256')
      expect(await machineAlg({ resource: audiences.submissions })).toBe('ES256')
      expect(await machineAlg({ resource: audiences.ledger })).toBe('RS256')
      await applyChanged(tessera, fast, other, machineFor('submissions-tool, ledger'))
      expect(await machineAlg()).toBe('ES256')
      await applyChanged(tessera, fast, machineFor('submissions-tool, iam'))
      expect(await machineAlg()).toBe('RS256')
      expect(await machineAlg({ resource: `${tessera.url}/admin` })).toBe('RS256')
      expect(await machineAlg({ resource: audiences.submissions })).toBe('ES256')
      // Without any service a token is for the issuer.
      await applyChanged(tessera, fast, [machineFor('')[0], 'services: []'])
      expect(await machineAlg()).toBe('RS256')
    } finally {
      await applyChanged(tessera, fast)
    }
  })

  it('bites at once when it changes, in both directions', async () => {
    expect(await machineAlg()).toBe('ES256')
    const before = await machineToken(tessera.url)
    await applyChanged(tessera)
    expect(await machineAlg()).toBe('RS256')
    expect(await introspect(tessera.url, before)).toMatchObject({ active: true })
    await applyChanged(tessera, fast)
    expect(await machineAlg()).toBe('ES256')
  })

  it('is planned and applied by command, which says what becomes of it', async () => {
    const file = join(temporaryFolder(), 'access.yaml')
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
    const on = (command: string, text: string) => {
      writeFileSync(file, text)
      return runHere([command, file, ...(command === 'apply' ? ['--yes'] : [])], { environment })
    }
    const told = /~ submissions-tool\n +access_token_alg: "ES256" -> "RS256"/
    const planned = await on('plan', acme)
    expect(planned).toMatchObject({ code: 2, stderr: '', stdout: expect.stringMatching(told) })
    expect(planned.stdout).toMatch(/^1 change: 0 new, 1 changed, 0 removed, 19 adopted\.$/m)
    expect(await machineAlg()).toBe('ES256')
    expect(await on('apply', acme)).toMatchObject({ code: 0, stdout: expect.stringMatching(told) })
    expect(await machineAlg()).toBe('RS256')
    expect(await on('plan', acme)).toMatchObject({ code: 0 })
    // One of its lines may say what is the default.
    expect(await on('plan', edited(acme, [fast[0], fast[1].replace('ES256', 'RS256')]))).toMatchObject({
      code: 0,
    })
    const wrong = await on('apply', edited(acme, [fast[0], fast[1].replace('ES256', 'HS256')]))
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(complaintsOf(wrong)).toEqual([
      expect.stringMatching(/^tessera: \S+access\.yaml:7: access_token_alg is RS256 or ES256, not "HS256"/),
    ])
    expect(await on('apply', edited(acme, fast))).toMatchObject({ code: 0 })
    expect(await machineAlg()).toBe('ES256')
  })

  it('ES256 is taken by userinfo and introspection until it is revoked', async () => {
    const { access_token: jwt = '' } = await new Visitor(tessera.url).tokens()
    expect(algOf(jwt)).toBe('ES256')
    const { status, json } = await userinfo(tessera.url, jwt)
    expect([status, json.email]).toEqual([200, people.importer.email])
    expect(await introspect(tessera.url, jwt)).toEqual({
      active: true,
      token_type: 'Bearer',
      ...claimsOf(jwt),
    })
    // Anybody can make a second signature of a first one; both are of the same token.
    expect((await userinfo(tessera.url, twinOf(jwt))).status).toBe(200)
    const revoke = { client_id: 'submissions-web', token: jwt }
    expect((await post(`${tessera.url}/oauth2/revoke`, revoke)).status).toBe(200)
    for (const spelling of [jwt, twinOf(jwt)]) {
      expect((await userinfo(tessera.url, spelling)).status).toBe(401)
      expect(await introspect(tessera.url, spelling)).toEqual({ active: false })
    }
  })

  it('ES256 ends with its session and its expiry as RS256 does', async () => {
    const visitor = new Visitor(tessera.url)
    const { access_token: jwt, id_token: hint = '' } = await visitor.tokens()
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      id_token_hint: hint,
    })
    await visitor.browser.open(`/oauth2/logout?${query}`)
    expect((await userinfo(tessera.url, jwt)).status).toBe(401)
    expect(await introspect(tessera.url, jwt)).toEqual({ active: false })
    const short = await machineToken(tessera.url)
    tessera.clock.advance(901_000)
    try {
      expect(await introspect(tessera.url, short)).toEqual({ active: false })
    } finally {
      tessera.clock.advance(-901_000)
    }
  })

  it('ES256 is refused as an id_token_hint', async () => {
    const { access_token: jwt = '' } = await new Visitor(tessera.url).tokens()
    const browser = new TestBrowser(tessera.url)
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      id_token_hint: jwt,
    })
    expect((await browser.open(`/oauth2/logout?${query}`)).status).toBe(400)
  })

  describe('a forged token', () => {
    let real: string
    let header: Header
    let claims: Record<string, unknown>
    beforeAll(async () => {
      real = (await new Visitor(tessera.url).tokens()).access_token ?? ''
      header = headerOf(real)
      claims = claimsOf(real)
    })

    const withSignature = (changed: object, signature: Buffer) =>
      `${part(changed)}.${part(claims)}.${signature.toString('base64url')}`
    const signed = (changed: object, key: KeyObject, dsaEncoding: 'der' | 'ieee-p1363' = 'ieee-p1363') =>
      withSignature(
        changed,
        sign('sha256', Buffer.from(`${part(changed)}.${part(claims)}`), { key, dsaEncoding }),
      )
    async function refused(forged: string): Promise<void> {
      expect((await userinfo(tessera.url, forged)).json.error).toBe('invalid_token')
      expect(await introspect(tessera.url, forged)).toEqual({ active: false })
    }
    const privateKey = () => privateKeyOf(tessera, header.kid)
    const keyOf = async (alg: string) => (await keysOf(tessera.url)).find((key) => key.alg === alg)
    const mine = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

    it('is refused by a key of one’s own, on this curve or a larger one', async () => {
      await refused(signed(header, mine))
      await refused(signed(header, generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey))
      await refused(signed({ ...header, jwk: mine.export({ format: 'jwk' }) }, mine))
      await refused(signed(header, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey))
    })

    it('is refused when its key is for another algorithm', async () => {
      const rsa = await keyOf('RS256')
      for (const alg of ['RS256', 'ES256', 'ES384', 'PS256', 'none', '']) {
        if (alg !== 'ES256') await refused(withSignature({ ...header, alg }, signatureOf(real)))
        await refused(signed({ ...header, alg, kid: rsa?.kid }, mine))
      }
      await refused(withSignature({ ...header, kid: rsa?.kid }, signatureOf(real)))
    })

    it('is refused with the public key as a shared secret', async () => {
      const jwk = await keyOf('ES256')
      const publicKey = createPublicKey({ key: jwk ?? {}, format: 'jwk' })
      const spki = { type: 'spki' as const }
      for (const shared of [
        publicKey.export({ ...spki, format: 'pem' }),
        publicKey.export({ ...spki, format: 'der' }),
        JSON.stringify(jwk),
        Buffer.from(`${jwk?.x}${jwk?.y}`, 'base64url'),
        '',
      ]) {
        const changed = { ...header, alg: 'HS256' }
        const mac = createHmac('sha256', shared)
          .update(`${part(changed)}.${part(claims)}`)
          .digest()
        await refused(withSignature(changed, mac))
        await refused(withSignature(header, mac))
      }
    })

    it('is refused with a signature of zeros, in DER, of another length, or of other claims', async () => {
      const right = signatureOf(real)
      expect(withSignature(header, right)).toBe(real)
      const key = await privateKey()
      // The method works: a signature of this key is taken, side by side, and not in DER.
      expect((await userinfo(tessera.url, signed(header, key))).status).toBe(200)
      await refused(signed(header, key, 'der'))
      await refused(signed({ ...header, typ: 'logout+jwt' }, key))
      await refused(withSignature(header, Buffer.alloc(64)))
      await refused(withSignature(header, Buffer.alloc(64, 255)))
      await refused(withSignature(header, Buffer.alloc(0)))
      await refused(withSignature(header, right.subarray(0, 63)))
      await refused(withSignature(header, Buffer.concat([right, Buffer.alloc(1)])))
      await refused(withSignature(header, Buffer.concat([right.subarray(32), right.subarray(0, 32)])))
      await refused(`${part(header)}.${part({ ...claims, sub: 'somebody' })}.${right.toString('base64url')}`)
      await refused(`${real}=`)
      expect((await userinfo(tessera.url, real)).status).toBe(200)
    })
  })

  it('ES256 satisfies oauth4webapi as a client and as a protected service', async () => {
    const http = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(tessera.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
    const client = { client_id: machine.client_id }
    const secret = oauth.ClientSecretPost(machine.client_secret)
    const answer = await oauth.clientCredentialsGrantRequest(as, client, secret, {}, http)
    const { access_token: jwt } = await oauth.processClientCredentialsResponse(as, client, answer)
    const request = new Request('https://submissions.acme.example/api/imports', {
      headers: { authorization: `Bearer ${jwt}` },
    })
    const options = { ...http, signingAlgorithms: ['ES256'] }
    expect(await oauth.validateJwtAccessToken(as, request, audiences.submissions, options)).toMatchObject({
      client_id: machine.client_id,
    })
    const asked = await oauth.introspectionRequest(as, client, secret, jwt, http)
    expect(await oauth.processIntrospectionResponse(as, client, asked)).toMatchObject({ active: true })
  })

  it('ES256 satisfies openid-client: exchange, userinfo, refresh, revocation', async () => {
    const web = await relyingParty.discovery(
      new URL(tessera.url),
      'submissions-web',
      undefined,
      relyingParty.None(),
      { execute: [relyingParty.allowInsecureRequests, relyingParty.enableNonRepudiationChecks] },
    )
    const [verifier, state, nonce] = [
      relyingParty.randomPKCECodeVerifier(),
      relyingParty.randomState(),
      relyingParty.randomNonce(),
    ]
    const url = relyingParty.buildAuthorizationUrl(web, {
      redirect_uri: redirectUri,
      scope: 'openid email profile service.api',
      code_challenge: await relyingParty.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    const visit = await signIn(new TestBrowser(tessera.url), url.href, people.importer)
    const tokens = await relyingParty.authorizationCodeGrant(web, new URL(visit.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    expect([algOf(tokens.access_token), algOf(tokens.id_token)]).toEqual(['ES256', 'RS256'])
    const sub = tokens.claims()?.sub ?? ''
    expect(await relyingParty.fetchUserInfo(web, tokens.access_token, sub)).toMatchObject({ sub })
    const refreshed = await relyingParty.refreshTokenGrant(web, tokens.refresh_token ?? '')
    expect(algOf(refreshed.access_token)).toBe('ES256')
    await relyingParty.tokenRevocation(web, refreshed.access_token)
    await expect(relyingParty.fetchUserInfo(web, refreshed.access_token, sub)).rejects.toMatchObject({
      status: 401,
    })
  })
})

onEachDatabase('the keys behind access_token_alg', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(async () => {
    await applyChanged(tessera, fast)
  })

  /** Another process on the same database, at the same time. */
  const another = async () => {
    const settings = testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url })
    return await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
  }

  it('rotate together, and what either signed verifies on', async () => {
    const long: [string, string] = [
      'client_secret: nightly-import-development-secret',
      'access_token_lifetime: 86400\n    client_secret: nightly-import-development-secret',
    ]
    await applyChanged(tessera, fast, long)
    const old = await machineToken(tessera.url)
    const environment = {
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_MODE: 'development',
      TESSERA_SECRET: secret,
      TESSERA_KEY_LEAD: String(keyTimes.leastLead / 1000),
    }
    expect(await runHere(['keys', 'rotate'], { environment })).toMatchObject({ code: 0 })
    tessera.clock.advance(keyTimes.leastLead + 60_000)
    const later = await another()
    const fresh = await machineToken(later.url)
    expect([algOf(old), algOf(fresh)]).toEqual(['ES256', 'ES256'])
    expect(headerOf(fresh).kid).not.toBe(headerOf(old).kid)
    expect((await keysOf(later.url)).map(({ alg }) => alg)).toEqual(['RS256', 'RS256', 'ES256', 'ES256'])
    const keys = createRemoteJWKSet(new URL(`${later.url}/oauth2/jwks`))
    for (const jwt of [old, fresh]) {
      const options = { issuer: tessera.url, currentDate: new Date(tessera.clock.now()) }
      await jwtVerify(jwt, keys, { ...options, algorithms: ['ES256'] })
      expect(await introspect(later.url, jwt)).toMatchObject({ active: true })
    }
    await later.close()
    await applyChanged(tessera, fast)
  })
})

const signatureOf = (jwt: string) => Buffer.from(jwt.split('.')[2] ?? '', 'base64url')

/** (r, n - s) is as good as (r, s), and anybody can make it. */
function twinOf(jwt: string): string {
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const right = signatureOf(jwt)
  const s = order - BigInt(`0x${right.subarray(32).toString('hex')}`)
  const twin = Buffer.concat([right.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
  return [...jwt.split('.').slice(0, 2), twin.toString('base64url')].join('.')
}
