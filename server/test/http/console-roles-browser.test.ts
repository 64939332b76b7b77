/** A role in the console: what may be done with it by whom, and why not by others. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits, turnTo } from './console-page.ts'

onOneDatabase('a role in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const dialog = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const role = async (code: string) => (await admin.get(`/roles/${code}`)).json

  it('is made, renamed, given more, disabled and removed, each after a look at what that does', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/roles', 'Importer')
    await button(page, 'Add a role').click()
    await dialog(page).getByLabel('Name').fill('Checker')
    await dialog(page).getByRole('button', { name: 'Add a role' }).click()
    await page.getByRole('heading', { level: 1, name: 'Checker' }).waitFor()
    const given = { user_uuid: users.nobody, role_code: 'checker' }
    expect((await admin.post('/profiles', given)).status).toBe(201)

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Checker of entries')
    await page.getByLabel('Search permissions').fill('ledger.entry')
    await page.getByRole('checkbox', { name: /ledger\.entry\.read/ }).check()
    const effect = page.locator('.effect')
    await effect.getByText(people.nobody.email).waitFor()
    await effect.getByText('gains').waitFor()
    expect((await role('checker')).permissions).toEqual([])
    await fits(page, 'a change of a role')
    await button(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: 'Checker of entries' }).waitFor()
    expect(await role('checker')).toMatchObject({
      name: 'Checker of entries',
      permissions: ['ledger.entry.read'],
    })

    expect(complaints).toEqual([])
    // What somebody else gave it meanwhile is not taken by what was typed here.
    await page.getByLabel('Name', { exact: true }).fill('Auditor')
    await effect.getByText('This changes nobody’s access.').waitFor()
    await admin.patch('/roles/checker', { permissions: ['ledger.entry.create'] })
    await button(page, 'Save').click()
    await page.getByText('Theirs stays as it is: What it gives.').waitFor()
    await fits(page, 'a role that somebody else changed')
    await button(page, 'Save mine').click()
    await page.getByRole('heading', { level: 1, name: 'Auditor' }).waitFor()
    expect(await role('checker')).toMatchObject({ name: 'Auditor', permissions: ['ledger.entry.create'] })

    await button(page, 'Disable').click()
    await dialog(page).getByText('loses').waitFor()
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await button(page, 'Enable').waitFor()
    expect((await role('checker')).active).toBe(false)
    await button(page, 'Enable').click()
    await dialog(page).getByRole('button', { name: 'Enable' }).click()
    await button(page, 'Disable').waitFor()

    await button(page, 'Remove this role').click()
    await dialog(page).getByText('Removed along: 1 profile').waitFor()
    const remove = dialog(page).getByRole('button', { name: 'Remove this role' })
    await expect.poll(() => remove.isDisabled()).toBe(true)
    await fits(page, 'the removal of a role')
    await dialog(page).getByRole('textbox').fill('Auditor')
    await remove.click()
    await page.waitForURL(/\/console\/roles$/)
    expect((await admin.get('/roles/checker')).status).toBe(404)
    await context.close()
  })

  it('begins with a template, all of which is seen and can be changed', async () => {
    const { context, page } = await open(people.admin, look, '/roles', 'Importer')
    await button(page, 'Add a role').click()
    await dialog(page).getByLabel('Name').fill('Desk')
    await dialog(page).getByLabel('Begin with').selectOption('Administrator of ledger')
    await dialog(page).getByText('2 permissions').waitFor()
    await dialog(page).getByLabel('Search permissions').fill('book an')
    await dialog(page)
      .getByRole('checkbox', { name: /ledger\.entry\.create/ })
      .uncheck()
    await dialog(page).getByText('1 permission', { exact: true }).waitFor()
    await fits(page, 'a template of a role')
    await dialog(page).getByRole('button', { name: 'Add a role' }).click()
    await page.getByRole('heading', { level: 1, name: 'Desk' }).waitFor()
    expect(await role('desk')).toMatchObject({ permissions: ['ledger.entry.read'] })
    await context.close()
  })

  it('says that a file manages it, and refuses what nobody may do', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      '/roles/administrator/settings',
      'The file acme.yaml manages this role',
    )
    // Nobody would be left who administers everything.
    await button(page, 'Disable').click()
    await dialog(page).getByRole('alert').getByText('That did not work').waitFor()
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await dialog(page).getByRole('alert').getByText('That did not work').waitFor()
    expect((await role('administrator')).active).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.locator('[aria-invalid=true]').waitFor()
    await fits(page, 'a role with no name')
    await context.close()
  })

  it('says why an administrator of an organisation, or a reader, has no button', async () => {
    const head = await open(heads.head, look, '/roles/importer', 'and roles belong to the whole installation')
    await fits(head.page, 'a role of the installation')
    const actions = head.page.getByRole('main').getByRole('button')
    await expect.poll(() => actions.filter({ hasText: /Disable|Remove|Save/ }).count()).toBe(0)
    await turnTo(head.page, '/roles/importer/settings', 'There is nothing at this address.')
    await expect.poll(() => button(head.page, 'Remove this role').count()).toBe(0)
    await head.context.close()

    const permissions = ['iam.roles.read', 'iam.permissions.read']
    expect((await admin.post('/roles', { code: 'looker', name: 'Looker', permissions })).status).toBe(201)
    const given = { user_uuid: users.nobody, role_code: 'looker' }
    expect((await admin.post('/profiles', given)).status).toBe(201)
    const reader = await open(
      people.nobody,
      look,
      '/roles/looker',
      'that needs iam.roles.update or iam.roles.delete',
    )
    await expect.poll(() => reader.page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
    await reader.context.close()
  })
})
