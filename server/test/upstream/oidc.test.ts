import { generateKeyPairSync } from 'node:crypto'
import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { checkOidc, oidcAddress, oidcAssertion, ownJwks } from '../../dist/upstream/oidc.js'
import { startProvider, type Twists, type UpstreamProvider } from '../harness/upstream-provider.ts'
import { abroad, askedNow, here, refusalOf, signInAt, upstreamAt } from './oidc-support.ts'

let provider: UpstreamProvider
const ada = { sub: 'ada', email: 'ada@acme.example', name: 'Ada' }

beforeAll(async () => {
  provider = await startProvider()
})
afterEach(() => {
  provider.twists = {}
  provider.person = ada
  provider.asked.length = 0
  vi.restoreAllMocks()
  vi.useRealTimers()
})
afterAll(() => provider.close())

/** The time that passes in the process for what lies in its memory. */
function later(milliseconds: number): void {
  const real = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => real() + milliseconds)
}

const now = () => Math.floor(Date.now() / 1000)

describe('a sign-in by OpenID Connect', () => {
  it('is asked for with all that binds the answer', async () => {
    const upstream = upstreamAt(provider, { attributes: { groups: 'groups' } })
    provider.twists = { documents: { scopes_supported: ['openid', 'groups', 'offline_access'] } }
    const asked = askedNow({ loginHint: 'ada@acme.example', uiLocales: 'de', maxAge: 60 })
    const { origin, searchParams } = new URL(await oidcAddress(here, upstream, asked))
    expect(origin).toBe(provider.issuer)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'tessera',
      response_type: 'code',
      redirect_uri: asked.redirectUri,
      scope: 'openid email profile groups',
      state: asked.state,
      nonce: asked.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login_hint: 'ada@acme.example',
      ui_locales: 'de',
      max_age: '60',
    })
  })

  it('asks for the time where people have to prove themselves anew', async () => {
    const address = await oidcAddress(here, upstreamAt(provider), askedNow({ prompt: 'login' }))
    expect(address).toContain('prompt=login')
    expect(address).toContain('max_age=0')
  })

  it('says who it is, and what was told', async () => {
    const auth_time = now() - 5
    provider.person = {
      ...ada,
      family_name: 'Lovelace',
      groups: ['staff'],
      level: 3,
      acr: 'mfa',
      amr: ['pwd', 'otp'],
      sid: 's1',
      auth_time,
    }
    const upstream = upstreamAt(provider, { logout: 'both' })
    const assertion = await signInAt(provider, upstream, { maxAge: 60 })
    expect(assertion).toMatchObject({
      upstream_uuid: upstream.uuid,
      subject: 'ada',
      fields: { email: 'ada@acme.example', name: 'Ada', family_name: 'Lovelace' },
      groups: ['staff'],
      contexts: ['mfa', 'pwd', 'otp'],
      amr: ['pwd', 'otp'],
      auth_time: auth_time * 1000,
      sid: 's1',
    })
    expect(assertion.claims.get('level')).toEqual(['3'])
    expect(decodeJwt(assertion.id_token ?? '').sub).toBe('ada')
    // All that was wanted stood in the ID token.
    expect(provider.count('/userinfo')).toBe(0)
    const { authorization = '', body } = provider.tokenRequest ?? {}
    expect(atob(authorization.slice('Basic '.length))).toBe('tessera:a%20secret%3A%20~%25%2F%2B')
    expect(body?.has('client_secret')).toBe(false)
  })

  it('keeps no ID token where only the own session ends', async () => {
    expect((await signInAt(provider, upstreamAt(provider))).id_token).toBeUndefined()
  })

  it.each(['RS256', 'PS256', 'ES256'])('takes %s', async (alg) => {
    await provider.rotate(alg)
    expect(await signInAt(provider, upstreamAt(provider))).toMatchObject({ subject: 'ada' })
  })

  it('proves the client by a key where there is no secret', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const upstream = upstreamAt(provider, { secret: undefined, private_key })
    await signInAt(provider, upstream)
    const { authorization, body } = provider.tokenRequest ?? {}
    expect(authorization).toBeUndefined()
    const assertion = body?.get('client_assertion') ?? ''
    await compactVerify(assertion, createLocalJWKSet(ownJwks(upstream)))
    expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: 'RS256', typ: 'JWT' })
    const { iat = 0, exp = 0, ...claims } = decodeJwt(assertion)
    expect(exp - iat).toBe(60)
    expect(claims).toEqual({ iss: 'tessera', sub: 'tessera', aud: provider.issuer, jti: expect.any(String) })
    expect(JSON.stringify(ownJwks(upstream))).not.toContain('"d"')
  })

  it('posts the secret where the upstream takes it so alone', async () => {
    provider.twists = { documents: { token_endpoint_auth_methods_supported: ['client_secret_post'] } }
    await signInAt(provider, upstreamAt(provider))
    expect(provider.tokenRequest?.body.get('client_secret')).toBe(provider.clientSecret)
  })
})

