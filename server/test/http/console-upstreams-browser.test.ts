/** How people sign in elsewhere, in the console: upstreams, domains and directories, and for whom. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { people, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { linkTo, plantApp } from '../harness/states.ts'
import { UpstreamProvider } from '../harness/upstream-provider.ts'
import { acme, Administrator, globex, heads, users } from '../administration/support.ts'
import { consoleOn, fits, heading, keptBy, turnTo, visit } from './console-page.ts'

const hostile = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd'

onOneDatabase('sign-in elsewhere in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  const provider = new UpstreamProvider()
  let admin: Administrator
  beforeAll(async () => {
    await provider.listen()
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(() => provider.close())

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const dialog = (page: Page) => page.getByRole('dialog')
  const confirm = async (page: Page, name: string) => {
    await button(page, name).first().click()
    await dialog(page).getByRole('button', { name, exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await admin.post(path, body)
    expect(answer.status, answer.text).toBe(201)
    return String(answer.json.uuid)
  }
  const upstreamOf = async (more: object): Promise<string> =>
    await made('/upstreams', {
      ...{ name: 'Acme ID', kind: 'oidc', organisation_uuid: acme, issuer: provider.issuer },
      ...{ client_id: provider.clientId, client_secret: provider.clientSecret, ...more },
    })
  const read = async (path: string) => (await admin.get(path)).json

  it('adds a provider, after what was typed was refused, and says what to register there', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/upstreams?organisation=${acme}`,
      'No provider yet',
    )
    await fits(page, 'an organisation without any')
    await page.getByRole('link', { name: 'Add a provider' }).first().click()
    await page.getByRole('button', { name: /SAML/ }).waitFor()
    await fits(page, 'the kinds')
    await page.getByRole('button', { name: /OpenID Connect/ }).click()
    await page.getByLabel('Name', { exact: true }).fill(hostile)
    await page.getByLabel('Code').fill('entra')
    await page.getByLabel('Issuer').fill('https://login.microsoftonline.com/common/v2.0')
    await page.getByLabel('Secret').fill('a-secret-that-is-never-shown')
    await button(page, 'Add a provider').click()
    await page.getByText('It must name one tenant').waitFor()
    await page.getByText('An upstream of the kind oidc needs it.').waitFor()
    await fits(page, 'what was refused')
    // What was typed is there.
    await expect.poll(() => page.getByLabel('Secret').inputValue()).toBe('a-secret-that-is-never-shown')
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client ID').fill(provider.clientId)
    await button(page, 'Add a provider').click()
    await page.getByText('To register there').waitFor()
    const uuid = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    expect(await heading(page)).toBe(hostile)
    await expect.poll(() => page.locator('main img').count()).toBe(0)
    await page.getByText(`${tessera.url}/upstreams/${uuid}/callback`, { exact: true }).waitFor()
    expect(await read(`/upstreams/${uuid}`)).toMatchObject({
      ...{ code: 'entra', organisation_uuid: acme, client_secret: true, provision: 'known' },
    })
    expect(await keptBy(page)).not.toContain('never-shown')
    await button(page, 'Check now').click()
    await page.getByText('It answers as it should.').waitFor()
    await fits(page, 'an upstream')

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Entra of Acme')
    await page.getByLabel('Profiles count for, in days').fill('31')
    await page.getByText('Something above is not right yet.').waitFor()
    await page.getByLabel('Profiles count for, in days').fill('3')
    await page.getByText('Something above is not right yet.').waitFor({ state: 'detached' })
    // Somebody else changes another field meanwhile.
    await admin.patch(`/upstreams/${uuid}`, { provision: 'create' })
    await button(page, 'Save').click()
    const conflict = page.getByRole('alert').filter({ hasText: 'Somebody changed this meanwhile' })
    await conflict.waitFor()
    await fits(page, 'a conflict')
    await conflict.getByRole('button', { name: 'Save mine' }).click()
    await page.getByRole('heading', { name: 'Entra of Acme', exact: true }).waitFor()
    expect(await read(`/upstreams/${uuid}`)).toMatchObject({
      ...{ name: 'Entra of Acme', recheck_days: 3, provision: 'create' },
    })
    await button(page, 'Set the secret').click()
    await dialog(page).getByLabel('Secret', { exact: true }).fill('another-that-is-never-shown')
    await dialog(page).getByRole('button', { name: '30 days' }).click()
    await fits(page, 'a new secret')
    await dialog(page).getByRole('button', { name: 'Set the secret' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await page.getByText(/^Secret ends in (29|30) days$/).waitFor()
    await confirm(page, 'Disable')
    await page.getByText('Disabled').waitFor()
    expect((await read(`/upstreams/${uuid}`)).active).toBe(false)
    await confirm(page, 'Remove this provider')
    await page.getByText('No provider yet').waitFor()
    expect((await admin.get(`/upstreams/${uuid}`)).status).toBe(404)
    expect(complaints.filter((one) => !/40[04]|412/.test(one))).toEqual([])
    await context.close()
  })

  it('tries a sign-in in another tab, and tells what came and what it would do', async () => {
    await made('/domains', { name: 'acme.example', organisation_uuid: acme, given: true })
    const mapping = [{ group: 'staff', role: 'importer', unit: 'finance' }]
    const uuid = await upstreamOf({ code: 'tried', provision: 'create', mapping })
    const { context, page } = await open(
      people.admin,
      look,
      `/upstreams/${uuid}/try`,
      'nobody is signed in here',
    )
    await fits(page, 'before a trial')
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('main').getByRole('button', { name: 'Try it' }).click(),
    ])
    provider.person = { sub: 'ada', email: 'ada@acme.example', name: hostile, groups: ['staff'] }
    // It comes back by itself, to a page that says the same.
    await other.locator('form').getByRole('button').click()
    await other.waitForURL(/\/tried\?id=/)
    await other.close()
    await page.getByText('It works. A new account is made.').waitFor()
    const card = page.getByRole('region', { name: 'What the provider said' })
    await card.getByText(hostile).first().waitFor()
    await card.getByText('staff').first().waitFor()
    await expect
      .poll(() => page.getByRole('region', { name: 'What a sign-in would do' }).textContent())
      .toContain('importer Acme Institute › Finance')
    await expect.poll(() => page.locator('main img').count()).toBe(0)
    await fits(page, 'what came of a trial')
    expect(await admin.all('/users?q=ada@acme.example')).toEqual([])
    await admin.delete(`/upstreams/${uuid}`, '*')
    const [domain] = await admin.all('/domains')
    await admin.delete(`/domains/${String(domain?.uuid)}`, '*')
    await context.close()
  })

  it('changes a mapping with a look at who gains and loses, and tells at a glance how it does', async () => {
    const mapping = [{ group: 'staff', role: 'importer', unit: 'finance' }]
    const uuid = await upstreamOf({ code: 'mapped', mapping: [] })
    await linkTo(tessera, {
      upstream_uuid: uuid,
      user_uuid: users.importer,
      groups: ['staff'],
      at: Date.now(),
    })
    await admin.patch(`/upstreams/${uuid}`, { mapping })
    const { context, page } = await open(people.admin, look, '/upstreams', 'Acme ID')
    const row = page.getByRole('row', { name: /Acme ID/ })
    await row.getByText('Nobody yet').waitFor()
    await expect.poll(() => row.textContent()).toContain('Acme InstituteOpenID Connect1Nobody yet')
    await fits(page, 'all providers')
    await row.getByRole('link').click()
    await page.getByRole('link', { name: 'Mapping' }).click()
    const effect = page.locator('.effect')
    await page.getByLabel('in the group').fill('nobody')
    await effect.getByText(people.importer.email).waitFor()
    await effect.getByText('loses').waitFor()
    await fits(page, 'who loses')
    await page.getByLabel('in the group').fill('staff')
    await page.getByText('Change a rule, and see here').waitFor()
    await button(page, 'Add a rule').click()
    await page.getByText('A rule is not whole yet.').waitFor()
    await expect.poll(() => button(page, 'Save').isDisabled()).toBe(true)
    await page.getByLabel('By what').last().selectOption('group')
    await page.getByLabel('in the group').last().fill('staff')
    const role = page.getByRole('textbox', { name: 'gets the role' }).last()
    await role.fill('reader')
    await page
      .locator('[data-combobox-selected]')
      .filter({ hasText: /reader/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await effect.getByText('gains').waitFor()
    await fits(page, 'who gains')
    await button(page, 'Save').click()
    await expect
      .poll(async () => (await read(`/upstreams/${uuid}`)).mapping)
      .toEqual([...mapping, { group: 'staff', role: 'reader' }])
    expect((await admin.all(`/profiles?user_uuid=${users.importer}`)).length).toBe(3)
    await admin.delete(`/upstreams/${uuid}`, '*')
    await context.close()
  })

  it('adds a domain with its record, and looks for it now', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      `/upstreams?organisation=${acme}`,
      'No domain yet',
    )
    await button(page, 'Add a domain').click()
    await dialog(page).getByLabel('Domain', { exact: true }).fill('not a domain')
    await dialog(page).getByRole('button', { name: 'Add a domain' }).click()
    await dialog(page).locator('[id$="-error"]').waitFor()
    await expect
      .poll(() => dialog(page).getByLabel('Domain', { exact: true }).inputValue())
      .toBe('not a domain')
    await dialog(page).getByLabel('Domain', { exact: true }).fill('labs.acme.example')
    await dialog(page).getByRole('button', { name: 'Add a domain' }).click()
    const card = page.getByRole('article', { name: 'labs.acme.example' })
    await card.getByText('Waits for its record').waitFor()
    const [claim] = await admin.all(`/domains?organisation_uuid=${acme}`)
    await card.getByText('_tessera.labs.acme.example', { exact: true }).waitFor()
    await card.getByText(String(claim?.token), { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Look now' }).click()
    await card.getByText(/did not answer|no such record/).waitFor()
    await fits(page, 'a domain without its record')
    await card.getByRole('button', { name: 'Give it without a record' }).click()
    await dialog(page).getByText('It counts at once.').waitFor()
    await dialog(page).getByRole('button', { name: 'Give it without a record' }).click()
    await card.getByText('Counts', { exact: true }).waitFor()
    expect((await read(`/domains/${String(claim?.uuid)}`)).holds).toBe(true)
    await card.getByRole('button', { name: 'Remove' }).click()
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No domain yet').waitFor()
    await context.close()
  })

  it('adds a directory, whose token is shown once, and revokes it', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      `/upstreams?organisation=${acme}`,
      'No directory',
    )
    await button(page, 'Add a directory').click()
    await dialog(page).getByLabel('Name').fill(hostile)
    await dialog(page).getByLabel('Code').fill('scim')
    await dialog(page).getByRole('button', { name: 'Add a directory' }).click()
    await page.getByText(`${tessera.url}/scim/v2`).waitFor()
    expect(await heading(page)).toBe(hostile)
    await page.getByText('No token yet').waitFor()
    const uuid = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await button(page, 'Make a token').click()
    await dialog(page).getByLabel('It counts for').selectOption('90')
    await dialog(page).getByRole('button', { name: 'Make a token' }).click()
    const token = (await dialog(page).locator('dd code').textContent()) ?? ''
    await fits(page, 'a token')
    await page.keyboard.press('Escape')
    await dialog(page).getByText('The secret is not shown again.').waitFor()
    await dialog(page).getByRole('button', { name: 'Yes, it is stored' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await keptBy(page)).not.toContain(token)
    const asked = () =>
      fetch(`${tessera.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } })
    expect((await asked()).status).toBe(200)
    await page.reload()
    await page.getByRole('row', { name: /minute/ }).waitFor()
    await fits(page, 'a directory')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('The field that is also').selectOption('externalId')
    await button(page, 'Save').click()
    await expect.poll(async () => (await read(`/directories/${uuid}`)).subject).toBe('externalId')
    await page.getByRole('link', { name: 'Mapping' }).click()
    await button(page, 'Add a rule').click()
    await expect.poll(() => page.getByLabel('By what').count()).toBe(0)
    await fits(page, 'a mapping of a directory')
    await visit(page, `/directories/${uuid}`, 'To set it up there')
    await button(page, 'Revoke').click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No token yet').waitFor()
    expect((await asked()).status).toBe(401)
    await page.getByRole('link', { name: 'Settings' }).click()
    await confirm(page, 'Remove this directory')
    await page.getByText('No directory', { exact: true }).waitFor()
    await context.close()
  })

  it('makes a set-up link, shown once, and confirms what the organisation handed in', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      `/upstreams?organisation=${acme}`,
      'Set-up links',
    )
    await button(page, 'Make a set-up link').click()
    await dialog(page).getByRole('button', { name: 'Make a set-up link' }).click()
    const address = (await dialog(page).locator('dd code').textContent()) ?? ''
    await fits(page, 'a set-up link')
    await page.keyboard.press('Escape')
    await dialog(page).getByRole('button', { name: 'Yes, it is stored' }).click()
    await page.getByText('Open', { exact: true }).waitFor()
    expect(await keptBy(page)).not.toContain(new URL(address).searchParams.get('link'))

    const browser = new TestBrowser(tessera.url)
    await browser.submit(await browser.open(address))
    const step = async (name: string, fields: Record<string, string> = {}) =>
      await browser.submit(await browser.open(`/connect/${name}`), fields)
    await step('provider', { provider: 'keycloak' })
    const { issuer, clientId: client_id, clientSecret: client_secret } = provider
    await step('values', { issuer, client_id, client_secret })
    await step('finish')
    await page.reload()
    await page.getByText('Handed in').waitFor()
    await page.getByText(provider.issuer).waitFor()
    await fits(page, 'what was handed in')
    await button(page, 'Confirm').click()
    await dialog(page).getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Confirmed').waitFor()
    const [upstream] = await admin.all(`/upstreams?organisation_uuid=${acme}`)
    expect(upstream).toMatchObject({ issuer: provider.issuer, client_secret: true })
    await admin.delete(`/upstreams/${String(upstream?.uuid)}`, '*')
    await context.close()
  })

  it('names who gets in otherwise, and whose provider is accepted', async () => {
    await plantApp(tessera, users.importer)
    const { context, page } = await open(
      people.admin,
      look,
      `/upstreams?organisation=${acme}`,
      'Nobody is named.',
    )
    await button(page, 'Name somebody').click()
    const pick = async (label: string, text: string, option: RegExp) => {
      await dialog(page).getByRole('textbox', { name: label }).fill(text)
      await page.locator('[data-combobox-selected]').filter({ hasText: option }).waitFor()
      await page.keyboard.press('Enter')
    }
    await pick('Person', 'both', /both@/)
    await dialog(page).getByText('They need an own credential of level 2 first').first().waitFor()
    await fits(page, 'who can not be named')
    await pick('Person', 'importer', /importer@/)
    await dialog(page).getByText('This changes nobody’s access.').waitFor()
    await dialog(page).getByRole('button', { name: 'Name somebody' }).click()
    await page.getByRole('listitem').getByText('Acme Importer').waitFor()
    expect((await read(`/organisations/${acme}`)).break_glass).toEqual([users.importer])
    await button(page, 'Accept an organisation').click()
    await pick('Organisation', 'glob', /globex/)
    await dialog(page).getByRole('button', { name: 'Accept an organisation' }).click()
    await page.getByRole('listitem').getByText('Globex').waitFor()
    expect((await read(`/organisations/${acme}`)).accepts).toEqual([globex])
    await fits(page, 'who is named')
    // It needs a sign-in through it first, which is said.
    await button(page, 'Demand it').click()
    await dialog(page)
      .getByText(/signed in within 30 days|within the hour/)
      .first()
      .waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    for (const name of ['Acme Importer', 'Globex']) {
      await page.getByRole('listitem').filter({ hasText: name }).getByRole('button').click()
      await dialog(page).getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('listitem').filter({ hasText: name }).waitFor({ state: 'detached' })
    }
    expect(await read(`/organisations/${acme}`)).toMatchObject({ accepts: [], break_glass: [] })
    await context.close()
  })

  it('shows an administrator of an organisation what is theirs, in their language', async () => {
    const own = await upstreamOf({ code: 'own', name: 'Acme eigen' })
    const theirs = await upstreamOf({ code: 'theirs', name: 'Of Globex', organisation_uuid: globex })
    const { context, page } = await open(heads.head, look)
    await page.evaluate(`localStorage.setItem('tessera-console-language', 'de')`)
    await visit(page, '/upstreams', 'Acme eigen')
    expect(await heading(page)).toBe('Anmeldung bei Acme Institute')
    expect(await page.getByRole('main').textContent()).not.toContain('Globex')
    // The installation names people, and gives domains.
    await page.getByText('Nur wer die ganze Installation verwaltet').waitFor()
    await expect.poll(() => button(page, 'Jemanden benennen').count()).toBe(0)
    await button(page, 'Domain hinzufügen').click()
    await expect.poll(() => dialog(page).getByText('Ohne Eintrag vergeben').count()).toBe(0)
    await page.keyboard.press('Escape')
    await fits(page, 'their organisation')
    // Somebody in it holds more than they could give: the API says so, and what was typed stays.
    await page.getByRole('link', { name: 'Acme eigen' }).click()
    await page.getByRole('link', { name: 'Einstellungen' }).click()
    await page.getByLabel('Client-ID').fill('another')
    await page
      .getByRole('alert')
      .getByText(/lack|hold|give/)
      .first()
      .waitFor()
    await expect.poll(() => page.getByLabel('Client-ID').inputValue()).toBe('another')
    await fits(page, 'a refusal')
    await visit(page, `/upstreams/${theirs}`, 'Unter dieser Adresse')
    for (const uuid of [own, theirs]) await admin.delete(`/upstreams/${uuid}`, '*')
    await context.close()
  })

  it('shows an administrator of a unit that units have none', async () => {
    const { context, page } = await open(heads.unitHead, look)
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await expect.poll(() => menu.getByText('Sign-in providers').count()).toBe(0)
    await turnTo(page, '/upstreams', 'Providers belong to organisations')
    await fits(page, 'a unit')
    await turnTo(page, '/upstreams/new', 'You can’t add a provider.')
    await context.close()
  })
})
