import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  signIn,
  TestBrowser,
  tokensFor,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

onOneDatabase('prompt and max_age', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    tessera.clock.advance(5000)
  })

  const open = (changes: Record<string, string>) => browser.open(authorizeRequest(changes).path)
  const pathOf = (visit: { url: string }) => new URL(visit.url).pathname

  it('answers prompt=none with a code for somebody who is signed in', async () => {
    expect(answerOf(await open({ prompt: 'none' }))).toHaveProperty('code')
  })

  it.each([
    ['login_required', people.importer, { prompt: 'none', max_age: '2' }],
    ['interaction_required', people.both, { prompt: 'none' }],
    ['access_denied', people.nobody, { prompt: 'none' }],
    [
      'consent_required',
      people.importer,
      {
        prompt: 'none',
        client_id: 'partner-portal',
        redirect_uri: 'https://partner.example/callback?tenant=1',
        scope: 'openid',
      },
    ],
  ])('answers prompt=none with %s and no page', async (error, person, changes) => {
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, person)
    tessera.clock.advance(5000)
    const { path, parameters } = authorizeRequest(changes)
    const visit = await browser.request(path)
    expect(visit.status).toBe(303)
    expect(visit.location?.startsWith(parameters.redirect_uri ?? '')).toBe(true)
    expect(answerOf(visit)).toMatchObject({ error, state: parameters.state, iss: tessera.url })
    expect(answerOf(visit)).not.toHaveProperty('code')
  })

  it.each(['login', 'select_account', 'login consent', 'select_account login', 'login login'])(
    'asks for the password again with prompt=%s, and for this request once',
    async (prompt) => {
      const page = await open({ prompt })
      expect([page.status, pathOf(page)]).toEqual([200, '/sign-in'])
      expect(answerOf(await browser.submit(page, people.importer))).toHaveProperty('code')
      // The next request asks anew.
      expect(pathOf(await open({ prompt }))).toBe('/sign-in')
    },
  )

  it('is not satisfied with prompt=login by going on without a password', async () => {
    const page = await open({ prompt: 'login' })
    const request = new URL(page.url).search
    for (const path of ['/oauth2/authorize/continue', '/choose-profile', '/consent', '/no-profile']) {
      expect(pathOf(await browser.open(path + request))).toBe('/sign-in')
    }
    const wrong = await browser.submit(page, { ...people.importer, password: 'a wrong password' })
    expect([wrong.status, pathOf(wrong)]).toEqual([400, '/sign-in'])
    expect(pathOf(await browser.open(`/oauth2/authorize/continue${request}`))).toBe('/sign-in')
  })

  it('is not satisfied with prompt=login by a sign-in for another request', async () => {
    const first = await open({ prompt: 'login' })
    const second = await open({ prompt: 'login' })
    expect(answerOf(await browser.submit(second, people.importer))).toHaveProperty('code')
    const visit = await browser.open(`/oauth2/authorize/continue${new URL(first.url).search}`)
    expect(pathOf(visit)).toBe('/sign-in')
  })

  it('renews auth_time, and keeps sub and sid, when the same person signs in again', async () => {
    const before = claimsOf(
      (await tokensFor(tessera.url, people.importer, { browser: await fresh() })).id_token,
    )
    tessera.clock.advance(100_000)
    const after = claimsOf(
      (await tokensFor(tessera.url, people.importer, { browser, changes: { prompt: 'login' } })).id_token,
    )
    expect(after.sub).toBe(before.sub)
    expect(after.sid).toBe(before.sid)
    expect(Number(after.auth_time) - Number(before.auth_time)).toBeGreaterThanOrEqual(99)
  })

  /** The browser of this test, with a session that the next tokens are asked with. */
  async function fresh(): Promise<TestBrowser> {
    browser.cookies.clear()
    return browser
  }

  it('goes through while max_age has not passed, asks when it has, and always at 0', async () => {
    expect(answerOf(await open({ max_age: '60' }))).toHaveProperty('code')
    expect(pathOf(await open({ max_age: '4' }))).toBe('/sign-in')
    tessera.clock.advance(60_000)
    expect(pathOf(await open({ max_age: '60' }))).toBe('/sign-in')
    const page = await open({ max_age: '0' })
    expect(pathOf(page)).toBe('/sign-in')
    expect(answerOf(await browser.submit(page, people.importer))).toHaveProperty('code')
    expect(answerOf(await open({ max_age: '60' }))).toHaveProperty('code')
  })

  it('has auth_time within max_age in the ID token', async () => {
    tessera.clock.advance(100_000)
    const { path, parameters, verifier } = authorizeRequest({ max_age: '30' })
    const { code } = answerOf(await browser.submit(await browser.open(path), people.importer))
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: parameters.redirect_uri ?? '',
      code: code ?? '',
      code_verifier: verifier,
    })
    const { auth_time: authTime } = claimsOf(json.id_token as string)
    expect(Math.abs(Number(authTime) - tessera.clock.now() / 1000)).toBeLessThan(30)
  })

  it('tells who is asked again, and lets somebody else sign in instead', async () => {
    const again = await open({ prompt: 'login' })
    expect(again.body).toContain('Please sign in again')
    expect(again.body).toContain('value="importer@acme.example"')
    const visit = await browser.submit(again, people.admin)
    expect(answerOf(visit)).toHaveProperty('code')
  })

  it('asks a client that is first-party for no consent, even with prompt=consent', async () => {
    expect(answerOf(await open({ prompt: 'consent' }))).toHaveProperty('code')
  })
})
