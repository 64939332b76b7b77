import { beforeAll, describe, expect, it } from 'vitest'
import { claimsOf, people, profilesOfBoth } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { machineToken, refresh, userinfo, Visitor } from '../harness/program.ts'
import { changeUser } from '../harness/states.ts'

const acmeContext = {
  organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
  organisation_unit_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02',
}
const importer = {
  sub: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  profile_uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
  role_code: 'importer',
  ...acmeContext,
}

onOneDatabase('userinfo', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  let accessToken: string
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
    accessToken = (await visitor.tokens()).access_token ?? ''
  })

  const ask = async (init: RequestInit = {}, query = '') => {
    const answer = await fetch(`${tessera.url}/oauth2/userinfo${query}`, init)
    const json = (await answer.json()) as Record<string, unknown>
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), json, answer }
  }
  const bearer = () => ({ authorization: `Bearer ${accessToken}` })

  it('tells sub, the granted scopes and the context, by GET and POST alike', async () => {
    const got = await ask({ headers: bearer() })
    expect(got.status).toBe(200)
    expect(got.answer.headers.get('cache-control')).toBe('no-store')
    expect(got.json).toEqual({
      ...importer,
      email: people.importer.email,
      email_verified: true,
      name: 'Acme Importer',
      // The person has none of their own.
      preferred_username: people.importer.email,
      updated_at: expect.any(Number),
    })
    const form = new URLSearchParams({ any: 'thing' })
    for (const body of [undefined, form]) {
      const posted = await ask({ method: 'POST', headers: bearer(), ...(body && { body }) })
      expect([posted.status, posted.json]).toEqual([200, got.json])
    }
  })

  it.each([
    ['openid', {}],
    ['openid email', { email: people.importer.email, email_verified: true }],
    ['openid profile', { name: 'Acme Importer', updated_at: expect.any(Number) }],
  ])('with the scope %s tells no more', async (scope, more) => {
    const tokens = await visitor.tokens({ scope })
    expect((await userinfo(tessera.url, tokens.access_token)).json).toEqual({ ...importer, ...more })
  })

  it('leaves out what does not exist', async () => {
    const tokens = await new Visitor(tessera.url, people.both).tokens({
      profile_uuid: profilesOfBoth.bookkeeper,
    })
    const { json } = await userinfo(tessera.url, tokens.access_token)
    expect(Object.keys(json).sort()).toEqual(
      'email email_verified family_name given_name locale name organisation_uuid preferred_username profile_uuid role_code sub updated_at'.split(
        ' ',
      ),
    )
  })

  it('tells what is so now, not what was when the token was made', async () => {
    const set = (name: string) => changeUser(tessera, people.importer.email, { name })
    await set('Another "Name" <b>\u2028')
    expect((await ask({ headers: bearer() })).json.name).toBe('Another "Name" <b>\u2028')
    await set('Acme Importer')
  })

  it('keeps answering for an older token of a family that was refreshed', async () => {
    const tokens = await visitor.tokens()
    await refresh(tessera.url, tokens.refresh_token)
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
  })

  describe('without a credential in the header answers 401 with a bare challenge', () => {
    it.each([
      ['nothing at all', '', {}],
      ['the token in the query', 'query', {}],
      ['the token in a form', '', { method: 'POST' }],
      ['the token in a cookie', 'cookie', {}],
    ])('%s', async (_, place, init) => {
      const body = new URLSearchParams({ access_token: accessToken })
      const answer = await ask(
        {
          ...init,
          ...('method' in init && { body }),
          ...(place === 'cookie' && { headers: { cookie: `access_token=${accessToken}` } }),
        },
        place === 'query' ? `?${body}` : '',
      )
      expect(answer.status).toBe(401)
      expect(answer.challenge).toBe('Bearer')
    })
  })

  it.each([
    ['no token', 'Bearer'],
    ['an empty token', 'Bearer '],
    ['two tokens', 'Bearer a.b.c d.e.f'],
    ['no JWT', 'Bearer abc'],
    ['a JWT of nothing', 'Bearer ..'],
    ['a comma', 'Bearer a,b'],
    ['a very long token', `Bearer ${'a'.repeat(9000)}`],
  ])('answers 401 invalid_token to %s', async (_, authorization) => {
    const answer = await ask({ headers: { authorization } })
    expect([answer.status, answer.json.error]).toEqual([401, 'invalid_token'])
    expect(answer.challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"\\]+"$/)
  })

  it('asks for a Bearer token when another scheme was used', async () => {
    const answer = await ask({ headers: { authorization: 'Basic bmlnaHRseTp4' } })
    expect([answer.status, answer.challenge]).toEqual([401, 'Bearer'])
  })

  it('takes the scheme in any case', async () => {
    const answer = await ask({ headers: { authorization: `bEARER ${accessToken}` } })
    expect(answer.status).toBe(200)
  })

  it('answers 403 insufficient_scope to the token of a machine', async () => {
    const answer = await ask({ headers: { authorization: `Bearer ${await machineToken(tessera.url)}` } })
    expect([answer.status, answer.json.error]).toEqual([403, 'insufficient_scope'])
    expect(answer.challenge).toMatch(/^Bearer error="insufficient_scope".*scope="openid"/)
  })

  it('takes no ID token and no refresh token', async () => {
    const tokens = await visitor.tokens()
    for (const wrong of [tokens.id_token, tokens.refresh_token]) {
      expect((await userinfo(tessera.url, wrong)).json.error).toBe('invalid_token')
    }
  })

  it('takes a token until the millisecond at which it expires', async () => {
    tessera.clock.stop()
    const { access_token } = await visitor.tokens()
    const exp = Number(claimsOf(access_token).exp) * 1000
    tessera.clock.advance(exp - 1 - tessera.clock.now())
    expect((await userinfo(tessera.url, access_token)).status).toBe(200)
    tessera.clock.advance(1)
    expect((await userinfo(tessera.url, access_token)).status).toBe(401)
  })
})
