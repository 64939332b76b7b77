/** The console while the connection, the sign-in, the profile or a permission ends. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Administrator, globex, heads, users } from '../administration/support.ts'
import { consoleOn, signInOn, visit } from './console-page.ts'

onOneDatabase('the session of the console', (dialect) => {
  const { tessera, open, window } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const gate = (): [Promise<void>, () => void] => {
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    return [opened, open]
  }
  const account = (page: Page) => page.getByRole('button', { name: /Your account/ })

  it('reads again by itself, and writes again at a click', async () => {
    const { context, page } = await open(people.admin, {}, '/people', people.importer.email)
    let away = true
    await page.route('**/admin/v1/users?*', (route) =>
      away
        ? route.fulfill({ status: 503, headers: { 'retry-after': '3' }, json: { detail: 'Not now.' } })
        : route.continue(),
    )
    await page.getByRole('searchbox').fill('importer')
    await page.getByText('The service does not answer now').waitFor()
    away = false
    await page.getByText('1 person').waitFor()
    await page.getByText('The service does not answer now').waitFor({ state: 'hidden' })
    await context.setOffline(true)
    await page.getByText('There is no connection').waitFor()
    await context.setOffline(false)
    await page.getByText('There is no connection').waitFor({ state: 'hidden' })
    await offersNewVersion(page)

    // The clock of the machine is hours ahead, and then tokens live for a moment.
    await context.addInitScript('const now = Date.now; Date.now = () => now() + 7_200_000')
    await visit(page, `/people/${users.importer}`, 'Importer')
    let given = 0
    await page.route('**/oauth2/token', async (route) => {
      const answer = await route.fetch()
      given++
      await route.fulfill({ response: answer, json: { ...(await answer.json()), expires_in: 3 } })
    })
    await visit(page, `/people/${users.importer}/history`, 'user.created')
    expect(given).toBeLessThan(9)
    await page.unroute('**/oauth2/token')
    await visit(page, `/people/${users.importer}`, 'Importer')
    let sent = 0
    await page.route(`**/admin/v1/users/${users.importer}`, (route) =>
      route.request().method() === 'PATCH' && sent++ === 0 ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('each of their sessions').waitFor()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByText('The service can’t be reached.').waitFor()
    expect((await admin.get(`/users/${users.importer}`)).json.active).toBe(true)
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled', { exact: true }).first().waitFor()
    expect(sent).toBe(2)
    await admin.patch(`/users/${users.importer}`, { active: true })
    await context.close()
  })

  /** As when another version runs since: the files of this one are gone. */
  async function offersNewVersion(page: Page): Promise<void> {
    await page.getByRole('searchbox').fill('import')
    await page.waitForURL('**/people?q=import')
    await page.route('**/console/assets/audit-*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('A new version of the console may be there.').waitFor()
    await page.waitForURL('**/console/audit')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('import')
    await page.unroute('**/console/assets/audit-*.js')
    await page.getByRole('button', { name: 'Load it anew' }).click()
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
  }

  it('keeps what is typed and what was sent when the sign-in ends, and goes on after another', async () => {
    const { context, page } = await open(people.admin)
    const again = async () => {
      const [other] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'Sign in again' }).last().click(),
      ])
      await signInOn(other, people.admin)
      await other.getByText('You are signed in again').waitFor()
      await other.getByText('As Acme Admin.').waitFor()
      await other.close()
    }
    await visit(page, '/people', people.importer.email)
    await admin.delete(`/users/${users.admin}/sessions`)
    await page.getByRole('searchbox').fill('importer')
    await page.getByText('Your sign-in ended').waitFor()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('importer')
    await again()
    await page.getByText('1 person').waitFor()
    await expect.poll(() => page.getByText('Your sign-in ended').count()).toBe(0)
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('importer')

    // Somebody signs in again in another tab before this one hears that its own ended.
    await admin.delete(`/users/${users.admin}/sessions`)
    const [answered, answer] = gate()
    const slow = page.waitForRequest('**/oauth2/authorize?*')
    await page.route(
      '**/oauth2/authorize?*',
      async (route) => {
        const response = await route.fetch({ maxRedirects: 0 })
        await answered
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.getByRole('searchbox').fill('both')
    await slow
    const other = await context.newPage()
    await other.goto(`${tessera.url}/console/people`)
    await signInOn(other, people.admin)
    await other.getByText(people.importer.email).waitFor()
    answer()
    await page.getByText('1 person').waitFor()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('both')
    await other.close()

    await visit(page, `/people/${users.importer}`, 'Importer')
    await page.getByRole('button', { name: 'Disable' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('each of their sessions').waitFor()
    // The dry run is over.
    await dialog.locator('button[type=submit]:enabled').waitFor()
    await admin.delete(`/users/${users.admin}/sessions`)
    await dialog.getByRole('button', { name: 'Disable' }).click()
    // In the dialog, which covers the page.
    await dialog.getByText('Your sign-in ended').waitFor()
    expect((await admin.get(`/users/${users.importer}`)).json.active).toBe(true)
    // The service is away for a moment just then: what waits goes on waiting.
    await page.route(
      '**/oauth2/authorize?*',
      (route) => route.fulfill({ status: 503, headers: { 'retry-after': '1' } }),
      { times: 1 },
    )
    await again()
    await page.getByText('Disabled', { exact: true }).first().waitFor()
    await admin.patch(`/users/${users.importer}`, { active: true })
    await context.close()
  })

  it('keeps each tab to its profile, switches without a page, and never goes on under another', async () => {
    const [uuid] = (await admin.all(`/users?q=${heads.head.email}`)).map((one) => one.uuid)
    const given = { user_uuid: uuid, role_code: 'acme-administrator', organisation_uuid: globex }
    const second = (await admin.post('/profiles', given)).json
    const { context, page } = await window({ reducedMotion: 'reduce' })
    await page.goto(`${tessera.url}/console/people`)
    await signInOn(page, heads.head)
    await page.getByRole('button', { name: /Acme Institute/ }).click()
    await page.getByText(people.importer.email).waitFor()
    const other = await context.newPage()
    await other.goto(`${tessera.url}/console/people`)
    await account(other).getByText('Acme Institute').waitFor()
    const pages: string[] = []
    other.on('framenavigated', (frame) => pages.push(new URL(frame.url()).pathname))
    await account(other).click()
    await other.getByRole('menuitemradio', { name: /Globex/ }).click()
    await account(other).getByText('Globex').waitFor()
    expect(pages.filter((path) => !path.startsWith('/console/'))).toEqual([])
    // The overview has such a link too.
    await other.getByRole('navigation').getByRole('link', { name: 'People' }).first().click()
    await other.getByText('Acme Both').waitFor()
    await expect.poll(() => other.getByText(people.importer.email).count()).toBe(0)
    // The other tab stays what it was.
    await page.reload()
    await account(page).getByText('Acme Institute').waitFor()
    await page.getByText(people.importer.email).waitFor()

    await admin.delete(`/profiles/${String(second.uuid)}`)
    await other.getByRole('searchbox').fill('acme')
    await other.getByText('You can’t go on as you are.').waitFor()
    await expect.poll(() => other.getByRole('searchbox').inputValue()).toBe('acme')
    await other.getByRole('button', { name: 'Sign in again' }).click()
    await account(other).getByText('Acme Institute').waitFor()
    await context.close()
  })

  it('follows a permission that was taken meanwhile', async () => {
    const { context, page } = await open(heads.head)
    const role = (await admin.get('/roles/acme-administrator')).json.permissions as string[]
    const without = (...taken: string[]) =>
      admin.patch('/roles/acme-administrator', { permissions: role.filter((one) => !taken.includes(one)) })
    await visit(page, `/people/${users.importer}`, 'Importer')
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('dialog').locator('button[type=submit]:enabled').waitFor()
    await without('iam.users.update')
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('You no longer have iam.users.update.').waitFor()
    await page.getByRole('button', { name: 'Disable' }).waitFor({ state: 'hidden' })
    await without('iam.users.update', 'iam.users.read')
    await page.getByRole('link', { name: 'People' }).first().click()
    await page.locator('main').getByText('iam.users.read').first().waitFor()
    await page.locator('aside').getByRole('link', { name: 'People' }).waitFor({ state: 'hidden' })
    await without()
    await context.close()
  })

  it('signs out here, in other tabs and at the service', async () => {
    const { context, page } = await open(people.admin)
    const other = await context.newPage()
    await other.goto(`${tessera.url}/console/people`)
    await other.getByText(people.importer.email).waitFor()
    const asked = page.waitForRequest((request) => request.headers().authorization !== undefined)
    await visit(page, '/people', people.importer.email)
    const authorization = (await asked).headers().authorization ?? ''
    // A token is renewed just then: what it gives is not kept.
    const [late, give] = gate()
    await page.route('**/oauth2/token', async (route) => {
      const response = await route.fetch()
      await late
      await route.fulfill({ response })
    })
    await page.route('**/oauth2/revoke', async (route) => {
      give()
      await page.waitForResponse('**/oauth2/token')
      await route.continue()
    })
    await page.route('**/admin/v1/users?*', (route) => route.fulfill({ status: 401 }), { times: 1 })
    const renewing = page.waitForRequest('**/oauth2/token')
    await page.getByRole('searchbox').fill('importer')
    await renewing
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByText('You are signed out').waitFor()
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).not.toContain('profile')
    const answer = await fetch(`${tessera.url}/admin/v1/me`, { headers: { authorization } })
    expect(answer.status).toBe(401)
    await expect.poll(() => new URL(other.url()).pathname).toBe('/')
    await context.close()
  })
})
