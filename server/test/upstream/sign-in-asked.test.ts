/** What an application asks of a sign-in through an upstream, and what it gets. */
import * as client from 'openid-client'
import { expect, it } from 'vitest'
import { answerOf, authorizeRequest, redirectUri } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { setPolicy } from '../harness/states.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

onEachDatabase('an application at an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']

  it('is asked for by its code, and never without a page', async () => {
    const ada = { ...place.somebody(), groups }
    const browser = place.browser()
    const left = await browser.open(authorizeRequest({ upstream: 'acme/entra' }).path)
    expect(left.location).toMatch(place.provider.issuer)
    for (const upstream of ['entra', 'globex/entra', 'nothing', 'acme/', 'x/y/z'])
      expect((await browser.open(authorizeRequest({ upstream }).path)).location, upstream).toBeUndefined()
    const silent = await browser.open(authorizeRequest({ upstream: 'acme/entra', prompt: 'none' }).path)
    expect(answerOf(silent).error).toBe('login_required')
    const another = await browser.open(
      authorizeRequest({ upstream: 'acme/entra', prompt: 'select_account' }).path,
    )
    expect(another.location).toBeUndefined()
    expect((await place.back(browser, left, ada)).location).toMatch(redirectUri)
  })

  it('asks for a new sign-in there, and refuses an older one without a loop', async () => {
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    const now = place.provider.now()
    const asked: [Record<string, string>, string, string][] = [
      [{ prompt: 'login' }, 'prompt', 'login'],
      [{ max_age: '60' }, 'max_age', '60'],
    ]
    for (const [changes, name, value] of asked) {
      const { browser } = await place.signIn({ ...ada, auth_time: now - 7200 })
      const request = authorizeRequest({ ...changes, upstream: 'acme/entra' })
      const left = await browser.open(request.path)
      expect(new URL(left.location ?? '').searchParams.get(name)).toBe(value)
      const old = await place.back(browser, left, { ...ada, auth_time: now - 7200 })
      expect([old.status, textOf(old)], name).toEqual([403, expect.stringContaining('older')])
      const page = await browser.open(`/sign-in?request=${new URL(left.url).searchParams.get('request')}`)
      expect(page.location).toBeUndefined()
      const again = await browser.open(authorizeRequest({ ...changes, upstream: 'acme/entra' }).path)
      const fresh = await place.back(browser, again, { ...ada, auth_time: place.provider.now() })
      expect(fresh.location, name).toMatch(redirectUri)
    }
    // Without a time it satisfies no max_age, and is not asked again and again.
    const { browser } = await place.signIn(ada)
    const left = await browser.open(authorizeRequest({ max_age: '60', upstream: 'acme/entra' }).path)
    const page = await place.back(browser, left, ada)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/sign-in'])
  })

  onOne.it('is left out where the profile that is wanted lies beyond, without a loop', async () => {
    const ada = place.somebody()
    const made = await place.account(ada, [
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'reader', organisation_uuid: globex },
    ])
    const { visit, browser } = await place.signIn(ada)
    await browser.submit(await browser.submit(visit, { email: ada.email, password }), { choice: 'link' })
    const changes = { upstream: 'acme/entra', profile_uuid: made.profiles[1] }
    const fresh = place.browser()
    const left = await fresh.open(authorizeRequest(changes).path)
    const page = await place.back(fresh, left, ada)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/sign-in'])
    expect((await fresh.submit(page, { email: ada.email, password })).location).toMatch('code=')
  })

  onOne.it('goes straight there for an organisation whose policy wants it', async () => {
    const uri = 'http://127.0.0.1:4001/acme'
    const made = await place.admin.post('/clients', {
      ...{ client_id: 'acme-app', client_name: 'Acme app', type: 'public', first_party: true },
      ...{
        redirect_uris: [uri],
        scope: 'openid email',
        organisation_uuid: acme,
      },
    })
    expect(made.status, made.text).toBe(201)
    // The API wants somebody who gets in otherwise first.
    await setPolicy(place.tessera, { client: 'acme-app' }, { sign_in: 'upstream' })
    const changes = { client_id: 'acme-app', redirect_uri: uri, scope: 'openid email' }
    const ada = { ...place.somebody(), groups }
    const browser = place.browser()
    const left = await browser.open(authorizeRequest(changes).path)
    expect(left.location).toMatch(place.provider.issuer)
    expect((await place.back(browser, left, ada)).location).toMatch(uri)
    const other = await browser.open(authorizeRequest({ ...changes, prompt: 'select_account' }).path)
    expect([other.status, new URL(other.url).pathname]).toEqual([200, '/sign-in'])
    // Not after a failure.
    const fresh = place.browser()
    const sent = await fresh.open(authorizeRequest(changes).path)
    const failed = await place.back(fresh, sent, { ...ada, sub: 'another' })
    const back = /href="(\/sign-in\?request=[^"]+)"/.exec(failed.body)?.[1] ?? ''
    expect((await fresh.open(back)).status).toBe(200)
    // Of two, nobody chooses for them.
    const second = await place.addUpstream(place.provider, { code: 'second', name: 'Second ID' })
    const page = await fresh.open(authorizeRequest(changes).path)
    expect(textOf(page)).toMatch(/Continue with Acme ID.*Continue with Second ID/)
    const choice = await place.leave(fresh, authorizeRequest().path, ada.email)
    expect(textOf(choice)).toMatch(/Continue with Acme ID.*Continue with Second ID/)
    const chosen = await fresh.submit(choice, { choice: `upstream:${second}` })
    expect(new URL(chosen.location ?? '').searchParams.get('redirect_uri')).toContain(second)
    await place.admin.delete(`/upstreams/${second}`)
    await place.admin.delete('/clients/acme-app')
  })

  onOne.it('works with a relying party that we did not write', async () => {
    const ada = { ...place.somebody(), groups }
    const web = await client.discovery(new URL(place.url), 'submissions-web', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const [verifier, state, nonce] = [
      client.randomPKCECodeVerifier(),
      client.randomState(),
      client.randomNonce(),
    ]
    const url = client.buildAuthorizationUrl(web, {
      redirect_uri: redirectUri,
      scope: 'openid email service.api',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      upstream: 'acme/entra',
    })
    const browser = place.browser()
    const visit = await place.back(browser, await browser.open(url.href), ada)
    const tokens = await client.authorizationCodeGrant(web, new URL(visit.location ?? ''), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const userinfo = await client.fetchUserInfo(web, tokens.access_token, tokens.claims()?.sub ?? '')
    expect(userinfo.email).toBe(ada.email)
  })
})
