/** The console about drafted changes, and about what somebody could do before. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Administrator, finance, heads, profiles, users } from '../administration/support.ts'
import { consoleOn, fits, turnTo } from './console-page.ts'

const hostile = '<img src=x onerror=alert(1)>'
const vistaImport = 'submissions-tool.vista-import.create'

onOneDatabase('the console about what would be', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const role = { code: 'drafting', name: hostile, permissions: ['ledger.entry.read'] }
    expect((await admin.post('/roles', role)).status).toBe(201)
  })

  const pick = async (page: Page, field: string, typed: string, name: string | RegExp) => {
    await page.getByRole('textbox', { name: field, exact: true }).fill(typed)
    await page.getByRole('option', { name }).first().click()
  }
  const effect = (page: Page) => page.getByRole('region', { name: 'What they would do' })
  const draft = (page: Page) => page.getByRole('region', { name: 'Draft', exact: true })
  const kind = (page: Page, label: string) =>
    page.getByLabel('Change', { exact: true }).selectOption({ label })
  const add = (page: Page) => page.getByRole('button', { name: 'Add to the draft' }).click()

  it('drafts several changes, shows what they do together, and makes them one by one', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/roles/importer',
      'submissions-tool',
    )
    await page.getByRole('link', { name: 'Try out changes first in “What if”' }).click()
    await page.getByText('Nothing is drafted').waitFor()
    await pick(page, 'Person', 'nobody@', /nobody@/)
    await pick(page, 'Role', 'drafting', 'drafting')
    await pick(page, 'Organisation', 'acme', /acme/)
    await add(page)
    // A declared file manages the person.
    await draft(page).getByText('Would be refused.').waitFor()
    await page.getByLabel('Change what a declared file manages').check()
    await effect(page).getByText('ledger.entry.read').waitFor()
    await kind(page, 'Let a role give a permission')
    await pick(page, 'Role', 'drafting', 'drafting')
    await pick(page, 'Permission', vistaImport, vistaImport)
    await add(page)
    await effect(page).getByText(vistaImport).waitFor()
    await kind(page, 'Let a role no longer give a permission')
    await pick(page, 'Role', 'drafting', 'drafting')
    await pick(page, 'Permission', 'ledger.entry.read', 'ledger.entry.read')
    await add(page)
    await effect(page).getByText('ledger.entry.read').waitFor({ state: 'detached' })
    expect((await admin.get(`/profiles?user_uuid=${users.nobody}`)).json.items).toEqual([])
    await fits(page)

    // The address is the draft.
    const link = page.url()
    await page.reload()
    await page.getByLabel('Change what a declared file manages').check()
    await effect(page).getByText(vistaImport).waitFor()
    expect(page.url()).toBe(link)
    await page.getByRole('button', { name: 'Make 3 changes' }).click()
    await draft(page).locator('s').nth(2).waitFor()
    expect((await admin.get('/roles/drafting')).json.permissions).toEqual([vistaImport])
    expect((await admin.all(`/profiles?user_uuid=${users.nobody}`)).length).toBe(1)
    await expect.poll(() => draft(page).getByText('Done').count()).toBe(3)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('marks the change that would be refused, and keeps the draft', async () => {
    const text = `disable,units,${finance};disable,users,${users.admin};disable,nothing,x;give`
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/access/what-if?draft=${text}`,
      'What they would do',
    )
    // A declared file manages all of the fixture.
    await page.getByLabel('Change what a declared file manages').check()
    await draft(page).getByText('Would be refused.').waitFor()
    await expect.poll(() => draft(page).getByRole('listitem').count()).toBe(2)
    await effect(page).getByText('The change before the one that would be refused').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Make 2 changes' }).isDisabled()).toBe(true)
    await draft(page).getByRole('button', { name: 'Remove' }).nth(1).click()
    await page.getByRole('button', { name: 'Make the change' }).click()
    await draft(page).locator('s').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('offers an administrator of an organisation what is theirs', async () => {
    const { context, page } = await open(heads.head, look, '/access/what-if', 'Nothing is drafted')
    const offered = await page.getByLabel('Change', { exact: true }).locator('option').allTextContents()
    expect(offered).toContain('Give somebody a role')
    expect(offered).not.toContain('Let a role give a permission')
    await turnTo(page, `/access/what-if?draft=disable,roles,importer`, 'Would be refused.')
    await turnTo(page, `/access/what-if?draft=disable,users,${users.admin}`, 'Would be refused.')
    await context.close()
  })

  it('compares somebody now with what they could do before', async () => {
    const path = `/profiles/${profiles.importer}`
    const before = new Date(tessera.clock.now()).toISOString()
    tessera.clock.advance(2000)
    expect((await admin.patch(path, { active: false })).status).toBe(200)
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/access/compare?left=${users.importer}`,
      'Pick two people',
    )
    await page.getByRole('button', { name: 'The same person a week ago' }).click()
    // The person was not there yet.
    await page.getByText('That did not work').waitFor()
    complaints.splice(0)
    await turnTo(
      page,
      `/access/compare?left=${users.importer}&right=${users.importer}&rightAt=${before}`,
      vistaImport,
    )
    const row = page.getByRole('row').filter({ hasText: vistaImport })
    expect((await row.getByRole('cell').allTextContents()).slice(0, 2)).toEqual([vistaImport, 'No'])
    await fits(page)
    expect(complaints).toEqual([])
    await context.close()

    const own = await open(heads.unitHead, look, `/access/compare?left=${users.importer}`, 'Pick two people')
    await expect
      .poll(() => own.page.getByRole('button', { name: 'The same person a week ago' }).count())
      .toBe(0)
    await own.context.close()
  })
})
