/** Signing in at GET /api/doc to try what people may do, in a real browser. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, tesseraOn, type Tessera } from '../harness/harness.ts'
import { userinfo } from '../harness/program.ts'
import { newWindow, openInterface, patience } from './interface-page.ts'
import { overflow, spaceOut } from '../pages/page-fits.ts'

/** The operations that are tried out here. */
const tried = ['userinfo', 'listUsers']

/** On one database: what Swagger UI sends is the matter, and not what is stored. */
describe('signing in at the interface description', () => {
  let tessera: Tessera
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  /** The addresses that windows were sent to. */
  let visited: URL[]

  beforeAll(async () => {
    tessera = await startTessera('sqlite')
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await tessera?.close()
  })
  beforeEach(async () => {
    ;({ context, page, complaints } = await newWindow(browser))
    visited = []
    context.on('request', (request) => {
      if (request.isNavigationRequest()) visited.push(new URL(request.url()))
    })
  })
  afterEach(() => context?.close())

  const openDialog = async (only?: readonly string[]) => {
    await openInterface(page, tessera.url, only)
    await page.locator('.btn.authorize').first().click()
    return page.locator('.modal-ux')
  }
  /** The window of the sign-in. */
  const beginSignIn = async (clientId?: string): Promise<Page> => {
    const dialog = await openDialog(tried)
    const part = dialog.locator('.auth-container').filter({ hasText: 'signIn' })
    if (clientId !== undefined) await part.getByLabel('client_id').fill(clientId)
    const [window] = await Promise.all([
      context.waitForEvent('page'),
      part.getByRole('button', { name: /^Apply given OAuth2 credentials|^Authorize$/ }).click(),
    ])
    return window
  }
  const signIn = async (window: Page, { email, password }: { email: string; password: string }) => {
    await window.getByLabel('E-mail address').fill(email)
    await window.getByLabel('Password').fill(password)
    await Promise.all([
      window.waitForEvent('close'),
      window.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ])
    await page.locator('.modal-ux').getByText('Authorized').first().waitFor()
  }
  const tryOut = async (id: string) => {
    const operation = page.locator(`[id="operations-${id}"]`)
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.try-out__btn').click()
    await operation.locator('.execute').click()
    const answer = operation.locator('.live-responses-table')
    await answer.waitFor()
    return (await answer.textContent()) ?? ''
  }

  it('the dialog shows each way to authenticate, and fits a phone', async () => {
    const dialog = await openDialog()
    const ways = await dialog.locator('.auth-container h4').allTextContents()
    expect(ways.map((way) => /\w+/.exec(way)?.[0])).toEqual(['signIn', 'bearer', 'clientBasic'])
    // It opens at the first way.
    await expect.poll(() => page.evaluate('document.activeElement.id')).toMatch(/^client_id/)
    expect(await dialog.textContent()).not.toMatch(/unsupported|error/i)
    await page.setViewportSize({ width: 320, height: 800 })
    await spaceOut(page)
    expect(await overflow(page)).toBe(0)
    const box = await dialog.boundingBox()
    expect(
      [box?.x, (box?.x ?? 0) + (box?.width ?? 999)].map(
        (edge) => edge !== undefined && edge >= 0 && edge <= 320,
      ),
    ).toEqual([true, true])
    expect(complaints).toEqual([])
  })

  it('gets a token by code and PKCE, tries with it, and administers as far as the person may', async () => {
    await signIn(await beginSignIn(), people.admin)
    await page.locator('.modal-ux .btn-done').first().click()
    expect(await tryOut('Tokens-userinfo')).toContain(people.admin.email)
    const asked = visited.find(({ pathname }) => pathname === '/oauth2/authorize')?.searchParams
    expect(Object.fromEntries(asked ?? [])).toMatchObject({
      client_id: 'tessera:api-doc',
      code_challenge_method: 'S256',
      scope: 'openid email profile service.api',
      redirect_uri: `${tessera.url}/api/doc/oauth2-redirect`,
    })
    for (const name of ['state', 'nonce']) expect(asked?.get(name), name).toMatch(/^[\w-]{43}$/)
    expect(await tryOut('Administration-listUsers')).toContain('importer@acme.example')
    expect(complaints).toEqual([])
  })

  it('says what the service refused', async () => {
    const window = await beginSignIn()
    await window.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.modal-ux .errors').waitFor()
    expect(await page.locator('.modal-ux .errors').textContent()).toContain('access_denied')
    expect(complaints).toEqual([])
  })

  it('takes no code of another sign-in', async () => {
    const window = await beginSignIn()
    const stolen = `${tessera.url}/api/doc/oauth2-redirect?code=somebody-elses&state=guessed`
    const closed = window.waitForEvent('close')
    await window.evaluate(`location.href = ${JSON.stringify(stolen)}`)
    await closed
    expect(await page.locator('.modal-ux .errors').textContent()).toContain('belongs to another sign-in')
    expect(complaints).toEqual([])
    // Nor does the page where it ends let in a script, style or frame from elsewhere.
    const answer = await fetch(`${tessera.url}/api/doc/oauth2-redirect`)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('shows a client that is not registered for it the page of every other', async () => {
    const window = await beginSignIn('submissions-web')
    await window.getByRole('heading', { name: 'The return address is not registered' }).waitFor()
  })
})

onOneDatabase('the button to sign in there', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  it(
    'lets people try what they may, keeps the token in memory alone, and signs them out',
    async () => {
      const { context, page } = await newWindow(browser)
      const addresses: string[] = []
      context.on('request', (request) => addresses.push(request.url()))
      const violations: string[] = []
      context.on('console', (message) => {
        if (/Content Security Policy/.test(message.text())) violations.push(message.text())
      })
      await openInterface(page, tessera.url, tried)
      const signIn = async (person: { email: string; password: string }) => {
        const button = page.getByRole('button', { name: 'Sign in to try' })
        const [window] = await Promise.all([context.waitForEvent('page'), button.click()])
        await window.getByLabel('E-mail address').fill(person.email)
        await window.getByLabel('Password').first().fill(person.password)
        const token = page.waitForResponse(`${tessera.url}/oauth2/token`)
        await window.getByRole('button', { name: 'Sign in', exact: true }).click()
        const { access_token } = (await (await token).json()) as { access_token: string }
        await page.getByRole('button', { name: 'Sign out' }).waitFor()
        return access_token
      }
      const listed = async () => {
        const operation = page.locator('[id="operations-Administration-listUsers"]')
        await operation.locator('.opblock-summary-control').click()
        await operation.locator('.try-out__btn').click()
        const answer = page.waitForResponse(`${tessera.url}/admin/v1/users`)
        await operation.locator('.execute').click()
        return (await answer).status()
      }
      const signOut = async () => {
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('button', { name: 'Sign in to try' }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/api/doc')
      }

      const token = await signIn(people.admin)
      expect(await page.locator('#signed-in').textContent()).toContain('Acme Admin')
      expect(await page.locator('#context').textContent()).toContain('Administrator')
      expect(await listed()).toBe(200)
      const kept = await page.evaluate<string>(
        'JSON.stringify([localStorage, sessionStorage, document.cookie])',
      )
      expect(kept + (await page.content()).replace(/<pre[\s\S]*?<\/pre>/g, '')).not.toContain(token)
      await signOut()
      expect(addresses.filter((address) => address.includes(token))).toEqual([])
      expect((await userinfo(tessera.url, token)).status).toBe(401)

      // The session ended too: the next one is asked who they are.
      await signIn(people.importer)
      expect(await listed()).toBe(403)
      await signOut()
      expect(violations).toEqual([])
      await context.close()
    },
    patience,
  )

  // What the page shows is the matter, and not what is stored.
  if (dialect === 'sqlite')
    it(
      'is not there at another address than the issuer',
      async () => {
        const { context, page } = await newWindow(browser)
        await openInterface(page, tessera.url.replace('localhost', '127.0.0.1'), tried)
        expect(await page.locator('#sign-in').isVisible()).toBe(false)
        await context.close()
      },
      patience,
    )
})
