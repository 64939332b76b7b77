/** What the wizard connects, up to what it is for; and changes of the console whose answer is lost. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGuard } from '@tessera/guard'
import * as oauth from 'oauth4webapi'
import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people, post } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { Administrator, recordsWith, users } from '../administration/support.ts'
import { consoleOn, letEverybodyIn, visit } from './console-page.ts'

const http = { [oauth.allowInsecureRequests]: true }
const library = readFileSync(new URL(import.meta.resolve('oauth4webapi')), 'utf8')

/** A web page without a server, as its author wrote it; the wizard says what stands in `pasted`. */
const pageOf = (
  pasted: Record<string, string>,
) => `<!doctype html><title>Shop</title><body><script type="module">
  import * as oauth from '/oauth4webapi.js'
  const pasted = ${JSON.stringify(pasted)}
  const http = { [oauth.allowInsecureRequests]: true }
  const issuer = new URL(pasted.OIDC_ISSUER)
  const client = { client_id: pasted.OIDC_CLIENT_ID }
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
  if (location.search === '') {
    const [verifier, state, nonce] = [1, 2, 3].map(oauth.generateRandomCodeVerifier)
    sessionStorage.kept = JSON.stringify({ verifier, state, nonce })
    const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
    location.assign(server.authorization_endpoint + '?' + new URLSearchParams({
      ...client, response_type: 'code', redirect_uri: pasted.OIDC_REDIRECT_URI, scope: pasted.OIDC_SCOPE,
      state, nonce, code_challenge, code_challenge_method: 'S256',
    }))
  } else {
    const { verifier, state, nonce } = JSON.parse(sessionStorage.kept)
    const back = oauth.validateAuthResponse(server, client, new URL(location.href), state)
    const answer = await oauth.authorizationCodeGrantRequest(
      server, client, oauth.None(), back, pasted.OIDC_REDIRECT_URI, verifier, http)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server, client, answer, { expectedNonce: nonce, requireIdToken: true })
    document.body.textContent = 'Hello, ' + oauth.getValidatedIdTokenClaims(tokens).name
  }
</script>`

const serve = async (answer: (path: string) => { type: string; body: string }) => {
  const server = createServer(({ url = '/' }, response) => {
    const { type, body } = answer(url)
    response.setHeader('content-type', type).end(body)
  }).listen(0)
  await once(server, 'listening')
  return server
}
const portOf = (server: Server) => (server.address() as AddressInfo).port

