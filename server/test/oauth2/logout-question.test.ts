import { beforeAll, beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  signIn,
  TestBrowser,
  tokensFor,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const partner = { client_id: 'partner-portal', post_logout_redirect_uri: 'https://partner.example/bye' }
const submissions = { client_id: 'submissions-web', post_logout_redirect_uri: 'http://127.0.0.1:4001/' }

/** Whether a person is asked before the session ends (decisions 6). */
onOneDatabase('the question of a logout', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  let tokens: Record<string, string>
  let othersTokens: Record<string, string>
  beforeAll(async () => {
    othersTokens = await tokensFor(tessera.url, people.admin)
  })
  beforeEach(async () => {
    // What was refused left the session: it serves the next test.
    if (browser !== undefined && (await signedIn())) return
    browser = new TestBrowser(tessera.url)
    tokens = await tokensFor(tessera.url, people.importer, { browser })
  })

  const logout = (parameters: Record<string, string>) =>
    browser.request(`/oauth2/logout?${new URLSearchParams(parameters)}`)
  const signedIn = async (by = browser) =>
    answerOf(await by.open(authorizeRequest({ prompt: 'none' }).path)).error === undefined
  const csrfOf = (page: Visit) => /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''

  async function expectAsked(page: Visit): Promise<void> {
    expect([page.status, page.location]).toEqual([200, undefined])
    expect(page.body).toContain('Do you want to sign out?')
    expect(page.body).toContain('Acme Importer')
    expect(page.headers.getSetCookie()).toEqual([])
    expect(await signedIn()).toBe(true)
  }

  it('is put when the client did not take part in the session', async () => {
    const page = await logout({ ...partner, state: 'a b&c"<' })
    await expectAsked(page)
    expect(page.body).toContain('Partner portal')
    // It would be held against what the partner does next.
    expect(page.headers.get('content-security-policy')).not.toContain('form-action')
    const visit = await browser.submit(page)
    expect(visit.status).toBe(303)
    expect(visit.location?.startsWith('https://partner.example/bye?state=')).toBe(true)
    expect(answerOf(visit)).toEqual({ state: 'a b&c"<' })
    expect(await signedIn()).toBe(false)
  })

  it('is put when there is neither client nor hint, and ends on a page', async () => {
    const page = await logout({})
    await expectAsked(page)
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self'$/)
    const visit = await browser.submit(page)
    expect([visit.status, visit.body.includes('You are signed out')]).toEqual([200, true])
    expect(await signedIn()).toBe(false)
  })

  it('is put when the client only got a code that it never exchanged', async () => {
    const own = new TestBrowser(tessera.url)
    await signIn(own, authorizeRequest().path, people.importer)
    const page = await own.request(`/oauth2/logout?${new URLSearchParams(submissions)}`)
    expect([page.status, page.body.includes('Do you want to sign out?')]).toEqual([200, true])
    expect(await signedIn(own)).toBe(true)
  })

  it('is put when the id_token_hint is another person’s', async () => {
    await expectAsked(await logout({ id_token_hint: othersTokens.id_token ?? '' }))
    await expectAsked(await logout({ ...submissions, id_token_hint: othersTokens.id_token ?? '' }))
  })

  it('is not put with an id_token_hint of this person, which names the client too', async () => {
    const visit = await logout({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: submissions.post_logout_redirect_uri,
    })
    expect([visit.status, visit.location]).toEqual([303, 'http://127.0.0.1:4001/'])
    expect(await signedIn()).toBe(false)
  })

  it('is not put with an id_token_hint that has expired', async () => {
    tessera.clock.advance(2 * 3600_000)
    const visit = await logout({ ...submissions, id_token_hint: tokens.id_token ?? '' })
    expect(visit.status).toBe(303)
    expect(await signedIn()).toBe(false)
  })

  it.each([
    ['garbage', () => 'garbage'],
    ['forged', () => forged(tokens.id_token ?? '')],
    ['an access token', () => tokens.access_token ?? ''],
    ['of alg none', () => `${base64({ alg: 'none', typ: 'JWT' })}.${(tokens.id_token ?? '').split('.')[1]}.`],
    ['too long', () => 'x'.repeat(9000)],
  ])('is refused when the id_token_hint is %s, and the session stays', async (_what, hint) => {
    for (const parameters of [{ id_token_hint: hint() }, { ...submissions, id_token_hint: hint() }]) {
      const visit = await logout(parameters)
      expect([visit.status, visit.location]).toEqual([400, undefined])
      expect(visit.body).toContain('<code>invalid_request</code>')
      expect(await signedIn()).toBe(true)
    }
  })

  it('is refused when the id_token_hint was issued to another client', async () => {
    const visit = await logout({ ...partner, id_token_hint: tokens.id_token ?? '' })
    expect([visit.status, visit.body.includes('<code>invalid_request</code>')]).toEqual([400, true])
    expect(await signedIn()).toBe(true)
  })

  it('takes no answer without a CSRF token of this session', async () => {
    const page = await logout(partner)
    const other = new TestBrowser(tessera.url)
    await tokensFor(tessera.url, people.importer, { browser: other })
    const theirs = await other.request('/oauth2/logout')
    for (const csrf of ['', 'x', csrfOf(theirs), `${csrfOf(page)}x`]) {
      const visit = await browser.request('/oauth2/logout/confirm', { form: { ...partner, csrf } })
      expect([visit.status, visit.location]).toEqual([403, undefined])
      expect(visit.body).toContain('<code>form_expired</code>')
      expect(await signedIn()).toBe(true)
    }
  })

  it('takes no answer by GET, and none that was not asked for by a form', async () => {
    const page = await logout(partner)
    const visit = await browser.request(`/oauth2/logout/confirm?csrf=${csrfOf(page)}`)
    expect([visit.status, visit.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await signedIn()).toBe(true)
  })

  it('is worth nothing after another sign-in: the old form belongs to the old session', async () => {
    const page = await logout(partner)
    await browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), people.importer)
    const visit = await browser.submit(page)
    expect([visit.status, visit.body.includes('<code>form_expired</code>')]).toEqual([403, true])
    expect(await signedIn()).toBe(true)
  })

  it('can’t be turned into a redirect elsewhere by the form’s hidden fields', async () => {
    const page = await logout(partner)
    const visit = await browser.submit(page, { post_logout_redirect_uri: 'https://evil.example/' })
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.body).toContain('<code>invalid_redirect_uri</code>')
    expect(await signedIn()).toBe(true)
  })

  it('escapes what was asked for into the page', async () => {
    const page = await logout({ ...partner, state: `"><script>alert(1)</script>` })
    expect(page.body).not.toContain('<script')
    expect(page.body).toContain('&lt;script&gt;')
  })

  it('is put in the language that was asked for, under the headers of every page', async () => {
    const page = await logout({ ui_locales: 'de' })
    expect(page.body).toContain('<html lang="de"')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect((await browser.submit(page)).body).toContain('<html lang="de"')
  })

  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  function forged(jwt: string): string {
    const [header, payload = '', signature] = jwt.split('.')
    const claims = { ...(JSON.parse(Buffer.from(payload, 'base64url').toString()) as object), jti: 'x' }
    return `${header}.${base64(claims)}.${signature}`
  }
})
