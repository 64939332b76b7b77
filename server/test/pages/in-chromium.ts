/** Every page in every state, in a real browser, under the policy that it is served with. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Locale } from '../../dist/pages/messages/index.js'
import { passkeysScript, passkeysScriptPath } from '../../dist/pages/passkeys.js'
import { controlsScript, controlsScriptPath } from '../../dist/pages/controls.js'
import { formPostScriptPath } from '../../dist/pages/form-post-page.js'
import { stylesheet, stylesheetPath } from '../../dist/pages/styles.js'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { duringTests } from '../harness/harness.ts'
import { overflow } from './page-fits.ts'
import { samples } from './pages-samples.ts'

const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
export const names = Object.keys(samples)
export const phone = { width: 320, height: 640 }

/** A server of all pages, and a browser. */
async function serve() {
  /** Everything asked for beside pages, the stylesheet and the script. */
  const strays: string[] = []
  /** What the last form held. */
  const sent: { form?: URLSearchParams } = {}
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === stylesheetPath) {
      response.setHeader('content-type', 'text/css; charset=utf-8')
      return response.end(stylesheet)
    }
    // The page that posts itself stays, to be looked at.
    if (url.pathname === formPostScriptPath) {
      response.setHeader('content-type', 'text/javascript')
      return response.end()
    }
    if (url.pathname === controlsScriptPath) {
      response.setHeader('content-type', 'text/javascript')
      return response.end(controlsScript)
    }
    if (url.pathname === passkeysScriptPath) {
      response.setHeader('content-type', 'text/javascript')
      return response.end(passkeysScript)
    }
    if (url.pathname === '/options') return response.end('{"options":{"challenge":""}}')
    if (request.method === 'POST') {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      return request.on('end', () => {
        sent.form = new URLSearchParams(body)
        response.end('posted')
      })
    }
    const render = samples[url.pathname.slice(1)]
    if (!render) strays.push(url.pathname)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('content-security-policy', policy)
    return response.end(render?.((url.searchParams.get('locale') ?? 'en') as Locale))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  const close = async () => {
    await browser.close()
    server.close()
  }
  return { base, browser, strays, sent, close }
}

/** For the tests of a file. */
export function pagesInChromium() {
  const running = duringTests(serve)

  async function withPage<T>(options: BrowserContextOptions, use: (page: Page) => Promise<T>): Promise<T> {
    const context = await running.browser.newContext({ reducedMotion: 'reduce', ...options })
    try {
      return await use(await context.newPage())
    } finally {
      await context.close()
    }
  }

  async function eachPage(
    page: Page,
    pages: readonly string[],
    locale: Locale,
    look: (name: string) => Promise<void>,
  ): Promise<void> {
    for (const name of pages) {
      await show(page, name, locale)
      await look(name)
    }
  }

  /**
   * Written into the page that is there where that shows the same: it costs a quarter of a load, and axe stays. The
   * policy of the page holds on, its scripts run. That of passkeys has names of its own, so it can run only once.
   */
  async function show(page: Page, name: string, locale: Locale): Promise<void> {
    const html = samples[name]?.(locale) ?? ''
    const writable = page.url().startsWith(running.base) && !html.includes(passkeysScriptPath)
    if (!writable) await page.goto(`${running.base}/${name}?locale=${locale}`)
    // What a test gave the one before, as `spaceOut` does, would stay too.
    else await page.evaluate('document.adoptedStyleSheets = []').then(() => page.setContent(html))
  }

  return { running, withPage, eachPage }
}

/** What of a page's looks or words axe judges; the rest of it is one and the same. */
const ofLooks = {
  runOnly: [
    'color-contrast',
    'html-has-lang',
    'html-lang-valid',
    'label-content-name-mismatch',
    'link-in-text-block',
    'scrollable-region-focusable',
    'target-size',
    'valid-lang',
  ],
}

/** Each colour scheme, width and language is met once: what axe finds seldom needs two of them together. */
const looks: Record<'en' | 'de', [string, BrowserContextOptions, object?]> = {
  en: ['dark', { colorScheme: 'dark' }],
  de: ['light on a narrow phone', { colorScheme: 'light', viewport: phone }, ofLooks],
}

/** The test of every page in one language. */
export function testLooks(locale: keyof typeof looks): void {
  const { running, withPage, eachPage } = pagesInChromium()
  const [name, options, rules] = looks[locale]
  it(`in ${locale} axe finds nothing, nothing is blocked and nothing scrolls sideways: ${name}`, async () => {
    await withPage(options, async (page) => {
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await eachPage(page, names, locale, async (name) => {
        expect(complaints, name).toEqual([])
        expect(await axeFindings(page, rules), name).toEqual([])
        expect(await overflow(page), name).toBeLessThanOrEqual(0)
      })
      expect(running.strays).toEqual([])
    })
  })
}
