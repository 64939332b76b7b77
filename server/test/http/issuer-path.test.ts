/** The issuer may have a path (decisions 37): all addresses lie below it, and what is beside it is not ours. */
import { request } from 'node:http'
import * as oidc from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { Administrator } from '../administration/support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, tokensFor } from '../harness/browser.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { launchChromium } from '../harness/chromium.ts'
import { signInOn, visit } from './console-page.ts'
import { newWindow } from './interface-page.ts'
import { freePort } from '../harness/process.ts'
import { refresh, userinfo, verified } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'

async function below(path: string): Promise<Tessera> {
  const port = String(await freePort())
  const settings = { TESSERA_PORT: port, TESSERA_ISSUER: `http://localhost:${port}${path}` }
  return await startTessera('sqlite', { settings, content: 'administered' })
}

describe('an issuer with a path', () => {
  const tessera = duringTests(() => below('/auth'))
  const at = async (path: string, init: RequestInit = {}) =>
    await fetch(`${new URL(tessera.url).origin}${path}`, { redirect: 'manual', ...init })

  it('is told at its own address, and where RFC 8414 puts it', async () => {
    const paths = [
      '/auth/.well-known/openid-configuration',
      '/auth/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration/auth',
      '/.well-known/oauth-authorization-server/auth',
    ]
    const documents = await Promise.all(paths.map(async (path) => await (await at(path)).text()))
    expect(new Set(documents).size).toBe(1)
    const document = JSON.parse(documents[0] ?? '') as Record<string, unknown>
    expect(document.issuer).toBe(tessera.url)
    const addresses = Object.entries(document).filter(([name]) => /_(endpoint|uri|documentation)$/.test(name))
    expect(addresses.length).toBeGreaterThan(8)
    for (const [, address] of addresses) expect(address).toMatch(new RegExp(`^${tessera.url}/`))
  })

  it.each([
    '/',
    '/oauth2/jwks',
    '/.well-known/openid-configuration',
    '/authority/oauth2/jwks',
    '/Auth/oauth2/jwks',
    '/%61uth/oauth2/jwks',
    '/auth/../oauth2/jwks',
    '/auth/%2e%2e/oauth2/jwks',
    '/auth//oauth2/jwks',
    '/auth/auth/oauth2/jwks',
    '//auth/oauth2/jwks',
    '/.well-known/openid-configuration/auth/',
    '/.well-known/openid-configuration/other',
    '/beside-the-issuer',
  ])('is not what is asked beside it: %s', async (path) => {
    const { port } = new URL(tessera.url)
    // Not by fetch, which would make another path of it.
    const status = new Promise((resolve) => {
      request({ port, host: 'localhost', path }, (answer) => resolve(answer.resume().statusCode)).end()
    })
    expect(await status).toBe(404)
  })

  it('answers probes of the host itself', async () => {
    expect((await at('/health/ready')).status).toBe(200)
    expect((await at('/auth/health/live')).status).toBe(200)
    expect((await at('/.well-known/change-password')).headers.get('location')).toBe('/auth/account/sign-in')
  })

  it('signs people in, by pages whose every address lies below it', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await signIn(browser, authorizeRequest().path, people.both)
    expect(page.url).toMatch(`${tessera.url}/choose-profile?`)
    for (const [, address] of page.body.matchAll(/ (?:href|src|action)="([^"]*)"/g))
      expect(address).toMatch(/^(\/auth\/|data:|https:)/)
    for (const path of [
      '/',
      '/account',
      '/account/sessions',
      '/account/profiles',
      '/device',
      '/console',
      '/api/doc',
    ]) {
      const visit = await browser.open(path)
      expect([path, visit.status, visit.url.startsWith(tessera.url)]).toEqual([path, 200, true])
    }
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).not.toContain("script-src 'self'")
  })

  it('gives scripts and styles below it, and its policy names the path', async () => {
    const page = await new TestBrowser(tessera.url).open(authorizeRequest().path)
    expect(page.headers.get('content-security-policy')).toContain(`script-src ${tessera.url}/;`)
    const assets = [...page.body.matchAll(/ (?:href|src)="(\/auth\/assets\/[^"]*)"/g)]
    expect(assets.length).toBeGreaterThan(1)
    for (const [, path = ''] of assets) expect((await at(path)).status).toBe(200)
  })

  it('works with a client that others wrote, to userinfo, refresh and logout', async () => {
    const config = await oidc.discovery(new URL(tessera.url), 'submissions-web', undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    })
    expect(config.serverMetadata().issuer).toBe(tessera.url)
    const tokens = await tokensFor(tessera.url, people.importer)
    await verified(tessera, tokens.access_token, 'at+jwt')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
    expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
  })

  it('answers administrators with addresses below it', async () => {
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/organisations', { code: 'initech', name: 'Initech' })
    expect(made.headers.get('location')).toMatch(/^\/auth\/admin\/v1\/organisations\//)
    expect((await at(made.headers.get('location') ?? '')).status).toBe(401)
  })

  it('shows the console, whose files and sign-in lie below it', async () => {
    const page = await (await at('/auth/console')).text()
    expect(page).toContain('data-path="/auth"')
    const files = [...page.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, file = '']) => file)
    expect(files.length).toBeGreaterThan(2)
    for (const file of files) expect([file, (await at(file)).status]).toEqual([file, 200])
    expect((await at('/auth/console')).headers.get('content-security-policy')).toContain(
      `script-src ${tessera.url}/console/assets/`,
    )
  })

  it('has a console that signs in, looks and signs out there, in a browser', async () => {
    const browser = await launchChromium()
    try {
      const { page, complaints } = await newWindow(browser, {})
      await page.goto(`${tessera.url}/console/people`)
      await signInOn(page, people.admin)
      await page.getByText(people.importer.email).first().waitFor()
      expect(page.url()).toBe(`${tessera.url}/console/people`)
      await visit(page, '/applications/submissions-web', 'Redirect addresses')
      await page.getByText(tessera.url, { exact: true }).first().waitFor()
      await page.reload()
      await page.getByText('Redirect addresses').first().waitFor()
      await page.getByRole('link', { name: 'People' }).first().click()
      await page.getByText(people.importer.email).first().waitFor()
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
    }
  })

  describe('sets cookies', () => {
    it('for its path, and the secret of the browser for the host', async () => {
      const browser = new TestBrowser(tessera.url)
      const visit = await signIn(browser, authorizeRequest().path, people.importer)
      expect(answerOf(visit).code).toBeDefined()
      expect([...browser.cookies.keys()].sort()).toEqual([
        'tessera-auth-device',
        'tessera-auth-session',
        'tessera-browser',
      ])
    })

    const session = 'tessera-auth-session'
    async function signedIn() {
      const browser = new TestBrowser(tessera.url)
      await signIn(browser, authorizeRequest().path, people.importer)
      return browser
    }
    const silent = async (browser: TestBrowser) =>
      answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error ?? 'in'

    it('that count beside the secret that they were set with alone', async () => {
      const [one, other] = [await signedIn(), await signedIn()]
      expect(await silent(one)).toBe('in')
      const secret = one.cookies.get('tessera-browser') ?? ''
      one.cookies.set('tessera-browser', other.cookies.get('tessera-browser') ?? '')
      expect(await silent(one)).toBe('login_required')
      one.cookies.set('tessera-browser', secret)
      const kept = one.cookies.get(session) ?? ''
      for (const wrong of [kept.split('.')[0] ?? '', `${kept}x`, `${kept.split('.')[0]}.`, `x${kept}`]) {
        one.cookies.set(session, wrong)
        expect(await silent(one)).toBe('login_required')
      }
      one.cookies.set(session, kept)
      expect(await silent(one)).toBe('in')
      one.cookies.delete('tessera-browser')
      expect(await silent(one)).toBe('login_required')
    })

    it('and none that comes twice', async () => {
      const browser = await signedIn()
      const { port } = new URL(tessera.url)
      const twice = `${browser.cookieHeader()}; tessera-${port}-auth-session=${'x'.repeat(43)}`
      const asked = { headers: { cookie: twice } }
      const visit = await browser.request(authorizeRequest({ prompt: 'none' }).path, asked)
      expect(answerOf(visit).error).toBe('login_required')
    })
  })
})

