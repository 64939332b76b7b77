/** A service in the console: made, described, changed and removed, and the code that protects it. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, heads, tokenOf, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { machineToken } from '../harness/program.ts'
import { consoleOn, fits, turnTo } from './console-page.ts'

onOneDatabase('a service in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const dialog = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const read = async (path: string) => (await admin.get(path)).json

  it('is added, gets a permission that is described, and is renamed', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/services', 'Submissions tool')
    await button(page, 'Add a service').click()
    await dialog(page).getByLabel('Name').fill('Sample press')
    await dialog(page).getByLabel('Audience').fill('no address')
    await dialog(page).getByRole('button', { name: 'Add a service' }).click()
    await dialog(page).locator('[aria-invalid=true]').waitFor()
    await fits(page, 'a service with a wrong audience')
    await dialog(page).getByLabel('Audience').fill('https://ledger.acme.example/api')
    await dialog(page).getByRole('button', { name: 'Add a service' }).click()
    await dialog(page).getByText('Another service has this audience.').first().waitFor()
    await dialog(page).getByLabel('Audience').fill('https://press.acme.example/api')
    await dialog(page).getByLabel('What it is').fill('Presses <b>samples</b>\nand labels')
    await dialog(page).getByRole('button', { name: 'Add a service' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sample press' }).waitFor()
    await page.getByText('It has no permission yet').waitFor()
    await page.getByText('Presses <b>samples</b>').waitFor()
    await fits(page, 'a new service')

    await button(page, 'Add a permission').click()
    const code = dialog(page).getByLabel('Permission')
    await expect.poll(() => code.inputValue()).toBe('sample-press.')
    const add = dialog(page).getByRole('button', { name: 'Add a permission' })
    await expect.poll(() => add.isDisabled()).toBe(true)
    await code.fill('ledger.label.print')
    await add.click()
    await dialog(page).getByText('That did not work').waitFor()
    expect((await admin.get('/permissions/ledger.label.print')).status).toBe(404)
    await code.fill('sample-press.label.print')
    await dialog(page).getByLabel('What it allows').fill('Print a <b>label</b>')
    await add.click()
    await page.getByRole('cell', { name: 'Print a <b>label</b>' }).waitFor()

    await button(page, 'Describe').click()
    const meaning = dialog(page).getByLabel('What it allows')
    await meaning.fill('Print one label')
    await admin.patch('/permissions/sample-press.label.print', { description: 'Print labels' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).getByText('Somebody else described it meanwhile: “Print labels”').waitFor()
    await expect.poll(() => meaning.inputValue()).toBe('Print one label')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'Print one label' }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Press')
    await page.getByLabel('Audience').fill('https://press.acme.example/v2')
    await page.getByLabel('What it is').fill('')
    await page.getByText('still name https://press.acme.example/api').waitFor()
    await fits(page, 'the settings of a service')
    await button(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: 'Press', exact: true }).waitFor()
    expect(await read('/services/sample-press')).toMatchObject({
      audience: 'https://press.acme.example/v2',
      description: null,
    })
    // Refusals that were asked for.
    expect(complaints.filter((one) => !/4(00|09|12)/.test(one))).toEqual([])
    await context.close()
  })

  it('retires a permission with what names it, and is removed; a name is typed where people lose access', async () => {
    await admin.post('/services', { code: 'oven', name: 'Oven', audience: 'https://oven.acme.example' })
    for (const code of ['oven.bread.bake', 'oven.bread.eat']) await admin.post('/permissions', { code })
    const permissions = ['oven.bread.bake', 'oven.bread.eat']
    await admin.post('/roles', { code: 'baker', name: 'Baker', permissions })
    await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'baker' })
    const machine = { client_id: 'dough', client_name: 'Dough', type: 'machine', services: ['oven'] }
    expect((await admin.post('/clients', { ...machine, permissions: ['oven.bread.bake'] })).status).toBe(201)

    const { context, page } = await open(people.admin, look, '/services/oven', 'oven.bread.bake')
    const row = page.getByRole('row', { name: /oven\.bread\.bake/ })
    await row.getByRole('button', { name: 'Retire' }).click()
    await dialog(page).getByRole('link', { name: 'Baker' }).waitFor()
    await dialog(page).getByRole('link', { name: 'Dough' }).waitFor()
    await dialog(page).getByText(people.nobody.email).waitFor()
    const retire = dialog(page).getByRole('button', { name: 'Retire' })
    await expect.poll(() => retire.isDisabled()).toBe(true)
    await fits(page, 'a permission that is retired')
    await dialog(page).getByRole('textbox').fill('oven.bread.eat')
    await expect.poll(() => retire.isDisabled()).toBe(true)
    await dialog(page).getByRole('textbox').fill('oven.bread.bake')
    await retire.click()
    await row.waitFor({ state: 'detached' })
    expect(await read('/roles/baker')).toMatchObject({ permissions: ['oven.bread.eat'] })
    expect(await read('/clients/dough')).toMatchObject({ permissions: [] })

    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Remove this service').click()
    await dialog(page).getByText('Removed along: 1 permission').waitFor()
    const remove = dialog(page).getByRole('button', { name: 'Remove this service' })
    await expect.poll(() => remove.isDisabled()).toBe(true)
    await dialog(page).getByRole('textbox').fill('Oven')
    await remove.click()
    await page.waitForURL(/\/console\/services$/)
    expect((await admin.get('/services/oven')).status).toBe(404)
    await context.close()
  })

  it('says what a file manages, what is built in, and why others have no button', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      '/services/ledger/settings',
      'The file acme.yaml manages this service',
    )
    await turnTo(page, '/services/iam', 'It comes with Tessera, and nobody changes it.')
    await expect.poll(() => button(page, 'Retire').count()).toBe(0)
    await turnTo(page, '/services/iam/settings', 'There is nothing at this address.')
    await context.close()

    const head = await open(
      heads.head,
      look,
      '/services/submissions-tool',
      'and services belong to the whole installation',
    )
    for (const name of ['Retire', 'Describe', 'Add a permission'])
      expect(await button(head.page, name).count(), name).toBe(0)
    await fits(head.page, 'a service of the installation')
    await turnTo(head.page, '/services/submissions-tool/settings', 'There is nothing at this address.')
    await turnTo(head.page, '/services', 'Submissions tool')
    await expect.poll(() => button(head.page, 'Add a service').count()).toBe(0)
    await head.context.close()
  })

  it('shows code with its values in five languages; that of Node lets in who may, and nobody else', async () => {
    const { context, page } = await open(people.admin, look, '/services/submissions-tool', 'To protect it')
    const shown = page.locator('.snippet')
    // The permission that it names is read after the page.
    await shown.filter({ hasText: 'createGuard' }).filter({ hasText: 'submission.approve' }).waitFor()
    const node = await shown.innerText()
    for (const language of ['Python', 'Java', 'C#', 'Go']) {
      await button(page, language).click()
      const code = await shown.innerText()
      for (const value of [tessera.url, 'https://submissions.acme.example/api', 'RS256', 'at+jwt'])
        if (value !== 'RS256' || language !== 'Java') expect(code, language).toContain(value)
      expect(code, language).toContain('submissions-tool.submission.approve')
      await fits(page, `the code in ${language}`)
    }
    await context.close()

    const check = await guardOf(node.replaceAll('submission.approve', 'vista-import.create'))
    expect(await check(undefined)).toBe(401)
    expect(await check(await tokenOf(tessera.url, 'admin-cli'))).toBe(401)
    expect(await check(await machineToken(tessera.url))).toBe(200)
  })
})

/** The code as it is shown, run with a request that brings a token. */
async function guardOf(shown: string): Promise<(token: string | undefined) => Promise<number>> {
  const guard = new URL('../../../guard/dist/index.js', import.meta.url).href
  const [head = '', rest = ''] = shown.replace('@tessera/guard', guard).split('\n\nconst decision')
  const file = join(mkdtempSync(join(tmpdir(), 'tessera-snippet-')), 'shown.mjs')
  writeFileSync(
    file,
    `${head}\nexport async function check(request) {\nconst decision${rest}\nreturn decision.allowed ? 200 : decision.status\n}`,
  )
  const { check } = (await import(pathToFileURL(file).href)) as {
    check: (request: Headers) => Promise<number>
  }
  return async (token) =>
    await check(new Headers(token === undefined ? {} : { authorization: `Bearer ${token}` }))
}
