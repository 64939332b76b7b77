/** Two installations on one machine: browsers send the cookies of a host to all of its ports. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { tesseraOn } from '../harness/harness.ts'

describe('two installations on localhost', () => {
  const one = tesseraOn('sqlite')
  const other = tesseraOn('sqlite')
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  const signInAt = async (page: Page, url: string) => {
    await page.goto(`${url}/account`)
    await page.getByLabel('E-mail address').fill(people.importer.email)
    await page.getByLabel('Password').fill(people.importer.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(`${url}/account`)
  }
  const isSignedIn = async (page: Page, url: string) => {
    await page.goto(`${url}/account`)
    return (await page.locator('main').innerText()).includes('Acme Importer')
  }

  it('sign nobody out of each other, and nobody in', async () => {
    const page = await browser.newPage()
    await signInAt(page, one.url)
    expect([await isSignedIn(page, one.url), await isSignedIn(page, other.url)]).toEqual([true, false])
    await signInAt(page, other.url)
    expect([await isSignedIn(page, one.url), await isSignedIn(page, other.url)]).toEqual([true, true])
    await page.goto(`${one.url}/oauth2/logout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'signed out' }).waitFor()
    expect([await isSignedIn(page, one.url), await isSignedIn(page, other.url)]).toEqual([false, true])
    const { port } = new URL(other.url)
    const names = (await page.context().cookies()).map((cookie) => cookie.name)
    expect(names).toContain(`tessera-${port}-session`)
  })
})
