import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const goodbye = 'http://127.0.0.1:4001/'

onOneDatabase('logout', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  let tokens: Record<string, string>
  beforeEach(async () => {
    // What was refused left the session: it serves the next test.
    if (browser !== undefined && (await signedIn())) return
    browser = new TestBrowser(tessera.url)
    tokens = await tokensFor(tessera.url, people.importer, { browser })
  })

  const registered = { client_id: 'submissions-web', post_logout_redirect_uri: goodbye }
  const logout = (parameters: Record<string, string>, by = browser) =>
    by.request(`/oauth2/logout?${new URLSearchParams(parameters)}`)
  const signedIn = async (by = browser) =>
    answerOf(await by.open(authorizeRequest({ prompt: 'none' }).path)).error === undefined

  async function expectRefused(visit: Visit, code: string): Promise<void> {
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain(`<code>${code}</code>`)
    expect(visit.headers.getSetCookie()).toEqual([])
    expect(await signedIn()).toBe(true)
  }

  it('ends the session and returns to the registered address, without asking a client that took part', async () => {
    const visit = await logout(registered)
    expect([visit.status, visit.headers.get('location')]).toEqual([303, goodbye])
    expect(visit.headers.get('cache-control')).toBe('no-store')
    const { port } = new URL(tessera.url)
    expect(visit.headers.getSetCookie()).toEqual([
      `tessera-${port}-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
    ])
    expect(await signedIn()).toBe(false)
  })

  it('ends it on the server too: the old cookie is worth nothing', async () => {
    const thief = new TestBrowser(tessera.url)
    thief.cookies.set('tessera-session', browser.cookies.get('tessera-session') ?? '')
    expect(await signedIn(thief)).toBe(true)
    await logout(registered)
    expect(await signedIn(thief)).toBe(false)
  })

  it.each(['s', 'a b+c&d=e', 'ünï 🗝', 'x'.repeat(1000)])('returns the state unchanged: %s', async (state) => {
    const visit = await logout({ ...registered, state })
    expect(visit.location?.startsWith(`${goodbye}?state=`)).toBe(true)
    expect(answerOf(visit)).toEqual({ state })
  })

  it.each([
    ['without the slash', 'http://127.0.0.1:4001'],
    ['with more path', `${goodbye}x`],
    ['with a query', `${goodbye}?x=1`],
    ['with a fragment', `${goodbye}#x`],
    ['on another port', 'http://127.0.0.1:4002/'],
    ['in other case', 'HTTP://127.0.0.1:4001/'],
    ['another client’s', 'https://partner.example/bye'],
    ['the redirect_uri', 'http://127.0.0.1:4001/callback'],
    ['a script', 'javascript:alert(1)'],
    ['relative', '/'],
    ['of nobody', 'https://evil.example/'],
  ])('refuses an address that is %s on a page, and the session stays', async (_what, uri) => {
    await expectRefused(
      await logout({ ...registered, post_logout_redirect_uri: uri }),
      'invalid_redirect_uri',
    )
  })

  it('asks when an address comes without a client, and does not go there', async () => {
    const question = await logout({ post_logout_redirect_uri: goodbye })
    expect([question.status, await signedIn()]).toEqual([200, true])
    const visit = await browser.submit(question)
    expect([visit.status, visit.location]).toEqual([200, undefined])
  })

  it('ends the session of the hint too, wherever its browser is', async () => {
    const elsewhere = new TestBrowser(tessera.url)
    await logout({ ...registered, id_token_hint: tokens.id_token ?? '' }, elsewhere)
    expect(await signedIn()).toBe(false)
  })

  it.each(['nobody', 'retired-app', 'Submissions-Web', '__proto__'])('refuses the client %s', async (id) => {
    await expectRefused(await logout({ ...registered, client_id: id }), 'invalid_client')
    await expectRefused(await logout({ client_id: id }), 'invalid_client')
  })

  it('refuses a client that was disabled meanwhile, also by the hint', async () => {
    await applyChanged(tessera, disabled('  - client_id: submissions-web'))
    const visits = [await logout(registered), await logout({ id_token_hint: tokens.id_token ?? '' })]
    await applyChanged(tessera)
    for (const visit of visits) await expectRefused(visit, 'invalid_client')
  })

  it.each(['client_id', 'post_logout_redirect_uri', 'state', 'id_token_hint'])(
    'refuses a repeated %s',
    async (name) => {
      const query = new URLSearchParams({ ...registered, state: 's' })
      if (name === 'id_token_hint') query.append(name, tokens.id_token ?? '')
      query.append(name, query.get(name) ?? '')
      await expectRefused(await browser.request(`/oauth2/logout?${query}`), 'invalid_request')
    },
  )

  it('answers a refusal as JSON to a caller that takes no HTML', async () => {
    const url = `${tessera.url}/oauth2/logout?client_id=submissions-web&post_logout_redirect_uri=https://evil.example/`
    const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual' })
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_redirect_uri' }])
  })

  it('asks when no address was asked for, and then shows a page of its own', async () => {
    const question = await logout({ client_id: 'submissions-web' })
    expect([question.status, question.location]).toEqual([200, undefined])
    expect(await signedIn()).toBe(true)
    const visit = await browser.submit(question)
    expect([visit.status, visit.location]).toEqual([200, undefined])
    expect(visit.body).toContain('You are signed out')
    expect(visit.headers.get('cache-control')).toBe('no-store')
    expect(visit.body).not.toMatch(/<form [^>]*action="(?!\/language")/)
    expect(await signedIn()).toBe(false)
  })

  it('ends the tokens of a session that was idle for too long, for a client that took part or the question', async () => {
    const idle = 13 * 3_600_000
    const stranger = { client_id: 'partner-portal', post_logout_redirect_uri: 'https://partner.example/bye' }
    const ways = {
      participant: async () => await logout(registered),
      hint: async () => await logout({ id_token_hint: tokens.id_token ?? '' }),
      question: async () => {
        const page = await logout(stranger)
        tessera.clock.advance(idle)
        return await browser.submit(page)
      },
    }
    for (const [way, leave] of Object.entries(ways)) {
      browser = new TestBrowser(tessera.url)
      tokens = await tokensFor(tessera.url, people.importer, { browser })
      if (way !== 'question') tessera.clock.advance(idle)
      expect([way, (await leave()).status]).toEqual([way, way === 'hint' ? 200 : 303])
      expect([way, (await refresh(tokens)).json.error]).toEqual([way, 'invalid_grant'])
    }
    // Nobody else ends it, and nobody is signed in by it again.
    browser = new TestBrowser(tessera.url)
    tokens = await tokensFor(tessera.url, people.importer, { browser })
    tessera.clock.advance(idle)
    const cookie = browser.cookies.get('tessera-session') ?? ''
    expect((await logout(stranger)).location).toBe(stranger.post_logout_redirect_uri)
    browser.cookies.set('tessera-session', cookie)
    expect(await signedIn()).toBe(false)
    expect((await refresh(tokens)).status).toBe(200)
  })

  it('asks nobody who has no session, and returns to the registered address', async () => {
    const nobody = new TestBrowser(tessera.url)
    expect((await logout({ ...registered, state: 's' }, nobody)).location).toBe(`${goodbye}?state=s`)
    expect((await logout({}, nobody)).body).toContain('You are signed out')
    // Twice is once.
    await logout(registered)
    expect((await logout(registered)).location).toBe(goodbye)
  })

  it('takes a posted form as it takes GET, and asks again by GET when it came without cookies', async () => {
    const crossSite = await new TestBrowser(tessera.url).request('/oauth2/logout', { form: registered })
    expect(crossSite.status).toBe(303)
    const again = new URL(crossSite.location ?? '')
    expect([again.origin, again.pathname]).toEqual([tessera.url, '/oauth2/logout'])
    expect(Object.fromEntries(again.searchParams)).toEqual(registered)
    const visit = await browser.request('/oauth2/logout', { form: registered })
    expect([visit.status, visit.location]).toEqual([303, goodbye])
    expect(await signedIn()).toBe(false)
  })

  it('revokes the token families of this session: refresh and userinfo refuse them', async () => {
    const other = await tokensFor(tessera.url, people.importer)
    expect((await refresh(tokens)).status).toBe(200)
    await logout(registered)
    expect(await refresh(tokens)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect((await userinfo(tokens)).status).toBe(401)
    // Those of the same person in another browser go on.
    expect((await refresh(other)).status).toBe(200)
    expect((await userinfo(other)).status).toBe(200)
  })

  it('leaves no code to exchange: what was issued before is refused after', async () => {
    const request = authorizeRequest()
    const { code } = answerOf(await browser.open(request.path))
    await logout(registered)
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: request.parameters.redirect_uri ?? '',
      code: code ?? '',
      code_verifier: request.verifier,
    })
    expect(json.error).toBe('invalid_grant')
  })

  it('leaves sign-ins under way to begin with a password', async () => {
    const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    await logout(registered)
    expect(new URL((await browser.open(page.url)).url).pathname).toBe('/sign-in')
    expect((await browser.open(page.url)).body).not.toContain('Acme Importer')
    const again = await tokensFor(tessera.url, people.importer, { browser })
    expect(claimsOf(again.id_token).sid).not.toBe(claimsOf(tokens.id_token).sid)
  })

  it('ends a person’s session when another signs in in the same browser', async () => {
    const other = await tokensFor(tessera.url, people.admin, { browser, changes: { prompt: 'login' } })
    expect((await refresh(tokens)).json.error).toBe('invalid_grant')
    expect((await userinfo(tokens)).status).toBe(401)
    expect((await userinfo(other)).status).toBe(200)
  })

  it('ends what a session gave that was idle for too long when another signs in, or the same person out again', async () => {
    const idle = 13 * 3_600_000
    const taken = new TestBrowser(tessera.url)
    const first = await tokensFor(tessera.url, people.importer, { browser: taken })
    tessera.clock.advance(idle)
    await tokensFor(tessera.url, people.admin, { browser: taken })
    expect((await refresh(first)).json.error).toBe('invalid_grant')

    const own = new TestBrowser(tessera.url)
    const before = await tokensFor(tessera.url, people.importer, { browser: own })
    tessera.clock.advance(idle)
    const after = await tokensFor(tessera.url, people.importer, { browser: own })
    // It is their session still, which goes on: what they got before lives as long as what they get now.
    expect(claimsOf(after.id_token).sid).toBe(claimsOf(before.id_token).sid)
    expect((await refresh(before)).status).toBe(200)
    await logout(registered, own)
    for (const one of [before, after]) expect((await refresh(one)).json.error).toBe('invalid_grant')
  })

  const refresh = (of: Record<string, string>) =>
    post(`${tessera.url}/v1/iam/token/refresh`, {
      client_id: 'submissions-web',
      refresh_token: of.refresh_token ?? '',
    })
  const userinfo = (of: Record<string, string>) =>
    post(`${tessera.url}/oauth2/userinfo`, {}, { authorization: `Bearer ${of.access_token}` })
})