describe('the subject', () => {
  it.each([
    [{ tid: 'tenant', oid: 'object' }, null, 'tenant/object'],
    [{ oid: 'object' }, null, 'ada'],
    [{ employee: 17 }, 'employee', '17'],
    [{ employee: '18', tid: 'tenant', oid: 'object' }, 'employee', '18'],
  ])('of %j by %s is %s', async (claims, subject, expected) => {
    provider.person = { ...ada, ...claims }
    expect((await signInAt(provider, upstreamAt(provider, { subject }))).subject).toBe(expected)
  })

  it.each([
    [{ sub: undefined }, null],
    [{ sub: '' }, null],
    [{ sub: 7 }, null],
    [{ sub: 'a'.repeat(256) }, null],
    [{ sub: 'ada\n' }, null],
    [{ employee: '' }, 'employee'],
    [{ employee: ['1'] }, 'employee'],
    // Never of what is not signed, and never the sub instead.
    [{}, 'employee'],
  ])('is refused of %j by %s', async (claims, subject) => {
    provider.twists = { claims: (own) => ({ ...own, ...claims }), userinfo: { ...ada, employee: 'eve' } }
    const { code } = await refusalOf(signInAt(provider, upstreamAt(provider, { subject })))
    expect(code).toBe('no_subject')
  })
})