onEachDatabase('the wizard of the console', (dialect) => {
  const { tessera, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const snippet = async (page: Page) => (await page.locator('pre').textContent()) ?? ''

  const pickOn = async (page: Page, field: string, text: string, option: string) => {
    await page.getByLabel(field, { exact: true }).first().fill(text)
    await page.getByRole('option', { name: option }).first().click()
  }

  /** Up to the last page of the wizard. */
  async function connect(
    page: Page,
    kind: RegExp,
    name: string,
    { where, may }: { where?: () => Promise<unknown>; may?: () => Promise<unknown> } = {},
  ): Promise<void> {
    await visit(page, '/applications/new', 'What do you connect?')
    await page.getByRole('button', { name: kind }).click()
    // It has the focus.
    await page.getByRole('region', { name: 'What is it called' }).locator('input:focus').fill(name)
    await where?.()
    await button(page, 'Next').click()
    await page.getByRole('heading', { name: 'What may it do?' }).waitFor()
    if (!kind.test('A program that nobody signs in to')) await letEverybodyIn(page)
    await may?.()
    await button(page, 'Connect it').click()
    await page.getByRole('heading', { name: `${name} is connected` }).waitFor()
  }

  const at = (what: string) => (dialect === what ? it : () => {})

  at('sqlite')('signs people in on a page without a server, in an app, and by a code', async () => {
    const { context, page } = await open(people.admin)
    const redirects = page.getByLabel('Redirect addresses')

    let pasted: Record<string, string> = {}
    const shop = await serve((path) =>
      path === '/oauth4webapi.js'
        ? { type: 'text/javascript', body: library }
        : { type: 'text/html', body: pageOf(pasted) },
    )
    const home = `http://localhost:${portOf(shop)}/`
    await connect(page, /A web page without a server/, 'Bücher-Shop', {
      where: () => redirects.fill(home),
      may: () => page.getByLabel('It is ours').check(),
    })
    const lines = [...(await snippet(page)).matchAll(/^(\w+)="?([^"\n]*)"?$/gm)]
    pasted = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
    expect(pasted).toMatchObject({ OIDC_CLIENT_ID: 'bucher-shop', OIDC_REDIRECT_URI: home })
    // Nobody is asked for consent.
    await page.goto(home)
    await page.getByText('Hello, Acme Admin').waitFor()
    shop.close()

    await page.goto(`${tessera.url}/console/`)
    await connect(page, /An app on a phone/, 'Field app', {
      where: async () => {
        await redirects.fill('http://127.0.0.1/callback')
        await page.getByText('127.0.0.1 may have any port').waitFor()
      },
    })
    await listens(page, 'field-app')

    await page.goto(`${tessera.url}/console/`)
    await connect(page, /An app on a phone/, 'Meter', {
      where: () => page.getByLabel('It shows a code').check(),
    })
    await showsCode(page)
    await context.close()
  })

  /** As an app does it: it listens at a port that is free, which is not the one that was registered. */
  async function listens(page: Page, client_id: string): Promise<void> {
    const app = await serve(() => ({ type: 'text/plain', body: 'Go on in the app.' }))
    const redirect_uri = `http://127.0.0.1:${portOf(app)}/callback`
    const issuer = new URL(tessera.url)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http))
    const [verifier, state, nonce] = ['', '', ''].map(oauth.generateRandomCodeVerifier) as [
      string,
      string,
      string,
    ]
    const asked = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'openid profile',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    await page.goto(`${server.authorization_endpoint}?${asked.toString()}`)
    await button(page, 'Allow').click()
    await page.getByText('Go on in the app.').waitFor()
    const client = { client_id }
    const back = oauth.validateAuthResponse(server, client, new URL(page.url()), state)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        back,
        redirect_uri,
        verifier,
        http,
      ),
      { expectedNonce: nonce, requireIdToken: true },
    )
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ name: 'Acme Admin' })
    app.close()
  }

  /** A device that asks as the wizard says; somebody types its code, and it gets a token. */
  async function showsCode(page: Page): Promise<void> {
    const told = /-d client_id=(\S+) -d scope='([^']+)' \\\n {2}(\S+)/.exec(await snippet(page))
    const [, client_id = '', scope = '', endpoint = ''] = told ?? []
    const begun = (await post(endpoint, { client_id, scope })).json
    await page.goto(String(begun.verification_uri))
    await page.getByLabel('Code').fill(String(begun.user_code))
    await page.locator('button[type=submit]').first().click()
    await page.getByText('Your device must show exactly this code').waitFor()
    await button(page, 'Allow').click()
    await page.getByText('Your device is connected').first().waitFor()
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(begun.device_code),
      client_id,
    })
    const headers = { authorization: `Bearer ${String(json.access_token)}` }
    const userinfo = await fetch(`${tessera.url}/oauth2/userinfo`, { headers })
    expect(await userinfo.json()).toMatchObject({ name: 'Acme Admin' })
  }

  at('sqlite')('fills in what a product needs, with a secret of its own', async () => {
    const { context, page } = await open(people.admin, {}, '/applications/new', 'What do you connect?')
    await page.getByRole('button', { name: /A product that you installed/ }).click()
    await page.getByLabel('Product').selectOption('oauth2-proxy')
    await page.getByLabel('Where is oauth2-proxy?').fill('https://intranet.example.com')
    await button(page, 'Next').click()
    await letEverybodyIn(page)
    await button(page, 'Connect it').click()
    await page.getByRole('heading', { name: 'oauth2-proxy is connected' }).waitFor()
    const pasted = await snippet(page)
    expect(pasted).toContain('redirect_url = "https://intranet.example.com/oauth2/callback"')
    expect(pasted).toMatch(/^cookie_secret = "[\w-]{43}"$/m)
    expect(pasted).not.toContain('{{')
    await context.close()
  })

  at('postgres')('gives a program a token, and makes once what was clicked twice', async () => {
    const { context, page } = await open(people.admin)
    const permission = 'submissions-tool.vista-import.create'
    await connect(page, /A program that nobody signs in to/, 'Nightly', {
      may: async () => {
        await pickOn(page, 'Services that it calls', 'submissions', 'Submissions tool')
        await pickOn(page, 'Permissions', permission, permission)
      },
    })
    const [, id = '', secret = ''] = /curl -u '([^:]+):([^']+)'/.exec(await snippet(page)) ?? []
    const { json } = await post(
      `${tessera.url}/oauth2/token`,
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    )
    const audience = 'https://submissions.acme.example/api'
    const guard = createGuard({ issuer: tessera.url, audience, now: tessera.clock.now })
    const bearer = `Bearer ${String(json.access_token)}`
    expect(await guard.check(bearer, permission)).toMatchObject({ allowed: true })
    expect(await guard.check(bearer, 'submissions-tool.vista-import.read')).toMatchObject({ status: 403 })
    await page.getByRole('link', { name: 'Its page in the console' }).click()
    await button(page, 'Yes, it is stored').click()

    await makesOnce(page)
    await context.close()
  })

  /** The service makes a change, and its answer does not arrive: nor anything after it, where everything is lost. */
  async function looseOn(page: Page) {
    const line = { loses: 'nothing' as 'nothing' | 'answer' | 'everything', changes: 0, aborted: 0 }
    let isGone = false
    await page.route('**/admin/v1/**', async (route: Route) => {
      const request = route.request()
      const isChange = request.method() !== 'GET' && !request.url().includes('dry_run')
      if (isChange) line.changes++
      if (line.loses === 'nothing') isGone = false
      else if (isGone || isChange) {
        if (!isGone) await route.fetch()
        if (isGone) line.aborted++
        if (line.loses === 'answer') line.loses = 'nothing'
        else isGone = true
        return await route.abort()
      }
      return await route.continue()
    })
    return line
  }

  async function makesOnce(page: Page): Promise<void> {
    const line = await looseOn(page)
    const unreachable = page.getByText('The service can’t be reached.')
    await visit(page, '/applications/new', 'What do you connect?')
    await page.getByRole('button', { name: /A web application with a server/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('Kiosk')
    await page.getByLabel('Redirect addresses').fill('https://kiosk.acme.example/callback')
    await button(page, 'Next').click()
    await letEverybodyIn(page)
    line.loses = 'answer'
    await button(page, 'Connect it').click()
    await unreachable.waitFor()
    await button(page, 'Connect it').click()
    await page.getByRole('heading', { name: 'Kiosk is connected' }).waitFor()
    await page.getByText('its answer was lost').waitFor()
    const kinds = (await recordsWith(admin, 'kiosk')).map(({ kind }) => kind)
    expect(kinds).toEqual(['client.created'])

    await visit(page, `/people/${users.importer}`, 'Importer')
    await button(page, 'Give a profile').click()
    await pickOn(page, 'Role', 'read', 'Reader')
    await pickOn(page, 'Organisation', 'acme', 'Acme Institute')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('gains').waitFor()
    line.loses = 'answer'
    await button(page, 'Give a profile').last().click()
    await unreachable.waitFor()
    await button(page, 'Give a profile').last().click()
    await page.getByRole('heading', { name: 'Reader' }).waitFor()
    expect(await admin.all(`/profiles?user_uuid=${users.importer}`)).toHaveLength(2)
    await knowsWhatItChanged(page, line)
  }

  /** Nobody is told that somebody changed what was their own change. */
  async function knowsWhatItChanged(page: Page, line: Awaited<ReturnType<typeof looseOn>>): Promise<void> {
    // What is tried out while one types may be lost as well, and says it, too.
    const unreachable = page.getByText('The service can’t be reached.').first()
    const client = async () => (await admin.get('/clients/kiosk')).json
    await visit(page, '/applications/kiosk/settings', 'Redirect addresses')
    const name = page.getByLabel('Name', { exact: true })
    const renames = async (to: string, loses: typeof line.loses) => {
      await name.fill(to)
      Object.assign(line, { loses, changes: 0, aborted: 0 })
      await button(page, 'Save').click()
    }
    // The thing says that it was done.
    await renames('Kiosk in the hall', 'answer')
    await page.getByRole('heading', { name: 'Kiosk in the hall' }).waitFor()
    expect(line.changes).toBe(1)

    // It can't be asked until the second click.
    await renames('Kiosk by the door', 'everything')
    await expect.poll(() => line.aborted).toBeGreaterThan(0)
    line.loses = 'nothing'
    await unreachable.waitFor()
    await button(page, 'Save').click()
    await unreachable.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Kiosk by the door' }).waitFor()
    expect(line.changes).toBe(1)

    // Somebody else changed one of the two since.
    await page.getByLabel('Website').fill('https://kiosk.acme.example/')
    await renames('Mine', 'everything')
    await expect.poll(() => line.aborted).toBeGreaterThan(0)
    await admin.patch('/clients/kiosk', { client_name: 'Theirs' })
    line.loses = 'nothing'
    await unreachable.waitFor()
    await button(page, 'Save').click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody changed this meanwhile' })
    await conflict.getByRole('cell', { name: 'Theirs', exact: true }).waitFor()
    expect(await conflict.textContent()).not.toContain('Website')
    await conflict.getByRole('button', { name: 'Take theirs' }).click()
    await conflict.waitFor({ state: 'detached' })
    await expect.poll(() => button(page, 'Save').isDisabled()).toBe(true)
    expect(await client()).toMatchObject({ client_name: 'Theirs', client_uri: 'https://kiosk.acme.example/' })

    // A dialog never turns into its opposite.
    const dialog = page.getByRole('dialog')
    await button(page, 'Disable').click()
    await dialog.locator('button[type=submit]:enabled').waitFor()
    Object.assign(line, { loses: 'everything', aborted: 0 })
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await expect.poll(() => line.aborted).toBeGreaterThan(0)
    line.loses = 'nothing'
    await dialog.waitFor({ state: 'detached' })
    await button(page, 'Enable').waitFor()
    expect((await client()).active).toBe(false)

    await button(page, 'Remove this application').click()
    await dialog.locator('button[type=submit]:enabled').waitFor()
    line.loses = 'answer'
    await dialog.getByRole('button', { name: 'Remove this application' }).click()
    await unreachable.waitFor()
    await dialog.getByRole('button', { name: 'Remove this application' }).click()
    await page.waitForURL(/\/console\/applications$/)
  }
})
