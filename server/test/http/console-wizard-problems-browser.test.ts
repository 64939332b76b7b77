/** What is wrong in the wizard stands at its field and names its line, and the way on is never dead. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { Administrator } from '../administration/support.ts'
import { consoleOn, fits, turnTo } from './console-page.ts'

describe('what is wrong in the wizard of the console', () => {
  const { tessera, open } = consoleOn('sqlite')

  const begin = async (page: Page, kind: RegExp) => {
    await turnTo(page, '/applications/new', 'What do you connect?')
    await page.getByRole('button', { name: kind }).click()
    await page.getByRole('heading', { name: 'What is it called' }).waitFor()
  }
  const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true }).click()
  /** What a screen reader tells of a field that is wrong. */
  const told = async (page: Page, field: string) => {
    const input = page.getByLabel(field).first()
    if ((await input.getAttribute('aria-invalid')) !== 'true') return ''
    const described = ((await input.getAttribute('aria-describedby')) ?? '').split(' ')
    const error = page.locator(`[id="${described.find((id) => id.endsWith('-error')) ?? ''}"]`)
    // It may go meanwhile, and is asked for anew then.
    return await error.innerText({ timeout: 2000 })
  }
  const isAt = (page: Page, field: string, text: string | RegExp) =>
    expect.poll(() => told(page, field)).toMatch(text)

  it('is the missing address of a product, whose redirect address was typed', async () => {
    const { context, page } = await open(people.admin)
    await begin(page, /A product that you installed/)
    await page.getByLabel('Product').selectOption({ label: 'Grafana' })
    // Nothing is wrong yet with what nobody typed.
    await page.getByLabel('Where is Grafana?').waitFor()
    await page.waitForTimeout(600)
    await expect.poll(() => page.locator('[aria-invalid=true], .wrong').count()).toBe(0)
    await page.getByLabel('Redirect addresses').fill('https://grafana.acme.example/login/generic_oauth')
    await isAt(page, 'Where is Grafana?', /^Say where it is/)
    // No other place says it too.
    await expect.poll(() => page.locator('.wrong:not([id$="-error"])').count()).toBe(0)
    await fits(page, 'a missing address')
    await next(page)
    await page.locator('input[type=url]:focus').waitFor()
    await page.getByLabel('Where is Grafana?').fill('grafana.acme.example')
    await isAt(page, 'Where is Grafana?', 'absolute')
    await page.getByLabel('Where is Grafana?').fill('https://grafana.acme.example')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(0)
    await next(page)
    await page.getByRole('heading', { name: 'What may it do?' }).waitFor()
    await context.close()
  })

  it('is told of each line, and of what is missing once somebody wants to go on', async () => {
    const { context, page } = await open(people.admin)
    await begin(page, /A web application with a server/)
    await next(page)
    await isAt(page, 'Name', 'It needs a name.')
    await page.locator('input:focus').fill('Desk')
    await isAt(page, 'Redirect addresses', /\S/)
    await next(page)
    await page.locator('textarea:focus').waitFor()
    const lines = ['https://desk.example/callback', 'desk.example/callback', 'https://desk.example/#here']
    await page.getByLabel('Redirect addresses').fill(lines.join('\n'))
    await isAt(
      page,
      'Redirect addresses',
      /^desk\.example\/callback: .+\nhttps:\/\/desk\.example\/#here: .+$/,
    )
    await fits(page, 'several wrong lines')
    await page.getByLabel('Redirect addresses').fill(lines[0] ?? '')
    // What is taken stands at the identifier.
    await page.getByLabel('Identifier (client_id)').fill('submissions-web')
    await isAt(page, 'Identifier (client_id)', /\S/)
    await page.getByLabel('Identifier (client_id)').fill('desk')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(0)
    await next(page)
    await page.getByRole('heading', { name: 'Who may use it, and what may it do?' }).waitFor()
    await saysWho(page)
    const admin = await Administrator.machine(tessera.url)
    expect((await admin.get('/clients/desk')).json.allowed).toEqual({ roles: ['reader'] })
    await context.close()
  })

  /** Nobody is let in because nobody was asked. */
  async function saysWho(page: Page): Promise<void> {
    const who = page.getByRole('combobox', { name: 'Who may use it?' })
    const connect = page.getByRole('button', { name: 'Connect it', exact: true })
    expect(await who.inputValue()).toBe('')
    await page.locator('select:focus').waitFor()
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(0)
    await connect.click()
    await isAt(page, 'Who may use it?', 'Say who may use it.')
    await page.locator('select:focus').waitFor()
    await fits(page, 'nobody said who')
    await who.selectOption('Only some people')
    await connect.click()
    await isAt(page, 'Who may use it?', 'Name at least one role, place or permission.')
    await page.getByRole('textbox', { name: 'With one of the roles' }).fill('reader')
    await page.locator('[data-combobox-selected]').filter({ hasText: 'reader' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(0)
    await fits(page, 'some people')
    await connect.click()
    await page.getByRole('heading', { name: 'Desk is connected' }).waitFor()
  }
})
