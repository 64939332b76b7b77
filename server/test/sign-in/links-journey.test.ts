/** Chromium on the ways in by a link: a forgotten password, and an invitation. */
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { runHere } from '../cli/command-support.ts'
import { authorizeRequest, people } from '../harness/browser.ts'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { Person } from '../oauth2/journey-support.ts'
import { applicationHere } from './application-here.ts'
import { withAuthenticator } from './virtual-authenticator.ts'

const phone = { viewport: { width: 390, height: 664 }, colorScheme: 'dark', locale: 'en' } as const
const without = { ...phone, javaScriptEnabled: false }
const fresh = 'seven quiet ferries at dawn'

let browser: Browser
/** In a browser of their own. */
async function begin(options: BrowserContextOptions): Promise<void> {
  person = await Person.with(browser, options)
  person.context.setDefaultTimeout(30_000)
}
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

onOneDatabase('in Chromium', (dialect) => {
  const tessera = tesseraOn(dialect)
  beforeAll(() => application.register(tessera))

  const open = (path: string) => person.page.goto(new URL(path, tessera.url).href)
  const arrived = (heading: string) =>
    person.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  /** As far as the mail, from the sign-in of an application. */
  async function forgot(email: string): Promise<string> {
    const request = { client_id: 'application', redirect_uri: application.url, scope: 'openid' }
    await open(authorizeRequest(request).path)
    await person.follow('Forgotten your password?')
    await person.page.getByLabel('E-mail address').fill(email)
    await person.press('Send the link')
    await arrived('Look at your mail')
    return linkIn(await mailTo(tessera, email, 'password'))
  }
  const typeNew = async (label: string, button: string) => {
    await person.page.getByLabel(label, { exact: true }).fill(fresh)
    await person.page.getByLabel(`${label === 'A password' ? 'The' : 'The new'} password again`).fill(fresh)
    await person.press(button)
  }
  /** As an administrator hands it over. */
  async function invited(email: string): Promise<string> {
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url }
    const asked = ['--name', 'Ines Moreau', '--profile', 'reader@acme', '--client', 'application']
    const { stdout, stderr } = await runHere(['invitation', 'create', email, ...asked], { environment })
    const link = /http\S+\/invitation\?link=[\w-]{43}/.exec(stdout)?.[0]
    if (link === undefined) throw new Error(stdout + stderr)
    return link
  }

  it('a forgotten password leads through the mail back into the application', async () => {
    await begin(phone)
    const link = await forgot(people.importer.email)
    expect(await axeFindings(person.page)).toEqual([])
    await open(link)
    await arrived('Set a new password')
    expect(await axeFindings(person.page)).toEqual([])
    await typeNew('New password', 'Set the password')
    await person.page.waitForURL(`${application.url}?code=**`)
  })

  it('in another browser, without JavaScript, it ends at the account', async () => {
    await begin(without)
    const link = await forgot(people.both.email)
    await person.context.close()
    await begin(without)
    await open(link)
    await typeNew('New password', 'Set the password')
    await arrived('Your account')
  })

  it('an invitation is accepted with a passkey', async () => {
    await begin(phone)
    await withAuthenticator(person)
    await open(await invited('passkey@acme.example'))
    await arrived('Create your account')
    expect(await axeFindings(person.page)).toEqual([])
    await person.page.getByLabel('Your name').fill('')
    const make = person.page.getByRole('button', { name: 'Use a passkey instead' })
    await make.click()
    // The browser asks for the name first.
    expect(await person.page.evaluate('document.activeElement.id')).toBe('name')
    await person.page.getByLabel('Your name').fill('Ines Moreau')
    await make.click()
    await arrived('Keep these recovery codes')
    expect(await axeFindings(person.page)).toEqual([])
    await person.follow('I have saved them')
    await arrived('Thank you for your answer')
    expect(await axeFindings(person.page)).toEqual([])
    await person.follow('Go on to An application')
    await arrived('Arrived')
  })

  it('with a password, and by somebody who has an account, without JavaScript', async () => {
    await begin(without)
    await open(await invited('password@acme.example'))
    await arrived('Create your account')
    expect(await person.page.content()).toContain('turn on JavaScript')
    await typeNew('A password', 'Create account')
    await arrived('Thank you for your answer')
    await person.context.close()
    await begin(without)
    const known = { email: 'password@acme.example', password: fresh }
    await open(await invited(known.email))
    await arrived('You are invited')
    await person.press('Sign in')
    await person.typePassword(known)
    await arrived('You are invited')
    await person.press('Accept')
    await arrived('Thank you for your answer')
  })
})