describe('two installations, one below the other', () => {
  it('keep their people apart in one browser', async () => {
    // Cookies know no port: to a browser both are on one host.
    const [outer, inner] = [await below('/auth'), await below('/auth/test')]
    try {
      const jar = new TestBrowser(outer.url)
      await signIn(jar, authorizeRequest().path, people.importer)
      const second = new TestBrowser(inner.url)
      const port = (url: string) => new URL(url).port
      for (const [name, value] of jar.cookies) second.cookies.set(name, value)
      expect(port(outer.url)).not.toBe(port(inner.url))
      const silent = answerOf(await second.open(authorizeRequest({ prompt: 'none' }).path))
      expect(silent.error).toBe('login_required')
      await signIn(second, authorizeRequest().path, people.both)
      expect([...second.cookies.keys()].sort()).toContain('tessera-auth-test-session')
      expect(answerOf(await jar.open(authorizeRequest({ prompt: 'none' }).path)).code).toBeDefined()
    } finally {
      await Promise.all([outer.close(), inner.close()])
    }
  })
})

describe('an issuer on https with a path', () => {
  const tessera = duringTests(() =>
    startTessera('sqlite', { settings: { TESSERA_ISSUER: 'https://example.com/auth' } }),
  )
  let cookies: string[] = []
  beforeAll(async () => {
    const { path } = authorizeRequest()
    const answer = await fetch(`${tessera.listening}/auth${path}`, { redirect: 'manual' })
    cookies = answer.headers.getSetCookie()
    expect(answer.headers.get('location')).toMatch(/^\/auth\/sign-in\?/)
  })

  it('keeps the secret of the browser with the host, which no other path can set', () => {
    expect(cookies.join()).toMatch(
      /^__Host-tessera-browser=[\w-]{43}; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
  })
})

describe('an issuer', () => {
  const issuer = (text: string) => () =>
    testSettings({ TESSERA_ISSUER: text, TESSERA_DATABASE_URL: 'sqlite::memory:' })

  it.each(['https://example.com', 'https://example.com/auth', 'https://example.com/realms/acme_1.x~y'])(
    'may be %s',
    (text) => expect(issuer(text)().issuer).toBe(text),
  )

  it.each([
    'https://example.com/',
    'https://example.com/auth/',
    'https://example.com/auth?x=1',
    'https://example.com/auth#x',
    'https://example.com//auth',
    'https://example.com/auth/../x',
    'https://example.com/auth/./x',
    'https://example.com/%61uth',
    'https://example.com/a b',
    'https://example.com/a;b',
    'https://EXAMPLE.com/auth',
    'https://user@example.com/auth',
    'http://example.com/auth',
    'http://[::1]:8080/auth',
  ])('is refused: %s', (text) => expect(issuer(text)).toThrow('TESSERA_ISSUER'))
})
