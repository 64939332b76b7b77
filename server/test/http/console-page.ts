/** What a journey through the console does and looks at, whichever view it is about. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFailed } from 'vitest'
import { administeredOn } from '../administration/support.ts'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { authorizeRequest, signIn, TestBrowser } from '../harness/browser.ts'
import type { Dialect } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { overflow } from '../pages/page-fits.ts'
import { newWindow, type Window } from './interface-page.ts'

/** The service of a file and its Chromium. */
export function consoleOn(dialect: Dialect, settings: Record<string, string> = {}) {
  const tessera = administeredOn(dialect, settings)
  const known: Known = new Map()
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())
  return {
    tessera,
    look: wide,
    window: (options: BrowserContextOptions = {}) => newWindow(browser, options),
    open: (person: Person, options: BrowserContextOptions = {}, path = '/', shows?: string | RegExp) =>
      open(browser, tessera, known, person, options, path, shows),
  }
}

export const wide = { colorScheme: 'light', viewport: { width: 1280, height: 900 } } as const
export const phoneAtNight = { colorScheme: 'dark', viewport: { width: 390, height: 900 } } as const

type Person = { email: string; password: string }

/** Who signed in already, by their address, and when by the service: to sign in costs as much as three loads of a view. */
type Known = Map<string, { browser: TestBrowser; at: number }>

/** A sign-in of longer ago is made anew, ms: some changes want one that is at most ten minutes old. */
const recent = 3 * 60_000

/** Signed in, with a view shown: by its address, as somebody who follows a link. */
async function open(
  browser: Browser,
  { url, clock }: Tessera,
  known: Known,
  person: Person,
  options: BrowserContextOptions,
  path: string,
  shows?: string | RegExp,
): Promise<Window> {
  const window = await newWindow(browser, { reducedMotion: 'reduce', ...options })
  const { context, page } = window
  onTestFailed(() => tellShown(page))
  let signedIn = known.get(person.email)
  if (signedIn === undefined || clock.now() > signedIn.at + recent) {
    signedIn = { at: clock.now(), browser: await signedInAs(url, person) }
    known.set(person.email, signedIn)
  }
  await context.addCookies(cookiesOf(signedIn.browser, url))
  await page.goto(`${url}/console${path}`)
  await page.locator('main h1').first().waitFor()
  // The sign-in may have ended since.
  if (!page.url().startsWith(`${url}/console`)) {
    known.delete(person.email)
    await signInOn(page, person)
  }
  if (shows === undefined) await page.locator('main h1').waitFor()
  else await page.getByText(shows).first().waitFor()
  return window
}

/** What a failed test was looking at: a click that led nowhere is explained by the page alone. */
async function tellShown(page: Page): Promise<void> {
  if (page.isClosed()) return
  console.error(`${page.url()} showed:\n${await page.locator('body').innerText()}`)
}

const cookiesOf = (browser: TestBrowser, url: string) =>
  browser
    .cookieHeader()
    .split('; ')
    .filter((one) => !one.startsWith('tessera-language='))
    .map((one) => ({ name: one.slice(0, one.indexOf('=')), value: one.slice(one.indexOf('=') + 1), url }))

async function signedInAs(url: string, person: Person): Promise<TestBrowser> {
  const browser = new TestBrowser(url)
  await signIn(
    browser,
    authorizeRequest({
      client_id: 'tessera:console',
      redirect_uri: `${url}/console/callback`,
      scope: 'openid profile',
    }).path,
    person,
  )
  return browser
}

export async function signInOn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** By an address below /console, as somebody who follows a link. */
export async function visit(page: Page, path: string, shows: string | RegExp): Promise<void> {
  const [issuer] = page.url().split('/console')
  await page.goto(`${issuer}/console${path}`)
  await page.getByText(shows).first().waitFor()
}

/**
 * By an address below /console too, without loading the console anew, which costs three times as much: what was read in
 * the last seconds is not read again. Past another view, so that nothing of the one before is taken for this one.
 */
export async function turnTo(page: Page, path: string, shows?: string | RegExp): Promise<void> {
  const [issuer] = page.url().split('/console')
  await page.evaluate<void>(`(async () => {
    const to = ${JSON.stringify(path)}
    const between = ['/signed-in', '/nowhere'].find((one) => one !== to && !location.pathname.endsWith(one))
    for (const path of [between, to]) {
      document.querySelector('main h1')?.setAttribute('data-left', '')
      history.pushState({}, '', ${JSON.stringify(`${issuer}/console`)} + path)
      do await new Promise(requestAnimationFrame)
      while (document.querySelector('[data-left]') !== null || document.querySelector('main h1') === null)
    }
  })()`)
  if (shows !== undefined) await page.getByText(shows).first().waitFor()
}

/** The answer of the wizard that leaves nobody out. */
export const letEverybodyIn = (page: Page) => page.getByLabel('Who may use it?').selectOption('everybody')

export const heading = (page: Page) => page.locator('main h1').textContent()

/** What a script or the next person at this browser could read. ID tokens begin like access tokens: `eyJ`. */
export const keptBy = (page: Page) =>
  page.evaluate<string>(
    `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
      await indexedDB.databases(), await caches.keys(), document.documentElement.outerHTML]))()`,
  )

/** What axe finds on the page as it stands. */
export const findings = (page: Page) => axeFindings(page, {})

/** Nothing that axe finds, and nothing that goes over the edge: on a phone at night, and wide by day, as it stays. */
export async function fits(page: Page, what?: string): Promise<void> {
  for (const { colorScheme, viewport } of [phoneAtNight, wide]) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await page.locator(`:root[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    expect(await findings(page), what).toEqual([])
    expect(await overflow(page), what).toBeLessThanOrEqual(0)
  }
}
