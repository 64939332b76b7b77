import type { Browser, BrowserContextOptions, CDPSession } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people } from '../harness/browser.ts'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { Person } from '../oauth2/journey-support.ts'
import { applicationHere } from './application-here.ts'
import { withAuthenticator as authenticatorOf } from './virtual-authenticator.ts'

/** Chromium with virtual authenticators: what our script and the browser make of each other. */

let browser: Browser
let person: Person
const application = applicationHere()
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())
afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.context.close()
})

const phone = { viewport: { width: 390, height: 664 }, colorScheme: 'dark' } as const

async function withAuthenticator(kind: 'synced' | 'key', options: BrowserContextOptions = {}) {
  person = await Person.with(browser, options)
  return await authenticatorOf(person, kind)
}

const touches = (cdp: CDPSession, authenticatorId: string, enabled: boolean) =>
  cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })

const arrived = () => person.page.waitForURL(`${application.url}?code=**`)

onOneDatabase('in Chromium', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(() => application.register(tessera))

  const setOut = async () => {
    const request = {
      client_id: 'application',
      redirect_uri: application.url,
      scope: 'openid',
      prompt: 'login',
    }
    await person.page.goto(`${tessera.url}${authorizeRequest(request).path}`, { waitUntil: 'commit' })
  }

  async function toAccount(who: { email: string; password: string }): Promise<void> {
    await setOut()
    await person.typePassword(who)
    await arrived()
    await person.page.goto(`${tessera.url}/account/sign-in`)
    await person.press('Add a passkey or security key')
    if (await person.page.getByRole('button', { name: 'Send the code' }).isVisible())
      await person.giveCode(tessera, who.email)
    expect(await axeFindings(person.page)).toEqual([])
  }

  it('a passkey is set up, and then signs in by the list of the address field and by the button', async () => {
    const { cdp, authenticatorId } = await withAuthenticator('synced', phone)
    const { page } = person
    await toAccount(people.importer)
    await person.press('Set up a passkey')
    expect(await person.heading()).toBe('Keep these recovery codes')
    await person.press('I have saved them')
    expect(await page.locator('main').innerText()).toContain('Synced between your devices')
    expect(await axeFindings(page)).toEqual([])
    // What is there already is not set up twice: the browser says so, and our page with it.
    await person.press('Add a passkey or security key')
    await page.getByRole('button', { name: 'Set up a passkey' }).click()
    await page.getByRole('alert').getByText('set up already').waitFor()
    // Whoever picks it from the list has pressed nothing.
    await setOut()
    await arrived()
    await touches(cdp, authenticatorId, false)
    await setOut()
    const button = page.getByRole('button', { name: 'Sign in with a passkey' })
    await button.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await touches(cdp, authenticatorId, true)
    await button.click()
    await arrived()
  })

  it('a security key is set up, and then follows the password', async () => {
    await withAuthenticator('key')
    const { page } = person
    await toAccount(people.admin)
    await person.press('Set up a security key')
    await person.press('I have saved them')
    await setOut()
    await person.typePassword(people.admin)
    expect(await person.heading()).toBe('Confirm that it is you')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Use a passkey or security key' }).click()
    await arrived()
  })

  it('says without JavaScript what needs it, and lets people sign in by password', async () => {
    await withAuthenticator('synced', { ...phone, javaScriptEnabled: false })
    await setOut()
    await person.page.waitForURL('**/sign-in?request=*')
    expect(await person.page.content()).toContain('turn on JavaScript')
    await expect
      .poll(() => person.page.getByRole('button', { name: 'Sign in with a passkey' }).count())
      .toBe(0)
    await person.typePassword(people.both)
    await person.page.waitForURL('**/choose-profile?request=*')
  })
})
