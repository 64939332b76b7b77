/** The console in a real browser: signing in, looking, changing, and what it keeps. */
import { randomUUID } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Administrator, globex, heads, users } from '../administration/support.ts'
import { overflow } from '../pages/page-fits.ts'
import { consoleOn, findings, heading, keptBy, turnTo, visit } from './console-page.ts'

const hostile = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd'

onOneDatabase('the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  let somebody: string
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/users', { email: 'hostile@acme.example', name: hostile })
    somebody = String(made.json.uuid)
  })

  /** Of what the view loaded, as it came over the wire. */
  const scriptSize = (page: Page) =>
    page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )

  it('shows each view without a finding or a complaint', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    for (const [path, shows] of [
      ['/people', people.importer.email],
      [`/people/${users.importer}`, 'Importer'],
      [`/people/${users.importer}/sessions`, 'Signed in nowhere'],
      [`/people/${users.importer}/factors`, 'No second factor'],
      [`/people/${users.importer}/history`, 'user.created'],
      ['/applications', 'submissions-web'],
      ['/applications/submissions-web', 'Redirect addresses'],
      ['/nowhere', 'There is nothing at this address.'],
    ] as const) {
      await turnTo(page, path, shows)
      expect(await findings(page), path).toEqual([])
      expect(await overflow(page), path).toBeLessThanOrEqual(0)
    }
    await visit(page, '/people', people.importer.email)
    expect(await scriptSize(page)).toBeLessThan(200 * 1024)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('finds a person, disables and enables them, and keeps no token anywhere', async () => {
    const { context, page, complaints } = await open(people.admin)
    const addresses = new Set<string>()
    page.on('framenavigated', (frame) => addresses.add(frame.url()))
    const tokens = new Set<string>()
    page.on('request', (request) =>
      tokens.add(request.headers().authorization?.slice('Bearer '.length) ?? ''),
    )
    await visit(page, '/people?role=importer', people.importer.email)
    expect(await page.locator('main').textContent()).not.toContain('hostile@')
    await visit(page, '/people', people.importer.email)
    await page.getByRole('searchbox').fill('hostile@')
    await page.getByText('1 person').waitFor()
    expect(page.url()).toBe(`${tessera.url}/console/people?q=hostile%40`)
    await page.getByRole('link', { name: '<img' }).click()
    await page.getByText('No profile').waitFor()
    // A name is text, whatever it holds.
    expect(await heading(page)).toBe(hostile)
    await expect.poll(() => page.locator('main img').count()).toBe(0)

    await page.getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('each of their sessions').waitFor()
    expect(await findings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled').waitFor()
    expect((await admin.get(`/users/${somebody}`)).json.active).toBe(false)
    await page.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('Active').waitFor()
    expect((await admin.get(`/users/${somebody}`)).json.active).toBe(true)
    await page.getByRole('link', { name: 'History' }).click()
    // Who it was, by name.
    await page
      .getByRole('row', { name: /user\.changed/ })
      .getByText('Acme Admin')
      .first()
      .waitFor()

    tokens.delete('')
    expect(tokens.size).toBeGreaterThan(0)
    const kept = await keptBy(page)
    const cookies = JSON.stringify(await context.cookies())
    for (const token of tokens) {
      for (const place of [cookies, ...addresses]) expect(place).not.toContain(token)
      expect(token.split('.')).toHaveLength(3)
    }
    expect([...addresses].join(' ')).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(kept).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(complaints).toEqual([])
    await context.close()
  })

  // In the browser alone: both databases find the same.
  if (dialect === 'sqlite')
    it('finds and opens by the keyboard alone', async () => {
      const { context, page, complaints } = await open(people.admin, look)
      const palette = page.getByRole('dialog', { name: 'Search or go to' })
      const field = palette.getByRole('combobox')
      const shows = (text: string) => page.getByRole('heading', { level: 1, name: text }).waitFor()
      await visit(page, '/people', people.importer.email)
      await page.getByRole('link', { name: 'People' }).first().focus()
      await page.keyboard.press('Control+k')
      await field.waitFor()
      await palette.getByRole('option', { name: 'Connect an application' }).waitFor()
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'hidden' })
      await page.locator('nav a:focus', { hasText: 'People' }).waitFor()

      // What begins so may be several: the arrows choose.
      await page.keyboard.press('Control+k')
      await field.fill('acme')
      await palette.getByRole('option', { name: 'acme.example' }).first().waitFor()
      expect(await findings(page)).toEqual([])
      await page.keyboard.press('ArrowUp')
      const last = palette.getByRole('option').last()
      expect(await last.getAttribute('aria-selected')).toBe('true')
      expect(await field.getAttribute('aria-activedescendant')).toBe(await last.getAttribute('id'))
      await field.fill('hostile@')
      await page.keyboard.press('Enter')
      await palette.waitFor({ state: 'hidden' })
      await shows(hostile)

      // Pasted and entered at once, before it is found.
      for (const [typed, title] of [
        [users.importer, people.importer.email],
        ['submissions-web', 'submissions-web'],
      ] as const) {
        await page.keyboard.press('Control+k')
        await field.fill(` ${typed} `)
        await page.keyboard.press('Enter')
        await palette.waitFor({ state: 'hidden' })
        await page.getByRole('main').getByText(title).first().waitFor()
        expect(page.url()).toContain(typed)
      }

      await page.keyboard.press('Control+k')
      await field.fill('nothing of that')
      await palette.getByText('You can look for: People').waitFor()
      expect(await findings(page)).toEqual([])
      // A request, of which nobody has the number otherwise.
      await field.fill(randomUUID())
      await palette.getByRole('option', { name: 'What did the request' }).waitFor()
      await page.keyboard.press('Enter')
      await shows('Audit')
      await page.getByText('By the request').waitFor()
      expect(complaints).toEqual([])
      await context.close()
    })

  it('shows those who administer an organisation that alone, and others nothing', async () => {
    const { context, page } = await open(heads.head)
    await page.getByText('Acme Institute').first().waitFor()
    await visit(page, '/people', people.importer.email)
    expect(await page.locator('main').textContent()).not.toContain('hostile@')
    const elsewhere = [`/people/${somebody}`, `/organisations/${globex}`, '/applications/globex-portal']
    await isRefused(page, elsewhere, 'You act for Acme Institute.')
    const palette = await findsNothing(page, ['hostile@', 'globex', 'globex-portal'])
    // A uuid may be the number of a request, and is nothing else.
    await palette.getByRole('combobox').fill(somebody)
    await palette.getByRole('option', { name: 'What did the request' }).waitFor()
    await expect.poll(() => palette.getByRole('option').count()).toBe(1)
    await context.close()

    const none = await open(people.importer)
    expect(await heading(none.page)).toBe('Nothing here is yours to see')
    await expect.poll(() => none.page.locator('nav a').count()).toBe(0)
    await none.context.close()
  })

  it('shows those who administer a unit what is theirs', async () => {
    const { context, page } = await open(heads.unitHead)
    expect(await page.locator('nav a').allTextContents()).not.toContain('Audit')
    const { pathname } = new URL(page.url())
    expect(pathname).toBe('/console/')
    const elsewhere = [
      `/people/${somebody}`,
      `/people/${users.admin}`,
      `/organisations/${globex}`,
      '/audit',
      '/audit/1',
    ]
    await isRefused(page, elsewhere, 'You act for Acme Institute › Intake.')
    await findsNothing(page, ['hostile@', users.admin, 'acme-portal', 'connect an', randomUUID()])
    await context.close()
  })

  /** Typed by hand. */
  async function isRefused(page: Page, paths: string[], where: string): Promise<void> {
    for (const path of paths) {
      await turnTo(page, path, /That did not work|There is nothing at this address/)
      await page.getByText(where).waitFor()
      // A screen reader is told where it is.
      await page.locator('main h1:focus').waitFor()
    }
  }

  async function findsNothing(page: Page, texts: string[]): Promise<Locator> {
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or go to' })
    for (const text of texts) {
      await palette.getByRole('combobox').fill(text)
      await palette.getByText(`Nothing found for “${text}”`).waitFor()
    }
    return palette
  }
})