describe('an ID token', () => {
  it.each<[string, string, Twists]>([
    ['of another issuer', 'issuer', { claims: (own) => ({ ...own, iss: 'https://evil.example' }) }],
    ['of the issuer with a slash', 'issuer', { claims: (own) => ({ ...own, iss: `${String(own.iss)}/` }) }],
    ['for another client', 'audience', { claims: (own) => ({ ...own, aud: 'other' }) }],
    [
      'for two, by another',
      'audience',
      { claims: (own) => ({ ...own, aud: ['tessera', 'other'], azp: 'other' }) },
    ],
    ['for two, by nobody', 'audience', { claims: (own) => ({ ...own, aud: ['tessera', 'other'] }) }],
    ['issued to another', 'audience', { claims: (own) => ({ ...own, azp: 'other' }) }],
    ['with another nonce', 'nonce', { claims: (own) => ({ ...own, nonce: 'other' }) }],
    ['without a nonce', 'nonce', { claims: (own) => ({ ...own, nonce: undefined }) }],
    ['that has expired', 'expired', { claims: (own) => ({ ...own, exp: now() - 60 }) }],
    ['that never expires', 'expired', { claims: (own) => ({ ...own, exp: undefined }) }],
    ['of the future', 'expired', { claims: (own) => ({ ...own, iat: now() + 120 }) }],
    ['not valid yet', 'expired', { claims: (own) => ({ ...own, nbf: now() + 120 }) }],
    [
      'with an auth_time of the future',
      'response',
      { claims: (own) => ({ ...own, auth_time: now() + 120 }) },
    ],
    ['with an auth_time as text', 'response', { claims: (own) => ({ ...own, auth_time: '1' }) }],
    ['that is signed by nobody', 'signature', { signature: 'none' }],
    ['that is signed with the public key as a secret', 'signature', { signature: 'HS256 by the public key' }],
    ['that is signed with the secret of the client', 'signature', { signature: 'HS256 by the secret' }],
    ['that is signed by a foreign key', 'signature', { signature: 'a foreign key' }],
    ['that brings its own key', 'signature', { signature: 'a foreign key', header: { kid: 'x', jwk: {} } }],
    ['with a header that has to be understood', 'response', { header: { crit: ['x'], x: 1 } }],
    ['that is none', 'response', { idToken: 'no.token' }],
  ])('%s is refused', async (_, code, twists) => {
    const upstream = upstreamAt(provider)
    expect((await signInAt(provider, upstream)).subject).toBe('ada')
    provider.twists = twists
    const refused = await refusalOf(signInAt(provider, upstream))
    expect(refused).toMatchObject({ code })
    // Nothing of a token is told.
    expect(refused.detail).not.toMatch(/ey[A-Za-z0-9_-]{10}|ada/)
  })

  it.each(['none', 'HS256 by the public key', 'HS256 by the secret'] as const)(
    'is refused by %s also where the metadata names that',
    async (signature) => {
      const algs = ['none', 'HS256', 'RS256', 'ES256']
      provider.twists = { signature, documents: { id_token_signing_alg_values_supported: algs } }
      expect(await refusalOf(signInAt(provider, upstreamAt(provider)))).toMatchObject({ code: 'signature' })
    },
  )

  it('is refused when it comes a second time', async () => {
    const upstream = upstreamAt(provider, { logout: 'both' })
    const { id_token: idToken = '' } = await signInAt(provider, upstream)
    provider.twists = { idToken }
    expect(await refusalOf(signInAt(provider, upstream))).toMatchObject({ code: 'nonce' })
  })
})

describe('what the browser brings', () => {
  it.each<[string, string, (sent: URLSearchParams) => void]>([
    ['of another issuer', 'issuer', (sent) => sent.set('iss', 'https://other.example')],
    ['of nobody', 'issuer', (sent) => sent.delete('iss')],
    ['of two issuers', 'issuer', (sent) => sent.append('iss', 'https://other.example')],
    ['with another state', 'response', (sent) => sent.set('state', 'other')],
    ['without a state', 'response', (sent) => sent.delete('state')],
    ['with two codes', 'response', (sent) => sent.append('code', 'other')],
    ['without a code', 'response', (sent) => sent.delete('code')],
    ['with a token', 'response', (sent) => sent.set('id_token', 'x.y.z')],
    ['with a foreign code', 'request_over', (sent) => sent.set('code', 'stolen')],
    ['that somebody cancelled', 'denied', (sent) => sent.set('error', 'access_denied')],
    ['that says our client is wrong', 'client_refused', (sent) => sent.set('error', 'unauthorized_client')],
    ['that says it is busy', 'unreachable', (sent) => sent.set('error', 'temporarily_unavailable')],
  ])('%s is refused', async (_, code, brought) => {
    provider.twists = { brought }
    expect(await refusalOf(signInAt(provider, upstreamAt(provider)))).toMatchObject({ code })
  })

  it('of another issuer is refused where the metadata promises none', async () => {
    const documents = { authorization_response_iss_parameter_supported: false }
    provider.twists = { documents, brought: (sent) => sent.delete('iss') }
    expect((await signInAt(provider, upstreamAt(provider))).subject).toBe('ada')
    provider.twists = { documents, brought: (sent) => sent.set('iss', 'https://other.example') }
    expect(await refusalOf(signInAt(provider, upstreamAt(provider)))).toMatchObject({ code: 'issuer' })
  })

  it('is refused a second time, and with another verifier', async () => {
    const upstream = upstreamAt(provider)
    const asked = askedNow()
    const back = provider.authorise(await oidcAddress(here, upstream, asked))
    await oidcAssertion(here, upstream, back, asked, Date.now())
    const again = oidcAssertion(here, upstream, back, asked, Date.now())
    expect(await refusalOf(again)).toMatchObject({ code: 'request_over' })
    const other = signInAt(provider, upstream, {}, { codeVerifier: 'other'.repeat(10) })
    expect(await refusalOf(other)).toMatchObject({ code: 'request_over' })
  })

  it('is of one upstream alone: another issuer that it was mixed up with is refused', async () => {
    const other = await startProvider()
    try {
      const asked = askedNow()
      const back = other.authorise(await oidcAddress(here, upstreamAt(other), asked))
      const mixed = oidcAssertion(here, upstreamAt(provider), back, asked, Date.now())
      expect(await refusalOf(mixed)).toMatchObject({ code: 'issuer' })
      expect(provider.count('/token')).toBe(0)
    } finally {
      await other.close()
    }
  })

  it('says what the token endpoint says of our client', async () => {
    const body = { error: 'invalid_client', error_description: 'The secret has expired.' }
    provider.twists = { at: { '/token': { status: 401, body } } }
    expect(await refusalOf(signInAt(provider, upstreamAt(provider)))).toEqual({
      code: 'client_refused',
      detail: 'The token endpoint answered invalid_client. The secret has expired.',
    })
  })

  it.each(['redirect', 'huge'] as const)('is refused where the token endpoint is %s', async (kind) => {
    provider.twists = { at: { '/token': kind } }
    expect(await refusalOf(signInAt(provider, upstreamAt(provider)))).toMatchObject({ code: 'documents' })
  })
})

