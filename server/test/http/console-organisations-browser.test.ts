/** Organisations with their units, roles and services in the console, for those who administer everything, an organisation, or a unit. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { acme, Administrator, finance, heads, intake } from '../administration/support.ts'
import { consoleOn, fits, heading, turnTo, visit } from './console-page.ts'

onOneDatabase('organisations, roles and services in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const tree = (page: Page) => page.getByRole('navigation', { name: 'Units' })
  const dialog = (page: Page) => page.getByRole('dialog')
  const add = async (page: Page, button: string, name: string) => {
    await page.getByRole('main').getByRole('button', { name: button }).click()
    await dialog(page).getByLabel('Name').fill(name)
    await dialog(page).getByRole('button', { name: button }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await dialog(page).waitFor({ state: 'detached' })
  }
  const uuidIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

  it('are built, changed and taken apart by who administers everything', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/organisations', 'Globex')
    await fits(page, 'the list')
    await add(page, 'Add an organisation', 'Harbour Institut für Öl')
    const organisation = uuidIn(page)
    expect((await admin.get(`/organisations/${organisation}`)).json.code).toBe('harbour-institut-fur-ol')
    await tree(page).getByText('No unit yet').waitFor()
    await page.getByText('Nobody belongs here yet').waitFor()
    await fits(page, 'an empty organisation')
    await add(page, 'Add a unit', 'Quay')
    await add(page, 'Add a unit', 'Pier')
    const pier = uuidIn(page)
    const quay = String((await admin.get(`/units/${pier}`)).json.parent_uuid)
    const email = 'pia@harbour.example'
    const profile = { role_code: 'importer', organisation_uuid: organisation, organisation_unit_uuid: pier }
    await admin.post('/users', { email, name: 'Pia <b>Holm', profiles: [profile] })

    // The tree shows the way to what is looked at, and is opened and closed by the keyboard.
    await visit(page, `/organisations/${organisation}/units/${pier}`, email)
    expect(await tree(page).getByRole('link', { name: 'Pier' }).getAttribute('aria-current')).toBe('page')
    await tree(page).getByRole('button', { name: 'Hide what is below Quay' }).focus()
    await page.keyboard.press('Enter')
    await tree(page).getByRole('link', { name: 'Pier' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await tree(page).getByRole('link', { name: 'Pier' }).waitFor()
    await page
      .getByRole('row', { name: /Pia <b>Holm/ })
      .getByText('Pier')
      .waitFor()
    await fits(page, 'a unit')

    // Somebody else renames it while the name is being typed.
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await dialog(page).getByLabel('Name').fill('Long pier')
    await admin.patch(`/units/${pier}`, { name: 'Old pier' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('It is called “Old pier” now').waitFor()
    expect((await admin.get(`/units/${pier}`)).json.name).toBe('Old pier')
    await expect.poll(() => dialog(page).getByLabel('Name').inputValue()).toBe('Long pier')
    await fits(page, 'a conflict')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Long pier' }).waitFor()

    // What has units below it is not removed, and nothing is.
    await visit(page, `/organisations/${organisation}/units/${quay}`, email)
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog(page).getByText('There are units below it.').waitFor()
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()

    await tree(page).getByRole('link', { name: 'Long pier' }).click()
    await page.getByRole('heading', { level: 1, name: 'Long pier' }).waitFor()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    // The dialog takes the focus once, a moment after it opens.
    await page.locator('[role=dialog]:focus-within').waitFor()
    const below = dialog(page).getByLabel('Below which unit')
    // Its name is asked for; until it is there, the field may be filled anew.
    await expect.poll(() => below.inputValue()).toBe('Quay')
    await below.fill('')
    expect(await below.inputValue()).toBe('')
    await page.keyboard.press('Tab')
    await dialog(page).getByRole('button', { name: 'Move', exact: true }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await expect.poll(async () => (await admin.get(`/units/${pier}`)).json.parent_uuid).toBeNull()

    // Removing takes the profiles along, and so the name is typed.
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog(page).getByText('Removed along: 1 profile').waitFor()
    const removes = dialog(page).getByRole('button', { name: 'Remove', exact: true })
    await expect.poll(() => removes.isDisabled()).toBe(true)
    await fits(page, 'a removal')
    await dialog(page).getByLabel('Type “Long pier”').fill('Long pier')
    await removes.click()
    await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor()
    expect((await admin.get(`/units/${pier}`)).status).toBe(404)
    await page.getByRole('button', { name: 'Disable' }).click()
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('main').getByText('Disabled').waitFor()
    expect((await admin.get(`/organisations/${organisation}`)).json.active).toBe(false)
    expect(complaints.filter((one) => !/40[49]|412/.test(one))).toEqual([])
    await context.close()
  })

  it('tell what a role gives, who holds it, and what a service protects', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/roles', 'Bookkeeper')
    await add(page, 'Add a role', 'Guest member')
    await page.getByText('It gives nothing').waitFor()
    expect((await admin.get('/roles/guest-member')).json).toMatchObject({ permissions: [], active: true })
    await visit(page, '/roles', 'Bookkeeper')
    await page.getByLabel('Service').selectOption('submissions-tool')
    await page.getByRole('row', { name: /Bookkeeper/ }).waitFor({ state: 'detached' })
    await fits(page, 'roles')
    await page.getByRole('link', { name: 'Importer' }).click()
    await page
      .getByRole('row', { name: /vista-import.create/ })
      .getByText('Import a VISTA file')
      .waitFor()
    await page.getByText(people.importer.email).waitFor()
    await fits(page, 'a role')
    await page.getByRole('main').getByRole('link', { name: 'submissions-tool', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Submissions tool' }).waitFor()
    await page.getByRole('link', { name: 'Importer' }).waitFor()
    const snippet = page.locator('pre').getByText('createGuard')
    await snippet.getByText('https://submissions.acme.example/api').waitFor()
    await expect.poll(() => snippet.textContent()).toContain(tessera.url)
    await fits(page, 'a service')
    await page.getByRole('link', { name: 'submissions-tool.vista-import.create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor()
    await page.getByText(people.importer.email).waitFor()
    await turnTo(page, '/services', 'https://ledger.acme.example/api')
    await fits(page, 'services')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('show an administrator of one organisation that alone', async () => {
    const { context, page } = await open(heads.head, look, '/organisations', 'importer@')
    await page.getByRole('heading', { level: 1, name: 'Acme Institute' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/organisations/${acme}`)
    // Only the whole installation disables or removes an organisation.
    const actions = page.getByRole('main').getByRole('button')
    await expect
      .poll(() => actions.filter({ hasText: /^(Disable|Remove|Add an organisation)$/ }).count())
      .toBe(0)
    await page
      .getByRole('row', { name: /importer@/ })
      .getByText('Intake')
      .waitFor()
    await tree(page).getByLabel('Find a unit').fill('fin')
    await tree(page).getByRole('link', { name: 'Intake' }).waitFor({ state: 'detached' })
    await tree(page).getByRole('link', { name: 'Finance' }).click()
    await page.getByRole('heading', { level: 1, name: 'Finance' }).waitFor()
    expect(uuidIn(page)).toBe(finance)
    // A role that gives more than they hold is none for them.
    await turnTo(page, '/roles', 'Importer')
    expect(await page.getByRole('main').textContent()).not.toContain('Bookkeeper')
    await expect.poll(() => page.getByRole('button', { name: 'Add a role' }).count()).toBe(0)
    await turnTo(page, '/roles/bookkeeper', 'There is nothing at this address.')
    await context.close()
  })

  it('show an administrator of a unit that unit and what is below it', async () => {
    const { context, page } = await open(heads.unitHead, look, '/organisations', 'importer@')
    expect(await heading(page)).toBe('Intake')
    expect(await page.getByRole('main').textContent()).not.toContain('Finance')
    // They would take themselves away.
    await expect.poll(() => page.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0)
    await add(page, 'Add a unit', 'Desk')
    expect((await admin.get(`/units/${uuidIn(page)}`)).json).toMatchObject({
      code: 'intake--desk',
      parent_uuid: intake,
    })
    await turnTo(page, `/organisations/${acme}/units/${finance}`, 'There is nothing at this address.')
    await context.close()
  })
})
