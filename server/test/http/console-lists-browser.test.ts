/** Lists in the console: columns, order, views that are saved, and files. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, globex, heads } from '../administration/support.ts'
import { people, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits, keptBy, phoneAtNight, turnTo, visit, wide } from './console-page.ts'
import { patience } from './interface-page.ts'

const hostile = '<img src=x onerror=alert(1)>'

onOneDatabase('lists in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  beforeAll(async () => {
    const admin = await Administrator.machine(tessera.url)
    const profiles = [
      { role_code: 'reader', organisation_uuid: acme },
      { role_code: 'importer', organisation_uuid: acme },
      { role_code: 'bookkeeper', organisation_uuid: globex },
    ]
    const made = await admin.post('/users', { email: 'hostile@acme.example', name: hostile, profiles })
    expect(made.status).toBe(201)
    await tokensFor(tessera.url, people.importer)
  })
  const today = () => new Date(tessera.clock.now()).toISOString().slice(0, 10)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const sorts = (page: Page) => page.getByRole('columnheader', { name: 'Last sign-in' })
  const rows = (page: Page) => page.locator('tbody tr')
  const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
  const query = (page: Page) => new URL(page.url()).searchParams.toString()
  const asks = async (page: Page, expected: string) =>
    await expect.poll(() => query(page), { timeout: patience }).toBe(expected)

  it('say what people hold and when they signed in last, in that order by the keyboard', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/people', hostile)
    await row(page, hostile).getByText('Bookkeeper').waitFor()
    await expect.poll(() => row(page, hostile).textContent()).toContain('Globex')
    await expect.poll(() => row(page, hostile).textContent()).toContain('+1 more')
    await expect.poll(() => row(page, hostile).textContent()).toContain('Never noted')
    await expect
      .poll(() => row(page, people.importer.email).locator(`time[datetime="${today()}"]`).count())
      .toBe(1)
    await fits(page)
    expect(await sorts(page).getAttribute('aria-sort')).toBe('none')
    for (const [order, text] of [
      ['ascending', 'sort=last_sign_in_on'],
      ['descending', 'sort=-last_sign_in_on'],
      ['none', ''],
    ] as const) {
      await sorts(page).getByRole('button').focus()
      await page.keyboard.press('Enter')
      await asks(page, text)
      await expect.poll(() => sorts(page).getAttribute('aria-sort')).toBe(order)
    }
    // A phone shows no title to press.
    const order = page.getByRole('combobox', { name: 'Order' })
    await expect.poll(() => order.count()).toBe(0)
    await page.setViewportSize(phoneAtNight.viewport)
    await order.selectOption('Order: last sign-in, latest first')
    await asks(page, 'sort=-last_sign_in_on')
    await order.selectOption('Order: by address')
    await asks(page, '')
    await page.setViewportSize(wide.viewport)
    // What the address says is there after a reload.
    await visit(page, '/people?sort=-last_sign_in_on', hostile)
    await expect.poll(() => rows(page).first().textContent()).not.toContain('Never noted')
    await expect.poll(() => rows(page).last().textContent()).toContain('Never noted')
    expect(complaints).toEqual([])
    await context.close()
  })

  it('are narrowed to who has not signed in since, unless something is searched', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/people', hostile)
    await page.getByLabel('Not signed in since').fill(today())
    await row(page, people.importer.email).waitFor({ state: 'detached' })
    await row(page, hostile).waitFor()
    await asks(page, `since=${today()}`)
    await page.getByText('People who never signed in are among them').waitFor()
    await fits(page)
    await page.getByLabel('Search people').fill('importer')
    await row(page, people.importer.email).waitFor()
    await page.getByText('A search has an order of its own').waitFor()
    await expect.poll(() => page.getByLabel('Not signed in since').isDisabled()).toBe(true)
    await expect.poll(() => sorts(page).getByRole('button').count()).toBe(0)
    await page.getByLabel('Search people').fill('')
    await row(page, people.importer.email).waitFor({ state: 'detached' })
    // What somebody typed into the address counts for nothing.
    await visit(page, '/people?since=yesterday&sort=name', people.importer.email)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('keep a view under a name for this person, and its address opens it for another', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/people?since=${today()}&sort=last_sign_in_on`,
      hostile,
    )
    await button(page, 'Save this view').click()
    await page.getByLabel('Name of the view').fill(hostile)
    await page.keyboard.press('Enter')
    const saved = page.getByRole('list', { name: 'Saved views' }).getByRole('link')
    await expect.poll(() => saved.getAttribute('aria-current')).toBe('page')
    await fits(page)
    await visit(page, '/people', people.importer.email)
    await expect.poll(() => saved.textContent()).toBe(hostile)
    await saved.click()
    await row(page, people.importer.email).waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('since')).toBe(today())
    expect(await keptBy(page)).not.toContain('eyJ')
    // Another list has views of its own.
    await visit(page, '/applications', 'Administration')
    await expect.poll(() => saved.count()).toBe(0)

    const other = await open(heads.head, look)
    await other.page.goto(
      page.url().replace('/applications', `/people?since=${today()}&sort=last_sign_in_on`),
    )
    await row(other.page, hostile).waitFor()
    await expect.poll(() => other.page.getByLabel('Not signed in since').inputValue()).toBe(today())
    expect(await row(other.page, hostile).textContent()).not.toContain('Bookkeeper')
    await other.context.close()

    await visit(page, '/people', hostile)
    await button(page, `Forget the view ${hostile}`).click()
    await saved.waitFor({ state: 'detached' })
    await visit(page, '/people', hostile)
    await expect.poll(() => saved.count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it.each([
    ['/applications?type=machine', 'Programs', 'applications'],
    ['/organisations?active=true', 'Acme', 'organisations'],
    ['/audit?kind=sign_in.succeeded', 'Audit', 'audit'],
  ])('are saved of %s', async (path, shows) => {
    const { context, page, complaints } = await open(people.admin, look, path, shows)
    await button(page, 'Save this view').click()
    await page.getByLabel('Name of the view').fill('Mine')
    await button(page, 'Save').click()
    await page.getByRole('list', { name: 'Saved views' }).getByText('Mine').waitFor()
    await fits(page)
    // What stands there and is no view is left out.
    await page.evaluate(
      `for (const key of Object.keys(localStorage)) if (key.includes('views')) localStorage[key] = '[{"name":1},{"name":"x","view":{"q":{}}},7]'`,
    )
    await visit(page, path, shows)
    await expect.poll(() => page.getByRole('list', { name: 'Saved views' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('are files, of what is found', async () => {
    const { context, page } = await open(people.admin, look, '/people?q=hostile', hostile)
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()])
    expect(file.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/)
    const text = readFileSync(await file.path(), 'utf8')
    expect(text.split('\r\n')).toHaveLength(3)
    expect(text).toContain('last_sign_in_on')
    for (const [path, shows] of [
      ['/roles', 'Reader'],
      ['/services', 'Ledger'],
      ['/applications', 'Administration'],
      ['/organisations', 'Acme'],
    ] as const) {
      await turnTo(page, path, shows)
      await button(page, 'Download CSV').waitFor()
    }
    await context.close()
  })

  it('show the members of an organisation by last sign-in', async () => {
    const { context, page, complaints } = await open(
      heads.head,
      look,
      `/organisations/${acme}`,
      people.importer.email,
    )
    await sorts(page).getByRole('button').click()
    await asks(page, 'sort=last_sign_in_on')
    await expect.poll(() => rows(page).first().textContent()).toContain('Never noted')
    await page.getByLabel('Not signed in since').fill(today())
    await row(page, people.importer.email).waitFor({ state: 'detached' })
    await fits(page)
    expect(complaints).toEqual([])
    await context.close()
  })
})
