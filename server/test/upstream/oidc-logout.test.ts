import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { oidcLogoutAddress, oidcLogoutToken } from '../../dist/upstream/oidc.js'
import { type ForgedSignature, startProvider, type UpstreamProvider } from '../harness/upstream-provider.ts'
import { here, refusalOf, signInAt, upstreamAt } from './oidc-support.ts'

let provider: UpstreamProvider

beforeAll(async () => {
  provider = await startProvider()
})
afterEach(() => {
  provider.twists = {}
  provider.asked.length = 0
})
afterAll(() => provider.close())

const now = () => Math.floor(Date.now() / 1000)

describe('a logout token', () => {
  it.each([
    ['a session', {}, { sid: 'session-1' }],
    ['a session of somebody', { sub: 'ada' }, { sid: 'session-1', sub: 'ada' }],
    ['somebody', { sid: undefined, sub: 'ada' }, { sub: 'ada' }],
    ['somebody of Entra', { sid: undefined, sub: 'x', tid: 't', oid: 'o' }, { sub: 't/o' }],
  ])('ends %s', async (_, claims, expected) => {
    const token = await provider.logoutToken({ jti: 'j1', ...claims })
    const logout = await oidcLogoutToken(here, upstreamAt(provider), token, Date.now())
    expect(logout).toEqual({ ...expected, jti: 'j1', expiresAt: expect.any(Number) })
    // The time for which its jti has to be remembered.
    expect(logout.expiresAt - Date.now()).toBeLessThan(630_000)
    expect(logout.expiresAt - Date.now()).toBeGreaterThan(100_000)
  })

  it.each([{}, { typ: 'JWT' }, { typ: 'application/logout+jwt' }])('may be typed by %j', async (header) => {
    const token = await provider.logoutToken({}, header)
    expect(await oidcLogoutToken(here, upstreamAt(provider), token, Date.now())).toMatchObject({
      sid: 'session-1',
    })
  })

  it.each<[string, string, Record<string, unknown>, Record<string, unknown>?, ForgedSignature?]>([
    ['of another issuer', 'issuer', { iss: 'https://evil.example' }],
    ['for another client', 'audience', { aud: 'other' }],
    ['for nobody', 'audience', { aud: undefined }],
    ['without a jti', 'response', { jti: undefined }],
    ['with a jti that is none', 'response', { jti: 7 }],
    ['with a nonce', 'response', { nonce: 'n' }],
    ['without events', 'response', { events: undefined }],
    ['of another event', 'response', { events: { 'https://evil.example': {} } }],
    [
      'of an event that is no object',
      'response',
      { events: ['http://schemas.openid.net/event/backchannel-logout'] },
    ],
    ['without a time', 'expired', { iat: undefined }],
    ['of the future', 'expired', { iat: now() + 120 }],
    ['that has expired', 'expired', { exp: now() - 60 }],
    ['of long ago', 'expired', { iat: now() - 700, exp: undefined }],
    ['of nobody', 'no_subject', { sid: undefined }],
    ['of an empty session', 'no_subject', { sid: '' }],
    ['typed as an access token', 'response', {}, { typ: 'at+jwt' }],
    ['that is signed by nobody', 'signature', {}, {}, 'none'],
    ['that is signed with the public key as a secret', 'signature', {}, {}, 'HS256 by the public key'],
    ['that is signed with the secret of the client', 'signature', {}, {}, 'HS256 by the secret'],
    ['that is signed by a foreign key', 'signature', {}, {}, 'a foreign key'],
  ])('%s is refused', async (_, code, claims, header, signature) => {
    const token = await provider.logoutToken(claims, header, signature)
    const refused = await refusalOf(oidcLogoutToken(here, upstreamAt(provider), token, Date.now()))
    expect(refused).toMatchObject({ code })
  })

  it.each(['', 'x', 'a.b.c', 'a'.repeat(20_000)])('is refused of %j', async (token) => {
    const { code } = await refusalOf(oidcLogoutToken(here, upstreamAt(provider), token, Date.now()))
    expect(['signature', 'response']).toContain(code)
  })

  it('is no ID token', async () => {
    const upstream = upstreamAt(provider, { logout: 'both' })
    provider.person = { ...provider.person, sid: 's1', jti: 'j1' }
    const { id_token = '' } = await signInAt(provider, upstream)
    const refused = await refusalOf(oidcLogoutToken(here, upstream, id_token, Date.now()))
    expect(refused).toMatchObject({ code: 'response' })
  })

  it('that is forged uses up nothing of a sign-in after a rotation', async () => {
    const upstream = upstreamAt(provider)
    await signInAt(provider, upstream)
    const forged = await provider.logoutToken({}, { kid: 'unknown' }, 'a foreign key')
    for (let time = 0; time < 3; time++) await refusalOf(oidcLogoutToken(here, upstream, forged, Date.now()))
    expect(provider.count('/jwks')).toBe(2)
    await provider.rotate()
    expect(await signInAt(provider, upstream)).toMatchObject({ subject: 'ada' })
  })
})

describe('a logout at the upstream', () => {
  const logout = { idToken: 'e.f.g', returnTo: 'https://tessera.example/out', state: 's' }

  it('leads there with the ID token, and back', async () => {
    const address = new URL((await oidcLogoutAddress(here, upstreamAt(provider), logout)) ?? '')
    expect(address.href).toContain(`${provider.issuer}/logout?`)
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      id_token_hint: 'e.f.g',
      post_logout_redirect_uri: 'https://tessera.example/out',
      state: 's',
    })
  })

  it('does not take place where it has no such page', async () => {
    provider.twists = { documents: { end_session_endpoint: undefined } }
    expect(await oidcLogoutAddress(here, upstreamAt(provider), logout)).toBeUndefined()
  })
})
