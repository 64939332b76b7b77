import { get } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, post, redirectUri, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'

const issuer = 'https://id.example.test'
const hostile = {
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '81',
  'x-forwarded-prefix': '/evil',
  'x-forwarded-for': '203.0.113.9',
  'x-original-url': '/evil',
  'x-rewrite-url': '/evil',
  forwarded: 'for=203.0.113.9;host=evil.example;proto=http',
}

/** Behind a proxy that ends TLS: the issuer is https, the port is spoken to by http. */
onOneDatabase('the browser side of an https issuer', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: { TESSERA_MODE: 'production', TESSERA_ISSUER: issuer },
    })
  })
  afterAll(() => tessera.close())

  const browser = (headers: Record<string, string> = {}) => {
    const one = new TestBrowser(tessera.listening)
    Object.assign(one.headers, headers)
    return one
  }

  it('sets every cookie as __Host- and Secure', async () => {
    const own = browser()
    const begun = await own.request(authorizeRequest().path)
    const done = await own.submitOnce(await own.follow(begun), people.importer)
    const cookies = [...begun.headers.getSetCookie(), ...done.headers.getSetCookie()]
    expect(cookies.map((one) => one.split('=')[0]).sort()).toEqual([
      '__Host-tessera-browser',
      '__Host-tessera-device',
      '__Host-tessera-session',
    ])
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      expect(cookie).not.toMatch(/domain=/i)
    }
    expect(answerOf(await own.follow(done))).toMatchObject({ iss: issuer, code: expect.any(String) })
  })

  it('does not read the cookies of http, which any other host could have set', async () => {
    const own = browser()
    await own.submit(await own.open(authorizeRequest().path), people.importer)
    const planted = browser()
    for (const [name, value] of own.cookies) planted.cookies.set(name.replace('__Host-', ''), value)
    const visit = await planted.open(authorizeRequest({ prompt: 'none' }).path)
    expect(answerOf(visit).error).toBe('login_required')
  })

  it('tells browsers to come by https alone', async () => {
    const visit = await browser().open(authorizeRequest().path)
    expect(visit.headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/)
  })

  it('clears the session’s cookie with the attributes it was set with', async () => {
    const own = browser()
    await own.submit(await own.open(authorizeRequest().path), people.importer)
    expect(own.cookies.has('__Host-tessera-session')).toBe(true)
    const page = await own.open('/oauth2/logout')
    const visit = await own.submit(page)
    expect(visit.headers.getSetCookie()).toEqual([
      '__Host-tessera-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ])
    expect(own.cookies.has('__Host-tessera-session')).toBe(false)
  })

  it('is not changed by forwarded headers: no redirect, cookie or link', async () => {
    const own = browser(hostile)
    const { path, parameters } = authorizeRequest()
    const begun = await own.request(path)
    expect(begun.headers.get('location')).toMatch(/^\/sign-in\?request=[0-9a-f]{32}$/)
    expect(begun.headers.getSetCookie().join()).toMatch(
      /^__Host-tessera-browser=[^;]+; Path=\/; HttpOnly; Secure/,
    )
    const page = await own.follow(begun)
    expect(page.body).not.toMatch(/evil|203\.0\.113\.9/)
    const answer = await own.submit(page, people.importer)
    const { code, ...rest } = answerOf(answer)
    expect(answer.location?.startsWith(redirectUri)).toBe(true)
    expect([code !== undefined, rest]).toEqual([true, { state: parameters.state, iss: issuer }])
  })

  it.each(['evil.example', 'id.example.test.evil.example', 'localhost:1', 'evil.example/x', '"><script>'])(
    'is not changed by the Host %s',
    async (host) => {
      const begun = await withHost(authorizeRequest().path, host)
      if (begun.status === 303) expect(begun.location).toMatch(/^\/sign-in\?request=[0-9a-f]{32}$/)
      else expect([begun.status, begun.location]).toEqual([400, undefined])
      const refused = await withHost(authorizeRequest({ scope: 'email' }).path, host)
      expect(refused.location ?? '').not.toContain('evil')
      const document = await withHost('/.well-known/openid-configuration', host)
      expect(document.body).not.toMatch(/evil|localhost|script/)
    },
  )

  /** `fetch` sends no Host but the address's own. */
  function withHost(path: string, host: string) {
    return new Promise<{ status: number | undefined; location: string | undefined; body: string }>(
      (done, failed) => {
        const headers = { host, accept: 'text/html' }
        get(tessera.listening + path, { headers, agent: false }, async (response) => {
          let body = ''
          for await (const chunk of response) body += String(chunk)
          done({ status: response.statusCode, location: response.headers.location, body })
        }).on('error', failed)
      },
    )
  }

  it('answers documents and tokens under its issuer, whatever is forwarded', async () => {
    const visit = await browser(hostile).request('/.well-known/openid-configuration')
    const document = JSON.parse(visit.body) as Record<string, string>
    expect(document.issuer).toBe(issuer)
    expect(document.authorization_endpoint).toBe(`${issuer}/oauth2/authorize`)
    expect(visit.body).not.toContain('evil')
    const { json } = await post(
      `${tessera.listening}/oauth2/token`,
      {
        grant_type: 'client_credentials',
        client_id: 'nightly-import',
        client_secret: 'nightly-import-development-secret',
      },
      hostile,
    )
    const [, payload = ''] = String(json.access_token).split('.')
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ iss: issuer })
  })

  it('sends the browser to no other host by an address that begins with two slashes', async () => {
    for (const path of [
      '//evil.example/oauth2/authorize',
      '/\\evil.example',
      '/oauth2/authorize/..//evil.example',
    ]) {
      const visit = await browser().request(`${tessera.listening}${path}`)
      expect(visit.location).toBeUndefined()
      expect(visit.status).toBeGreaterThanOrEqual(400)
    }
  })
})
