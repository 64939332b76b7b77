/** Several people invited at once in the console: what would come of it, and how it goes on. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, heads } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits } from './console-page.ts'

onOneDatabase('several invitations in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const agree = (page: Page, name: string) =>
    // The dialog has a button that closes it, too.
    dialogOf(page).getByRole('button', { name, exact: true }).last().click()
  const role = async (page: Page, text: string, option: string) => {
    await page.getByLabel('Role', { exact: true }).first().fill(text)
    await page.getByRole('option', { name: option }).first().click()
  }
  const address = (page: Page) => page.getByLabel('E-mail address')
  const paste = async (page: Page, text: string) => {
    await address(page).focus()
    await address(page).evaluate((field, text) => {
      ;(field as HTMLTextAreaElement).select()
      document.execCommand('insertText', false, text)
    }, text)
  }
  const invited = async (domain: string) =>
    (await admin.all('/invitations'))
      .map((one) => String(one.email))
      .filter((email) => email.endsWith(domain))
      .toSorted()

  it('says what would come of five addresses, of which one is wrong, and invites the others', async () => {
    const { context, page, complaints } = await open(heads.unitHead, look, '/people/new', 'Invite somebody')
    await expect.poll(() => page.getByLabel('Unit', { exact: true }).first().inputValue()).toBe('Intake')
    await role(page, 'importer', 'Importer')
    await paste(page, 'ines@five.example')
    await page.getByLabel('Name').waitFor()
    await button(page, 'Invite').waitFor()
    const text =
      'ines@five.example, jo@five.example; INES@five.example\nKim <kim@five.example>\n\n<img src=x onerror=alert(1)>@five\r\nlou@five.example\n'
    await paste(page, text)
    // It is of one person alone.
    await page.getByLabel('Name').waitFor({ state: 'detached' })
    await fits(page)
    await button(page, 'Invite 5 people').click()
    await dialogOf(page).getByText('4 people would be invited, 1 would be refused.').waitFor()
    await dialogOf(page)
      .getByText('It holds the character')
      .or(dialogOf(page).getByText('It is no e-mail address'))
      .waitFor()
    expect(await invited('five.example')).toEqual([])
    await fits(page)
    await agree(page, 'Cancel')
    // What was typed stays.
    await expect.poll(() => address(page).inputValue()).toContain('jo@five.example; INES@five.example\nKim')
    await button(page, 'Invite 5 people').click()
    await dialogOf(page).getByText('4 people would be invited, 1 would be refused.').waitFor()
    await agree(page, 'Invite 5 people')
    await dialogOf(page).getByText('4 people invited, 1 refused.').waitFor()
    await fits(page)
    const all = ['ines', 'jo', 'kim', 'lou'].map((name) => `${name}@five.example`)
    expect((await invited('five.example')).map((one) => one.toLowerCase())).toEqual(all)
    const saving = page.waitForEvent('download')
    await agree(page, 'Save as CSV')
    const saved = await readFile(await (await saving).path(), 'utf8')
    expect(saved).toContain('onerror=alert(1)')
    await agree(page, 'Close')

    // All of them wait already.
    await button(page, 'Invite 5 people').click()
    await dialogOf(page)
      .getByText('0 people would be invited, 4 are invited already, 1 would be refused.')
      .waitFor()
    await expect
      .poll(() => dialogOf(page).getByRole('button', { name: 'Invite 5 people' }).isDisabled())
      .toBe(true)
    await agree(page, 'Cancel')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('invites with one trail, stops, goes on, and takes no more than 200', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/people/new', 'Invite somebody')
    await role(page, 'read', 'Reader')
    const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}@many.example`).join('\n')
    await paste(page, many(201))
    await page.getByText('At most 200 are invited at once.').waitFor()
    await expect.poll(() => button(page, 'Invite 201 people').isDisabled()).toBe(true)
    await paste(page, many(30))
    await button(page, 'Invite 30 people').click()
    await dialogOf(page).getByText('30 people would be invited.').waitFor()
    // A connection that breaks before any line.
    await page.route('**/invitations/bulk?', (route) => route.abort())
    await agree(page, 'Invite 30 people')
    await dialogOf(page).getByText('The connection broke.').waitFor()
    await page.unroute('**/invitations/bulk?')
    await agree(page, 'Go on')
    await dialogOf(page).getByText('30 people invited.').waitFor()
    expect(await invited('many.example')).toHaveLength(30)
    const records = dialogOf(page).getByRole('link', { name: 'See it in the audit' })
    const { searchParams } = new URL((await records.getAttribute('href')) ?? '', page.url())
    expect(await admin.all(`/audit?request_id=${searchParams.get('request')}`)).toHaveLength(30)
    await agree(page, 'Close')
    expect(complaints.filter((one) => !one.includes('ERR_FAILED'))).toEqual([])
    await context.close()
  })
})
