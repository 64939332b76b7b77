import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { overflow } from '../pages/page-fits.ts'

onEachDatabase('the account in Chromium', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  it.each([
    ['with JavaScript', people.importer, true],
    ['without JavaScript', people.both, false],
  ] as const)('leads from the front page to another password, %s', async (_, person, javaScriptEnabled) => {
    const context = await browser.newContext({
      javaScriptEnabled,
      baseURL: tessera.url,
      viewport: { width: 390, height: 844 },
      locale: 'en',
    })
    const page = await context.newPage()
    const follow = async (name: string, heading: string) => {
      await page.getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await page.goto('/')
    await follow('Sign in to see', 'Sign in')
    await page.getByLabel('E-mail address').fill(person.email)
    await page.getByLabel('Password').fill(person.password)
    await press('Sign in')
    await page.getByRole('heading', { name: 'Your applications' }).waitFor()
    await follow('Your account', 'Your account')
    await follow('Where you belong', 'Where you belong')
    await page.locator('summary').first().click()
    await page.getByText('See past imports').waitFor()
    await follow('Your account', 'Your account')
    await follow('How you sign in', 'How you sign in')
    await press('Change the password')
    const next = 'seven red bicycles in rain'
    await page.getByLabel('The password that you have now').fill(person.password)
    await page.getByLabel('The new password', { exact: true }).fill(next)
    await page.getByLabel('The new password again').fill(next)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    await press('Change the password')
    await page.getByText('The password is changed.').waitFor()
    await context.close()
  })
})
