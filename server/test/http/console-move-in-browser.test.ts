/** Moving in with the console: an export dropped, reported, mapped, read again and handed on. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { heads } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { exported } from '../move-in/support.ts'
import { consoleOn, fits, keptBy, turnTo, visit } from './console-page.ts'

const hostile = '<img src=x onerror=document.title=1>'
const folder = new URL('../move-in/exports/', import.meta.url).pathname
const hafen = `${folder}keycloak-hafen.json`
const nothingYet = 'Nothing is changed yet.'

onOneDatabase('moving in with the console', (dialect) => {
  const { look, open } = consoleOn(dialect)
  const choose = async (
    page: Page,
    ...files: Parameters<ReturnType<Page['locator']>['setInputFiles']>[0][]
  ) => await page.locator('input[type=file]').setInputFiles(files.flat() as string[])
  const read = (page: Page) => page.getByRole('button', { name: 'Read the export' })
  const mapping = (page: Page) => page.getByRole('textbox', { name: 'The mapping' })
  const plan = (page: Page) => page.getByRole('button', { name: 'Plan the declared file' })

  it('shows what comes along, is mapped and read again, and hands the declared file on', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('navigation').getByRole('link', { name: 'People' }).click()
    await page.getByRole('link', { name: 'Move in' }).click()
    await page.getByText(nothingYet).waitFor()
    await page.getByText('bin/kc.sh export').waitFor()
    await expect.poll(() => read(page).isDisabled()).toBe(true)
    await fits(page, 'no export yet')

    await choose(page, hafen)
    await page.getByText('keycloak-hafen.json').waitFor()
    await read(page).click()
    await page.getByRole('heading', { name: 'What comes along', exact: true }).waitFor()
    await page.getByText(/\d+ people and \d+ applications\. \d+ things are to be decided\./).waitFor()
    await page.getByRole('heading', { name: 'What you have to decide' }).waitFor()
    await page.getByText('Somebody has no e-mail address').waitFor()
    await page.getByText('quirin').waitFor()
    await fits(page, 'a report')

    // A wrong line is marked, and what was typed stays.
    const before = await mapping(page).inputValue()
    const wrong = before.replace('elsewhere: hafen', 'elsewhere: "No Code"')
    await mapping(page).fill(wrong)
    await page.getByText('You changed something since: read it again.').waitFor()
    await expect.poll(() => plan(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Read it again' }).click()
    await page.locator('.refused').getByText('1 line is refused').waitFor()
    await page.locator('.refused').getByText('elsewhere: It is no code').waitFor()
    await expect.poll(() => mapping(page).inputValue()).toBe(wrong)
    await fits(page, 'a refused line of the mapping')
    await mapping(page).fill(before.replace('elsewhere: hafen', 'elsewhere: harbour'))
    await page.getByRole('button', { name: 'Read it again' }).click()
    await page.getByText('You changed something since').waitFor({ state: 'hidden' })
    await expect.poll(() => mapping(page).inputValue()).toContain('elsewhere: harbour')
    await page.locator('.refused').waitFor({ state: 'detached' })

    // The four files, as the command writes them.
    for (const [name, holds] of [
      ['declared.yaml', 'code: harbour'],
      ['people.jsonl', '"organisation":"harbour"'],
      ['mapping.yaml', 'elsewhere: harbour'],
      ['report.md', '# Moving in from keycloak'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toBe(name)
      expect(await readFile(await download.path(), 'utf8')).toContain(holds)
    }

    // The way goes on to the plan, and back to the next step with all of it still there.
    await plan(page).click()
    await page.getByRole('heading', { level: 1, name: 'Declared file' }).waitFor()
    await expect.poll(() => page.getByLabel('Name of the file').inputValue()).toBe('keycloak.yaml')
    await page.getByRole('button', { name: 'Plan it' }).click()
    await page.getByText(/\d+ changes, \d+ new\./).waitFor()
    await page.getByRole('button', { name: 'Apply this plan' }).click()
    await page.getByText('keycloak.yaml is applied.').waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'What comes along', exact: true }).waitFor()
    await expect.poll(() => mapping(page).inputValue()).toContain('elsewhere: harbour')
    // Handed over once.
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: 'Declared file' }).waitFor()
    expect(await page.getByLabel('Name of the file').inputValue()).toBe('')

    // Nothing of it is left in the browser, and forgetting takes it out of the page.
    expect(await keptBy(page)).not.toContain('argon2')
    await page.goBack()
    await page.getByRole('button', { name: 'Import the people' }).click()
    await page.getByRole('heading', { level: 1, name: 'Import people' }).waitFor()
    await expect.poll(() => page.getByLabel('Name of the file').inputValue()).toBe('people.jsonl')
    await page.getByRole('button', { name: 'Check' }).click()
    await page.getByText(/\d+ people would be imported/).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Forget this export' }).click()
    await page.getByRole('heading', { name: 'What comes along', exact: true }).waitFor({ state: 'detached' })
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
    await context.close()
  })

  it('keeps what was dropped and typed when it is refused, and shows names as text', async () => {
    const { context, page } = await open(people.admin, look, '/people/move-in', nothingYet)
    const realm = JSON.stringify({
      realm: 'acme',
      displayName: hostile,
      roles: { realm: [{ name: hostile }], client: {} },
      users: [{ id: '11111111-1111-4111-8111-111111111111', username: hostile, realmRoles: [hostile] }],
    })
    await choose(page, {
      name: 'broken.json',
      mimeType: 'text/plain',
      buffer: Buffer.from(realm.slice(0, -2)),
    })
    await page.getByText('Several systems, passkeys').click()
    await page.getByLabel('Prefix of all codes').fill('No Code')
    await read(page).click()
    await page.getByText('It is no code: lower-case letters').waitFor()
    await page.getByLabel('Prefix of all codes').fill('aa')
    await read(page).click()
    await page.getByText('broken.json: It ends in the middle').waitFor()
    await expect.poll(() => page.getByLabel('Prefix of all codes').inputValue()).toBe('aa')
    await page.getByRole('button', { name: 'Leave out broken.json' }).click()
    await choose(page, { name: `${hostile}.json`, mimeType: 'text/plain', buffer: Buffer.from([0xff, 0x00]) })
    await page.getByText(`${hostile}.json: It is not UTF-8 text.`).waitFor()
    await choose(page, { name: 'realm.json', mimeType: 'text/plain', buffer: Buffer.from(realm) })

    await page.route('**/admin/v1/move-in', (route) => route.abort(), { times: 1 })
    await read(page).click()
    await page.getByText('The service can’t be reached.').waitFor()
    await page.getByText('realm.json', { exact: true }).waitFor()
    await read(page).click()
    await page.getByText('0 people and 0 applications.').waitFor()
    await page.getByText(hostile).first().waitFor()
    expect(await page.title()).not.toBe('1')
    await plan(page).click()
    await page.waitForFunction(`document.querySelector('#declared-text').value.includes('aa-')`)
    await expect.poll(() => page.getByLabel('Name of the file').inputValue()).toBe('aa.yaml')
    await context.close()
  })

  it('takes a mapping that was edited before, and files of another system', async () => {
    const { context, page } = await open(people.admin, look, '/file', 'Coming from another system?')
    await page.getByRole('link', { name: 'Move in from another system' }).click()
    // Both pages say that nothing is changed yet, and have an input for files.
    await page.getByRole('heading', { level: 1, name: 'Move in from another system' }).waitFor()
    await choose(page, `${folder}okta-users.json`, `${folder}okta-groups.json`)
    await read(page).click()
    await page.getByText('it has no "realm"').waitFor()
    await page.getByLabel('The other system').selectOption('Okta')
    await page.getByText('docs/move-in/okta.md').waitFor()
    const edited = {
      name: 'mapping.yaml',
      mimeType: 'text/yaml',
      buffer: Buffer.from('elsewhere: everyone\n'),
    }
    await choose(page, edited)
    await expect.poll(() => mapping(page).inputValue()).toBe('elsewhere: everyone\n')
    await read(page).click()
    await page.getByRole('heading', { name: 'What comes along', exact: true }).waitFor()
    await expect.poll(() => mapping(page).inputValue()).toContain('elsewhere: everyone')
    // What the service made of another system is not taken along to the next.
    await page.getByLabel('The other system').selectOption('LDAP (LDIF)')
    await expect.poll(() => mapping(page).count()).toBe(0)
    await turnTo(page, '/settings', 'Coming from another system?')
    await context.close()
  })

  it('is for nobody who administers a part', async () => {
    for (const who of [heads.head, heads.unitHead, people.importer]) {
      const { context, page } = await open(who, look)
      await expect.poll(() => page.getByRole('link', { name: 'Move in' }).count()).toBe(0)
      await turnTo(page, '/people/move-in', 'Moving in is for those who administer everything')
      await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0)
      await fits(page, 'no move for who administers a part')
      await context.close()
    }
  })

  it('speaks German', async () => {
    const { context, page } = await open(people.admin, look)
    await page.evaluate(`localStorage.setItem('tessera-console-language', 'de')`)
    await visit(page, '/people/move-in', 'Noch ist nichts geändert.')
    await page.getByLabel('Das andere System').selectOption('LDAP (LDIF)')
    await choose(page, {
      name: 'leute.ldif',
      mimeType: 'text/plain',
      // As PowerShell writes it.
      buffer: Buffer.from(`\uFEFF${exported('people.ldif')}`, 'utf16le'),
    })
    await page.getByRole('button', { name: 'Den Export lesen' }).click()
    await page.getByRole('heading', { name: 'Was Sie zu entscheiden haben' }).waitFor()
    await fits(page, 'auf Deutsch')
    await context.close()
  })
})
