/** The console in a real browser: signing in, looking, changing, and what it keeps. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { Administrator, administeredOn, heads, users } from '../administration/support.ts'
import { overflow } from '../pages/page-fits.ts'
import { findings, heading, open, visit } from './console-page.ts'

const hostile = '<img src=x onerror="document.title=1"> \u05e9\u05dc\u05d5\u05dd'

onEachDatabase('the console', (dialect) => {
  const tessera = administeredOn(dialect)
  let browser: Browser
  let admin: Administrator
  let somebody: string
  beforeAll(async () => {
    browser = await launchChromium()
    admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/users', { email: 'hostile@acme.example', name: hostile })
    somebody = String(made.json.uuid)
  })
  afterAll(() => browser?.close())

  /** Of what the view loaded, as it came over the wire. */
  const scriptSize = (page: Page) =>
    page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
         .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )

  /** Each look on one database: what axe finds needs both seldom. */
  const look: BrowserContextOptions =
    dialect === 'sqlite'
      ? { colorScheme: 'light', viewport: { width: 1280, height: 800 } }
      : { colorScheme: 'dark', viewport: { width: 390, height: 800 } }
  it('shows each view without a finding or a complaint', async () => {
    const { context, page, complaints } = await open(browser, tessera.url, people.admin, look)
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
      await visit(page, path, shows)
      expect(await findings(page), path).toEqual([])
      expect(await overflow(page), path).toBeLessThanOrEqual(0)
    }
    await visit(page, '/people', people.importer.email)
    expect(await scriptSize(page)).toBeLessThan(200 * 1024)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('finds a person, disables and enables them, and keeps no token anywhere', async () => {
    const { context, page, complaints } = await open(browser, tessera.url, people.admin)
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
    expect(await page.locator('main img').count()).toBe(0)

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
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    const cookies = JSON.stringify(await context.cookies())
    for (const token of tokens) {
      for (const place of [kept, cookies, ...addresses]) expect(place).not.toContain(token)
      expect(token.split('.')).toHaveLength(3)
    }
    expect(kept).not.toMatch(/eyJ/)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows those who administer an organisation that alone, and others nothing', async () => {
    const { context, page } = await open(browser, tessera.url, heads.head)
    await page.getByText('Acme Institute').first().waitFor()
    await visit(page, '/people', people.importer.email)
    expect(await page.locator('main').textContent()).not.toContain('hostile@')
    await visit(page, `/people/${somebody}`, 'That did not work')
    await page.getByText('You act for Acme Institute.').waitFor()
    await context.close()

    const none = await open(browser, tessera.url, people.importer)
    expect(await heading(none.page)).toBe('Nothing here is yours to see')
    expect(await none.page.locator('nav a').count()).toBe(0)
    await none.context.close()
  })
})
