import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Administrator, administeredOn } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { changeUser, setPolicy } from '../harness/states.ts'
import { overflow } from '../pages/page-fits.ts'

onOneDatabase('the account in Chromium', (dialect) => {
  const tessera = administeredOn(dialect)
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
    await setPolicy(tessera, {}, { self_deletion: true })
    for (const { email } of [people.importer, people.both])
      await changeUser(tessera, email, { managed_by: null })
  })
  afterAll(() => browser?.close())

  it.each([
    ['with JavaScript', people.importer, true],
    ['without JavaScript', people.both, false],
  ] as const)(
    'leads from the front page to another password, to deletion and back, %s',
    async (_, person, javaScriptEnabled) => {
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
      await follow('Your account', 'Your account')
      await follow('Delete your account', 'Delete your account')
      await press('Delete the account')
      const see = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
      await see('Your account is to be deleted')
      await follow('Sign in', 'Sign in')
      await page.getByLabel('E-mail address').fill(person.email)
      await page.getByLabel('Password').fill(next)
      await press('Sign in')
      await see('Your account is to be deleted')
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      await press('Keep the account')
      await see('Your account')
      await page.getByText(person.email).waitFor()
      await context.close()
    },
  )

  it.each([
    ['with JavaScript', 'lena', true],
    ['without JavaScript', 'otto', false],
  ] as const)(
    'leads to another address, and back from the mailbox before, %s',
    async (_, name, javaScriptEnabled) => {
      const [before, next] = [`${name}@people.example`, `${name}@new.example`]
      const password = 'seven red bicycles in rain'
      const made = await (await Administrator.machine(tessera.url)).post('/users', {
        email: before,
        name,
        password,
      })
      expect(made.status).toBe(201)
      const context = await browser.newContext({
        javaScriptEnabled,
        baseURL: tessera.url,
        viewport: { width: 390, height: 844 },
        locale: 'en',
      })
      const page = await context.newPage()
      const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click()
      const see = (heading: string) => page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.goto('/account/person')
      await page.getByLabel('E-mail address').fill(before)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await press('Sign in')
      await see('Your details')
      await page.getByLabel('New e-mail address').fill(next)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      await press('Change the address')
      await page.getByText('a mail is on its way to it').waitFor()
      await page.goto(linkIn(await mailTo(tessera, next, 'Confirm your address')))
      await see('Confirm your address')
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      await press('Confirm the address')
      await page.getByText('Your address is changed.').waitFor()
      await page.getByText(next, { exact: true }).waitFor()
      await page.goto(linkIn(await mailTo(tessera, before, 'Your address was changed')))
      await see('Was this not you?')
      await press('This was not me')
      await see('Your account is safe for now')
      await page.goto('/account')
      await see('Sign in')
      await context.close()
    },
  )
})