describe('max_age and prompt', () => {
  it.each([
    [{ maxAge: 60 }, 120],
    [{ maxAge: 0 }, 40],
    [{ prompt: 'login' as const, askedAt: Date.now() }, 60],
    [{ prompt: 'login' as const }, 60],
    [{ prompt: 'login' as const, maxAge: 3600 }, 60],
  ])('of %j refuse a sign-in of %d seconds ago', async (asked, age) => {
    provider.person = { ...ada, auth_time: now() - age }
    expect(await refusalOf(signInAt(provider, upstreamAt(provider), asked))).toMatchObject({
      code: 'too_old',
    })
  })

  it.each([
    [{ maxAge: 120 }, 60],
    [{ prompt: 'select_account' as const }, 60_000],
    [{ prompt: 'login' as const, askedAt: Date.now() - 300_000 }, 200],
  ])('of %j take one of %d seconds ago', async (asked, age) => {
    const auth_time = now() - age
    provider.person = { ...ada, auth_time }
    const assertion = await signInAt(provider, upstreamAt(provider), asked)
    expect(assertion.auth_time).toBe(auth_time * 1000)
  })

  it('claim no time where the upstream says none', async () => {
    const assertion = await signInAt(provider, upstreamAt(provider), { maxAge: 60 })
    expect(assertion.auth_time).toBeUndefined()
  })
})

describe('userinfo', () => {
  const attributes = { email: 'mail' }

  it('is asked for a claim that is wanted and missing, and changes nothing that is signed', async () => {
    provider.twists = { userinfo: { ...ada, name: 'Eve', mail: 'ada@acme.example', acr: 'phr' } }
    const assertion = await signInAt(provider, upstreamAt(provider, { attributes }))
    expect(assertion.fields).toEqual({ email: 'ada@acme.example', name: 'Ada' })
    expect(assertion.contexts).toEqual([])
  })

  it.each([{ sub: 'eve' }, { sub: undefined }, { sub: ['ada'] }])('of %j is refused', async (changes) => {
    provider.twists = { userinfo: { ...ada, mail: 'eve@acme.example', ...changes } }
    const { code } = await refusalOf(signInAt(provider, upstreamAt(provider, { attributes })))
    expect(code).toBe('response')
  })

  it('is refused where it redirects', async () => {
    provider.twists = { at: { '/userinfo': 'redirect' } }
    const { code } = await refusalOf(signInAt(provider, upstreamAt(provider, { attributes })))
    expect(code).toBe('documents')
  })
})

