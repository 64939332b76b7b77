import { createHash } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, administrators } from '../administration/support.ts'
import { claimsOf, people, profilesOfBoth } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import { tesseraOn } from '../harness/harness.ts'
import {
  audiences,
  machineToken,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  verified,
  Visitor,
} from '../harness/program.ts'
import { sweepAt } from '../harness/states.ts'

const importer = {
  sub: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001',
  profile_uuid: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101',
  role_code: 'importer',
  organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a01',
  organisation_unit_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a02',
}
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const context = ['profile_uuid', 'role_code', 'organisation_uuid', 'organisation_unit_uuid']
const registered = ['iss', 'sub', 'aud', 'exp', 'iat']
const session = ['sid', 'auth_time', 'acr', 'amr']
const named = (claims: object) => Object.keys(claims).sort()

onOneDatabase('token response', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  let both: Visitor
  beforeAll(async () => {
    visitor = new Visitor(tessera.url)
    both = new Visitor(tessera.url, people.both)
  })

  it('of a code has the six fields of the interface, and may not be stored', async () => {
    const answer = await token(tessera.url, await visitor.code())
    expect(named(tokensOf(answer))).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ])
    expect(answer.json).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'openid email profile service.api',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('pragma')).toBe('no-cache')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('has an access token after RFC 9068, and nothing else in it', async () => {
    const began = Math.floor(tessera.clock.now() / 1000)
    const { access_token } = await visitor.tokens()
    const header = decodeProtectedHeader(access_token ?? '')
    expect(named(header)).toEqual(['alg', 'kid', 'typ'])
    expect(header).toMatchObject({ alg: 'RS256', typ: 'at+jwt', kid: expect.any(String) })
    const claims = await verified(tessera, access_token, 'at+jwt')
    expect(named(claims)).toEqual(
      [...registered, ...session, ...context, 'jti', 'client_id', 'scope', 'email', 'permissions'].sort(),
    )
    expect(claims).toMatchObject({
      ...importer,
      iss: tessera.url,
      aud: audiences.submissions,
      client_id: 'submissions-web',
      scope: 'openid email profile service.api',
      email: people.importer.email,
      sid: expect.stringMatching(uuid),
      permissions: ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read'],
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900)
    expect(claims.iat).toBeGreaterThanOrEqual(began)
    expect(claims.iat).toBeLessThanOrEqual(tessera.clock.now() / 1000)
  })

  it('gives every access token another jti', async () => {
    const [one, two] = [await visitor.tokens(), await visitor.tokens()]
    expect(claimsOf(one.access_token).jti).not.toBe(claimsOf(two.access_token).jti)
    expect(one.refresh_token).not.toBe(two.refresh_token)
  })

  it('has an ID token for the client, bound to the access token and the nonce', async () => {
    const { id_token, access_token } = await visitor.tokens({ nonce: 'the nonce ä&=' })
    expect(named(decodeProtectedHeader(id_token ?? ''))).toEqual(['alg', 'kid', 'typ'])
    const claims = await verified(tessera, id_token, 'JWT')
    const person = ['email', 'email_verified', 'name', 'preferred_username', 'updated_at']
    expect(named(claims)).toEqual(
      [...registered, ...session, ...context, ...person, 'nonce', 'at_hash'].sort(),
    )
    const digest = createHash('sha256')
      .update(access_token ?? '')
      .digest()
    expect(claims).toMatchObject({
      ...importer,
      iss: tessera.url,
      aud: 'submissions-web',
      nonce: 'the nonce ä&=',
      at_hash: digest.subarray(0, 16).toString('base64url'),
      email: people.importer.email,
      email_verified: true,
      name: 'Acme Importer',
      amr: ['pwd'],
    })
    expect(claims.sid).toBe(claimsOf(access_token).sid)
    expect(claims.auth_time).toBe(claimsOf(access_token).auth_time)
  })

  it.each([
    ['openid', []],
    ['openid email', ['email', 'email_verified']],
    ['openid profile', ['name', 'updated_at']],
  ])('with the scope %s tells no more than that scope does', async (scope, more) => {
    const tokens = await visitor.tokens({ scope })
    const idToken = await verified(tessera, tokens.id_token, 'JWT')
    expect(named(idToken)).toEqual(
      [...registered, ...session, ...context, ...more, 'nonce', 'at_hash'].sort(),
    )
    const email = scope.includes('email') ? ['email'] : []
    const access = await verified(tessera, tokens.access_token, 'at+jwt')
    expect(named(access)).toEqual(
      [...registered, ...session, ...context, ...email, 'jti', 'client_id', 'scope'].sort(),
    )
    expect(access.aud).toBe(tessera.url)
    expect(tokens.scope).toBe(scope)
  })

  it('names every value of the profile scope that exists', async () => {
    const tokens = await both.tokens({ profile_uuid: profilesOfBoth.reader })
    expect(claimsOf(tokens.id_token)).toMatchObject({
      name: 'Acme Both',
      given_name: 'Acme',
      family_name: 'Both',
      locale: 'en',
    })
    expect(claimsOf(tokens.id_token)).not.toHaveProperty('picture')
  })

  it('leaves out the unit where the profile has none', async () => {
    const tokens = await both.tokens({ profile_uuid: profilesOfBoth.bookkeeper })
    for (const jwt of [tokens.id_token, tokens.access_token]) {
      expect(claimsOf(jwt)).toMatchObject({
        role_code: 'bookkeeper',
        organisation_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1b01',
      })
      expect(claimsOf(jwt)).not.toHaveProperty('organisation_unit_uuid')
    }
    // The bookkeeper's permissions are of the ledger, which this client is not assigned to.
    expect(claimsOf(tokens.access_token).permissions).toEqual([])
  })

  it('leaves out organisation and unit where the profile has neither', async () => {
    const tokens = await new Visitor(tessera.url, people.admin).tokens()
    for (const jwt of [tokens.id_token, tokens.access_token]) {
      expect(claimsOf(jwt)).toMatchObject({ role_code: 'administrator' })
      expect(claimsOf(jwt)).not.toHaveProperty('organisation_uuid')
      expect(claimsOf(jwt)).not.toHaveProperty('organisation_unit_uuid')
    }
    expect(claimsOf(tokens.id_token).email_verified).toBe(false)
  })

  it('of a refresh keeps auth_time and sid, and has no nonce', async () => {
    const first = await visitor.tokens()
    tessera.clock.advance(120_000)
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    expect(named(second)).toEqual(named(first))
    const [before, after] = [claimsOf(first.id_token), await verified(tessera, second.id_token, 'JWT')]
    expect(after).toMatchObject({ auth_time: before.auth_time, sid: before.sid, sub: before.sub })
    expect(after.iat).toBeGreaterThanOrEqual(Number(before.iat) + 119)
    expect(after).not.toHaveProperty('nonce')
  })

  it('says when the person signed in, however long the session and the code were there', async () => {
    const before = claimsOf((await visitor.tokens()).id_token)
    tessera.clock.advance(120_000)
    const form = await visitor.code()
    tessera.clock.advance(30_000)
    const tokens = tokensOf(await token(tessera.url, form))
    for (const jwt of [tokens.id_token, tokens.access_token]) {
      const after = claimsOf(jwt)
      expect(after).toMatchObject({ auth_time: before.auth_time, sid: before.sid })
      expect(after.iat).toBeGreaterThanOrEqual(Number(before.iat) + 149)
    }
  })

  it('of a machine names the machine, its organisation and its permissions', async () => {
    const claims = await verified(tessera, await machineToken(tessera.url), 'at+jwt')
    expect(named(claims)).toEqual(
      [...registered, 'jti', 'client_id', 'scope', 'organisation_uuid', 'permissions'].sort(),
    )
    expect(claims).toMatchObject({
      sub: 'nightly-import',
      client_id: 'nightly-import',
      aud: audiences.submissions,
      scope: 'service.api',
      organisation_uuid: importer.organisation_uuid,
      permissions: ['submissions-tool.vista-import.create'],
    })
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(900)
  })
})

