import { beforeAll, describe, expect, it } from 'vitest'
import { formPostScript, formPostScriptPath } from '../../dist/pages/form-post-page.js'
import { applyChanged } from '../declared/change.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  formOn,
  people,
  post,
  redirectUri,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const native = `  - client_id: field-app
    client_name: Field app
    type: public
    application_type: native
    first_party: true
    redirect_uris: ["http://127.0.0.1/callback", "com.example.field:/callback"]
    scope: openid
`
const partner = {
  client_id: 'partner-portal',
  redirect_uri: 'https://partner.example/callback?tenant=1',
  scope: 'openid profile',
}

/** OAuth 2.0 Form Post Response Mode. What a browser makes of the page: form-post-browser.test.ts. */
onOneDatabase('response_mode=form_post', (dialect) => {
  const tessera = tesseraOn(dialect)
  /** Signed in as the importer, who has one profile: goes straight through. */
  let browser: TestBrowser
  beforeAll(async () => {
    await applyChanged(tessera, ['clients:\n', `clients:\n${native}`])
    browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
  })

  const ask = (changes: Record<string, string | undefined> = {}) =>
    authorizeRequest({ response_mode: 'form_post', ...changes })

  /** The answer on the page, which is as it must be. */
  function posted(visit: Visit, to = redirectUri): Record<string, string> {
    expect(visit.status).toBe(200)
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(visit.headers.get('cache-control')).toBe('no-store')
    expect(visit.headers.get('referrer-policy')).toBe('no-referrer')
    // No form-action: Chromium would hold it against where the application sends the browser next.
    expect(visit.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; script-src 'self'",
    )
    expect(visit.body.match(/<script\b[^>]*>/g)).toEqual([`<script src="${formPostScriptPath}">`])
    expect(visit.body.match(/<form\b/g)).toHaveLength(1)
    expect(visit.body).not.toContain('csrf')
    const { action, hidden } = formOn(visit)
    expect(action).toBe(to)
    return hidden
  }

  function expectError(visit: Visit, error: string, state: string | undefined, to = redirectUri): void {
    const { error_description: description, ...answer } = posted(visit, to)
    expect(answer).toEqual({ error, ...(state !== undefined && { state }), iss: tessera.url })
    expect(description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]{10,300}$/)
  }

  describe('with a code', () => {
    it.each([
      ['for a person who is signed in', {}],
      ['for prompt=none', { prompt: 'none' }],
    ])('carries exactly code, state and iss, %s', async (_who, changes) => {
      const { path, parameters, verifier } = ask(changes)
      const { code, ...rest } = posted(await browser.request(path))
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

    it('after a sign-in, once', async () => {
      const own = new TestBrowser(tessera.url)
      const { path, parameters } = ask()
      const visit = await signIn(own, path, people.importer)
      expect(posted(visit)).toMatchObject({ code: expect.any(String), state: parameters.state })
      const again = await own.request(visit.url)
      expect([again.status, again.body.includes('request_expired')]).toEqual([400, true])
      expect(again.body).not.toMatch(/<form [^>]*action="(?!\/language")/)
    })

    it('after a consent, and keeps the query of the redirect_uri', async () => {
      const own = new TestBrowser(tessera.url)
      const visit = await own.submit(await signIn(own, ask(partner).path, people.importer), {
        choice: 'allow',
      })
      expect(posted(visit, partner.redirect_uri)).toHaveProperty('code')
    })

    it('for a request that is itself posted, from here or from another site', async () => {
      const { query, parameters } = ask()
      expect(posted(await browser.request('/oauth2/authorize', { form: query }))).toMatchObject({
        code: expect.any(String),
        state: parameters.state,
      })
      const crossSite = await new TestBrowser(tessera.url).request('/oauth2/authorize', { form: query })
      expect(posted(await browser.request(crossSite.location ?? ''))).toHaveProperty('code')
    })

    it('on a loopback port of a native client', async () => {
      const to = 'http://127.0.0.1:51234/callback'
      const { path } = ask({ client_id: 'field-app', redirect_uri: to, scope: 'openid' })
      expect(posted(await browser.request(path), to)).toHaveProperty('code')
    })
  })

  it.each([
    ['with every printable character', String.fromCharCode(...Array.from({ length: 95 }, (_, n) => n + 32))],
    ['that is HTML', '"><script>alert(1)</script><input name="code" value="evil">'],
    ['that ends an attribute', `' onfocus='alert(1)' autofocus x="`],
    ['that is a character reference', '&quot;&#x22;&lt;&amp;amp;'],
    ['of many scripts', 'žluťoučký 你好 🗝️ עברית ﷽'],
    ['with spaces around it and a tab', '  a\tb '],
  ])('escapes a state %s', async (_what, state) => {
    const visit = await browser.request(ask({ state }).path)
    expect(posted(visit)).toMatchObject({ state, code: expect.any(String) })
    expect(visit.body.match(/<input\b/g)).toHaveLength(3)
    expect(visit.body).not.toMatch(/<script>|<input[^>"]*("[^"]*"[^>"]*)*onfocus/)
  })

  describe('with an error', () => {
    it.each<[string, Record<string, string | undefined>]>([
      ['login_required', { prompt: 'none' }],
      ['invalid_scope', { scope: 'openid admin' }],
      ['invalid_request', { nonce: undefined }],
      ['invalid_request', { code_challenge_method: 'plain' }],
      ['unsupported_response_type', { response_type: 'token' }],
      ['request_not_supported', { request: 'e30.e30.' }],
      ['invalid_request', { state: 'a\uFFFDb' }],
      ['invalid_target', { resource: 'https://other.example' }],
    ])('%s for %o', async (error, changes) => {
      const { path, parameters } = ask(changes)
      const visit = await new TestBrowser(tessera.url).request(path)
      expectError(visit, error, parameters.state)
      expect(visit.headers.getSetCookie()).toEqual([])
    })

    it('consent_required and interaction_required', async () => {
      const admin = new TestBrowser(tessera.url)
      await signIn(admin, authorizeRequest().path, people.admin)
      const consent = await admin.request(ask({ ...partner, prompt: 'none', state: 's' }).path)
      expectError(consent, 'consent_required', 's', partner.redirect_uri)
      const other = new TestBrowser(tessera.url)
      await other.submit(await other.open(authorizeRequest().path), people.both)
      const choice = await other.request(ask({ prompt: 'none', state: 's' }).path)
      expectError(choice, 'interaction_required', 's')
    })

    it('without a state that is missing, or repeated', async () => {
      expectError(await browser.request(ask({ state: undefined }).path), 'invalid_request', undefined)
      expectError(await browser.request(`${ask().path}&state=other`), 'invalid_request', undefined)
    })

    it.each(['cancel', 'deny'])('access_denied when the person chooses to %s', async (choice) => {
      const own = new TestBrowser(tessera.url)
      const { path, parameters } = ask({ ...partner, state: '"<&' })
      const page = choice === 'cancel' ? await own.open(path) : await signIn(own, path, people.admin)
      expectError(await own.submit(page, { choice }), 'access_denied', parameters.state, partner.redirect_uri)
    })

    it('access_denied for a person without a profile', async () => {
      const own = new TestBrowser(tessera.url)
      const { path, parameters } = ask()
      const visit = await own.submit(await signIn(own, path, people.nobody), { choice: 'continue' })
      expectError(visit, 'access_denied', parameters.state)
    })
  })

  describe('is not used', () => {
    it.each([
      ['for an unknown client', { client_id: 'nobody' }],
      ['for an address that is not registered', { redirect_uri: 'https://evil.example/' }],
    ])('%s, which is told on a page', async (_what, changes) => {
      const visit = await browser.request(ask(changes).path)
      expect(visit.status).toBe(400)
      expect(visit.body).not.toMatch(
        /<form [^>]*action="(?!\/language")|<script src="(?!\/assets\/controls-)|evil\.example\/"/,
      )
    })

    it.each<[string, Record<string, string>]>([
      [
        'a private-use scheme, which takes no form',
        { client_id: 'field-app', redirect_uri: 'com.example.field:/callback', scope: 'openid' },
      ],
      ['a state with line breaks, which a form would change', { state: 'a\nb' }],
      ['a state with a carriage return', { state: 'a\rb' }],
      ['a state with a NUL, which no form holds', { state: 'a\0b' }],
    ])('with %s: the query says so', async (_what, changes) => {
      const { path, parameters } = ask(changes)
      const visit = await browser.request(path)
      expect(visit.status).toBe(303)
      expect(answerOf(visit)).toMatchObject({ error: 'invalid_request', state: parameters.state })
    })

    it('when it is sent twice, even alike', async () => {
      const visit = await browser.request(`${ask().path}&response_mode=form_post`)
      expect([visit.status, answerOf(visit).error]).toEqual([303, 'invalid_request'])
    })
  })

  it.each<[string, { ui_locales?: string }, string, string]>([
    ['the request asks for', { ui_locales: 'de' }, 'en', 'de'],
    ['the browser asks for', {}, 'de-CH', 'de'],
    ['everybody else reads', {}, 'sv', 'en'],
  ])('speaks the language that %s, also with an error', async (_who, changes, accepted, expected) => {
    const visitor = new TestBrowser(tessera.url)
    const headers = { 'accept-language': accepted }
    const error = await visitor.request(ask({ ...changes, prompt: 'none' }).path, { headers })
    expect(error.body).toContain(`<html lang="${expected}"`)
    const denied = await visitor.submitOnce(await visitor.open(ask(changes).path), { choice: 'cancel' })
    expect(denied.status).toBe(200)
    if (changes.ui_locales !== undefined) expect(denied.body).toContain(`<html lang="${expected}"`)
    const code = await browser.request(ask(changes).path, { headers })
    expect(posted(code)).toHaveProperty('code')
    expect(code.body).toContain(`<html lang="${expected}"`)
  })

  it('loads its script from an address that may be kept for ever', async () => {
    const script = await fetch(`${tessera.url}${formPostScriptPath}`)
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await script.text()).toBe(formPostScript)
  })
})
