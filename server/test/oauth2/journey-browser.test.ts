import { createServer, type RequestListener } from 'node:http'
import { TOTP } from 'otpauth'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { plainPasswords } from '../../dist/identity/plain-passwords.js'
import { launchChromium } from '../harness/chromium.ts'
import { leaving, Person, staff, startWorld, type World } from './journey-support.ts'
import { authorizeRequest } from '../harness/browser.ts'
import { cleanUp } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'

/** What a browser and its user make of the real pages: keys, focus, history, languages. The database has no say. */

let browser: Browser
let world: World
let person: Person
beforeAll(async () => {
  browser = await launchChromium()
  world = await startWorld('sqlite')
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await cleanUp()
})
beforeEach(async () => {
  person = await Person.with(browser)
})
afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.context.close()
})
const signedIn = () => expect(person.heading()).resolves.toMatch(/^Signed in as /)

it('says what was refused where a screen reader and the eyes are, and lets try again', async () => {
  await person.setOut(world.web)
  await person.typePassword({ ...staff.mara, password: 'something else' })
  const alert = person.page.getByRole('alert')
  expect(await alert.innerText()).toMatch(/do not match/)
  expect(await person.page.title()).toMatch(/^Error: /)
  await expect.poll(focused).toBe('password')
  expect(await person.page.getByLabel('E-mail address').inputValue()).toBe(staff.mara.email)
  const password = person.page.getByLabel('Password')
  expect(await password.inputValue()).toBe('')
  expect(await password.getAttribute('aria-describedby')).toBe(await alert.getAttribute('id'))
  await person.typePassword(staff.mara)
  await signedIn()
})

it('leaves nothing to go back to', async () => {
  await person.setOut(world.web)
  await person.typePassword(staff.priya)
  await person.chooseProfile('Importer')
  await signedIn()
  for (const _ of [1, 2]) {
    await person.page.goBack()
    expect(person.page.url()).toContain(world.tessera.url)
    // Asked for anew, since nothing was stored: it is over, and says so instead of showing a form.
    await expect.poll(() => person.page.locator('main form').count()).toBe(0)
    expect(await person.heading()).toBe('You are signed in')
  }
  await person.page.goForward()
  await person.page.goForward()
  await signedIn()
})

it('can be sent twice', async () => {
  await person.setOut(world.web)
  await person.page.getByLabel('E-mail address').fill(staff.mara.email)
  await person.page.getByLabel('Password').fill(staff.mara.password)
  await leaving(person.page, () =>
    person.page.getByRole('button', { name: 'Sign in', exact: true }).dblclick(),
  )
  await person.page.waitForURL(`${world.web}/`)
  await signedIn()
})

