import { expect, it } from 'vitest'
import { authorizeRequest, redirectUri, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

/** Stage one (decisions 2): the client, then the redirect_uri. What is wrong there is shown, never redirected. */
onOneDatabase('the client and redirect_uri of an authorization request', (dialect) => {
  const tessera = tesseraOn(dialect)

  const get = (path: string) => new TestBrowser(tessera.url).request(path)
  const ask = (changes: Record<string, string | undefined>) => get(authorizeRequest(changes).path)

  function expectPage(visit: Visit, code: string): void {
    expect([visit.status, visit.location]).toEqual([400, undefined])
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(visit.headers.get('cache-control')).toBe('no-store')
    expect(visit.body).toContain(`<code>${code}</code>`)
    expect(visit.body).toContain(visit.headers.get('x-request-id'))
    expect(visit.headers.getSetCookie()).toEqual([])
  }

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is unknown', 'nobody'],
    ['differs in case', 'Submissions-Web'],
    ['has a space behind it', 'submissions-web '],
    ['has a NUL in front of it', '\0submissions-web'],
    ['is inactive', 'retired-app'],
    ['is a property of every object', '__proto__'],
    ['is SQL', "submissions-web' or '1'='1"],
  ])('answers invalid_client on a page when the client_id %s', async (_what, clientId) => {
    const code = clientId?.includes('\0') ? 'invalid_request' : 'invalid_client'
    expectPage(await ask({ client_id: clientId }), code)
  })

  it('speaks the language that was asked for, and of several the browser’s', async () => {
    expect((await ask({ client_id: 'nobody', ui_locales: 'de' })).body).toContain('<html lang="de"')
    expect((await ask({ redirect_uri: 'https://evil.example/', ui_locales: 'sv de-AT' })).body).toContain(
      '<html lang="de"',
    )
    const { path } = authorizeRequest({ client_id: 'nobody', ui_locales: 'en' })
    expect((await get(`${path}&ui_locales=de`)).body).toContain('<html lang="en"')
  })

  it('answers invalid_client for an inactive client with its own redirect_uri', async () => {
    const retired = { client_id: 'retired-app', redirect_uri: 'https://retired.example/callback' }
    expectPage(await ask({ ...retired, scope: 'openid' }), 'invalid_client')
  })

  it('names the client first when both it and the redirect_uri are wrong', async () => {
    expectPage(await ask({ client_id: 'nobody', redirect_uri: 'https://evil.example/' }), 'invalid_client')
  })

  it('shows a machine client that it has no redirect_uri', async () => {
    expectPage(await ask({ client_id: 'nightly-import' }), 'invalid_redirect_uri')
  })

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['another client’s', 'https://partner.example/callback?tenant=1'],
    ['in other case', 'http://127.0.0.1:4001/Callback'],
    ['with an upper-case scheme', 'HTTP://127.0.0.1:4001/callback'],
    ['with a trailing slash', `${redirectUri}/`],
    ['without the path', 'http://127.0.0.1:4001'],
    ['deeper than the path', `${redirectUri}/more`],
    ['with a path that climbs', 'http://127.0.0.1:4001/x/../callback'],
    ['on another port', 'http://127.0.0.1:4002/callback'],
    ['without the port', 'http://127.0.0.1/callback'],
    ['with a port that is only longer', 'http://127.0.0.1:40010/callback'],
    ['over https', 'https://127.0.0.1:4001/callback'],
    ['with a query', `${redirectUri}?x=1`],
    ['with an empty query', `${redirectUri}?`],
    ['with a fragment', `${redirectUri}#x`],
    ['with an empty fragment', `${redirectUri}#`],
    ['with an encoded letter', 'http://127.0.0.1:4001/%63allback'],
    ['encoded twice', encodeURIComponent(redirectUri)],
    ['with userinfo', 'http://evil@127.0.0.1:4001/callback'],
    ['as userinfo of another host', 'http://127.0.0.1:4001@evil.example/callback'],
    ['on a host that begins the same', 'http://127.0.0.1.evil.example:4001/callback'],
    ['with the address spelled otherwise', 'http://127.1:4001/callback'],
    ['with the address as a number', 'http://2130706433:4001/callback'],
    ['on the IPv6 loopback', 'http://[::1]:4001/callback'],
    ['on a host in other case', 'http://LOCALHOST:4001/callback'],
    ['on a host with a dot behind it', 'http://localhost.:4001/callback'],
    ['with a backslash', 'http://127.0.0.1:4001\\callback'],
    ['with a space in front of it', ` ${redirectUri}`],
    ['with a newline behind it', `${redirectUri}\n`],
    ['relative', '/callback'],
    ['without a scheme', '//127.0.0.1:4001/callback'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['as the only entry of a list', `["${redirectUri}"]`],
  ])('never redirects to one that is %s', async (_what, uri) => {
    expectPage(await ask({ redirect_uri: uri }), 'invalid_redirect_uri')
  })

  it.each([
    ['without its query', 'https://partner.example/callback'],
    ['with more in its query', 'https://partner.example/callback?tenant=1&x=2'],
    ['with another value in its query', 'https://partner.example/callback?tenant=2'],
    ['with its query encoded', 'https://partner.example/callback%3Ftenant=1'],
    ['with its default port written out', 'https://partner.example:443/callback?tenant=1'],
    ['on a subdomain', 'https://x.partner.example/callback?tenant=1'],
    ['over http', 'http://partner.example/callback?tenant=1'],
  ])('never redirects to one with a query that is %s', async (_what, uri) => {
    const visit = await ask({ client_id: 'partner-portal', redirect_uri: uri, scope: 'openid' })
    expectPage(visit, 'invalid_redirect_uri')
  })

  it.each([
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
  ])(
    'says on a page that %s is not supported, where only that may hold the client or address',
    async (name, code) => {
      const object = { [name]: 'https://rp.example/request.jwt' }
      expectPage(await ask({ ...object, client_id: undefined }), code)
      expectPage(await ask({ ...object, redirect_uri: undefined }), code)
      expectPage(
        await ask({ ...object, client_id: undefined, redirect_uri: undefined, state: undefined }),
        code,
      )
      const { query } = authorizeRequest({ ...object, redirect_uri: '' })
      const posted = new TestBrowser(tessera.url).request('/oauth2/authorize', { form: query })
      expectPage(await posted, code)
      expect((await posted).body).toContain('This kind of request is not supported')
      expect((await ask({ ...object, client_id: undefined, ui_locales: 'de' })).body).toContain(
        'Diese Art von',
      )
      // What is there and wrong is told as ever.
      expectPage(await ask({ ...object, client_id: 'nobody', redirect_uri: undefined }), 'invalid_client')
      expectPage(
        await ask({ ...object, client_id: 'retired-app', redirect_uri: undefined }),
        'invalid_client',
      )
      expectPage(await ask({ ...object, redirect_uri: 'https://evil.example/' }), 'invalid_redirect_uri')
      expectPage(await ask({ [name]: '', redirect_uri: undefined }), 'invalid_redirect_uri')
    },
  )

  it('misses the redirect_uri beside registration, which holds no parameters', async () => {
    expectPage(await ask({ registration: '{}', redirect_uri: undefined }), 'invalid_redirect_uri')
  })

  it('takes each registered address of this machine as itself', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const visit = await ask({ redirect_uri: `http://${host}:4001/callback` })
      expect([visit.status, new URL(visit.location ?? '').pathname]).toEqual([303, '/sign-in'])
    }
  })

  it.each(['client_id', 'redirect_uri'])('refuses a repeated %s on a page', async (name) => {
    const { query, parameters } = authorizeRequest()
    query.append(name, parameters[name] ?? '')
    expectPage(await get(`/oauth2/authorize?${query}`), 'invalid_request')
  })

  it.each([
    ['client_id', 'invalid_client'],
    ['redirect_uri', 'invalid_redirect_uri'],
  ])('does not read %s[] or another spelling as %s', async (name, code) => {
    for (const spelling of [`${name}[]`, `${name}[0]`, name.toUpperCase(), `${name}.x`, ` ${name}`]) {
      const { parameters } = authorizeRequest()
      const changes = { [name]: undefined, [spelling]: parameters[name] }
      expectPage(await ask(changes), code)
    }
  })

  it.each(['client_id', 'redirect_uri'])('refuses an oversized %s on a page', async (name) => {
    expectPage(await ask({ [name]: 'x'.repeat(5000) }), 'invalid_request')
  })

  it('refuses more parameters than any request has on a page', async () => {
    const { query } = authorizeRequest()
    for (let n = 0; n < 120; n++) query.append(`x${n}`, '1')
    expectPage(await get(`/oauth2/authorize?${query}`), 'invalid_request')
  })

  it('answers JSON to a caller that does not take HTML', async () => {
    for (const accept of ['application/json', 'application/json, text/plain', 'image/*']) {
      const response = await fetch(`${tessera.url}/oauth2/authorize?client_id=nobody`, {
        headers: { accept },
        redirect: 'manual',
      })
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
      const body = (await response.json()) as Record<string, unknown>
      expect(Object.keys(body)).toEqual(['error', 'error_description'])
      expect(body.error).toBe('invalid_client')
    }
    const { path } = authorizeRequest({ redirect_uri: 'https://evil.example/' })
    const response = await fetch(tessera.url + path, { headers: { accept: 'application/json' } })
    expect(await response.json()).toMatchObject({ error: 'invalid_redirect_uri' })
  })

  it('escapes nothing of the request into the page: it shows none of it', async () => {
    const visit = await ask({ client_id: '<script>alert(1)</script>', redirect_uri: '"><script>x</script>' })
    expectPage(visit, 'invalid_client')
    expect(visit.body).not.toMatch(/<script(?! src="\/assets\/controls-)|alert\(1\)/)
  })

  it('takes GET and POST, and names them for another method', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(tessera.url + authorizeRequest().path, { method, redirect: 'manual' })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toMatch(/^GET, (HEAD, )?POST$/)
    }
  })

  it('gives no other origin a right to read the answer', async () => {
    const headers = { origin: 'http://127.0.0.1:4001' }
    const visit = await new TestBrowser(tessera.url).request(authorizeRequest().path, { headers })
    expect(visit.headers.get('access-control-allow-origin')).toBeNull()
    expect(visit.headers.get('access-control-allow-credentials')).toBeNull()
  })
})
