import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { plainPasswords } from '../../dist/identity/plain-passwords.js'
import { authorizeRequest, people } from '../harness/browser.ts'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { Person } from './journey-support.ts'

/** What Chromium makes of response_mode=form_post, for a client on another origin. The database has no say. */

let tessera: Tessera
let browser: Browser
let servers: Server[]
let application: string
let elsewhere: string
/** The forms that came to the application. */
let answers: { origin: string | undefined; fields: Record<string, string> }[]
let person: Person

beforeAll(async () => {
  servers = []
  elsewhere = await listening((_request, end) => end('<h1>Arrived elsewhere</h1>'))
  application = await listening(async (request, end) => {
    if (request.method !== 'POST') return end('<h1>An application</h1>')
    let body = ''
    for await (const chunk of request) body += String(chunk)
    answers.push({
      origin: request.headers.origin,
      fields: Object.fromEntries(new URLSearchParams(body)),
    })
    // As an identity broker does, which sends the browser on to another origin.
    if (request.url === '/broker') return end('', elsewhere)
    return end('<h1>Arrived</h1>')
  })
  tessera = await startTessera('sqlite')
  const client = (id: string, path: string, firstParty: boolean) => `  - client_id: ${id}
    client_name: ${id}
    type: public
    first_party: ${firstParty}
    redirect_uris: ["${application}${path}"]
    scope: openid
`
  const declared = parseDeclared(
    `clients:\n${client('posted', 'callback?a=1', true)}${client('broker', 'broker', true)}${client('asking', 'asking', false)}`,
    { file: 'posted.yaml', mode: 'development' },
  )
  await withStore(tessera, (store) =>
    applyDeclared(store, declared, { now: tessera.clock.now(), ...plainPasswords }),
  )
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await tessera?.close()
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})
beforeEach(async () => {
  answers = []
  person = await Person.with(browser)
})
afterEach(async () => {
  expect(person.complaints).toEqual([])
  await person.context.close()
})

type Ending = (html: string, location?: string) => void

async function listening(answer: (request: IncomingMessage, end: Ending) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    void answer(request, (html, location) => {
      response.setHeader('content-type', 'text/html')
      if (location !== undefined) response.writeHead(303, { location })
      response.end(html)
    })
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const request = (clientId: string, path: string, changes: Record<string, string> = {}) => {
  const { path: asked, parameters } = authorizeRequest({
    client_id: clientId,
    redirect_uri: `${application}${path}`,
    scope: 'openid',
    response_mode: 'form_post',
    ...changes,
  })
  return { url: `${tessera.url}${asked}`, parameters }
}

/** Opens a request that no page of ours interrupts, and waits until the application has loaded. */
async function silently(url: string, path: string): Promise<void> {
  await person.page.goto(url, { waitUntil: 'commit' })
  await person.page.waitForURL(`${application}${path}`)
}

it('posts the answer by itself, after a sign-in and silently, with a state as it was sent', async () => {
  const { page } = person
  const state = `"><script>alert('1')</script>& %26 + žluť 🗝️ עברית\t `
  const first = request('posted', 'callback?a=1', { state })
  await page.goto(first.url)
  await person.typePassword(people.importer)
  await page.waitForURL(`${application}callback?a=1`)
  expect(await person.heading()).toBe('Arrived')
  const silent = request('posted', 'callback?a=1', { prompt: 'none' })
  await silently(silent.url, 'callback?a=1')
  expect(answers).toEqual([
    { origin: 'null', fields: { code: expect.any(String), state, iss: tessera.url } },
    {
      origin: 'null',
      fields: { code: expect.any(String), state: silent.parameters.state, iss: tessera.url },
    },
  ])
})

it('posts an error by itself, also after a consent that was denied', async () => {
  const { page } = person
  await silently(request('posted', 'callback?a=1', { prompt: 'none' }).url, 'callback?a=1')
  expect(answers.map(({ fields }) => fields.error)).toEqual(['login_required'])
  await page.goto(request('asking', 'asking').url)
  await person.typePassword(people.importer)
  await page.waitForURL('**/consent?request=*')
  await page.getByRole('button', { name: 'Do not allow' }).click()
  await page.waitForURL(`${application}asking`)
  expect(answers.at(-1)?.fields).toMatchObject({ error: 'access_denied', iss: tessera.url })
})

it('comes through a client that sends the browser on to another origin', async () => {
  await person.page.goto(request('broker', 'broker').url)
  await person.typePassword(people.importer)
  await person.page.waitForURL(elsewhere)
  expect(await person.heading()).toBe('Arrived elsewhere')
  expect(answers).toHaveLength(1)
})

it('leaves no page of its own to go back to', async () => {
  const { page } = person
  await page.goto(application)
  await page.goto(request('posted', 'callback?a=1').url)
  await person.typePassword(people.importer)
  await page.waitForURL(`${application}callback?a=1`)
  await page.goBack()
  expect(page.url()).toContain(`${tessera.url}/sign-in`)
  expect(await person.heading()).toBe('You are signed in')
  expect(answers).toHaveLength(1)
})

it('works without JavaScript, by a button and the keyboard, on a dark phone', async () => {
  await person.context.close()
  const phone = { viewport: { width: 390, height: 664 }, colorScheme: 'dark' } as const
  person = await Person.with(browser, { ...phone, javaScriptEnabled: false })
  const { page } = person
  await page.goto(request('posted', 'callback?a=1').url)
  await person.typePassword(people.importer)
  expect(await person.heading()).toBe('Back to the application')
  expect(answers).toEqual([])
  const { host } = new URL(application)
  expect(await page.locator('main').innerText()).toContain(`Your browser is returning to ${host}.`)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${application}callback?a=1`)
  expect(answers).toEqual([
    { origin: 'null', fields: { code: expect.any(String), state: expect.any(String), iss: tessera.url } },
  ])
})

it('stays a page that can be read where its script does not come', async () => {
  const { page } = person
  await page.route('**/assets/form-post-*.js', (route) => route.fulfill({ body: '' }))
  await page.goto(request('posted', 'callback?a=1', { prompt: 'none' }).url)
  expect(await axeFindings(page)).toEqual([])
  await person.press('Continue')
  expect(answers).toMatchObject([{ fields: { error: 'login_required' } }])
})
