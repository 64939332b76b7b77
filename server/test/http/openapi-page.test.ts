/** GET /api/doc in a real browser, under the policy that it is served with. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bringAxe } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { newWindow, openInterface, patience, type Window } from './interface-page.ts'
import { type Description, descriptionOf, operationsOf } from './openapi-support.ts'
import { overflow, spaceOut } from '../pages/page-fits.ts'

let tessera: Tessera
let description: Description
let browser: Browser

beforeAll(async () => {
  tessera = await startTessera('sqlite')
  description = await descriptionOf(tessera.url)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await tessera?.close()
})

async function withPage(
  options: BrowserContextOptions,
  use: (opened: Window) => Promise<void>,
): Promise<void> {
  const window = await newWindow(browser, options)
  try {
    await use(window)
  } finally {
    await window.context.close()
  }
}

const open = (page: Page, only?: readonly string[]) => openInterface(page, tessera.url, only)

/** Opens operations. */
const clickOn = async (page: Page, indexes: readonly number[]) =>
  await page.evaluate(
    `[...document.querySelectorAll('.opblock-summary-control')]
      .forEach((one, index) => [${String(indexes)}].includes(index) && one.click())`,
  )

/** Of the interface itself where it has one, otherwise of the page that shows through. */
const ground = (page: Page) =>
  page.evaluate<string>(`[document.querySelector('.swagger-ui'), document.body]
    .map((one) => getComputedStyle(one).backgroundColor)
    .find((colour) => colour !== 'rgba(0, 0, 0, 0)')`)

describe('the page of the interface description', { timeout: patience }, () => {
  it('shows every operation, opens each, and nothing is refused, missing or fetched from elsewhere', async () => {
    await withPage({}, async ({ page, complaints }) => {
      await open(page)
      const described = [...operationsOf(description).keys(), 'POST /{api_area}/vista-import']
      const shown = await page.locator('.opblock-summary').allTextContents()
      expect(shown).toHaveLength(described.length)
      const texts = shown.map((text) => text.replaceAll('\u200b', ''))
      for (const name of described) expect(texts.join('\n')).toContain(name.replace(' ', ''))
      // Of the administration API, whose operations are all made by one hand, those for users stand for the others.
      const opened = texts.flatMap((text, index) => (/\/admin\/v1\/(?!users)/.test(text) ? [] : [index]))
      expect(opened.length).toBeGreaterThan(20)
      await clickOn(page, opened)
      await page
        .locator('.responses-wrapper')
        .nth(opened.length - 1)
        .waitFor()
      // Of what an operation refers to, nothing is missing.
      expect(await page.locator('.errors-wrapper').allTextContents()).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  it('has a name, an icon and a way to the documents, and gets tokens by “Try it out”, from this service alone', async () => {
    await withPage({}, async ({ page, complaints }) => {
      await open(page, ['token'])
      expect(await page.title()).toBe('Interface – Tessera')
      expect(await page.getAttribute('html', 'lang')).toBe('en')
      expect(await page.getAttribute('link[rel=icon]', 'href')).toMatch(/^data:image\/svg/)
      for (const link of await page.locator('header a').all()) {
        const href = new URL((await link.getAttribute('href')) ?? '', page.url())
        expect(href.href.startsWith(tessera.url), href.href).toBe(true)
        expect((await fetch(href)).status, href.href).toBe(200)
      }
      const token = page.locator('#operations-Tokens-token')
      await token.locator('.opblock-summary-control').click()
      await token.locator('.try-out__btn').click()
      const field = (name: string) => token.locator(`tr[data-property-name="${name}"]`)
      await field('grant_type').locator('select').selectOption('client_credentials')
      const values = {
        client_id: 'nightly-import',
        client_secret: 'nightly-import-development-secret',
      }
      // What belongs to other grants is not filled in, so that nothing has to be emptied.
      for (const input of await token.locator('tr input[type=text]').all())
        expect(await input.inputValue()).toBe('')
      for (const [name, value] of Object.entries(values))
        await field(name).locator('input[type=text]').fill(value)
      await token.locator('.execute').click()
      await token.locator('.live-responses-table').waitFor()
      expect(await token.locator('.live-responses-table').textContent()).toContain('"token_type": "Bearer"')
      expect(complaints).toEqual([])
    })
  })

  it('can be read in both colours, also when they change, and has names for what is clicked, its dialog too', async () => {
    await withPage({ colorScheme: 'dark' }, async ({ page, complaints }) => {
      await open(page)
      const brightness = async () => Number(/\d+/.exec(await ground(page))?.[0])
      expect(await brightness()).toBeLessThan(60)
      // Before axe comes into the page.
      expect(complaints).toEqual([])
      await bringAxe(page)
      const found = async (part: string) =>
        await page.evaluate(`axe.run('${part}', { runOnly: ['color-contrast', 'button-name', 'select-name'] })
          .then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map((node) => node.html)))`)
      expect(await found('body'), 'dark').toEqual([])
      await page.locator('.btn.authorize').first().click()
      await page.locator('.modal-ux input').first().waitFor()
      expect(await found('.modal-ux'), 'dark').toEqual([])
      await page.emulateMedia({ colorScheme: 'light' })
      expect(await brightness()).toBeGreaterThan(200)
      expect(await found('.modal-ux'), 'light').toEqual([])
      await page.locator('.modal-ux .close-modal').click()
      await page.locator('.modal-ux').waitFor({ state: 'detached' })
      expect(await found('body'), 'light').toEqual([])
    })
  })

  it('fits the screen of a phone, with operations open and tried', async () => {
    await withPage({ viewport: { width: 390, height: 800 } }, async ({ page }) => {
      await open(page)
      expect(await overflow(page)).toBe(0)
      // All but those of the administration API, which are further down.
      const opened = [...Array(14).keys()]
      await clickOn(page, opened)
      await page.locator('.try-out__btn').last().waitFor()
      await page
        .locator('.try-out__btn')
        .nth(opened.length - 1)
        .click()
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 800 })
        expect(await overflow(page), `${width} px`).toBe(0)
      }
      await spaceOut(page)
      expect(await overflow(page), 'spaced').toBe(0)
    })
  })

  it('shows no description that its address names', async () => {
    await withPage({}, async ({ page, complaints }) => {
      const other = encodeURIComponent(`${tessera.url}/.well-known/openid-configuration`)
      await page.goto(`${tessera.url}/api/doc?url=${other}&configUrl=${other}&urls.primaryName=x`)
      await page.waitForSelector('.opblock')
      expect(await page.locator('.opblock-summary').count()).toBeGreaterThan(20)
      expect(complaints).toEqual([])
    })
  })

  it('says where the description is when there is no JavaScript', async () => {
    await withPage({ javaScriptEnabled: false }, async ({ page, complaints }) => {
      await page.goto(`${tessera.url}/api/doc`)
      expect(await page.locator('noscript').textContent()).toContain('This page needs JavaScript')
      expect(complaints).toEqual([])
    })
  })

  it('allows no script, style or frame from elsewhere', async () => {
    const policy = (await fetch(`${tessera.url}/api/doc`)).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })
})