onOneDatabase('a client that is not registered for the refresh grant', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(async () => {
    await applyChanged(tessera, ...administrators, [
      '    services: [submissions-tool]\n  - client_id: partner-portal',
      '    services: [submissions-tool]\n    grant_types: [authorization_code]\n  - client_id: partner-portal',
    ])
    visitor = new Visitor(tessera.url)
  })

  const families = async () => {
    const admin = await Administrator.machine(tessera.url)
    return await admin.all(`/token-families?user_uuid=${importer.sub}`)
  }

  it('gets no refresh token, and everything else', async () => {
    const { json } = await token(tessera.url, await visitor.code())
    expect(Object.keys(json).sort()).toEqual([
      'access_token',
      'expires_in',
      'id_token',
      'scope',
      'token_type',
    ])
    expect((await userinfo(tessera.url, String(json.access_token))).status).toBe(200)
    const guessed = await refresh(tessera.url, 'none')
    expect(refusalOf(guessed)).toBe('400 unauthorized_client')
  })

  it('can revoke its token, and a second exchange of the code revokes it', async () => {
    const { access_token } = await visitor.tokens()
    const form = { client_id: 'submissions-web', token: access_token ?? '' }
    const revoked = await fetch(`${tessera.url}/oauth2/revoke`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    expect(revoked.status).toBe(200)
    expect((await userinfo(tessera.url, access_token)).status).toBe(401)
    const code = await visitor.code()
    const first = tokensOf(await token(tessera.url, code))
    expect(refusalOf(await token(tessera.url, code))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, first.access_token)).status).toBe(401)
  })

  it('has token families no longer than the access token counts, and takes part in the session', async () => {
    const { access_token } = await visitor.tokens()
    const { iat, jti } = claimsOf(access_token) as { iat: number; jti: string }
    const [id] = jti.split('.')
    const found = (await families()).find((one) => one.id === id)
    const lasts = (Date.parse(String(found?.expires_at)) - iat * 1000) / 1000
    expect([Math.floor(lasts), (await families()).length > 1]).toEqual([900, true])
    tessera.clock.advance(901_000)
    expect(await families()).toEqual([])
    await sweepAt(tessera, tessera.clock.now() + 2 * 86_400_000)
    // It is still known to have taken part: its logout asks nobody.
    const address = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
    })
    const goodbye = await visitor.browser.request(`/oauth2/logout?${address}`)
    expect([goodbye.status, goodbye.location]).toEqual([303, 'http://127.0.0.1:4001/'])
  })
})
