/** What is wrong in the wizard stands at its field and names its line, and the way on is never dead. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { consoleOn, fits, visit } from './console-page.ts'

describe('what is wrong in the wizard of the console', () => {
  const { open } = consoleOn('sqlite')

  const begin = async (page: Page, kind: RegExp) => {
    await visit(page, '/applications/new', 'What do you connect?')
    await page.getByRole('button', { name: kind }).click()
    await page.getByRole('heading', { name: 'What is it called' }).waitFor()
  }
  const next = (page: Page) => page.getByRole('button', { name: 'Next', exact: true }).click()
  /** What a screen reader tells of a field that is wrong. */
  const told = async (page: Page, field: string) => {
    const input = page.getByLabel(field).first()
    if ((await input.getAttribute('aria-invalid')) !== 'true') return ''
    const described = ((await input.getAttribute('aria-describedby')) ?? '').split(' ')
    return await page.locator(`[id="${described.find((id) => id.endsWith('-error')) ?? ''}"]`).innerText()
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
    expect(await page.locator('[aria-invalid=true], .wrong').count()).toBe(0)
    await page.getByLabel('Redirect addresses').fill('https://grafana.acme.example/login/generic_oauth')
    await isAt(page, 'Where is Grafana?', /^Say where it is/)
    expect(await page.locator('.wrong').count()).toBe(0)
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
    await page.getByRole('heading', { name: 'What may it do?' }).waitFor()
    await context.close()
  })
})
