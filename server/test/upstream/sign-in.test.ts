/** How somebody is signed in by what their organisation's provider says, and what must not sign them in. */
import * as client from 'openid-client'
import { expect, it } from 'vitest'
import { ownerOf } from '../administration/support.ts'
import { answerOf, authorizeRequest, claimsOf, redirectUri, signIn } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { startProvider } from '../harness/upstream-provider.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

onEachDatabase('sign-in through an upstream', (dialect) => {
  const place = placeOn(dialect, {
    upstream: { provision: 'create', mapping: [{ group: 'g', role: 'importer' }] },
  })
  const groups = ['g']

  it('leads from the address through the provider to tokens', async () => {
    const ada = { ...place.somebody(), groups, acr: 'urn:mfa', amr: ['mfa', 'otp', 'their-own'] }
    const request = authorizeRequest({ login_hint: ada.email, ui_locales: 'en' })
    const browser = place.browser()
    const page = await browser.open(request.path)
    expect(textOf(page)).toContain('Continue with your organisation')
    const left = await browser.submit(page, { email: ada.email, choice: 'organisation' })
    const sent = Object.fromEntries(new URL(left.location ?? '').searchParams)
    expect(sent).toMatchObject({
      client_id: place.provider.clientId,
      redirect_uri: `${place.url}/upstreams/${place.upstream}/callback`,
      response_type: 'code',
      code_challenge_method: 'S256',
      login_hint: ada.email,
      ui_locales: 'en',
    })
    const visit = await place.back(browser, left, ada)
    expect(visit.location).toMatch(redirectUri)
    const { json } = await place.redeem(visit, request)
    for (const token of [json.access_token, json.id_token]) {
      const claims = claimsOf(token)
      expect(claims).toMatchObject({ acr: '1', amr: [], email: ada.email })
      // The provider told no time, and so nobody does.
      expect(claims).not.toHaveProperty('auth_time')
    }
    const user = String(claimsOf(json.id_token).sub)
    expect(await place.kindsOf(user)).toEqual(
      expect.arrayContaining(['person.provisioned', 'link.created', 'profile.mapped', 'sign_in.succeeded']),
    )
    const auth_time = place.provider.now() - 60
    const again = await place.tokens({ ...ada, auth_time })
    expect(claimsOf(again.id_token)).toMatchObject({ sub: user, auth_time })
  })

  it('goes there from an address of the domain without a password, and checks a password that is typed', async () => {
    const { email } = place.somebody()
    const browser = place.browser()
    const page = await browser.open(authorizeRequest().path)
    expect((await browser.submit(page, { email })).location).toMatch(place.provider.issuer)
    const wrong = await browser.submit(page, { email, password: 'not it' })
    expect([wrong.status, textOf(wrong)]).toEqual([400, expect.stringContaining('of this domain')])
    const foreign = await browser.submit(page, { email: 'x@nowhere.example', choice: 'organisation' })
    expect([foreign.status, textOf(foreign)]).toEqual([400, expect.stringContaining('No organisation here')])
  })

  it('tells the level and methods that the installation trusts', async () => {
    const ada = { ...place.somebody(), groups, acr: 'gold', amr: ['mfa', 'otp', 'their-own'] }
    await place.change(`/upstreams/${place.upstream}`, { assurance: { gold: '2' } })
    expect(claimsOf((await place.tokens(ada)).access_token)).toMatchObject({ acr: '1', amr: [] })
    await place.change(`/upstreams/${place.upstream}`, { assurance_trusted: true })
    const { acr, amr } = claimsOf((await place.tokens(ada)).access_token)
    expect([acr, amr]).toEqual(['2', expect.arrayContaining(['mfa', 'otp'])])
    expect(amr).not.toContain('their-own')
    await place.change(`/upstreams/${place.upstream}`, { assurance: null, assurance_trusted: false })
  })

  it('makes nobody where people have to be invited', async () => {
    await place.change(`/upstreams/${place.upstream}`, { provision: 'known' })
    const { visit } = await place.signIn({ ...place.somebody(), groups })
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('Ask your administrators')])
    const known = place.somebody()
    const { uuid } = await place.account(known)
    expect(claimsOf((await place.tokens(known)).id_token).sub).toBe(uuid)
    await place.change(`/upstreams/${place.upstream}`, { provision: 'create' })
  })

  it('makes one account of two first sign-ins at once', async () => {
    const ada = { ...place.somebody(), groups }
    const began = []
    for (let count = 0; count < 4; count++) {
      const [browser, request] = [place.browser(), authorizeRequest()]
      const left = await place.leave(browser, request.path, ada.email)
      began.push({ browser, request, url: place.brought(left, ada) })
    }
    const visits = await Promise.all(began.map(({ browser, url }) => browser.open(url)))
    const subs = []
    for (const [index, visit] of visits.entries()) {
      const { json } = await place.redeem(visit, began[index]?.request ?? authorizeRequest())
      subs.push(claimsOf(json.id_token).sub)
    }
    expect(new Set(subs).size).toBe(1)
    const made = (await place.kindsOf(String(subs[0]))).filter((kind) => /provisioned|link/.test(kind))
    expect(made).toEqual(['person.provisioned', 'link.created'])
  })

  it('links an account that the organisation owns, and lets a foreign one be proved first', async () => {
    const own = place.somebody()
    const { uuid } = await place.account(own)
    expect(claimsOf((await place.tokens(own)).id_token).sub).toBe(uuid)

    const foreign = place.somebody()
    const { uuid: other } = await place.account(foreign, [
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'bookkeeper', organisation_uuid: globex },
    ])
    const { visit, browser, request } = await place.signIn(foreign)
    // The page of the password: what the provider says proves nothing here.
    expect([visit.status, new URL(visit.url).pathname]).toEqual([200, '/sign-in'])
    expect(browser.cookies.has('tessera-session')).toBe(false)
    expect(
      (await browser.open('/oauth2/authorize?' + authorizeRequest({ prompt: 'none' }).query)).location,
    ).toMatch('error=login_required')
    const connect = await browser.submit(visit, { email: foreign.email, password })
    expect(new URL(connect.url).pathname).toBe('/sign-in/connect')
    for (const shown of [foreign.email, foreign.sub, 'Acme ID']) expect(textOf(connect)).toContain(shown)
    const chosen = await browser.submit(connect, { choice: 'link' })
    expect(new URL(chosen.url).pathname).toBe('/choose-profile')
    expect(await place.admin.all(`/users/${other}/links`)).toMatchObject([
      { upstream_uuid: place.upstream, subject: foreign.sub, by_hand: true },
    ])
    expect(request.parameters.client_id).toBe('submissions-web')
    // From now on it signs them in, as far as it reaches.
    expect(claimsOf((await place.tokens(foreign)).id_token).sub).toBe(other)
  })

  it('connects nobody else, in no other browser, and not without being asked', async () => {
    const foreign = place.somebody()
    const { uuid } = await place.account(foreign, [{ role_code: 'bookkeeper', organisation_uuid: globex }])
    const stranger = place.somebody()
    await place.account(stranger, [{ role_code: 'importer', organisation_uuid: globex }])
    const links = async () => await place.admin.all(`/users/${uuid}/links`)
    // Another person signs in.
    const first = await place.signIn(foreign)
    const other = await first.browser.submit(first.visit, { email: stranger.email, password })
    expect(new URL(other.url).pathname).not.toBe('/sign-in/connect')
    // The right one, in another browser: the request is not theirs.
    const second = await place.signIn(foreign)
    const elsewhere = place.browser()
    const opened = await elsewhere.open(second.visit.url)
    expect(opened.status).toBeGreaterThanOrEqual(400)
    await signIn(elsewhere, authorizeRequest().path, { email: foreign.email, password })
    expect((await elsewhere.open(second.visit.url.replace('/sign-in', '/sign-in/connect'))).status).toBe(400)
    // Not now.
    const connect = await second.browser.submit(second.visit, { email: foreign.email, password })
    const later = await second.browser.submit(connect, { choice: 'not_now' })
    expect(later.location).toMatch('code=')
    expect(await links()).toEqual([])
  })

  it('takes from an account that nobody had proved what was there before', async () => {
    const ada = place.somebody()
    // Whoever administers the organisation made it, and knows the password.
    const owner = await ownerOf(place.url, place.admin)
    const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
    const made = await owner.post('/users', { email: ada.email, name: 'Ada', password, profiles })
    expect(made.status, made.text).toBe(201)
    const uuid = String(made.json.uuid)
    const planted = place.browser()
    const before = await signIn(planted, authorizeRequest().path, { email: ada.email, password })
    expect(before.location).toMatch('code=')
    expect(claimsOf((await place.tokens(ada)).id_token).sub).toBe(uuid)
    const asked = await planted.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(asked).error).toBe('login_required')
    const again = await signIn(place.browser(), authorizeRequest().path, { email: ada.email, password })
    expect(again.status).toBe(400)
  })

  it('knows a person by one subject, and a subject as one person', async () => {
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    const { visit } = await place.signIn({ ...ada, sub: 'another' })
    expect([visit.status, textOf(visit)]).toEqual([
      403,
      expect.stringContaining('belongs to another sign-in'),
    ])
    // The address of somebody else does not make them that.
    const other = place.somebody()
    const { uuid } = await place.account(other)
    const { sub } = claimsOf((await place.tokens({ ...ada, email: other.email })).id_token)
    expect(sub).not.toBe(uuid)
    const kinds = (await place.audit({ kind: 'link.conflict' })).map(({ kind }) => kind)
    expect(kinds.length).toBeGreaterThan(0)
  })

  it('speaks for its domains alone', async () => {
    for (const email of ['somebody@globex.example', 'x@sub.acme.example', 'admin@elsewhere.example']) {
      const browser = place.browser()
      const left = await place.leave(browser, authorizeRequest().path, 'x@acme.example')
      const visit = await place.back(browser, left, {
        ...place.somebody(),
        groups,
        email,
        email_verified: true,
      })
      expect([visit.status, textOf(visit)], email).toEqual([
        403,
        expect.stringContaining('does not speak for'),
      ])
    }
    const { visit } = await place
      .signIn({ ...place.somebody(), email: 'x@acme.example' })
      .then(async ({ browser }) => ({
        visit: await place.back(
          browser,
          await place.leave(browser, authorizeRequest({ prompt: 'login' }).path, 'x@acme.example'),
          { sub: 'without-address' },
        ),
      }))
    expect(visit.status).toBe(403)
  })

  it('is no way in for who is disabled', async () => {
    const ada = { ...place.somebody(), groups }
    const uuid = String(claimsOf((await place.tokens(ada)).id_token).sub)
    await place.change(`/users/${uuid}`, { active: false })
    const { visit, browser } = await place.signIn(ada)
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('account is disabled')])
    expect(browser.cookies.has('tessera-session')).toBe(false)
  })

  it('counts once, in the browser that was sent, at the address of its upstream', async () => {
    const ada = { ...place.somebody(), groups }
    const [browser, request] = [place.browser(), authorizeRequest()]
    const url = place.brought(await place.leave(browser, request.path, ada.email), ada)
    // In another browser, with cookies of its own or none, it counts for nothing, and takes nothing away.
    const other = place.browser()
    expect((await other.open(url)).status).toBe(400)
    await other.open(authorizeRequest().path)
    expect((await other.open(url)).status).toBe(400)
    expect(other.cookies.has('tessera-session')).toBe(false)
    expect((await browser.open(url)).location).toMatch(redirectUri)
    expect((await browser.open(url)).status).toBe(400)
    // The same code under a new state.
    const left = await place.leave(browser, authorizeRequest({ prompt: 'login' }).path, ada.email)
    const replayed = new URL(url)
    replayed.searchParams.set('state', new URL(left.location ?? '').searchParams.get('state') ?? '')
    expect((await browser.open(replayed.href)).status).toBe(403)
  })

  it('is not mixed up between two upstreams', async () => {
    const evil = await startProvider()
    evil.now = place.provider.now
    const uuid = await place.addUpstream(evil, { code: 'evil', name: 'Evil', organisation_uuid: globex })
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    const browser = place.browser()
    const left = await place.leave(browser, authorizeRequest().path, ada.email)
    const url = place.brought(left, ada).replace(place.upstream, uuid)
    const visit = await browser.open(url)
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('Acme ID')])
    // The evil one says that it is the honest one, to which the browser was sent.
    const sent = await place.leave(browser, authorizeRequest().path, ada.email)
    evil.twists = { brought: (all) => all.set('iss', evil.issuer) }
    evil.person = ada
    const from = evil.authorise(sent.location ?? '').href
    const before = place.provider.count('/token')
    expect((await browser.open(from)).status).toBe(403)
    expect(place.provider.count('/token')).toBe(before)
    expect(browser.cookies.has('tessera-session')).toBe(false)
    await place.admin.delete(`/upstreams/${uuid}`)
    await evil.close()
  })

  it('does not count once the upstream or its organisation is disabled', async () => {
    const ada = { ...place.somebody(), groups }
    await place.tokens(ada)
    for (const path of [`/upstreams/${place.upstream}`, `/organisations/${acme}`]) {
      const browser = place.browser()
      const url = place.brought(await place.leave(browser, authorizeRequest().path, ada.email), ada)
      await place.change(path, { active: false })
      const visit = await browser.open(url)
      expect([visit.status, textOf(visit)], path).toEqual([403, expect.stringContaining('disabled')])
      expect(browser.cookies.has('tessera-session')).toBe(false)
      const page = await browser.open(authorizeRequest().path)
      expect(textOf(page)).not.toContain('your organisation')
      await place.change(path, { active: true })
    }
  })

  it('ends on a page that names the upstream, and tries nothing again', async () => {
    const ada = { ...place.somebody(), groups }
    const [browser, request] = [place.browser(), authorizeRequest()]
    const left = await place.leave(browser, request.path, ada.email)
    place.provider.twists = {
      brought: (all) => {
        all.delete('code')
        all.set('error', 'access_denied')
      },
    }
    const visit = await browser.open(place.brought(left, ada))
    place.provider.twists = {}
    expect([visit.status, textOf(visit)]).toEqual([403, expect.stringContaining('Acme ID')])
    expect(textOf(visit)).toContain('cancelled')
    const back = /href="(\/sign-in\?request=[^"]+)"/.exec(visit.body)?.[1] ?? ''
    const page = await browser.open(back)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/sign-in'])
    const again = await browser.submit(page, { email: ada.email, choice: 'organisation' })
    expect((await place.back(browser, again, ada)).location).toMatch(redirectUri)
    const [failed] = await place.audit({ kind: 'sign_in.failed', target: place.upstream })
    expect(failed?.organisation_uuid).toBe(acme)
    expect(JSON.stringify(await place.audit({}))).not.toMatch(/eyJ|code_verifier/)
  })

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

  it('is left out where the profile that is wanted lies beyond, without a loop', async () => {
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

  it('goes straight there for an organisation whose policy wants it', async () => {
    const uri = 'http://127.0.0.1:4001/acme'
    const made = await place.admin.post('/clients', {
      ...{ client_id: 'acme-app', client_name: 'Acme app', type: 'public', first_party: true },
      ...{
        redirect_uris: [uri],
        scope: 'openid email',
        organisation_uuid: acme,
        policy: { sign_in: 'upstream' },
      },
    })
    expect(made.status, made.text).toBe(201)
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

  it('works with a relying party that we did not write', async () => {
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
