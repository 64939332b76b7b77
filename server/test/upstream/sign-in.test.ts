/** Who is signed in by what their organisation's provider says: people who are new, known, or somebody already. */
import { expect, it } from 'vitest'
import { ownerOf } from '../administration/support.ts'
import { answerOf, authorizeRequest, claimsOf, redirectUri, signIn } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { acme, globex, password, placeOn, textOf } from './sign-in-support.ts'

onEachDatabase('sign-in through an upstream', (dialect) => {
  const onOne = oneDatabase(dialect)
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

  onOne.it(
    'goes there from an address of the domain without a password, and checks a password that is typed',
    async () => {
      const { email } = place.somebody()
      const browser = place.browser()
      const page = await browser.open(authorizeRequest().path)
      expect((await browser.submit(page, { email })).location).toMatch(place.provider.issuer)
      const wrong = await browser.submit(page, { email, password: 'not it' })
      expect([wrong.status, textOf(wrong)]).toEqual([400, expect.stringContaining('of this domain')])
      const foreign = await browser.submit(page, { email: 'x@nowhere.example', choice: 'organisation' })
      expect([foreign.status, textOf(foreign)]).toEqual([
        400,
        expect.stringContaining('No organisation here'),
      ])
    },
  )

  onOne.it('tells the level and methods that the installation trusts', async () => {
    const ada = { ...place.somebody(), groups, acr: 'gold', amr: ['mfa', 'otp', 'their-own'] }
    await place.change(`/upstreams/${place.upstream}`, { assurance: { gold: '2' } })
    expect(claimsOf((await place.tokens(ada)).access_token)).toMatchObject({ acr: '1', amr: [] })
    await place.change(`/upstreams/${place.upstream}`, { assurance_trusted: true })
    const { acr, amr } = claimsOf((await place.tokens(ada)).access_token)
    expect([acr, amr]).toEqual(['2', expect.arrayContaining(['mfa', 'otp'])])
    expect(amr).not.toContain('their-own')
    await place.change(`/upstreams/${place.upstream}`, { assurance: null, assurance_trusted: false })
  })

  onOne.it('makes nobody where people have to be invited', async () => {
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
    expect(textOf(visit)).toContain('is there already')
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
})