describe('groups', () => {
  const attributes = { groups: 'roles' }
  const rule = { group: 'staff', role: 'reader' }
  it.each([
    ['nothing is known of any', {}, {}, []],
    ['the list is empty', { groups: [] }, { mapping: [rule] }, []],
    ['it is one text', { groups: 'staff' }, {}, ['staff']],
    ['they are named otherwise', { roles: ['a'], groups: ['b'] }, { attributes }, ['a']],
    ['a rule asks for one and none is told', {}, { mapping: [rule] }, []],
    ['the claim that is named is missing', { groups: ['b'] }, { attributes }, []],
    ['there are too many', { _claim_names: { groups: 'src1' } }, {}, 'unknown'],
    [
      'there are too many, and some are told',
      { groups: ['a'], _claim_names: { groups: 'src1' } },
      {},
      'unknown',
    ],
    ['there are too many for a fragment', { hasgroups: true }, {}, 'unknown'],
    ['there are too many others', { roles: ['a'], _claim_names: { groups: 'src1' } }, { attributes }, ['a']],
    ['they are no texts', { groups: [{ id: 1 }] }, {}, 'unknown'],
    ['they are an object', { groups: { a: 1 } }, {}, 'unknown'],
  ])('where %s', async (_, claims, changes, expected) => {
    provider.person = { ...ada, ...claims }
    expect((await signInAt(provider, upstreamAt(provider, changes))).groups).toEqual(expected)
  })

  it('are not asked of userinfo where there are too many', async () => {
    provider.person = { ...ada, _claim_names: { groups: 'src1' } }
    provider.twists = { userinfo: { ...ada, groups: ['admins'] } }
    const assertion = await signInAt(provider, upstreamAt(provider, { mapping: [rule] }))
    expect(assertion.groups).toBe('unknown')
    expect(provider.count('/userinfo')).toBe(0)
  })
})

