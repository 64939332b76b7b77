import { expect, it } from 'vitest'
import { answerOf, authorizeRequest, redirectUri, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

/** Stage two (interface §7, decisions 2): every later error goes to the redirect_uri. */
onOneDatabase('the other parameters of an authorization request', (dialect) => {
  const tessera = tesseraOn(dialect)

  const get = (path: string) => new TestBrowser(tessera.url).request(path)

  /** RFC 6749 §4.1.2.1: the error_description is printable ASCII without quote and backslash. */
  function expectError(visit: Visit, code: string, state: string | undefined, to = redirectUri): void {
    expect(visit.status).toBe(303)
    expect(visit.location?.startsWith(to)).toBe(true)
    const { error_description: description, ...answer } = answerOf(visit)
    expect(answer).toEqual({ error: code, ...(state !== undefined && { state }), iss: tessera.url })
    expect(description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]{10,300}$/)
    expect(visit.headers.get('cache-control')).toBe('no-store')
    expect(visit.body).toBe('')
  }

  async function expectRefused(code: string, changes: Record<string, string | undefined>) {
    const { path, parameters } = authorizeRequest(changes)
    const visit = await get(path)
    expectError(visit, code, parameters.state)
    expect(visit.headers.getSetCookie()).toEqual([])
  }

  for (const name of ['nonce', 'code_challenge', 'code_challenge_method', 'response_type']) {
    it.each([
      ['missing', undefined],
      ['empty', ''],
    ])(`answers invalid_request when the ${name} is %s`, async (_what, value) => {
      await expectRefused('invalid_request', { [name]: value })
    })
  }

  it.each([
    ['missing', undefined],
    ['empty', ''],
  ])('answers invalid_request without a state when the state is %s', async (_what, state) => {
    const visit = await get(authorizeRequest({ state }).path)
    expectError(visit, 'invalid_request', undefined)
  })

  it('answers invalid_request without a state when it is repeated, and with it when it is wrong in itself', async () => {
    const { path } = authorizeRequest({ state: 'one' })
    expectError(await get(`${path}&state=two`), 'invalid_request', undefined)
    for (const state of ['x'.repeat(8193), 'a\0b', 'a\uFFFDb']) {
      expectError(await get(authorizeRequest({ state }).path), 'invalid_request', state)
    }
  })

  it('answers invalid_request when the nonce could not be given back as it was sent', async () => {
    await expectRefused('invalid_request', { nonce: 'a\uFFFDb' })
  })

  it.each([
    'response_type',
    'scope',
    'nonce',
    'code_challenge',
    'code_challenge_method',
    'prompt',
    'max_age',
    'login_hint',
    'id_token_hint',
    'ui_locales',
    'resource',
    'profile_uuid',
    'response_mode',
  ])('answers invalid_request when the %s is repeated, alike or not', async (name) => {
    const { path, parameters } = authorizeRequest()
    const first = parameters[name] === undefined ? `&${name}=a` : ''
    for (const second of [parameters[name] ?? 'a', 'other']) {
      const visit = await get(`${path}${first}&${name}=${encodeURIComponent(second)}`)
      expectError(visit, 'invalid_request', parameters.state)
    }
  })

  it.each(['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', 'code ', 'code code'])(
    'answers unsupported_response_type for %s',
    async (responseType) => {
      await expectRefused('unsupported_response_type', { response_type: responseType })
    },
  )

  it.each(['fragment', 'FORM_POST', 'form_post.jwt', 'web_message', 'query.jwt'])(
    'refuses response_mode %s',
    async (mode) => {
      await expectRefused('invalid_request', { response_mode: mode })
    },
  )

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['without openid', 'email profile'],
    ['with openid in other case', 'OpenID'],
    ['of unknown words', 'openid admin'],
    ['separated by commas', 'openid,email'],
    ['separated by a tab', 'openid\temail'],
    ['of a property of every object', 'openid constructor'],
    ['with offline_access', 'openid offline_access'],
    ['with quotes', 'openid "email"'],
    ['with letters of another script', 'openid почта'],
    ['very long', `openid ${'x'.repeat(3000)}`],
  ])('answers invalid_scope when the scope is %s', async (_what, scope) => {
    await expectRefused('invalid_scope', { scope })
  })

  it.each(['service.api', 'email'])(
    'answers invalid_scope for %s, which this client has not',
    async (scope) => {
      const uri = 'https://partner.example/callback?tenant=1'
      const client = { client_id: 'partner-portal', redirect_uri: uri, scope: `openid ${scope}` }
      const { path, parameters } = authorizeRequest(client)
      const visit = await get(path)
      // The redirect_uri has a query of its own, which stays as it is.
      expect(visit.location?.startsWith(`${uri}&error=invalid_scope&`)).toBe(true)
      const { state } = parameters
      expect(answerOf(visit)).toMatchObject({ tenant: '1', error: 'invalid_scope', state, iss: tessera.url })
    },
  )

  it.each([
    ['short', 'x'.repeat(42)],
    ['long', 'x'.repeat(44)],
    ['padded', `${'x'.repeat(43)}=`],
    ['base64 and not base64url', `${'x'.repeat(42)}+`],
    ['of other letters', 'é'.repeat(43)],
    ['with a newline', `${'x'.repeat(43)}\n`],
    ['with a NUL', `${'x'.repeat(42)}\0`],
  ])('answers invalid_request when the code_challenge is %s', async (_what, challenge) => {
    await expectRefused('invalid_request', { code_challenge: challenge })
  })

  it.each(['plain', 's256', 'S512', 'S256 '])('answers invalid_request for the method %s', async (method) => {
    await expectRefused('invalid_request', { code_challenge_method: method })
  })

  const objects = [
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
    ['registration', 'registration_not_supported'],
  ] as const
  const hidden = [
    'state',
    'nonce',
    'scope',
    'response_type',
    'code_challenge',
    'code_challenge_method',
  ] as const
  const without = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]))

  it.each(objects)('answers that %s is not supported', async (name, code) => {
    await expectRefused(code, { [name]: 'https://rp.example/request.jwt' })
    // Empty is left out (RFC 6749 §3.1): the next thing that is wrong is told.
    await expectRefused('invalid_scope', { [name]: '', scope: 'email' })
  })

  it.each(objects)(
    'answers that %s is not supported before it misses what that may hold',
    async (name, code) => {
      for (const missing of hidden) await expectRefused(code, { [name]: 'x', ...without(missing) })
      await expectRefused(code, { [name]: 'x', ...without(...hidden) })
      await expectRefused(code, {
        [name]: 'x',
        response_type: 'token',
        scope: 'x',
        max_age: 'x',
        prompt: 'x',
      })
      const { query, parameters } = authorizeRequest({ [name]: 'x'.repeat(6000), ...without('nonce') })
      const visit = await new TestBrowser(tessera.url).request('/oauth2/authorize', { form: query })
      expectError(visit, code, parameters.state)
    },
  )

  it('names the first of several objects, and refuses what is repeated as such', async () => {
    await expectRefused('request_not_supported', { request: 'x', request_uri: 'urn:x', registration: '{}' })
    await expectRefused('request_uri_not_supported', { request_uri: 'urn:x', registration: '{}' })
    const { path, parameters } = authorizeRequest({ request: 'x' })
    expectError(await get(`${path}&request=y`), 'invalid_request', parameters.state)
  })

  it.each(['unknown', 'LOGIN', 'none login', 'none consent', 'login,consent', 'login x'])(
    'answers invalid_request for prompt=%s',
    async (prompt) => {
      await expectRefused('invalid_request', { prompt })
    },
  )

  it.each(['-1', '1.5', '1e3', ' 1', 'soon', '99999999999', '0x10', '١'])(
    'answers invalid_request for max_age=%s',
    async (maxAge) => {
      await expectRefused('invalid_request', { max_age: maxAge })
    },
  )

  it.each([
    'x',
    '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f020',
    '../x',
    "' or 1=1",
    '{0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201}',
  ])('answers invalid_request for profile_uuid=%s', async (profile) => {
    await expectRefused('invalid_request', { profile_uuid: profile })
  })

  it.each(['nonce', 'login_hint', 'ui_locales', 'prompt', 'scope'])(
    'answers invalid_request for an oversized %s',
    async (name) => {
      await expectRefused('invalid_request', { [name]: 'x'.repeat(5000) })
    },
  )

  it('answers prompt=none without a page or a cookie when nobody is signed in', async () => {
    await expectRefused('login_required', { prompt: 'none' })
  })

  it('answers an error as it answers GET when the form is posted', async () => {
    const { parameters, query } = authorizeRequest({ scope: 'email' })
    const visit = await new TestBrowser(tessera.url).request('/oauth2/authorize', { form: query })
    expectError(visit, 'invalid_scope', parameters.state)
  })

  it('keeps an odd state intact in an error', async () => {
    for (const state of [
      'a b+c',
      '&iss=https://evil.example',
      'ünï 🗝 "x" \\ \r\nSet-Cookie: a=b',
      '%2B%00',
    ]) {
      await expectRefused('invalid_scope', { scope: 'email', state })
    }
  })

  it('answers each error under the same issuer, whatever the Host says', async () => {
    const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example;proto=https' }
    const { path, parameters } = authorizeRequest({ scope: 'email' })
    const visit = await new TestBrowser(tessera.url).request(path, { headers })
    expectError(visit, 'invalid_scope', parameters.state)
  })
})
