/** A file of people in the console: checked, imported, its refused rows saved, and undone. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, heads } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { usersOf } from '../harness/states.ts'
import { consoleOn, fits, keptBy, signInOn, visit } from './console-page.ts'

const hostile = '<img src=x onerror=document.title=1>'

onOneDatabase('a file of people in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const text = (page: Page) => page.getByRole('textbox', { name: 'The file', exact: true })
  const name = (page: Page) => page.getByLabel('Name of the file')
  const button = (page: Page, label: string | RegExp) => page.getByRole('button', { name: label })
  const paste = async (page: Page, source: string, file = 'people.csv') => {
    await text(page).fill(source)
    await name(page).fill(file)
  }
  const addresses = async () => (await usersOf(tessera)).map(({ email }) => email)
  const saved = async (page: Page, label: string) => {
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, label).click()])
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }

  it('is checked, imported, and undone until somebody signs in', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).click()
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await page.getByText('Nobody is imported yet.').waitFor()
    await page.getByText('Nobody was imported yet.').waitFor()
    await expect.poll(() => button(page, 'Check').isDisabled()).toBe(true)
    await fits(page, 'no file yet')
    const sample = await saved(page, 'Sample file')
    expect([sample.name, sample.text.split('\n')[0]]).toEqual([
      'people.csv',
      'email,name,locale,role,organisation,unit',
    ])

    await page.locator('input[type=file]').setInputFiles({
      name: 'latin.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email,name\nx@console.example,Gr\xfc\xdfe\n', 'latin1'),
    })
    await page.getByRole('alert').getByText('UTF-8').waitFor()
    const rows = [
      'email,name,role,organisation',
      `first@console.example,"${hostile}",importer,acme`,
      'second@console.example,"Two\nlines",,',
      'no address,Three,,',
      'fourth@console.example,Four,nothing,acme',
      'fifth@console.example,Five,,',
      '',
    ].join('\n')
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) })
    await page.waitForFunction(`document.querySelector('textarea').value !== ''`)
    expect([await text(page).inputValue(), await name(page).inputValue()]).toEqual([rows, 'people.csv'])
    await button(page, 'Check').click()
    await page.getByText('2 people would be imported, 3 refused.').waitFor()
    await page.getByText('email, name, role, organisation', { exact: true }).waitFor()
    await page.getByText('Line 5, email:').waitFor()
    await page.getByText('There is no such role.').waitFor()
    await fits(page, 'a checked file')
    expect(await addresses()).not.toContain('first@console.example')
    expect((await saved(page, 'Save refused rows')).text).toBe(
      [
        'email,name,role,organisation',
        'second@console.example,"Two\nlines",,',
        'no address,Three,,',
        'fourth@console.example,Four,nothing,acme',
        '',
      ].join('\n'),
    )
    await text(page).fill(`${rows}\n`)
    await page.getByText('check it again').waitFor()
    await expect.poll(() => button(page, /^Import 2/).count()).toBe(0)
    await text(page).fill(rows)
    await button(page, 'Import 2 people').click()
    await page.getByText('2 people imported, 3 refused.').waitFor()
    await page.getByText('Done.').waitFor()
    const row = page.getByRole('row', { name: /people\.csv/ })
    await row.getByText('2 there, 0 signed in').waitFor()
    await fits(page, 'an imported file')
    expect(await addresses()).toEqual(
      expect.arrayContaining(['first@console.example', 'fifth@console.example']),
    )
    expect(await page.title()).not.toBe('1')

    await row.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 people would go.').waitFor()
    await expect.poll(() => button(page, 'Remove 2 people').isDisabled()).toBe(true)
    await fits(page, 'an import to undo')
    await dialog.getByLabel(/^People lose access/).fill('people.csv')
    await button(page, 'Remove 2 people').click()
    await dialog.getByText('2 people removed.').waitFor()
    await page.keyboard.press('Escape')
    await row.getByText('nobody is left').waitFor()
    expect(await addresses()).not.toContain('first@console.example')
    // The file that is no text of UTF-8 was never sent, and all else was answered.
    expect(complaints).toEqual([])
    await context.close()
  })

  it('is of a part for whoever administers one, and for nobody who may not', async () => {
    for (const [who, where] of [
      [heads.head, 'acme,'],
      [heads.unitHead, 'acme,intake'],
    ] as const) {
      const { context, page } = await open(who, look, '/people/import', 'Nobody is imported yet.')
      const own = `${who.email.split('@')[0]}-adds@console.example`
      await paste(
        page,
        `email,name,role,organisation,unit\n${own},Own,importer,${where}\nelse-${own},Else,importer,globex,\n`,
        `${who.email}.csv`,
      )
      await button(page, 'Check').click()
      await page.getByText('1 person would be imported, 1 refused.').waitFor()
      await page.getByText('Line 3, profiles.0.organisation:').waitFor()
      await button(page, 'Import 1 person').click()
      await page.getByText('1 person imported, 1 refused.').waitFor()
      const listed = page.getByRole('row', { name: new RegExp(who.email) })
      await listed.getByText('1 there, 0 signed in').waitFor()
      await paste(page, 'email,name,uuid\nx@console.example,X,7f0fd1f6-4b2e-4a35-9f6b-1f6b2f6e0c11\n')
      await button(page, 'Check').click()
      await page.getByText('It takes somebody who administers everything').waitFor()
      await context.close()
    }
    const reader = {
      email: 'reads@console.example',
      password: 'correct horse battery ten',
      name: 'Reads',
      profiles: [{ role_code: 'reads-people', organisation_uuid: acme }],
    }
    const role = { code: 'reads-people', name: 'Reads people', permissions: ['iam.users.read'] }
    expect((await admin.post('/roles', role)).status).toBe(201)
    expect((await admin.post('/users', reader)).status).toBe(201)
    const { context, page } = await open(reader, look)
    await page.getByRole('navigation').getByRole('link', { name: 'People', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0)
    await visit(page, '/people/import', 'you need the permissions iam.users.create')
    await expect.poll(() => button(page, 'Undo').count()).toBe(0)
    await fits(page, 'without permission')
    await context.close()
  })

  it('stays while it is refused, and the network or the sign-in is gone', async () => {
    const { context, page } = await open(people.admin, look, '/people/import', 'Nobody is imported yet.')
    await paste(page, 'email,name,password\nkept@console.example,Kept,secret of theirs\n')
    await button(page, 'Check').click()
    await page.getByText('Passwords are imported as hashes').first().waitFor()
    const source = 'email,name\nkept@console.example,Kept\n'
    await paste(page, source, 'kept.csv')
    await context.setOffline(true)
    await button(page, 'Check').click()
    await page
      .getByText(/The connection broke|could not be reached|did not work/)
      .first()
      .waitFor()
    expect([await text(page).inputValue(), await name(page).inputValue()]).toEqual([source, 'kept.csv'])
    await context.setOffline(false)
    await button(page, 'Check').click()
    await page.getByText('1 person would be imported.').waitFor()
    expect(await keptBy(page)).not.toContain('secret of theirs')

    await context.clearCookies()
    tessera.clock.advance(11 * 60_000)
    await button(page, 'Import 1 person').click()
    const [elsewhere] = await Promise.all([
      context.waitForEvent('page'),
      page.locator('.ended').getByRole('link').click(),
    ])
    await signInOn(elsewhere, people.admin)
    await page.getByText('1 person imported.').waitFor()
    await expect.poll(() => text(page).inputValue()).toBe(source)
    expect(await addresses()).toContain('kept@console.example')
    await context.close()
  })

  it('shows how far it is, and stops', async () => {
    const { context, page } = await open(people.admin, look, '/people/import', 'Nobody is imported yet.')
    const rows = Array.from({ length: 2500 }, (_, n) => `stop-${n}@console.example,Stop ${n}`)
    await text(page).fill(`email,name\n${rows.join('\n')}\n`)
    await page.getByLabel('Name of the file').fill('stop.csv')
    await button(page, 'Check').click()
    await button(page, 'Import 2500 people').click()
    await page.getByRole('progressbar', { name: 'The import' }).waitFor()
    await page.getByText(/^[1-9]\d* people imported/).waitFor()
    await button(page, 'Stop').click()
    await page.getByText('Stopped.').waitFor()
    await fits(page, 'a stopped import')
    const count = async () => (await addresses()).filter((one) => one.startsWith('stop-')).length
    expect(await count()).toBeLessThan(2500)
    await button(page, 'Go on').click()
    await page.getByText(/people imported, \d+ there already\./).waitFor({ timeout: 30_000 })
    await expect.poll(count, { timeout: 30_000 }).toBe(2500)
    await context.close()
  })
})
