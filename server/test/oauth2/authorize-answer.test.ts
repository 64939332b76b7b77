import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  post,
  redirectUri,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'

onOneDatabase('the answer to an authorization request', (dialect) => {
  let tessera: Tessera
  /** Signed in as the importer, who has one profile: goes straight through. */
  let browser: TestBrowser
  beforeAll(async () => {
    tessera = await startTessera(dialect)
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
  })
  afterAll(() => tessera.close())

  const partner = {
    client_id: 'partner-portal',
    redirect_uri: 'https://partner.example/callback?tenant=1',
    scope: 'openid profile',
  }

  it('carries exactly code, state and iss', async () => {
    const { path, parameters } = authorizeRequest()
    const visit = await signIn(new TestBrowser(tessera.url), path, people.importer)
    expect(visit.status).toBe(303)
    expect(visit.headers.get('cache-control')).toBe('no-store')
    expect(visit.location?.startsWith(`${redirectUri}?code=`)).toBe(true)
    const { code, ...rest } = answerOf(visit)
    expect(rest).toEqual({ state: parameters.state, iss: tessera.url })
    expect(code).toMatch(/^[0-9a-f]{32}\.[A-Za-z0-9_-]{43}$/)
  })

  it('is appended to the query of a redirect_uri that has its own', async () => {
    const own = new TestBrowser(tessera.url)
    const { path, parameters } = authorizeRequest(partner)
    const visit = await own.submit(await signIn(own, path, people.importer), { choice: 'allow' })
    expect(visit.location?.startsWith('https://partner.example/callback?tenant=1&code=')).toBe(true)
    const { code, ...rest } = answerOf(visit)
    expect(rest).toEqual({ tenant: '1', state: parameters.state, iss: tessera.url })
    expect(code).toBeDefined()
  })

  it.each([
    ['with every printable character', String.fromCharCode(...Array.from({ length: 95 }, (_, n) => n + 32))],
    ['with what looks like parameters', '&code=evil&state=x;iss=https://evil.example#x'],
    ['percent-encoded', '%26code%3Devil%00%0d%0a'],
    ['with spaces around it', '  a  b '],
    ['a plus sign', '+'],
    ['with line breaks', 'a\r\nSet-Cookie: x=y\r\n\r\n<script>'],
    ['of many scripts', 'žluťoučký 你好 🗝️ עברית ﷽'],
    ['1,000 characters long', 'x'.repeat(1000)],
    ['one character long', '0'],
    ['JSON', '{"a":["b"]}'],
    ['a JWT', 'e30.e30.x'],
  ])('returns a state that is %s unchanged, at once and after a page', async (_what, state) => {
    const atOnce = await browser.open(authorizeRequest({ state }).path)
    expect(answerOf(atOnce)).toMatchObject({ state, code: expect.any(String) })
    const page = await browser.open(authorizeRequest({ state, prompt: 'login' }).path)
    expect(answerOf(await browser.submit(page, people.importer))).toMatchObject({ state, iss: tessera.url })
  })

  it('reads a query that holds question marks to its end', async () => {
    const { query } = authorizeRequest({ state: undefined, nonce: undefined })
    const visit = await browser.open(`/oauth2/authorize?state=a?b??c&${query}&nonce=n?m`)
    expect(answerOf(visit)).toMatchObject({ state: 'a?b??c', code: expect.any(String) })
  })

  it('takes a redirect_uri whose question mark was not encoded', async () => {
    const { query } = authorizeRequest({ ...partner, redirect_uri: undefined })
    const path = `/oauth2/authorize?redirect_uri=${partner.redirect_uri}&${query}`
    const visit = await new TestBrowser(tessera.url).request(path)
    expect([visit.status, new URL(visit.location ?? '').pathname]).toEqual([303, '/sign-in'])
  })

  it('is the same for a form that is posted', async () => {
    const { query, parameters, verifier } = authorizeRequest({ state: 'a b+c?&ü' })
    const visit = await browser.request('/oauth2/authorize', { form: query })
    expect(visit.status).toBe(303)
    const { code, ...rest } = answerOf(visit)
    expect(rest).toEqual({ state: parameters.state, iss: tessera.url })
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'submissions-web',
      redirect_uri: redirectUri,
      code: code ?? '',
      code_verifier: verifier,
    })
    expect(claimsOf(json.id_token as string).nonce).toBe(parameters.nonce)
  })

  it('counts the body alone when a form is posted', async () => {
    const { query, parameters } = authorizeRequest()
    const visit = await browser.request('/oauth2/authorize?client_id=nobody&state=other', { form: query })
    expect(answerOf(visit)).toMatchObject({ code: expect.any(String), state: parameters.state })
    const bodyless = await browser.request(authorizeRequest().path, { method: 'POST' })
    expect([bodyless.status, bodyless.location]).toEqual([400, undefined])
  })

  it('takes no other kind of body', async () => {
    const { parameters } = authorizeRequest()
    const visit = await fetch(`${tessera.url}/oauth2/authorize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(parameters),
    })
    expect([visit.status, await visit.json()]).toMatchObject([400, { error: 'invalid_request' }])
  })

  it('asks again by GET when a form on another site was posted without cookies', async () => {
    const { query, parameters } = authorizeRequest({ state: 'a b+c?&ü', prompt: 'none' })
    const crossSite = await new TestBrowser(tessera.url).request('/oauth2/authorize', { form: query })
    expect(crossSite.status).toBe(303)
    expect(crossSite.headers.getSetCookie()).toEqual([])
    const again = new URL(crossSite.location ?? '')
    expect(`${again.origin}${again.pathname}`).toBe(`${tessera.url}/oauth2/authorize`)
    expect(Object.fromEntries(again.searchParams)).toEqual(parameters)
    // The navigation brings the cookies: the person is signed in after all.
    const visit = await browser.open(again.href)
    expect(answerOf(visit)).toMatchObject({ code: expect.any(String), state: parameters.state })
  })

  it('ignores parameters that it does not know, and refuses repeated ones', async () => {
    const extra = 'utm=1&claims={}&display=popup&acr_values=9&code=evil&iss=evil&scope[]=x&__proto__=x'
    const { path, parameters } = authorizeRequest()
    const { code, ...rest } = answerOf(await browser.open(`${path}&${extra}`))
    expect(rest).toEqual({ state: parameters.state, iss: tessera.url })
    expect(code).not.toBe('evil')
    expect(answerOf(await browser.open(`${authorizeRequest().path}&utm=1&utm=2`)).error).toBe(
      'invalid_request',
    )
  })

  it('takes the scopes in any order and each once, and names them in the token response', async () => {
    const { path, verifier } = authorizeRequest({ scope: ' profile  openid profile ' })
    const { code } = answerOf(await browser.open(path))
    const form = { client_id: 'submissions-web', redirect_uri: redirectUri, code: code ?? '' }
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      ...form,
      grant_type: 'authorization_code',
      code_verifier: verifier,
    })
    expect(json.scope).toBe('profile openid')
  })

  it('takes response_mode=query, and empty optional parameters as left out', async () => {
    const empty = {
      prompt: '',
      max_age: '',
      login_hint: '',
      id_token_hint: '',
      resource: '',
      profile_uuid: '',
    }
    const visit = await browser.open(authorizeRequest({ response_mode: 'query', ...empty }).path)
    expect(answerOf(visit)).toHaveProperty('code')
  })

  it('gives every request a code of its own', async () => {
    const { path } = authorizeRequest()
    const codes = await Promise.all(
      Array.from({ length: 5 }, async () => answerOf(await browser.open(path)).code),
    )
    expect(new Set(codes).size).toBe(5)
  })

  it('goes straight to the code, without a page, for a person who is signed in', async () => {
    const visit = await browser.request(authorizeRequest().path)
    expect(visit.status).toBe(303)
    expect(visit.location?.startsWith(redirectUri)).toBe(true)
  })
})