it('works with the keyboard alone', async () => {
  const { page } = person
  await page.goto(world.web)
  await tabTo('Sign in')
  await leaving(page, () => page.keyboard.press('Enter'))
  await expect.poll(focused).toBe('email')
  await page.keyboard.type(staff.priya.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(staff.priya.password)
  await leaving(page, () => page.keyboard.press('Enter'))
  await tabTo(/^Reader/)
  await leaving(page, () => page.keyboard.press('Enter'))
  await signedIn()
  expect(await person.shown('Role')).toBe('Reader')
  await tabTo('List the imports')
  await leaving(page, () => page.keyboard.press('Enter'))
  expect(await page.getByRole('status').innerText()).toContain('List the imports: 200 OK')
  await tabTo('Sign out')
  await leaving(page, () => page.keyboard.press('Enter'))
  expect(await person.heading()).toBe('Send in your submissions')
})

async function focused(): Promise<string> {
  return await person.page.evaluate<string>(
    'document.activeElement.id || document.activeElement.textContent.trim()',
  )
}

async function tabTo(name: string | RegExp): Promise<void> {
  for (let pressed = 0; pressed < 20; pressed++) {
    await person.page.keyboard.press('Tab')
    const at = await focused()
    if (typeof name === 'string' ? at === name : name.test(at)) return
  }
  throw new Error(`Tab does not lead to ${name}.`)
}

it.each([
  ['the browser', { locale: 'de-CH' }, {}],
  ['the application', { locale: 'en-GB' }, { ui_locales: 'sv de' }],
])('speaks German when %s asks for it', async (_who, options, changes) => {
  await person.context.close()
  person = await Person.with(browser, options)
  const { path } = authorizeRequest({ redirect_uri: `${world.web}/callback`, ...changes })
  await person.page.goto(`${world.tessera.url}${path}`)
  expect(await person.page.getAttribute('html', 'lang')).toBe('de')
  expect(await person.heading()).toBe('Anmelden')
  await person.page.getByLabel('E-Mail-Adresse').fill(staff.tomas.email)
  await person.page.getByLabel('Passwort').fill('falsch')
  await person.press('Anmelden')
  expect(await person.page.title()).toMatch(/^Fehler: /)
  await person.page.getByLabel('Passwort').fill(staff.tomas.password)
  await person.press('Anmelden')
  expect(await person.heading()).toBe('Sie haben noch keinen Zugriff')
})

it('speaks English to everybody else', async () => {
  await person.context.close()
  person = await Person.with(browser, { locale: 'sv-SE' })
  await person.setOut(world.web)
  expect(await person.page.getAttribute('html', 'lang')).toBe('en')
})

it('comes through a client that sends the browser on to another origin, at every form that leads to it', async () => {
  const application = await listening((_request, response) => response.end('<h1>Arrived</h1>'))
  // As identity brokers do, and applications whose callback is not where their pages are.
  const broker = await listening((_request, response) =>
    response.writeHead(303, { location: application }).end(),
  )
  const client = `clients:
  - client_id: broker
    client_name: Broker
    type: public
    redirect_uris: ["${broker}callback"]
    post_logout_redirect_uris: ["${broker}bye"]
    scope: openid
`
  const declared = parseDeclared(client, { file: 'broker.yaml', mode: 'development' })
  await withStore(world.tessera, (store) =>
    applyDeclared(store, declared, { now: world.tessera.clock.now(), ...plainPasswords }),
  )
  const { page } = person
  const ask = async (changes: Record<string, string> = {}) => {
    const request = { client_id: 'broker', redirect_uri: `${broker}callback`, scope: 'openid', ...changes }
    await page.goto(`${world.tessera.url}${authorizeRequest(request).path}`)
  }
  const arrive = () => page.waitForURL(application)

  await ask()
  await person.typePassword(staff.priya)
  await person.chooseProfile('Importer')
  await page.waitForURL('**/consent?request=*')
  await person.press('Allow')
  await arrive()
  await ask()
  await person.chooseProfile('Reader')
  await arrive()
  await ask({ prompt: 'login' })
  await person.typePassword(staff.tomas)
  await page.waitForURL('**/no-profile?request=*')
  await person.press(/^Return to /)
  await arrive()
  await ask()
  await page.waitForURL('**/no-profile?request=*')
  await person.press('Use another account')
  await person.typePassword(staff.mara)
  await person.press('Allow')
  await arrive()
  await ask({ prompt: 'login' })
  await person.typePassword(staff.mara)
  await arrive()
  const leave = new URLSearchParams({ client_id: 'broker', post_logout_redirect_uri: `${broker}bye` })
  await page.goto(`${world.tessera.url}/oauth2/logout?${leave}`)
  await person.press('Sign out')
  await arrive()
})

// Last: from here on Priya has a second factor.
it('steps up where the API wants more, by what it sets up on the way, and comes back to where it was', async () => {
  const { page } = person
  await person.setOut(world.web)
  await person.typePassword(staff.priya)
  await person.chooseProfile('Importer')
  await signedIn()
  expect(await person.did('Import a sample file')).toContain('201')
  expect(await person.did('Withdraw all imports')).toContain('401')
  expect(await page.getByRole('status').innerText()).toContain('insufficient_user_authentication')
  expect(await person.claims('Access token')).toMatchObject({ acr: '1', role_code: 'importer' })

  // Declined: nothing is lost.
  await person.press('Prove it is you')
  await page.waitForURL('**/sign-in/enrol?request=*')
  await person.press('Do not set up')
  expect(await page.locator('main').innerText()).toContain('unmet_authentication_requirements')
  await person.follow('Start page')
  expect(await person.did('Withdraw all imports')).toContain('401')

  await person.press('Prove it is you')
  await page.waitForURL('**/sign-in/enrol?request=*')
  await person.giveCode(world.tessera, staff.priya.email)
  const secret = (await page.locator('p.key').innerText()).replaceAll(' ', '')
  const code = () => new TOTP({ secret }).generate({ timestamp: world.tessera.clock.now() })
  await page.getByLabel('The code that the app shows').fill(code())
  await person.press('Set up')
  await person.press('I have saved them')
  await page.waitForURL(`${world.web}/#call-withdraw`)
  await signedIn()
  expect(await person.claims('Access token')).toMatchObject({ acr: '2', role_code: 'importer' })
  expect(await person.did('Withdraw all imports')).toContain('200')
  expect(await person.did('List the imports')).toContain('200')
  expect(await page.getByRole('status').innerText()).toContain('"imports": []')
})

/** A server of this test's own; its address. */
async function listening(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    answer(request, response)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`
}
