/** An application behind a proxy in the console: connected, its table changed, and what a visitor of it would get. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { Administrator, heads } from '../administration/support.ts'
import { consoleOn, fits, letEverybodyIn, visit } from './console-page.ts'

const permission = 'submissions-tool.vista-import.create'

describe('an application behind a proxy in the console', () => {
  const { tessera, look, open } = consoleOn('sqlite')
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const wiki = async () => (await admin.get('/clients/wiki')).json
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  /** A line of the table that is edited, from the first. */
  const line = (page: Page, index: number) => page.locator('.route-table tbody tr').nth(index)

  const pick = async (page: Page, field: string, text: string) => {
    await page.getByRole('textbox', { name: field }).fill(text)
    await page.locator('[data-combobox-selected]').filter({ hasText: text }).waitFor()
    await page.keyboard.press('Enter')
  }

  it('is connected by the assistant, with a table, headers, and what its proxy needs', async () => {
    const { context, page } = await open(people.admin, look)
    // As a recipe of a proxy is.
    const settings = [
      { where: 'nginx.conf', language: 'nginx', text: 'server_name {{host}}; # {{url}}{{issuer_path}}\n' },
    ]
    const nginx = {
      name: 'proxy',
      product: 'A proxy',
      version: '1',
      ran: false,
      url: 'https://wiki.example.com',
    }
    const recipe = { ...nginx, client: { type: 'proxied', origins: ['{{url}}'] }, settings, notes: [] }
    await page.route('**/admin/v1/recipes', (route) => route.fulfill({ json: { items: [recipe] } }))
    await visit(page, '/applications/new', 'What do you connect?')
    // Who looks for the proxy among the products is asked the same.
    await page.getByRole('button', { name: /A product that you installed/ }).click()
    await page.getByLabel('Product').selectOption('A proxy')
    await page.getByLabel('Origins').waitFor()
    await expect.poll(() => page.getByLabel(/Redirect addresses|Where is/).count()).toBe(0)
    await button(page, 'Back').click()
    await page.getByRole('button', { name: /can’t sign people in itself/ }).click()
    await page.locator('input:focus').fill('Wiki')
    await button(page, 'Next').click()
    await page.getByText('Say where it is').waitFor()
    await page.getByLabel('Origins').fill('https://wiki.acme.example/pages')
    await page.getByText('is no https origin').waitFor()
    await fits(page, 'no origin')
    await page.getByLabel('Origins').fill('https://wiki.acme.example')
    await page.getByText('is no https origin').waitFor({ state: 'detached' })
    await button(page, 'Next').click()
    await letEverybodyIn(page)
    await addsLine(page)
    await page.getByRole('checkbox', { name: /Remote-Groups/ }).uncheck()
    await fits(page, 'a table')
    await button(page, 'Connect it').click()
    await page.getByRole('heading', { name: 'Wiki is connected' }).waitFor()
    await page.getByText('server_name wiki.acme.example; # https://wiki.acme.example').waitFor()
    await fits(page, 'connected')
    expect(await wiki()).toMatchObject({
      type: 'proxied',
      origins: ['https://wiki.acme.example'],
      routes: { '* /*': 'signed-in', 'POST /pages/:page': permission },
      headers: ['Remote-User', 'Remote-Email', 'Remote-Name'],
      client_uri: 'https://wiki.acme.example/',
    })
    await context.close()
  })

  async function addsLine(page: Page): Promise<void> {
    await button(page, 'Add a line').click()
    const added = line(page, 1)
    await added.getByLabel('Path').fill('pages')
    await page.getByText('It is no route').waitFor()
    // The first again.
    await added.getByLabel('Path').fill('/*')
    await page.getByText('This line is there twice.').waitFor()
    await fits(page, 'a line that is wrong')
    await added.getByLabel('Method').selectOption('POST')
    await added.getByLabel('Path').fill('/pages/:page')
    await added.getByLabel('Demands').selectOption('A permission')
    await pick(page, 'A permission', permission)
    await expect.poll(() => page.locator('.wrong, [aria-invalid=true]').count()).toBe(0)
  }

  it('changes a line after a look at what gets weaker, and tells what a visitor would get', async () => {
    const { context, page } = await open(people.admin, look, '/applications/wiki', 'POST /pages/:page')
    expect(await page.locator('main').textContent()).not.toMatch(/Redirect|Scopes|Grants/)
    await fits(page, 'overview')
    await page.getByRole('link', { name: 'Settings' }).click()
    await line(page, 0).waitFor()
    await expect.poll(() => page.getByLabel(/Redirect addresses|What it may ask for|CORS/).count()).toBe(0)
    await button(page, 'Add a line').click()
    await line(page, 2).getByLabel('Path').fill('/assets/*')
    await line(page, 2).getByLabel('Demands').selectOption('Nothing, it is public')
    await page.locator('.effect').getByText('* /assets/* demands public; before it was signed-in.').waitFor()
    await fits(page, 'weaker')
    await button(page, 'Save').click()
    await expect.poll(async () => (await wiki()).routes).toMatchObject({ '* /assets/*': 'public' })

    await page.getByRole('link', { name: 'Test a visit' }).click()
    const verdict = page.locator('.verdict')
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.fill('https://wiki.acme.example/assets/logo.svg')
    await page.keyboard.press('Enter')
    await verdict.getByText('It passes. The application is told of nobody.').waitFor()
    await address.fill('https://wiki.acme.example/')
    await button(page, 'Look').click()
    await verdict.getByText('It leads to the sign-in.').waitFor()
    await pick(page, 'Person', 'importer@')
    await page.getByRole('combobox', { name: 'Profile' }).waitFor()
    await button(page, 'Look').click()
    await page.getByRole('row', { name: `Remote-Email ${people.importer.email}` }).waitFor()
    await fits(page, 'passes')
    await page.getByRole('combobox', { name: 'Method' }).selectOption('POST')
    await address.fill('https://wiki.acme.example/pages/start')
    await button(page, 'Look').click()
    await verdict.getByText('It passes.').waitFor()
    await isRefused(page)
    await context.close()
  })

  async function isRefused(page: Page): Promise<void> {
    await pick(page, 'Person', people.admin.email)
    await page.getByRole('combobox', { name: 'Profile' }).waitFor()
    await button(page, 'Look').click()
    await page.getByText(`The role does not give ${permission}.`).waitFor()
    await page.getByRole('row', { name: 'POST /pages/:page' }).waitFor()
    await fits(page, 'refused')
    await page.getByRole('link', { name: 'Why, and what would change it' }).click()
    await page.getByText('No. Acme Admin can’t.').waitFor()
  }

  it('is said to be for administrators of the whole installation alone', async () => {
    const { context, page } = await open(
      heads.head,
      {},
      '/applications/new',
      'Only who administers the whole installation can say where it is.',
    )
    await expect.poll(() => page.getByRole('button', { name: /can’t sign people in itself/ }).count()).toBe(0)
    await fits(page, 'kinds')
    await context.close()
  })
})
