import { beforeAll, describe, expect, it } from 'vitest'
import { refreshTokenText } from '../../dist/store/refresh-token-text.js'
import { claimsOf, people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  audiences,
  machine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  verified,
  Visitor,
} from '../harness/program.ts'

onOneDatabase('refresh', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
  })

  it('gives new tokens of the same shape, at both addresses', async () => {
    const first = await visitor.tokens()
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    const third = tokensOf(
      await token(tessera.url, {
        grant_type: 'refresh_token',
        client_id: 'submissions-web',
        refresh_token: second.refresh_token ?? '',
      }),
    )
    for (const tokens of [second, third]) {
      expect(Object.keys(tokens).sort()).toEqual(Object.keys(first).sort())
      expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: first.scope })
      await verified(tessera, tokens.access_token, 'at+jwt')
    }
    const all = [first, second, third].map((one) => one.refresh_token)
    expect(new Set(all).size).toBe(3)
  })

  it('is never stored, and is JSON', async () => {
    const answer = await refresh(tessera.url, (await visitor.tokens()).refresh_token)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  describe.each(['refresh_token', 'client_id'])('%s', (name) => {
    it('is required, once, not empty, not oversized, and in the body', async () => {
      const { refresh_token } = await visitor.tokens()
      const right = { client_id: 'submissions-web', refresh_token: refresh_token ?? '' }
      const url = `${tessera.url}/v1/iam/token/refresh`
      const left = Object.fromEntries(Object.entries(right).filter(([one]) => one !== name))
      const twice = new URLSearchParams(right)
      twice.append(name, 'x')
      const query = new URLSearchParams({ [name]: right[name as keyof typeof right] })
      for (const [address, body] of [
        [url, new URLSearchParams(left)],
        [url, new URLSearchParams({ ...left, [name]: '' })],
        [url, new URLSearchParams({ ...left, [name]: 'x'.repeat(5000) })],
        [url, new URLSearchParams({ ...left, [`${name}[]`]: 'x' })],
        [url, twice],
        [`${url}?${query}`, new URLSearchParams(left)],
      ] as const) {
        const answer = await fetch(address, { method: 'POST', body })
        expect(answer.status).toBe(400)
        expect(await answer.json()).toMatchObject({ error: 'invalid_request' })
      }
      expect((await refresh(tessera.url, refresh_token)).status).toBe(200)
    })
  })

  it.each([
    ['another public client', { client_id: 'partner-portal' }, '400 invalid_grant'],
    ['an unknown client', { client_id: 'nobody' }, '401 invalid_client'],
    ['an inactive client', { client_id: 'retired-app' }, '401 invalid_client'],
    ['a machine client', machine, '400 unauthorized_client'],
    ['its client with a secret', { client_secret: 'x' }, '401 invalid_client'],
    ['another grant', { grant_type: 'client_credentials' }, '400 invalid_request'],
    ['an unknown scope', { scope: 'openid admin' }, '400 invalid_scope'],
    ['a resource of another service', { resource: audiences.ledger }, '400 invalid_target'],
    [
      'a profile of somebody else',
      { profile_uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0401' },
      '400 invalid_request',
    ],
  ])('is refused to %s, and nothing changes', async (_, wrong, refusal) => {
    const { refresh_token, access_token } = await visitor.tokens()
    expect(refusalOf(await refresh(tessera.url, refresh_token, wrong))).toBe(refusal)
    // Not rotated: long after the grace period the token is still the current one.
    tessera.clock.advance(60_000)
    expect((await userinfo(tessera.url, access_token)).status).toBe(200)
    expect((await refresh(tessera.url, refresh_token)).status).toBe(200)
  })

  it('takes no token that is made up, altered or of another kind', async () => {
    const tokens = await visitor.tokens()
    const [id = '', secret = '', rotating = ''] = tokens.refresh_token?.split('.') ?? []
    const other = (await visitor.tokens()).refresh_token?.split('.') ?? []
    for (const made of [
      'x',
      '__proto__',
      `' or ''='`,
      `${id}.${secret}`,
      `${id}.${'A'.repeat(43)}.${rotating}`,
      `${id}.${rotating}.${secret}`,
      `${other[0]}.${secret}.${rotating}`,
      `${id}.${other[1]}.${rotating}`,
      `${tokens.refresh_token}.`,
      ` ${tokens.refresh_token}`,
      // Whoever knows a family's id, as every service does that is sent an access token, can seal what they make up.
      refreshTokenText({ familyId: id, familySecret: other[1] ?? '', secret: rotating }),
      refreshTokenText({ familyId: id, familySecret: 'A'.repeat(43), secret: 'A'.repeat(43) }),
      refreshTokenText({ familyId: other[0] ?? '', familySecret: secret, secret: rotating }),
      tokens.access_token,
      tokens.id_token,
    ]) {
      expect(refusalOf(await refresh(tessera.url, made))).toBe('400 invalid_grant')
    }
    // Whoever does not hold the family's secret can't end it by guessing.
    expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
    expect((await refresh(tessera.url, other.join('.'))).status).toBe(200)
  })

  it('narrows the scope for one answer, and does not widen it', async () => {
    const first = await visitor.tokens({ scope: 'openid email' })
    const wider = await refresh(tessera.url, first.refresh_token, { scope: 'openid email profile' })
    expect(refusalOf(wider)).toBe('400 invalid_scope')
    const narrow = tokensOf(await refresh(tessera.url, first.refresh_token, { scope: 'openid' }))
    expect(narrow.scope).toBe('openid')
    expect(claimsOf(narrow.access_token)).not.toHaveProperty('email')
    expect(claimsOf(narrow.id_token)).not.toHaveProperty('email')
    // RFC 6749 §6: the refresh token keeps the scope that was granted.
    const again = tokensOf(await refresh(tessera.url, narrow.refresh_token))
    expect(again.scope).toBe('openid email')
    expect(claimsOf(again.access_token)).toHaveProperty('email', people.importer.email)
  })

  it('without openid has no ID token, and its access token opens no userinfo', async () => {
    const first = await visitor.tokens()
    const narrow = tokensOf(await refresh(tessera.url, first.refresh_token, { scope: 'service.api' }))
    expect(narrow).not.toHaveProperty('id_token')
    expect((await userinfo(tessera.url, narrow.access_token)).status).toBe(403)
  })

  it('without service.api has no permissions, and is for the issuer', async () => {
    const first = await visitor.tokens()
    const narrow = tokensOf(await refresh(tessera.url, first.refresh_token, { scope: 'openid' }))
    expect(claimsOf(narrow.access_token)).not.toHaveProperty('permissions')
    expect(claimsOf(narrow.access_token).aud).toBe(tessera.url)
  })

  it('may narrow away the scope that a resource of the authorization belonged to', async () => {
    const first = await visitor.tokens({ resource: audiences.submissions })
    const narrow = tokensOf(await refresh(tessera.url, first.refresh_token, { scope: 'openid' }))
    expect(claimsOf(narrow.access_token).aud).toBe(tessera.url)
    const whole = tokensOf(await refresh(tessera.url, narrow.refresh_token))
    expect(claimsOf(whole.access_token).aud).toBe(audiences.submissions)
  })

  it('after logout is refused', async () => {
    const leaving = new Visitor(tessera.url)
    const tokens = await leaving.tokens()
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
    })
    const visit = await leaving.browser.open(`/oauth2/logout?${query}`)
    expect(visit.location).toBe('http://127.0.0.1:4001/')
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
  })

  it('after a logout between authorization and exchange finds nothing to refresh', async () => {
    const leaving = new Visitor(tessera.url)
    const form = await leaving.code()
    const tokens = await leaving.tokens()
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      id_token_hint: tokens.id_token ?? '',
    })
    await leaving.browser.open(`/oauth2/logout?${query}`)
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
    expect(refusalOf(await token(tessera.url, form))).toBe('400 invalid_grant')
  })
})
