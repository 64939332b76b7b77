import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { start } from '../../dist/server.js'
import { people, post, redirectUri, signIn, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase, sampleOn } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { testSettings } from '../harness/settings.ts'
import { machineToken, refusalOf, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { assertionType as type, keyOf, type Signing } from './workload-tokens.ts'

const robot = {
  client_id: 'robot',
  client_name: 'Robot',
  type: 'machine',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
}
const app = {
  client_id: 'intranet',
  client_name: 'Intranet',
  type: 'web',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid email profile service.api',
  services: ['submissions-tool'],
}

/** What a client publishes; counts how often it is asked for. */
async function publisher() {
  const state = { asked: 0, status: 200, body: '{"keys":[]}', uri: '' }
  const server = createServer((_request, response) => {
    state.asked += 1
    response.writeHead(state.status, { location: 'http://127.0.0.1:1/' }).end(state.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  state.uri = `http://127.0.0.1:${port}/jwks`
  return {
    state,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}

onEachDatabase('private_key_jwt', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = administeredOn(dialect, {
    TESSERA_LIMIT_CLIENT_AUTH: '0',
    TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
  })
  const published = duringTests(publisher)
  let admin: Administrator
  let own: Signing
  let keys: Signing[]
  beforeAll(async () => {
    keys = [
      await keyOf('RS256', 'rsa'),
      await keyOf('ES256', 'ec'),
      await keyOf('EdDSA', 'ed'),
      await keyOf('PS256', 'pss'),
    ]
    own = keys[1] as Signing
    admin = await Administrator.machine(tessera.url)
    const jwks = { keys: keys.map((one) => one.jwk) }
    for (const one of [robot, app]) {
      const made = await admin.post('/clients', { ...one, jwks })
      expect(made.json).toMatchObject({ jwks, token_endpoint_auth_method: 'private_key_jwt', secrets: [] })
      expect(made.json).not.toHaveProperty('client_secret')
    }
  })

  let count = 0
  interface Made {
    key?: Signing
    alg?: string
    claims?: Record<string, unknown>
    id?: string
    header?: Record<string, unknown>
  }
  /** An assertion that is right, unless it is said otherwise; undefined claims are left out. */
  async function assertion({
    key = own,
    alg,
    claims = {},
    id = 'robot',
    header,
  }: Made = {}): Promise<string> {
    const now = Math.floor(tessera.clock.now() / 1000)
    const all = { iss: id, sub: id, aud: tessera.url, iat: now, exp: now + 60, jti: `${++count}`, ...claims }
    const signed = new SignJWT(JSON.parse(JSON.stringify(all)) as Record<string, unknown>)
    return await signed
      .setProtectedHeader({ alg: alg ?? key.alg, kid: key.kid, ...header })
      .sign(key.privateKey)
  }
  const proof = async (made?: Made) => ({
    client_assertion_type: type,
    client_assertion: await assertion(made),
  })
  const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) =>
    await token(tessera.url, { grant_type: 'client_credentials', ...form }, headers)

  it.each(sampleOn(dialect, 1, ['rsa', 'ec', 'ed', 'pss']))(
    'proves a machine by each algorithm: %s',
    async (kid) => {
      const key = keys.find((one) => one.kid === kid) as Signing
      tokensOf(await ask(await proof({ key })))
      tokensOf(await ask({ client_id: 'robot', ...(await proof({ key })) }))
    },
  )

  onOne.it('is for the issuer, and where a client says so for the token endpoint too', async () => {
    const endpoint = `${tessera.url}/oauth2/token`
    const of = async (aud: unknown, id: string) => await ask(await proof({ claims: { aud }, id }))
    tokensOf(await of(tessera.url, 'robot'))
    for (const aud of [endpoint, [tessera.url], [endpoint], `${tessera.url}/`, [tessera.url, endpoint]]) {
      const answer = await of(aud, 'robot')
      expect(refusalOf(answer)).toBe('401 invalid_client')
      expect(answer.json.error_description).toContain(`must be exactly ${tessera.url}, as one text`)
    }
    const jwks = { keys: [own.jwk] }
    await admin.post('/clients', { ...robot, client_id: 'older', jwks, assertion_audience: 'token_endpoint' })
    for (const aud of [tessera.url, endpoint, [tessera.url], [endpoint], [tessera.url, endpoint]])
      tokensOf(await of(aud, 'older'))
    for (const aud of [[], [endpoint, 'https://other.example'], `${tessera.url}/oauth2/userinfo`])
      expect(refusalOf(await of(aud, 'older'))).toBe('401 invalid_client')
  })

  onOne.it.each<[string, Record<string, unknown>]>([
    ['the typ of an access token', { typ: 'at+jwt' }],
    ['the typ of a logout token', { typ: 'logout+jwt' }],
    ['the typ of a proof', { typ: 'dpop+jwt' }],
    ['crit', { crit: ['b64'], b64: true }],
    ['a key of its own', { jwk: { kty: 'EC' } }],
    ['an address of keys', { jku: 'https://evil.example/jwks' }],
    ['an address of a certificate', { x5u: 'https://evil.example/x5u' }],
  ])('with %s in its header is refused', async (_, header) => {
    const form = { client_id: 'robot', ...(await proof({ header })) }
    expect(refusalOf(await ask(form))).toBe('401 invalid_client')
  })

  onOne.it('may have the typ of RFC 7523bis, and the one algorithm that is registered', async () => {
    for (const typ of ['JWT', 'client-authentication+jwt'])
      tokensOf(await ask(await proof({ header: { typ } })))
    const jwks = { keys: keys.map((one) => one.jwk) }
    const only = { jwks, token_endpoint_auth_signing_alg: 'PS256' }
    await admin.post('/clients', { ...robot, client_id: 'only', ...only })
    const by = async (kid: string, alg?: string) =>
      await ask(
        await proof({ id: 'only', key: keys.find((one) => one.kid === kid) as Signing, ...(alg && { alg }) }),
      )
    tokensOf(await by('pss'))
    for (const kid of ['rsa', 'ec', 'ed']) expect(refusalOf(await by(kid))).toBe('401 invalid_client')
  })

  onOne.it('is the one way of its client, as a secret is of another', async () => {
    expect(problemOf(await admin.post('/clients/robot/secrets', {}))).toBe('409 conflict')
    const both = { ...robot, client_id: 'both', token_endpoint_auth_method: 'client_secret_basic' }
    const { json } = await admin.post('/clients', { ...both, jwks: { keys: [own.jwk] } })
    expect(json).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic' })
    const secret = { client_id: 'both', client_secret: String(json.client_secret) }
    tokensOf(await ask(secret))
    expect(refusalOf(await ask(await proof({ id: 'both' })))).toBe('401 invalid_client')
    const moved = await admin.patch('/clients/both', { token_endpoint_auth_method: 'private_key_jwt' })
    expect(moved.json).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt' })
    tokensOf(await ask(await proof({ id: 'both' })))
    expect(refusalOf(await ask(secret))).toBe('401 invalid_client')
    const basic = Buffer.from(`both:${secret.client_secret}`).toString('base64')
    expect(refusalOf(await ask({}, { authorization: `Basic ${basic}` }))).toBe('401 invalid_client')
    const gone = await admin.patch('/clients/both', {
      jwks: null,
      token_endpoint_auth_method: 'private_key_jwt',
    })
    expect(problemOf(gone)).toBe('400 invalid_request token_endpoint_auth_method')
  })

  const past = () => Math.floor(tessera.clock.now() / 1000)
  onOne.describe.each<[string, () => Record<string, unknown>]>([
    ['no exp', () => ({ exp: undefined })],
    ['an exp that is over', () => ({ exp: past() - 40 })],
    ['an exp too far away', () => ({ exp: past() + 400 })],
    ['an exp that is text', () => ({ exp: String(past() + 60) })],
    ['an iat of the future', () => ({ iat: past() + 300 })],
    ['an nbf of the future', () => ({ nbf: past() + 300 })],
    ['no jti', () => ({ jti: undefined })],
    ['an empty jti', () => ({ jti: '' })],
    ['a long jti', () => ({ jti: 'x'.repeat(256) })],
    ['an iat of the future by a minute', () => ({ iat: past() + 61 })],
    ['no aud', () => ({ aud: undefined })],
    ['an empty aud', () => ({ aud: [] })],
    ['another aud', () => ({ aud: 'https://other.example' })],
    ['another aud beside', () => ({ aud: [tessera.url, 'https://other.example'] })],
    ['the aud of another endpoint', () => ({ aud: `${tessera.url}/oauth2/userinfo` })],
    ['another iss', () => ({ iss: 'intranet' })],
    ['no iss', () => ({ iss: undefined })],
    ['another sub', () => ({ sub: 'admin-cli' })],
  ])('with %s', (_, claims) => {
    it('is refused', async () => {
      const form = { client_id: 'robot', ...(await proof({ claims: claims() })) }
      expect(refusalOf(await ask(form))).toBe('401 invalid_client')
    })
  })

  onOne.it('is refused when it is signed by another key, by none or with a shared secret', async () => {
    const foreign = await keyOf('ES256', 'ec')
    const unnamed = await keyOf('ES256', 'strange')
    for (const key of [foreign, unnamed])
      expect(refusalOf(await ask(await proof({ key })))).toBe('401 invalid_client')
    const [, payload] = (await assertion()).split('.')
    const header = (values: object) => Buffer.from(JSON.stringify(values)).toString('base64url')
    const unsigned = `${header({ alg: 'none' })}.${payload}.`
    const hmac = await new SignJWT({ iss: 'robot', sub: 'robot', aud: tessera.url, jti: 'h' })
      .setProtectedHeader({ alg: 'HS256', kid: 'ec' })
      .setExpirationTime(past() + 60)
      .sign(Buffer.from(JSON.stringify(own.jwk)))
    const other = `${header({ alg: 'RS256', kid: 'ec' })}.${(await assertion()).split('.').slice(1).join('.')}`
    for (const text of [unsigned, hmac, other, 'a.b.c', 'x', `${await assertion()}x`]) {
      const form = { client_id: 'robot', client_assertion_type: type, client_assertion: text }
      expect(refusalOf(await ask(form))).toBe('401 invalid_client')
    }
  })

  onOne.it('is no other token of ours, whatever keys are registered', async () => {
    const tokens = await new Visitor(tessera.url).tokens()
    const jwks_uri = `${tessera.url}/oauth2/jwks`
    expect((await admin.post('/clients', { ...robot, client_id: 'mirror', jwks_uri })).status).toBe(201)
    const machines = await machineToken(tessera.url)
    for (const text of [tokens.id_token, tokens.access_token, machines])
      for (const client_id of ['robot', 'mirror', 'submissions-web', undefined]) {
        const named = client_id === undefined ? {} : { client_id }
        const form = { ...named, client_assertion_type: type, client_assertion: String(text) }
        expect(refusalOf(await ask(form))).toBe('401 invalid_client')
      }
  })

  onOne.it('is of one client, whichever else it names', async () => {
    for (const client_id of ['intranet', 'admin-cli']) {
      const answer = await ask({ client_id, ...(await proof()) })
      expect(refusalOf(answer)).toBe('401 invalid_client')
    }
    const made = await proof({ claims: { iss: 'robot', sub: 'intranet' } })
    for (const client_id of ['robot', 'intranet'])
      expect(refusalOf(await ask({ client_id, ...made }))).toBe('401 invalid_client')
  })

  it('counts once, of any number at the same time too', async () => {
    const once = await proof()
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(once)))
    expect(answers.filter((one) => one.status === 200)).toHaveLength(1)
    expect(answers.filter((one) => one.status === 401)).toHaveLength(49)
    expect(refusalOf(await ask(once))).toBe('401 invalid_client')
    // Another client's jti is another.
    const claims = { jti: 'shared' }
    tokensOf(await ask(await proof({ claims })))
    const other = await ask(await proof({ claims, id: 'intranet' }))
    expect(refusalOf(other)).toBe('400 unauthorized_client')
  })

  it('counts once in all processes on the database, and after a restart', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_ISSUER: tessera.url,
      TESSERA_LIMIT_CLIENT_AUTH: '0',
    })
    const another = async () => await start({ ...settings, host: 'localhost' }, { now: tessera.clock.now })
    const at = async (url: string, form: Record<string, string>) =>
      await token(url, { grant_type: 'client_credentials', ...form })
    const others = await Promise.all([another(), another(), another()])
    const [other] = others
    const [here, there] = [await proof(), await proof()]
    tokensOf(await at(tessera.url, here))
    tokensOf(await at(other.url, there))
    const both = await proof()
    const everywhere = [tessera, ...others].flatMap(({ url }) => Array.from({ length: 13 }, () => url))
    const together = await Promise.all(everywhere.map((url) => at(url, both)))
    for (const one of others) await one.close()
    expect(together.filter((one) => one.status === 200)).toHaveLength(1)
    const restarted = await another()
    try {
      for (const used of [here, there, both])
        for (const url of [tessera.url, restarted.url])
          expect(refusalOf(await at(url, used))).toBe('401 invalid_client')
    } finally {
      await restarted.close()
    }
  })

  it('is for a client that the command made with its keys', async () => {
    const line = ['client', 'create', 'by-command', '--client-name', 'By command', '--type', 'machine']
    const more = ['--service', 'submissions-tool', '--jwks', JSON.stringify({ keys: [own.jwk] }), '--json']
    const made = await runHere([...line, ...more], { environment: ways.http(tessera) })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const shown = JSON.parse(made.stdout) as Record<string, unknown>
    expect(shown).toMatchObject({ jwks: { keys: [own.jwk] }, secrets: [] })
    expect(shown).not.toHaveProperty('client_secret')
    tokensOf(await ask(await proof({ id: 'by-command' })))
    const { privateKey: _, ...foreign } = await keyOf('ES256', 'other')
    const change = ['client', 'change', 'by-command', '--jwks', JSON.stringify({ keys: [foreign.jwk] })]
    expect(await runHere(change, { environment: ways.http(tessera) })).toMatchObject({ code: 0 })
    expect(refusalOf(await ask(await proof({ id: 'by-command' })))).toBe('401 invalid_client')
    const wrong = ['client', 'change', 'by-command', '--jwks', '{"keys":[']
    expect(await runHere(wrong, { environment: ways.http(tessera) })).toMatchObject({ code: 1 })
  })

  onOne.it.each<[string, Record<string, string>, Record<string, string>, string]>([
    ['a secret beside it', { client_secret: 'x' }, {}, '400 invalid_request'],
    ['Basic beside it', {}, { authorization: 'Basic cm9ib3Q6eA==' }, '400 invalid_request'],
    ['no type', { client_assertion_type: '' }, {}, '400 invalid_request'],
    ['another type', { client_assertion_type: 'jwt' }, {}, '401 invalid_client'],
    ['nothing but the type', { client_assertion: '' }, {}, '400 invalid_request'],
    ['the name of a public client', { client_id: 'submissions-web' }, {}, '401 invalid_client'],
    ['the name of a client without keys', { client_id: 'admin-cli' }, {}, '401 invalid_client'],
    ['an unknown name', { client_id: 'nobody' }, {}, '401 invalid_client'],
  ])('with %s is refused', async (_, form, headers, refusal) => {
    expect(refusalOf(await ask({ ...(await proof()), ...form }, headers))).toBe(refusal)
  })

  onOne.it('a client with keys alone can not do without them', async () => {
    expect(refusalOf(await ask({ client_id: 'robot' }))).toBe('401 invalid_client')
    expect(refusalOf(await ask({ client_id: 'robot', client_secret: 'x' }))).toBe('401 invalid_client')
  })

  it('a refused assertion uses up no code; openid-client goes the whole way with a right one', async () => {
    const visitor = new Visitor(tessera.url)
    const form = await visitor.code({ client_id: 'intranet' })
    const wrong = await token(tessera.url, { ...form, ...(await proof({ id: 'robot' })) })
    expect(refusalOf(wrong)).toBe('401 invalid_client')
    tokensOf(await token(tessera.url, { ...form, ...(await proof({ id: 'intranet' })) }))

    const configuration = await client.discovery(
      new URL(tessera.url),
      'intranet',
      undefined,
      client.PrivateKeyJwt({ key: own.privateKey, kid: own.kid }),
      { execute: [client.allowInsecureRequests] },
    )
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: app.scope,
      state: 'state',
      nonce: 'nonce',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const visit = await signIn(new TestBrowser(tessera.url), url.href, people.importer)
    const tokens = await client.authorizationCodeGrant(configuration, new URL(visit.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: 'state',
      expectedNonce: 'nonce',
    })
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
    const about = await client.tokenIntrospection(configuration, next.access_token)
    expect(about).toMatchObject({ active: true })
    await client.tokenRevocation(configuration, next.refresh_token ?? '')
    expect((await userinfo(tessera.url, next.access_token)).status).toBe(401)
    const bare = { token: next.access_token, ...(await proof({ id: 'intranet' })) }
    expect((await post(`${tessera.url}/oauth2/introspect`, bare)).json).toEqual({ active: false })
  })

  describe('keys at a jwks_uri', () => {
    it('are read once, anew for an unknown key after a while, and a key that is gone ends', async () => {
      // What is counted is what a stopped clock allows.
      tessera.clock.stop()
      const [first, second] = [await keyOf('ES256', 'first'), await keyOf('ES256', 'second')]
      const strange = { kty: 'oct', k: 'c2VjcmV0', kid: 'strange' }
      published.state.body = JSON.stringify({ keys: [first.jwk, strange] })
      published.state.asked = 0
      await admin.post('/clients', { ...robot, client_id: 'remote', jwks_uri: published.state.uri })
      const by = async (key: Signing) => await ask(await proof({ key, id: 'remote' }))
      tokensOf(await by(first))
      tokensOf(await by(first))
      expect(published.state.asked).toBe(1)
      published.state.body = JSON.stringify({ keys: [second.jwk] })
      // Nobody makes the service ask more often.
      for (let guess = 0; guess < 3; guess++) expect(refusalOf(await by(second))).toBe('401 invalid_client')
      expect(published.state.asked).toBe(1)
      tessera.clock.advance(31_000)
      tokensOf(await by(second))
      expect(published.state.asked).toBe(2)
      expect(refusalOf(await by(first))).toBe('401 invalid_client')
      expect(published.state.asked).toBe(2)
      published.state.body = JSON.stringify({ keys: [first.jwk] })
      tessera.clock.advance(601_000)
      expect(refusalOf(await by(second))).toBe('401 invalid_client')
      expect(published.state.asked).toBe(3)
    })

    onOne.it.each<[string, number, string]>([
      ['an error', 500, '{"keys":[]}'],
      ['a redirect', 302, '{"keys":[]}'],
      ['what is no JSON', 200, '<html>'],
      ['no keys', 200, '{"keys":[]}'],
      ['what is null', 200, 'null'],
      ['more than it may be', 200, `{"keys":[],"x":"${'x'.repeat(70_000)}"}`],
    ])('that answers with %s prove nothing', async (name, status, body) => {
      Object.assign(published.state, { status, body })
      const client_id = `broken-${name.replaceAll(/\W/g, '')}`
      const fresh = await Administrator.machine(tessera.url)
      await fresh.post('/clients', { ...robot, client_id, jwks_uri: `${published.state.uri}/${client_id}` })
      expect(refusalOf(await ask(await proof({ id: client_id })))).toBe('401 invalid_client')
      published.state.status = 200
    })
  })

  onOne.it.each<[string, object, string]>([
    ['a private key', { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] }, 'jwks'],
    ['a shared secret', { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, 'jwks'],
    ['no key', { keys: [] }, 'jwks'],
    ['no list', { keys: {} }, 'jwks.keys'],
    ['a key that is none', { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] }, 'jwks'],
  ])('is not registered with %s', async (_, jwks, field) => {
    const fresh = await Administrator.machine(tessera.url)
    const answer = await fresh.post('/clients', { ...robot, client_id: 'wrong', jwks })
    expect(problemOf(answer)).toBe(`400 invalid_request ${field}`)
  })

  onOne.it('is for clients that prove who they are, with keys in one place', async () => {
    const fresh = await Administrator.machine(tessera.url)
    const jwks = { keys: [own.jwk] }
    const jwks_uri = 'https://robot.example/jwks'
    const add = async (body: object) => problemOf(await fresh.post('/clients', { ...robot, ...body }))
    const id = { client_id: 'wrong' }
    expect(await add({ ...app, ...id, type: 'public', jwks })).toBe('400 invalid_request jwks')
    expect(await add({ ...id, jwks, jwks_uri })).toBe('400 invalid_request jwks_uri')
    expect(await add({ ...id, jwks_uri: 'http://robot.example/' })).toBe('400 invalid_request jwks_uri')
    expect(await add({ ...id, token_endpoint_auth_method: 'private_key_jwt' })).toBe(
      '400 invalid_request token_endpoint_auth_method',
    )
    expect(await machineToken(tessera.url)).toMatch(/^ey/)
  })
})

onOneDatabase('private_key_jwt with a key set at a private address', (dialect) => {
  const tessera = administeredOn(dialect)
  const published = duringTests(publisher)

  it('never asks there, unless it is allowed', async () => {
    const key = await keyOf('ES256', 'one')
    published.state.body = JSON.stringify({ keys: [key.jwk] })
    const admin = await Administrator.machine(tessera.url)
    await admin.post('/clients', { ...robot, jwks_uri: published.state.uri })
    const now = Math.floor(tessera.clock.now() / 1000)
    const made = new SignJWT({ iss: 'robot', sub: 'robot', aud: tessera.url, exp: now + 60, jti: 'one' })
    const text = await made.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key.privateKey)
    const form = { client_assertion_type: type, client_assertion: text }
    const answer = await token(tessera.url, { grant_type: 'client_credentials', ...form })
    expect(refusalOf(answer)).toBe('401 invalid_client')
    expect(published.state.asked).toBe(0)
  })
})