describe('the metadata', () => {
  const found = '/.well-known/openid-configuration'

  it.each<[string, string, Twists]>([
    ['names another issuer', 'documents', { documents: { issuer: 'https://other.example' } }],
    ['names every tenant', 'documents', { documents: { issuer: 'https://login.example/{tenantid}/v2.0' } }],
    ['redirects', 'documents', { at: { [found]: 'redirect' } }],
    ['is huge', 'documents', { at: { [found]: 'huge' } }],
    ['is not there', 'documents', { at: { [found]: { status: 404, body: {} } } }],
    ['fails', 'unreachable', { at: { [found]: { status: 503, body: {} } } }],
    ['has no token endpoint', 'documents', { documents: { token_endpoint: undefined } }],
    ['leads to a script', 'documents', { documents: { authorization_endpoint: 'javascript:alert(1)' } }],
    ['reads files', 'documents', { documents: { jwks_uri: 'file:///etc/passwd' } }],
    [
      'signs with secrets alone',
      'documents',
      { documents: { id_token_signing_alg_values_supported: ['HS256'] } },
    ],
    ['has no keys', 'documents', { at: { '/jwks': { status: 200, body: { keys: [] } } } }],
    [
      'has secret keys',
      'documents',
      { at: { '/jwks': { status: 200, body: { keys: [{ kty: 'oct', k: 'AA' }] } } } },
    ],
    ['has keys that redirect', 'documents', { at: { '/jwks': 'redirect' } }],
  ])('is refused where it %s', async (_, code, twists) => {
    provider.twists = twists
    expect(await refusalOf(checkOidc(here, upstreamAt(provider)))).toMatchObject({ code })
  })

  it.each(['common', 'organizations/v2.0', 'consumers/v2.0', '{tenantid}/v2.0'])(
    'is not even asked for at %s, which is for everybody',
    async (path) => {
      const upstream = upstreamAt(provider, { issuer: `${provider.issuer}/${path}` })
      const { code, detail } = await refusalOf(oidcAddress(here, upstream, askedNow()))
      expect({ code, asked: provider.asked }).toEqual({ code: 'documents', asked: [] })
      expect(detail).toContain('give the issuer of yours')
    },
  )

  it.each(['ftp://x.example', 'https://', 'x', 'https://x.example?a', 'https://x.example#a'])(
    'is not asked for at %s',
    async (issuer) => {
      const refused = await refusalOf(checkOidc(here, upstreamAt(provider, { issuer })))
      expect(refused).toMatchObject({ code: 'documents' })
    },
  )

  it('is refused at the issuer with a slash more', async () => {
    const upstream = upstreamAt(provider, { issuer: `${provider.issuer}/` })
    const { code, detail } = await refusalOf(checkOidc(here, upstream))
    expect({ code, detail }).toEqual({
      code: 'documents',
      detail: expect.stringContaining('to the last slash'),
    })
  })

  it('is not asked for at a private address, which an unknown name is told alike', async () => {
    const refused = await refusalOf(checkOidc(abroad, upstreamAt(provider)))
    const unknown = await refusalOf(
      checkOidc(abroad, upstreamAt(provider, { issuer: 'http://nowhere.invalid' })),
    )
    expect([refused.code, unknown.code]).toEqual(['unreachable', 'unreachable'])
    expect(unknown.detail.replace('http://nowhere.invalid', provider.issuer)).toBe(refused.detail)
    expect(provider.asked).toEqual([])
  })

  it('is waited for ten seconds', async () => {
    provider.twists = { at: { [found]: 'hang' } }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const refused = refusalOf(checkOidc(here, upstreamAt(provider)))
    while (provider.count(found) === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(10_000)
    expect(await refused).toMatchObject({ code: 'unreachable' })
  })

  it('is kept for an hour, asked for once by all who wait, and not when it failed', async () => {
    const upstream = upstreamAt(provider)
    provider.twists = { at: { [found]: { status: 503, body: {} } } }
    await refusalOf(oidcAddress(here, upstream, askedNow()))
    provider.twists = {}
    await Promise.all([1, 2, 3].map(() => signInAt(provider, upstream)))
    expect([provider.count(found), provider.count('/jwks')]).toEqual([2, 1])
    later(61 * 60_000)
    await signInAt(provider, upstream)
    expect([provider.count(found), provider.count('/jwks')]).toEqual([3, 2])
  })

  it('is forgotten with each change of the upstream', async () => {
    const upstream = upstreamAt(provider)
    await signInAt(provider, upstream)
    await signInAt(provider, { ...upstream, updated_at: 1 })
    expect([provider.count(found), provider.count('/jwks')]).toEqual([2, 2])
  })
})

describe('the keys', () => {
  it('change without a sign-in that fails', async () => {
    const upstream = upstreamAt(provider)
    await signInAt(provider, upstream)
    await provider.rotate()
    const all = await Promise.all([1, 2, 3].map(() => signInAt(provider, upstream)))
    expect(all.map(({ subject }) => subject)).toEqual(['ada', 'ada', 'ada'])
    expect(provider.count('/jwks')).toBe(2)
  })

  it('are asked for once a minute, whatever a token names', async () => {
    const upstream = upstreamAt(provider)
    await signInAt(provider, upstream)
    provider.twists = { signature: 'a foreign key', header: { kid: 'unknown' } }
    for (let time = 0; time < 3; time++)
      expect(await refusalOf(signInAt(provider, upstream))).toMatchObject({ code: 'signature' })
    expect(provider.count('/jwks')).toBe(2)
    provider.twists = {}
    later(61_000)
    await provider.rotate()
    expect((await signInAt(provider, upstream)).subject).toBe('ada')
    expect(provider.count('/jwks')).toBe(3)
  })

  it('stay known when they could not be asked for', async () => {
    const upstream = upstreamAt(provider)
    await signInAt(provider, upstream)
    provider.twists = { signature: 'a foreign key', at: { '/jwks': { status: 503, body: {} } } }
    expect(await refusalOf(signInAt(provider, upstream))).toMatchObject({ code: 'unreachable' })
    provider.twists = { at: { '/jwks': { status: 503, body: {} } } }
    expect((await signInAt(provider, upstream)).subject).toBe('ada')
  })
})
