/** Applications in the console: set up, changed beside somebody else, secrets, removed; and for whom. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, claimsOf, people, post } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { userinfo, Visitor } from '../harness/program.ts'
import { acme, Administrator, heads } from '../administration/support.ts'
import { consoleOn, fits, heading, keptBy, letEverybodyIn, turnTo, visit } from './console-page.ts'

const hostile = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd'

onOneDatabase('applications in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  const portal = {
    client_id: 'portal',
    type: 'web',
    client_name: hostile,
    redirect_uris: ['https://portal.acme.example/callback'],
    scope: 'openid email',
  }
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    expect((await admin.post('/clients', portal)).status).toBe(201)
    const own = { client_id: 'acme-portal', type: 'public', scope: 'openid', organisation_uuid: acme }
    const made = await admin.post('/clients', {
      ...own,
      client_name: 'Acme portal',
      redirect_uris: ['https://own.acme.example/'],
    })
    expect(made.status).toBe(201)
  })
  const client = async () => (await admin.get('/clients/portal')).json
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  it('changes an application beside somebody else, replaces its secret, and removes it', async () => {
    const { context, page } = await open(people.admin, look, '/applications/portal', 'Redirect addresses')
    expect(await heading(page)).toBe(hostile)
    await expect.poll(() => page.locator('main img').count()).toBe(0)
    await fits(page)

    // What is wrong is said while one types; nothing is changed by it.
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Redirect addresses').fill('http://portal.acme.example/callback')
    await page.getByText('only loopback addresses may').waitFor()
    await fits(page)
    await page.getByLabel('Redirect addresses').fill('https://portal.acme.example/back')
    await page.getByText('only loopback addresses may').waitFor({ state: 'detached' })
    await page.getByLabel('Pushed requests only').check()
    await page.getByLabel('Tokens bound to a key only').check()
    await page.getByLabel('Name', { exact: true }).fill('Portal')

    // Somebody else changes one field as well, and one beside it.
    const there = await admin.get('/clients/portal')
    const theirs = { client_name: 'Their portal', client_uri: 'https://portal.acme.example/' }
    const changed = await admin.ask('PATCH', '/clients/portal', { body: theirs, match: there.etag })
    expect(changed.status).toBe(200)
    await button(page, 'Save').click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody changed this meanwhile' })
    await conflict.getByText('admin-cli').waitFor()
    await conflict.getByText('Their portal').waitFor()
    await conflict.getByText('Theirs stays as it is: Website').waitFor()
    expect((await client()).client_name).toBe('Their portal')
    await fits(page)
    await conflict.getByRole('button', { name: 'Keep editing' }).click()
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Portal')
    await expect.poll(() => page.getByLabel('Website').inputValue()).toBe(theirs.client_uri)
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Portal', exact: true }).waitFor()
    expect(await client()).toMatchObject({
      client_name: 'Portal',
      client_uri: theirs.client_uri,
      redirect_uris: ['https://portal.acme.example/back'],
      require_pushed_authorization_requests: true,
      dpop_bound_access_tokens: true,
    })

    await replacesLeakedSecret(page)

    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Remove this application').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This changes nobody’s access.').waitFor()
    await dialog.getByRole('button', { name: 'Remove this application' }).click()
    await page.waitForURL(/\/console\/applications$/)
    expect((await admin.get('/clients/portal')).status).toBe(404)
    await context.close()
  })

  /** The application authenticates with what is shown, and not with the old one. */
  async function replacesLeakedSecret(page: Page): Promise<void> {
    const [leaked] = (await client()).secrets as { id: string }[]
    await page.getByRole('link', { name: 'Secrets' }).click()
    await button(page, 'Replace a leaked secret').click()
    const dialog = page.getByRole('dialog')
    const secret = (await dialog.locator('dd code').textContent()) ?? ''
    await fits(page)
    expect((await client()).secrets).toHaveLength(2)
    // It is not left unasked.
    await page.keyboard.press('Escape')
    await dialog.getByText('The secret is not shown again.').waitFor()
    await dialog.getByRole('button', { name: 'Back to the secret' }).click()
    await dialog.getByRole('button', { name: 'End the old secret now' }).click()
    await dialog.waitFor({ state: 'detached' })
    const left = (await client()).secrets as { id: string }[]
    expect(left).toHaveLength(1)
    expect(left[0]?.id).not.toBe(leaked?.id)
    const answer = await fetch(`${tessera.url}/oauth2/introspect`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`portal:${secret}`)}` },
      body: new URLSearchParams({ token: 'none' }),
    })
    expect(answer.status).toBe(200)
    await fits(page)
  }

  it('says whose tokens prove an application, and offers no secret that would not count', async () => {
    const issuer = 'https://token.actions.githubusercontent.com'
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: [{ issuer }] }, match: etag })
    const job = { client_id: 'deploy', type: 'machine', client_name: 'Deploy' }
    const federated = { issuer, claims: { repository_id: '456789', ref: 'refs/heads/main' } }
    expect((await admin.post('/clients', { ...job, federated })).status).toBe(201)
    const who = `a token of ${issuer} in which ref is "refs/heads/main" and repository_id is "456789"`
    const { context, page } = await open(people.admin, look, '/applications/deploy', who)
    await fits(page)
    await page.getByRole('link', { name: 'Secrets' }).click()
    await page.getByText('It needs no secret, and none counts.').waitFor()
    await page.getByText(who).waitFor()
    await expect.poll(() => button(page, 'Add a secret').count()).toBe(0)
    await fits(page)
    await admin.delete('/clients/deploy')
    await context.close()
  })

  it('lets in those alone who are chosen, after a look at whom that shuts out', async () => {
    const path = '/clients/submissions-web'
    const shown = async () => (await admin.get(path)).json
    const tokens = await new Visitor(tessera.url, people.importer).tokens()
    const { context, page } = await open(
      people.admin,
      look,
      '/applications/submissions-web',
      'Everybody who has a profile',
    )
    await page.getByRole('link', { name: 'Settings' }).click()
    const who = page.getByRole('combobox', { name: 'People' })
    await who.selectOption('Only some people')
    await page.getByText('Name at least one role').waitFor()
    await fits(page)
    const pick = async (field: string, text: string, option: RegExp) => {
      await page.getByRole('textbox', { name: field }).fill(text)
      await page.locator('[data-combobox-selected]').filter({ hasText: option }).waitFor()
      await page.keyboard.press('Enter')
    }
    await pick('With one of the roles', 'read', /reader/)
    const effect = page.locator('.effect')
    await effect
      .getByText(/^\d people in 1 organisation can no longer sign in to submissions-web\.$/)
      .waitFor()
    await effect.getByText('1 application is signed out.').waitFor()
    expect(await effect.textContent()).not.toContain('nobody’s access')
    await fits(page)
    await button(page, 'Save').click()
    await expect.poll(async () => (await shown()).allowed).toEqual({ roles: ['reader'] })
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)

    // A unit is found by its organisation, and one that is chosen is taken out again.
    const places = 'At one of the organisations or units'
    await pick(places, 'acme/int', /acme\/intake/)
    await pick(places, 'globex', /globex/)
    await page.getByRole('button', { name: 'Take out: globex' }).click()
    await button(page, 'Save').click()
    const both = { roles: ['reader'], organisations: ['acme/intake'] }
    await expect.poll(async () => (await shown()).allowed).toEqual(both)
    await visit(page, '/applications/submissions-web', 'Only some people')
    const told = page.locator('.fact').filter({ hasText: 'Who may use it?' })
    await expect
      .poll(() => told.getByRole('listitem').allTextContents())
      .toEqual(['With one of the roles reader', 'At one of the organisations or units acme/intake'])

    // What is removed stays in the list, and says that nobody gets in by it.
    await admin.post('/roles', { code: 'guest', name: 'Guest', permissions: [] })
    expect((await admin.patch(path, { allowed: { roles: ['guest', 'reader'] } })).status).toBe(200)
    expect((await admin.delete('/roles/guest', '*')).status).toBe(204)
    await visit(page, '/applications/submissions-web', 'guest removed')
    await fits(page)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('guest: removed since. Nobody gets in by it').waitFor()
    await fits(page)
    await page.getByRole('button', { name: 'Take out: guest' }).click()
    await button(page, 'Save').click()
    await expect.poll(async () => (await shown()).allowed_removed).toBeNull()
    expect((await shown()).allowed).toEqual({ roles: ['reader'] })
    await who.selectOption('Everybody who has a profile')
    await effect.getByText(/can sign in newly to submissions-web/).waitFor()
    await button(page, 'Save').click()
    await expect.poll(async () => (await shown()).allowed).toBeNull()
    await context.close()
  })

  it('connects a web application, a product and a program', async () => {
    const { context, page } = await open(people.admin, {}, '/applications', 'Acme portal')
    const wiki = createServer((_, response) => response.end('There.')).listen(0)
    await once(wiki, 'listening')
    const address = `http://localhost:${(wiki.address() as AddressInfo).port}`
    await page.getByRole('link', { name: 'Connect an application' }).click()
    await page.getByRole('button', { name: /A web application with a server/ }).click()
    await page.getByLabel('Name', { exact: true }).fill('The Wiki')
    const redirects = page.getByLabel('Redirect addresses')
    await redirects.fill('http://wiki.acme.example/')
    await page.getByText('only loopback addresses may').waitFor()
    await button(page, 'Next').click()
    await page.getByText('only loopback addresses may').waitFor()
    await redirects.fill('http://localhost:3000/cb/')
    await page.getByText('Addresses are compared letter by letter').waitFor()
    await page.getByText('localhost and 127.0.0.1 are different').waitFor()
    await fits(page)
    await button(page, 'Auth.js').click()
    await page.getByLabel('Where is The Wiki?').fill(`${address}/`)
    await expect.poll(() => redirects.inputValue()).toBe(`${address}/auth/callback/tessera`)
    await button(page, 'Next').click()
    await letEverybodyIn(page)
    await fits(page)
    await button(page, 'Connect it').click()
    await page.getByRole('heading', { name: 'The Wiki is connected' }).waitFor()
    await fits(page)
    const secret = /clientSecret: '([^']+)'/.exec((await page.locator('pre').textContent()) ?? '')?.[1] ?? ''
    await expect.poll(() => page.locator('pre').textContent()).toContain("clientId: 'the-wiki'")

    // Leaving asks, and then shows what its tokens would say.
    await page.getByRole('link', { name: 'Preview' }).click()
    await button(page, 'Yes, it is stored').click()
    await page.getByLabel('Person').first().fill('importer@')
    await page.getByRole('option', { name: /Importer/ }).click()
    await page
      .getByRole('row', { name: /^email importer@acme.example/ })
      .first()
      .waitFor()
    await fits(page)
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByText('client.created').waitFor()
    await tries(page)
    await signsIn(page, `${address}/auth/callback/tessera`, secret)
    wiki.close()

    await visit(page, '/applications/new', 'What do you connect?')
    await fits(page)
    await page.getByRole('button', { name: /A product that you installed/ }).click()
    await page.getByLabel('Product').selectOption('grafana')
    await page.getByLabel('Where is Grafana?').fill('https://grafana.acme.example')
    await button(page, 'Next').click()
    await letEverybodyIn(page)
    await button(page, 'Connect it').click()
    await page.getByText('root_url = https://grafana.acme.example').waitFor()
    expect((await admin.get('/clients/grafana')).json).toMatchObject({
      require_nonce: false,
      redirect_uris: ['https://grafana.acme.example/login/generic_oauth'],
    })
    await context.close()
  })

  /** As oneself, by the real pages: what the application would be told, or why it would be refused. */
  async function tries(page: Page): Promise<void> {
    const addresses: string[] = []
    page.on('framenavigated', (frame) => addresses.push(frame.url()))
    await page.getByRole('link', { name: 'Try it' }).click()
    await button(page, 'Try it').click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('It works.').waitFor()
    // No code came of it, and no token is kept.
    expect(page.url()).toMatch(/\/console\/try\?state=[^&]+&iss=[^&]+$/)
    expect([await keptBy(page), ...addresses].join(' ')).not.toMatch(/eyJ[\w-]+\.eyJ/)
    await page
      .getByRole('row', { name: /^email admin@acme.example/ })
      .first()
      .waitFor()
    await fits(page)
    await page.getByRole('link', { name: 'Try again' }).click()
    await button(page, 'Try it').click()
    await page.getByRole('button', { name: 'Do not allow', exact: true }).click()
    await page.getByText('The application would be refused.').waitFor()
    await page.getByText('access_denied').waitFor()
    await fits(page)
  }

  /** In the browser, up to the page of the application; and its server exchanges the code by the secret shown. */
  async function signsIn(page: Page, redirect_uri: string, secret: string): Promise<void> {
    const request = authorizeRequest({ client_id: 'the-wiki', redirect_uri, scope: 'openid email' })
    await page.goto(`${tessera.url}${request.path}`)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('There.').waitFor()
    const { json } = await post(`${tessera.url}/oauth2/token`, {
      grant_type: 'authorization_code',
      client_id: 'the-wiki',
      client_secret: secret,
      redirect_uri,
      code: new URL(page.url()).searchParams.get('code') ?? '',
      code_verifier: request.verifier,
    })
    expect(claimsOf(String(json.id_token))).toMatchObject({ aud: 'the-wiki', email: people.admin.email })
    await page.goto(`${tessera.url}/console/`)
  }

  /** A name is saved while a proxy writes tags so; an empty one is none. */
  async function saveThrough(page: Page, tagOf: (tag: string) => string, name: string): Promise<void> {
    await page.unrouteAll({ behavior: 'wait' })
    await page.route('**/admin/v1/clients/acme-portal', async (route) => {
      if (route.request().method() !== 'GET') return await route.continue()
      const response = await route.fetch()
      const { etag = '', ...headers } = response.headers()
      const tag = tagOf(etag)
      await route.fulfill({ response, headers: tag === '' ? headers : { ...headers, etag: tag } })
    })
    await visit(page, '/applications/acme-portal/settings', 'Redirect addresses')
    await page.getByLabel('Name', { exact: true }).fill(name)
    await button(page, 'Save').click()
  }

  /** A tag that compression made weak still names what is changed; without one nothing is overwritten. */
  async function savesByTheTag(page: Page): Promise<void> {
    const nameNow = async () => (await admin.get('/clients/acme-portal')).json.client_name
    for (const name of ['Acme portal, weakly', 'Acme portal']) {
      await saveThrough(page, (tag) => `W/${tag}`, name)
      await expect.poll(nameNow).toBe(name)
    }
    await saveThrough(page, () => '', 'Overwritten')
    await page.getByText('It was changed since that version.').first().waitFor()
    expect(await nameNow()).toBe('Acme portal')
    await button(page, 'Discard').click()
    await page.unrouteAll({ behavior: 'wait' })
  }

  /** A unit by its own name; of others there is nothing to pick. */
  async function picksOwnPlaces(page: Page): Promise<void> {
    await visit(page, '/applications/acme-portal/settings', 'Redirect addresses')
    await page.getByRole('combobox', { name: 'People' }).selectOption('Only some people')
    await page.getByText('people of the organisation alone that it belongs to').waitFor()
    const places = page.getByRole('textbox', { name: 'At one of the organisations or units' })
    await places.fill('globex')
    await page.getByText('Nothing found').waitFor()
    await places.fill('Intake')
    await page.locator('[data-combobox-selected]').filter({ hasText: 'acme/intake' }).waitFor()
    await page.keyboard.press('Enter')
    await button(page, 'Save').click()
    const allowedNow = async () => (await admin.get('/clients/acme-portal')).json.allowed
    await expect.poll(allowedNow).toEqual({ organisations: ['acme/intake'] })
  }

  it('previews a client of plain OAuth 2.0, which gets no ID token', async () => {
    const changes = { client_id: 'plain', scope: 'service.api', services: ['submissions-tool'] }
    expect((await admin.post('/clients', { ...portal, ...changes })).status).toBe(201)
    const { context, page } = await open(people.admin, {}, '/applications/plain/preview', 'Choose a person')
    await page.getByLabel('Person').first().fill('importer@')
    await page.getByRole('option', { name: /Importer/ }).click()
    await page.getByText('there is no ID token').waitFor()
    await page.getByRole('region', { name: 'Access token' }).waitFor()
    await expect.poll(() => page.getByRole('region', { name: 'ID token' }).count()).toBe(0)
    await fits(page)
    await context.close()
  })

  it('shows which return address was refused, beside the nearest that is registered', async () => {
    const refused = { client_id: 'acme-portal', redirect_uri: 'https://own.acme.example/callback"><img>' }
    expect((await fetch(`${tessera.url}${authorizeRequest(refused).path}`)).status).toBe(400)
    const { context, page } = await open(
      people.admin,
      look,
      '/',
      'asked for a return address that is not registered',
    )
    await visit(page, '/applications/acme-portal', 'Refused return addresses')
    const shown = page.getByRole('region', { name: 'Refused return addresses' })
    await expect.poll(() => shown.locator('mark').allTextContents()).toEqual(['callback"><img>'])
    await expect
      .poll(() => shown.getByRole('definition').allTextContents())
      .toEqual([
        expect.stringContaining(refused.redirect_uri),
        'https://own.acme.example/',
        'the path',
        expect.stringContaining('can’t be registered as it came'),
      ])
    await expect.poll(() => shown.locator('img, a').count()).toBe(0)
    await fits(page)
    await context.close()
  })

  it('shows an administrator of an organisation theirs alone, and of a unit none', async () => {
    const head = await open(heads.head, {}, '/applications', 'Acme portal')
    expect(await head.page.locator('main').textContent()).not.toContain('submissions-web')
    await turnTo(head.page, '/applications?service=iam', 'acme-cli')
    expect(await head.page.locator('main').textContent()).not.toContain('acme-portal')
    await turnTo(head.page, '/applications?service=nothing', 'Nothing matches')
    await turnTo(head.page, '/applications/submissions-web', 'There is nothing at this address.')
    await button(head.page, 'Copy: Request').waitFor()
    await savesByTheTag(head.page)
    await picksOwnPlaces(head.page)
    await expect.poll(() => head.page.getByLabel('Belongs to').count()).toBe(0)
    await expect.poll(() => head.page.getByLabel('It is ours').count()).toBe(0)

    // Theirs stands where others pick.
    await turnTo(head.page, '/applications/new', 'What do you connect?')
    await head.page.getByRole('button', { name: /A program that nobody signs in to/ }).click()
    await head.page.getByLabel('Name', { exact: true }).fill('Nightly')
    await button(head.page, 'Next').click()
    await head.page.getByText('Belongs to Acme Institute').waitFor()
    await button(head.page, 'Connect it').click()
    await head.page.getByRole('heading', { name: 'Nightly is connected' }).waitFor()
    expect((await admin.get('/clients/nightly')).json.organisation_uuid).toBe(acme)
    await head.context.close()

    const unit = await open(heads.unitHead, {}, '/applications', 'Applications belong to organisations')
    await expect.poll(() => unit.page.getByText('Connect an application').count()).toBe(0)
    await turnTo(unit.page, '/applications/acme-portal', 'There is nothing at this address.')
    await unit.context.close()
  })
})
