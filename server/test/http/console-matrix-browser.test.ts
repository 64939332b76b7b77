/** The roles of one service beside each other in the console: ticks become one draft, with its effect, and one save. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, findings, fits, phoneAtNight, visit } from './console-page.ts'

const hostile = '<img src=x onerror="document.title=1">'

onOneDatabase('the roles of a service in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await admin.post('/services', { code: 'kiln', name: 'Kiln', audience: 'https://kiln.acme.example' })
    for (const action of ['fire', 'read', 'open'])
      await admin.post('/permissions', { code: `kiln.pot.${action}`, description: `${action} a pot` })
    for (const [code, name] of [
      ['potter', 'Potter'],
      ['glazer', hostile],
    ])
      expect((await admin.post('/roles', { code, name, permissions: ['kiln.pot.read'] })).status).toBe(201)
    await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'potter' })
  })
  const cell = (page: Page, role: string, action: string) =>
    page.getByRole('checkbox', { name: `${role}: kiln.pot.${action}`, exact: true })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const given = async (code: string) => (await admin.get(`/roles/${code}`)).json.permissions

  it('are changed as one draft, and what failed is said beside what was saved', async () => {
    const { context, page } = await open(people.admin, look, '/roles?service=kiln', 'Potter')
    await page.getByRole('link', { name: 'See these roles beside each other' }).click()
    await cell(page, 'Potter', 'fire').check()
    const draft = page.getByRole('region', { name: 'What you changed' })
    await draft.getByText(people.nobody.email).waitFor()
    await draft.getByText('gains').waitFor()
    await cell(page, 'Potter', 'read').uncheck()
    await draft.getByText('loses').waitFor()
    await cell(page, hostile, 'open').check()
    await draft.getByText('2 roles change').waitFor()
    expect(await given('potter')).toEqual(['kiln.pot.read'])
    await fits(page, 'a draft of roles')
    // What is ticked back is no change.
    await cell(page, 'Potter', 'read').check()
    await draft.getByText('loses').waitFor({ state: 'detached' })

    await admin.patch('/roles/glazer', { name: 'Glazer' })
    await button(page, 'Save').click()
    await draft.getByText('Saved: Potter.').waitFor()
    await draft.getByText('Somebody changed this meanwhile.').waitFor()
    expect(await given('potter')).toEqual(['kiln.pot.fire', 'kiln.pot.read'])
    expect(await given('glazer')).toEqual(['kiln.pot.read'])
    // The tick stays over what somebody else made of the role.
    await expect.poll(() => cell(page, 'Glazer', 'open').isChecked()).toBe(true)
    await fits(page, 'a role that was changed meanwhile')
    await button(page, 'Save').click()
    await draft.getByText('Everything is saved').waitFor()
    expect(await given('glazer')).toEqual(['kiln.pot.open', 'kiln.pot.read'])
    await context.close()
  })

  it('are found by a permission, another role is shown, and arrows lead from cell to cell', async () => {
    const { context, page } = await open(people.admin, look, '/services/kiln/roles', 'fire a pot')
    await cell(page, 'Potter', 'fire').focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('input:focus[aria-label="Potter: kiln.pot.open"]').waitFor()
    await page.keyboard.press('Space')
    await page.getByText('1 role changes').waitFor()
    await button(page, 'Discard').click()
    expect(await cell(page, 'Potter', 'open').isChecked()).toBe(false)
    await page.getByLabel('Search permissions').fill('fire')
    await cell(page, 'Potter', 'read').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'Show another role' }).fill('bookk')
    await page.getByRole('option', { name: /Bookkeeper/ }).click()
    await cell(page, 'Bookkeeper', 'fire').waitFor()
    await visit(page, '/services/iam/roles', 'Administrator')
    await expect
      .poll(() =>
        page.getByRole('checkbox', { name: 'Administrator: iam.users.read', exact: true }).isDisabled(),
      )
      .toBe(true)
    await context.close()
  })

  it('are shown one at a time on a phone', async () => {
    const { context, page } = await open(people.admin, phoneAtNight, '/services/kiln/roles', 'fire a pot')
    await expect.poll(() => page.locator('tbody input').count()).toBe(3)
    await page.getByLabel('Role', { exact: true }).selectOption('potter')
    await cell(page, 'Potter', 'open').check()
    await page.getByText('1 role changes').waitFor()
    expect(await findings(page)).toEqual([])
    await context.close()
  })

  it('are shown without a tick to press, with the reason, to who may not change them', async () => {
    const { context, page } = await open(
      heads.head,
      look,
      '/services/submissions-tool/roles',
      'and roles belong to the whole installation',
    )
    await page.getByRole('columnheader', { name: 'Importer' }).waitFor()
    await expect.poll(() => page.getByRole('main').getByRole('checkbox').count()).toBe(0)
    await fits(page, 'roles that one may not change')
    await context.close()
  })
})
