import * as client from 'openid-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyChanged, disabled } from '../declared/change.ts'
import { authorizeRequest, claimsOf, people, post, profilesOfBoth, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import {
  machine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
  verified,
} from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'
import {
  approve,
  askDevice,
  type Begun,
  beginDevice,
  deviceClients,
  deviceGrant,
  enter,
  enterAndSignIn,
  poll,
} from './device-support.ts'

onEachDatabase('the device grant', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = duringTests(async () => {
    const started = await startTessera(dialect)
    await applyChanged(started, deviceClients)
    return started
  })
  let browser: TestBrowser
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })
  const begin = async (form?: Record<string, string>): Promise<Begun> => await beginDevice(tessera.url, form)
  const asked = async (begun: Begun, form?: Record<string, string>) =>
    refusalOf(await poll(tessera.url, begun, form))
  const later = () => tessera.clock.advance(5000)

  onOne.it('tells when the person signed in, and not when they confirmed the device', async () => {
    const first = await begin()
    await approve(browser, first.user_code, people.importer)
    const before = claimsOf(tokensOf(await poll(tessera.url, first)).access_token)
    tessera.clock.advance(11 * 60_000)
    const second = await begin()
    await browser.submit(await enter(browser, second.user_code), { choice: 'allow' })
    const after = claimsOf(tokensOf(await poll(tessera.url, second)).access_token)
    expect([after.sid, after.auth_time]).toEqual([before.sid, before.auth_time])
  })

  onOne.describe('a request of a device', () => {
    it('is answered as RFC 8628 §3.2 says', async () => {
      const answer = await askDevice(tessera.url)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const begun = answer.json as unknown as Begun
      expect(begun).toEqual({
        device_code: expect.stringMatching(/^[0-9a-f]{32}\.[A-Za-z0-9_-]{43}$/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: `${tessera.url}/device`,
        verification_uri_complete: `${tessera.url}/device?user_code=${begun.user_code}`,
        expires_in: 600,
        interval: 5,
      })
      expect((await begin()).user_code).not.toBe(begun.user_code)
    })

    it('is refused of a client that has not the grant, is unknown, or asks for what it may not', async () => {
      const refusal = async (form: Record<string, string>) => refusalOf(await askDevice(tessera.url, form))
      expect(await refusal({ client_id: 'submissions-web' })).toBe('400 unauthorized_client')
      expect(await refusal({ ...machine, scope: 'service.api' })).toBe('400 unauthorized_client')
      expect(await refusal({ client_id: 'nobody' })).toBe('401 invalid_client')
      expect(await refusal({ client_id: 'retired-app' })).toBe('401 invalid_client')
      expect(await refusal({ client_secret: 'a-secret' })).toBe('401 invalid_client')
      expect(await refusal({ scope: '' })).toBe('400 invalid_scope')
      expect(await refusal({ scope: 'email' })).toBe('400 invalid_scope')
      expect(await refusal({ client_id: 'television', scope: 'openid email' })).toBe('400 invalid_scope')
      expect(await refusal({ resource: 'https://elsewhere.example/' })).toBe('400 invalid_target')
      expect((await fetch(`${tessera.url}/oauth2/device_authorization`)).status).toBe(405)
    })
  })

  describe('a device code', () => {
    it('gives tokens of the person, once they have allowed it', async () => {
      const begun = await begin()
      expect(await asked(begun)).toBe('400 authorization_pending')
      await approve(browser, begun.user_code, people.importer)
      const tokens = tokensOf(await poll(tessera.url, begun))
      expect(Object.keys(tokens)).toEqual([
        'access_token',
        'token_type',
        'expires_in',
        'refresh_token',
        'id_token',
        'scope',
      ])
      const id = await verified(tessera, tokens.id_token, 'JWT')
      expect(id).toMatchObject({ aud: 'terminal', email: people.importer.email })
      expect(id).not.toHaveProperty('nonce')
      expect(claimsOf(tokens.access_token)).toMatchObject({
        client_id: 'terminal',
        permissions: expect.arrayContaining(['submissions-tool.vista-import.create']),
      })
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
      tokensOf(await refresh(tessera.url, tokens.refresh_token, { client_id: 'terminal' }))
      const kinds = await auditOf(tessera, { kind: 'device_code.approved' })
      expect(kinds.at(-1)).toMatchObject({ client_id: 'terminal', actor: { kind: 'user' } })
    })

    it('is used once: again, it ends what it gave', async () => {
      const begun = await begin()
      await approve(browser, begun.user_code, people.importer)
      const tokens = tokensOf(await poll(tessera.url, begun))
      expect(await asked(begun)).toBe('400 invalid_grant')
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
      const again = await refresh(tessera.url, tokens.refresh_token, { client_id: 'terminal' })
      expect(refusalOf(again)).toBe('400 invalid_grant')
      // Also when it would have expired by now.
      tessera.clock.advance(601_000)
      expect(await asked(begun)).toBe('400 invalid_grant')
    })

    it('gives tokens to one of several requests at once', async () => {
      const begun = await begin()
      await approve(browser, begun.user_code, people.importer)
      const answers = await Promise.all(Array.from({ length: 5 }, () => poll(tessera.url, begun)))
      expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400, 400])
    })

    onOne.it('is of its client, and neither an authorization code nor made from one', async () => {
      const begun = await begin()
      await approve(browser, begun.user_code, people.importer)
      expect(await asked(begun, { client_id: 'television' })).toBe('400 invalid_grant')
      const asCode = {
        grant_type: 'authorization_code',
        client_id: 'television',
        code: begun.device_code,
        redirect_uri: 'https://television.example/callback',
        code_verifier: 'a'.repeat(43),
      }
      expect(refusalOf(await token(tessera.url, asCode))).toBe('400 invalid_grant')
      const withoutAddress = { ...asCode, redirect_uri: '' }
      expect(refusalOf(await token(tessera.url, withoutAddress))).toBe('400 invalid_request')
      const { code = '' } = await new Visitor(tessera.url).code()
      expect(await asked({ ...begun, device_code: code })).toBe('400 invalid_grant')
      // A wrong client did not use it up.
      tokensOf(await poll(tessera.url, begun))
    })

    it('of another client of the same kind is refused, and left as it was', async () => {
      const begun = await begin({ client_id: 'television', scope: 'openid' })
      expect(await asked(begun)).toBe('400 invalid_grant')
      // That was no request of its own device, which is not slowed down.
      expect(await asked(begun, { client_id: 'television' })).toBe('400 authorization_pending')
    })

    onOne.it('that is none, or is changed, is refused', async () => {
      const begun = await begin()
      const last = begun.device_code.at(-1)
      const changed = `${begun.device_code.slice(0, -1)}${last === 'A' ? 'B' : 'A'}`
      for (const code of ['nonsense', changed, begun.user_code])
        expect(await asked({ ...begun, device_code: code })).toBe('400 invalid_grant')
      expect(await asked(begun, { device_code: '' })).toBe('400 invalid_request')
      const alone = await token(tessera.url, { grant_type: deviceGrant, device_code: begun.device_code })
      expect(refusalOf(alone)).toBe('400 invalid_request')
    })

    it('expires after ten minutes, allowed or not, and is unknown an hour later', async () => {
      const [left, allowed] = [await begin(), await begin()]
      await approve(browser, allowed.user_code, people.importer)
      tessera.clock.advance(601_000)
      for (const begun of [left, allowed]) expect(await asked(begun)).toBe('400 expired_token')
      expect((await enter(browser, left.user_code)).status).toBe(400)
    })

    it('is refused where the person says no, and no longer to be allowed', async () => {
      const begun = await begin()
      const question = await enterAndSignIn(browser, begun.user_code, people.importer)
      const denied = await browser.submit(question, { choice: 'deny' })
      expect(denied.body).toContain('Nothing was allowed')
      expect(await asked(begun)).toBe('400 access_denied')
      expect((await browser.submit(question, { choice: 'allow' })).status).toBe(400)
      expect(await asked(begun)).toBe('400 access_denied')
      const [record] = (await auditOf(tessera, { kind: 'device_code.denied' })).slice(-1)
      expect(record).toMatchObject({ client_id: 'terminal', actor: { kind: 'user' } })
    })

    onOne.it('is refused where the person cancels the sign-in, or has no profile', async () => {
      const cancelled = await begin()
      await browser.submit(await enter(browser, cancelled.user_code), { choice: 'cancel' })
      expect(await asked(cancelled)).toBe('400 access_denied')
      const without = await begin()
      const page = await enterAndSignIn(browser, without.user_code, people.nobody)
      await browser.submit(page, { choice: 'continue' })
      expect(await asked(without)).toBe('400 access_denied')
    })
  })

  describe('a device that asks too often', () => {
    beforeEach(() => tessera.clock.stop())

    it('waits five seconds longer each time', async () => {
      const begun = await begin()
      expect(await asked(begun)).toBe('400 authorization_pending')
      expect(await asked(begun)).toBe('400 slow_down')
      later()
      // Ten seconds by now.
      expect(await asked(begun)).toBe('400 slow_down')
      tessera.clock.advance(10_000)
      // Fifteen.
      expect(await asked(begun)).toBe('400 slow_down')
      tessera.clock.advance(20_000)
      expect(await asked(begun)).toBe('400 authorization_pending')
      tessera.clock.advance(20_000)
      expect(await asked(begun)).toBe('400 authorization_pending')
      tessera.clock.advance(10_000)
      expect(await asked(begun)).toBe('400 slow_down')
    })

    it('is slowed down where two requests come at once', async () => {
      const begun = await begin()
      const both = await Promise.all([asked(begun), asked(begun)])
      expect(both.sort()).toEqual(['400 authorization_pending', '400 slow_down'])
    })
  })

  describe('between the approval and the exchange', () => {
    let changed = false
    afterEach(async () => {
      if (changed) await applyChanged(tessera, deviceClients)
      changed = false
    })
    const allowed = async (): Promise<Begun> => {
      const begun = await begin()
      await approve(browser, begun.user_code, people.importer)
      return begun
    }
    const apply = async (...edits: [string, string][]) => {
      changed = true
      await applyChanged(tessera, deviceClients, ...edits)
    }

    const disabledOnes = [
      ['user', '  - email: importer@acme.example', '400 invalid_grant'],
      ['profile', '      - uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0101', '400 invalid_grant'],
      ['role', '  - code: importer', '400 invalid_grant'],
      ['organisation', '  - code: acme', '400 invalid_grant'],
      ['client', '  - client_id: terminal', '401 invalid_client'],
    ]
    // store/ending.test.ts has each of them on both databases.
    it.each(dialect === 'sqlite' ? disabledOnes : disabledOnes.slice(0, 2))(
      'a disabled %s counts, also when it is enabled again',
      async (_name, line, refused) => {
        const begun = await allowed()
        await apply(disabled(line))
        expect(await asked(begun)).toBe(refused)
        await applyChanged(tessera, deviceClients)
        expect(await asked(begun)).toBe('400 invalid_grant')
      },
    )

    it('a sign-out counts, and a client that loses the grant', async () => {
      const over = await allowed()
      const confirm = await browser.open('/oauth2/logout')
      await browser.submit(confirm)
      expect(await asked(over)).toBe('400 invalid_grant')
      const begun = await allowed()
      const without = deviceClients[1].replace(
        `grant_types: ["${deviceGrant}", refresh_token]`,
        'redirect_uris: [https://terminal.example/callback]',
      )
      changed = true
      await applyChanged(tessera, [deviceClients[0], without])
      expect(await asked(begun)).toBe('400 unauthorized_client')
    })
  })

  it('consent of a third party is what the page showed', async () => {
    const form = { client_id: 'television', scope: 'openid profile' }
    const begun = await begin(form)
    const question = await enterAndSignIn(browser, begun.user_code, people.importer)
    for (const text of ['Partner television', 'Who you are here', 'Your personal details', begun.user_code])
      expect(question.body).toContain(text)
    await browser.submit(question, { choice: 'allow' })
    const tokens = tokensOf(await poll(tessera.url, begun, form))
    expect(claimsOf(tokens.access_token)).toMatchObject({ client_id: 'television', scope: 'openid profile' })
    // The redirect URIs were not shown, so a sign-in in a browser asks.
    const { path } = authorizeRequest({ ...form, redirect_uri: 'https://television.example/callback' })
    expect(new URL((await browser.open(path)).url).pathname).toBe('/consent')
    expect((await auditOf(tessera, { kind: 'consent.given' })).at(-1)).toMatchObject({
      client_id: 'television',
      after: { scopes: ['openid', 'profile'], redirect_hosts: [] },
    })
  })

  onOne.it('a confidential client proves itself at both addresses', async () => {
    const bare = { client_id: 'kiosk', scope: 'openid' }
    const kiosk = { ...bare, client_secret: 'kiosk-development-secret' }
    expect(refusalOf(await askDevice(tessera.url, bare))).toBe('401 invalid_client')
    const begun = await begin(kiosk)
    await approve(browser, begun.user_code, people.importer)
    expect(await asked(begun, bare)).toBe('401 invalid_client')
    expect(await asked(begun, { ...kiosk, client_secret: 'another' })).toBe('401 invalid_client')
    const tokens = tokensOf(await poll(tessera.url, begun, kiosk))
    expect(claimsOf(tokens.access_token)).toMatchObject({ client_id: 'kiosk' })
  })

  it('a person with several profiles chooses one', async () => {
    const begun = await begin()
    const choice = await enterAndSignIn(browser, begun.user_code, people.both)
    expect(new URL(choice.url).pathname).toBe('/choose-profile')
    const question = await browser.submit(choice, { profile_uuid: profilesOfBoth.reader })
    await browser.submit(question, { choice: 'allow' })
    const tokens = tokensOf(await poll(tessera.url, begun))
    expect(claimsOf(tokens.access_token).profile_uuid).toBe(profilesOfBoth.reader)
  })

  onOne.it('a client without the refresh grant gets no refresh token', async () => {
    await applyChanged(tessera, [deviceClients[0], deviceClients[1].replaceAll(', refresh_token]', ']')])
    const begun = await begin()
    await approve(browser, begun.user_code, people.importer)
    expect(tokensOf(await poll(tessera.url, begun))).not.toHaveProperty('refresh_token')
    await applyChanged(tessera, deviceClients)
  })

  onOne.it('openid-client polls until it has the tokens', async () => {
    const terminal = await client.discovery(new URL(tessera.url), 'terminal', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    expect(terminal.serverMetadata().grant_types_supported).toContain(deviceGrant)
    const begun = await client.initiateDeviceAuthorization(terminal, { scope: 'openid email' })
    await approve(browser, begun.user_code, people.importer)
    const tokens = await client.pollDeviceAuthorizationGrant(terminal, { ...begun, interval: 1 })
    expect(tokens.claims()?.email).toBe(people.importer.email)
    await client.tokenRevocation(terminal, tokens.refresh_token ?? '')
    const again = client.refreshTokenGrant(terminal, tokens.refresh_token ?? '')
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' })
    const denied = await client.initiateDeviceAuthorization(terminal, { scope: 'openid' })
    const question = await enter(browser, denied.user_code)
    await browser.submit(question, { choice: 'deny' })
    const refused = client.pollDeviceAuthorizationGrant(terminal, { ...denied, interval: 1 })
    await expect(refused).rejects.toMatchObject({ error: 'access_denied' })
  })

  onOne.it('a request that waits costs nothing of the refused grants of its address', async () => {
    const limited = await startTessera(dialect, { settings: { TESSERA_LIMIT_GRANTS: '3' } })
    try {
      await applyChanged(limited, deviceClients)
      limited.clock.stop()
      const begun = await beginDevice(limited.url)
      for (let n = 0; n < 6; n++) {
        expect(refusalOf(await poll(limited.url, begun))).toBe('400 authorization_pending')
        limited.clock.advance(5000)
      }
      for (let n = 0; n < 3; n++) await poll(limited.url, { device_code: 'nonsense' })
      expect(refusalOf(await poll(limited.url, begun))).toBe('429 too_many_requests')
    } finally {
      await limited.close()
    }
  })

  onOne.it('requests count among the authorization requests of an address', async () => {
    const limited = await startTessera(dialect, { settings: { TESSERA_LIMIT_AUTHORIZE: '2' } })
    try {
      await applyChanged(limited, deviceClients)
      await beginDevice(limited.url)
      await beginDevice(limited.url)
      const refused = await post(`${limited.url}/oauth2/device_authorization`, { client_id: 'terminal' })
      expect(refusalOf(refused)).toBe('429 too_many_requests')
    } finally {
      await limited.close()
    }
  })
})
