/** Many people changed at once in the console: who is selected, what would come of it, and how it goes on. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits } from './console-page.ts'

onOneDatabase('many people in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    for (let each = 0; each < 60; each++) {
      const made = await admin.post('/users', {
        email: `many-${String(each).padStart(2, '0')}@acme.example`,
        name: `Many <img src=x onerror=alert(${each})>`,
        profiles: [{ role_code: 'importer', organisation_uuid: acme }],
      })
      expect(made.status, made.text).toBe(201)
    }
  })

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const agree = (page: Page, name: string) =>
    // The dialog has a button that closes it, too.
    dialogOf(page).getByRole('button', { name, exact: true }).last().click()

  it('disables all that are found, after it has said what would come of it', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/people?q=many', 'The first 50')
    // The keyboard alone.
    await page.getByLabel('Select all that are shown').focus()
    await page.keyboard.press('Space')
    await page.getByText('50 people selected').waitFor()
    await button(page, 'Select all that are found').click()
    await page.getByText('All that are found are selected').waitFor()
    await fits(page)
    await button(page, 'Disable').click()
    await dialogOf(page).getByText('60 people would be changed.').waitFor()
    expect(await admin.all('/users?q=many&active=false')).toEqual([])
    await fits(page)
    await agree(page, 'Disable')
    await dialogOf(page).getByText('60 people changed.').waitFor()
    expect(await admin.all('/users?q=many&active=false')).toHaveLength(60)
    await fits(page)
    const records = dialogOf(page).getByRole('link', { name: 'See it in the audit' })
    const request = new URL((await records.getAttribute('href')) ?? '', page.url()).searchParams.get(
      'request',
    )
    expect(await admin.all(`/audit?request_id=${request}`)).toHaveLength(60)
    await agree(page, 'Close')
    await page.getByText('Disabled', { exact: true }).nth(3).waitFor()

    // All of it is so already, and nothing is left to do.
    await button(page, 'Disable').click()
    await dialogOf(page).getByText('0 people would be changed, 60 are so already.').waitFor()
    await expect
      .poll(() => dialogOf(page).getByRole('button', { name: 'Disable', exact: true }).isDisabled())
      .toBe(true)
    await agree(page, 'Cancel')
    await button(page, 'Enable').click()
    await dialogOf(page).getByText('60 people would be changed.').waitFor()
    await agree(page, 'Enable')
    await dialogOf(page).getByText('60 people changed.').waitFor()
    await agree(page, 'Close')
    await button(page, 'Select nobody').click()
    await button(page, 'Enable').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await context.close()
  })

  it('tells an administrator of an organisation whom they may not change, and saves that', async () => {
    const { context, page, complaints } = await open(heads.head, look, '/people?q=acme', 'Acme Both')
    for (const name of ['Acme Both', 'Acme Head', 'Acme Importer'])
      await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await page.getByText('3 people selected').waitFor()
    await button(page, 'Disable').click()
    await dialogOf(page).getByText('0 people would be changed, 3 would be refused.').waitFor()
    await dialogOf(page).getByText('It is about more than you hold yourself').waitFor()
    await dialogOf(page).getByText('It is you.').waitFor()
    await fits(page)
    const saving = page.waitForEvent('download')
    await agree(page, 'Save as CSV')
    const saved = await readFile(await (await saving).path(), 'utf8')
    expect(saved.split('\r\n').map((line) => line.split(',')[1])).toEqual([
      'email',
      'both@acme.example',
      'head@acme.example',
      'importer@acme.example',
      undefined,
    ])
    await agree(page, 'Cancel')

    await button(page, 'End a role').click()
    await dialogOf(page).getByLabel('Role', { exact: true }).fill('import')
    await page.getByRole('option', { name: 'Importer' }).first().click()
    await dialogOf(page).getByText('are so already').waitFor()
    await agree(page, 'Cancel')
    expect((await admin.get(`/users/${users.importer}`)).json.active).toBe(true)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('gives a role within a unit to whom its administrator selects', async () => {
    const { context, page, complaints } = await open(heads.unitHead, look, '/people', 'Acme Importer')
    await page.getByLabel('Select Acme Importer', { exact: true }).check()
    await button(page, 'Give a role').click()
    await dialogOf(page).getByLabel('Role', { exact: true }).fill('import')
    await page.getByRole('option', { name: 'Importer' }).first().click()
    await dialogOf(page).getByText('0 people would be changed, 1 is so already.').waitFor()
    await fits(page)
    await agree(page, 'Cancel')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('stops, and goes on with the rest', async () => {
    const { context, page } = await open(people.admin, look, '/people?q=many', 'The first 50')
    await page.getByLabel('Select all that are shown').check()
    await button(page, 'Disable').click()
    await dialogOf(page).getByText('50 people would be changed.').waitFor()
    // A connection that breaks before any line.
    await page.route('**/users/bulk?', (route) => route.abort())
    await agree(page, 'Disable')
    await dialogOf(page).getByText('The connection broke.').waitFor()
    await fits(page)
    await page.unroute('**/users/bulk?')
    await agree(page, 'Go on')
    await dialogOf(page).getByText('50 people changed.').waitFor()
    expect(await admin.all('/users?q=many&active=false')).toHaveLength(50)
    await context.close()
  })
})
