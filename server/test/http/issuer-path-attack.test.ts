/** What attackers, and bad luck, make of an issuer with a path (decisions 37). */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Administrator } from '../administration/support.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { PictureServer } from '../harness/picture-server.ts'
import { freePort } from '../harness/process.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for pictures that are to be fetched.
shortenTimers({ 2000: 100 })

async function below(path: string, more: Record<string, string> = {}): Promise<Tessera> {
  const port = String(await freePort('localhost'))
  const settings = { TESSERA_PORT: port, TESSERA_ISSUER: `http://localhost:${port}${path}`, ...more }
  return await startTessera('sqlite', { settings, content: 'administered' })
}

/** The addresses of ours in a page that do not lie below the path, or lie below it twice. */
const strays = (page: string): string[] =>
  [...page.matchAll(/\s(?:href|src|srcset|action|formaction|data-passkeys)="(\/[^"]*)"/g)]
    .map(([, address = '']) => address)
    .filter((address) => !address.startsWith('/auth/') || address.startsWith('/auth/auth'))

const silent = async (browser: TestBrowser): Promise<string> =>
  answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error ?? 'in'

async function signedIn({ url }: Tessera): Promise<TestBrowser> {
  const browser = new TestBrowser(url)
  await signIn(browser, authorizeRequest().path, people.importer)
  expect(await silent(browser)).toBe('in')
  return browser
}

interface Bytes {
  method?: string
  headers?: string[]
  body?: string
}

/** What comes for a request that fetch would not send as it is. */
async function raw(issuer: string, target: string, { method = 'GET', headers = [], body = '' }: Bytes = {}) {
  const { port } = new URL(issuer)
  return await new Promise<string>((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), 'localhost', () => {
      const head = [
        `${method} ${target} HTTP/1.1`,
        `Host: localhost:${port}`,
        'Connection: close',
        ...headers,
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    })
    socket.on('data', (part) => (answer += String(part)))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

describe('the cookies of an issuer with a path', () => {
  const tessera = duringTests(() => below('/auth'))

  it('last as long as the secret that they count beside, when the browser is closed', async () => {
    const begun = await fetch(`${tessera.url}${authorizeRequest().path}`, { redirect: 'manual' })
    const secret = begun.headers.getSetCookie().find((one) => one.includes('-browser=')) ?? ''
    const browser = await signedIn(tessera)
    // Closed: what has no age is gone. The session has one, of days, and the trust in a device one of months.
    if (!/max-age|expires/i.test(secret)) browser.cookies.delete('tessera-browser')
    expect(await silent(browser)).toBe('in')
  })

  it.each(['/device', '/sign-in/forgotten', '/account/not-me'])(
    'outlive a form of another site, which brings none: %s',
    async (path) => {
      const browser = await signedIn(tessera)
      const before = new Map(browser.cookies)
      // SameSite=Lax: none is sent with it, and those of the answer are kept, as it is a navigation.
      browser.cookies.clear()
      await browser.request(path, { form: { x: 'y' }, headers: { 'sec-fetch-site': 'cross-site' } })
      for (const [name, value] of before) if (!browser.cookies.has(name)) browser.cookies.set(name, value)
      expect(await silent(browser)).toBe('in')
    },
  )

  it('are none when they are empty', async () => {
    const browser = new TestBrowser(tessera.url)
    // Set by a sibling of the host, for its domain and this path.
    browser.cookies.set('tessera-auth-device', '')
    await signIn(browser, authorizeRequest().path, people.importer)
    expect(browser.cookies.get('tessera-auth-device')).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
  })

  it('let no stranger be the known browser of somebody, by an empty one', async () => {
    const victim = new TestBrowser(tessera.url)
    victim.cookies.set('tessera-auth-device', '')
    await signIn(victim, authorizeRequest().path, people.both)
    const wrong = { ...people.both, password: 'wrong horse battery' }
    // The limit of the account is reached by somebody else.
    const tries = async (cookie: boolean): Promise<Visit> => {
      const stranger = new TestBrowser(tessera.url)
      if (cookie) stranger.cookies.set('tessera-auth-device', '')
      return await signIn(stranger, authorizeRequest().path, wrong)
    }
    let last = await tries(false)
    for (let count = 0; count < 40 && last.status !== 429; count++) last = await tries(false)
    expect(last.status).toBe(429)
    // Who knows nothing must not get the further attempts of the person's own browser.
    expect((await tries(true)).status).toBe(429)
  })
})

describe('the pages of an issuer with a path', () => {
  const server = new PictureServer()
  beforeAll(() => server.listen())
  afterAll(() => server.close())
  const tessera = duringTests(() => below('/auth', { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' }))

  it.each([
    ['can’t be decoded', '/auth/%zz'],
    ['has a part that is too long', `/auth/pictures/${'a'.repeat(3000)}`],
  ])('lie below it where the address %s', async (_, path) => {
    const page = await raw(tessera.url, path, { headers: ['Accept: text/html'] })
    expect(page).toContain('<html')
    expect(strays(page)).toEqual([])
    expect(page).not.toContain("script-src 'self'")
  })

  it('lie below it where the body is not read', async () => {
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const page = await raw(tessera.url, '/auth/device', {
      method: 'POST',
      headers: ['Accept: text/html', type, 'Content-Length: 200000'],
      body: `a=${'b'.repeat(199_998)}`,
    })
    expect(page).toMatch(/^HTTP\/1.1 413 /)
    expect(page).toContain('<html')
    expect(strays(page)).toEqual([])
  })

  it('show the logo for dark screens from below it', async () => {
    const all = await Administrator.machine(tessera.url)
    const branding = {
      name: 'Acme',
      logo: server.address('/logo.png'),
      logo_dark: server.address('/dark.png'),
    }
    expect((await all.ask('PUT', '/branding', { body: branding, match: '*' })).status).toBe(200)
    const page = await vi.waitFor(
      async () => {
        const { body } = await new TestBrowser(tessera.url).open('/')
        return body.includes('srcset=') ? body : expect.fail('It is not there yet.')
      },
      { timeout: 20_000, interval: 250 },
    )
    expect(strays(page)).toEqual([])
  })

  it('say addresses as they are, where they are text', async () => {
    const page = await new TestBrowser(tessera.url).open('/')
    expect(page.body).not.toContain('>/.well-known/openid-configuration<')
  })
})

describe('the interface description of an issuer with a path, served elsewhere', () => {
  const tessera = duringTests(() => below('/auth', { TESSERA_DOCS_URL: 'https://docs.example/tessera' }))

  it('may run its scripts, which come from there', async () => {
    const answer = await fetch(`${tessera.url}/api/doc`, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('content-security-policy')).toMatch(
      /script-src ('self'|https:\/\/docs\.example)/,
    )
  })
})
