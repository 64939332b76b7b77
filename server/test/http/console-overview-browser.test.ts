/** The overview of the console: what whom concerns, and the way to it. */
import { beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Administrator, globex, heads, profiles } from '../administration/support.ts'
import { consoleOn, findings, fits, heading, phoneAtNight, visit, wide } from './console-page.ts'

onOneDatabase('the overview of the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const wrong = { ...people.importer, password: 'wrong' }
    await signIn(new TestBrowser(tessera.url), authorizeRequest().path, wrong)
    const expires_at = new Date(Date.now() + 6 * 86_400_000).toISOString()
    expect((await admin.patch(`/profiles/${profiles.importer}`, { expires_at })).status).toBe(200)
    const nightly = {
      client_id: 'nightly',
      client_name: 'Nightly',
      type: 'machine',
      organisation_uuid: globex,
    }
    const [secret] = (await admin.post('/clients', nightly)).json.secrets as { id: string }[]
    expect((await admin.post('/clients/nightly/secrets', { expires_at })).status).toBe(201)
    expect((await admin.delete(`/clients/nightly/secrets/${secret?.id}`)).status).toBe(204)
  })

  it('shows how much there is, how sign-ins went, and what is cured where', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    const figure = (name: string) => page.locator('.figures li', { hasText: name })
    await figure('People').getByText('6', { exact: true }).waitFor()
    await figure('Refused').getByText('1', { exact: true }).waitFor()
    await page.getByText('A profile ends within 7 days').waitFor()
    await page.getByText('Somebody may give profiles without a second factor').waitFor()
    await fits(page)

    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByText('As a table').click()
    await expect.poll(() => page.getByRole('table', { name: 'Sign-ins' }).locator('tbody tr').count()).toBe(7)
    await page.getByRole('table', { name: 'Sign-ins' }).getByText('1', { exact: true }).first().waitFor()
    await fits(page)

    await page.getByRole('link', { name: 'Acme Importer: Importer' }).click()
    await expect.poll(() => heading(page)).toBe('Acme Importer')
    await page.goBack()
    await page.getByRole('link', { name: 'Nightly' }).click()
    await page.getByRole('button', { name: 'Add a secret' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Refused, last 24 hours' }).click()
    await page.getByRole('row', { name: /Sign-in failed sign_in\.failed/ }).waitFor()
    expect(complaints).toEqual([])

    await page.route('**/admin/v1/statistics?metric=people', (route) =>
      route.fulfill({ status: 403, json: { detail: 'No longer yours.' } }),
    )
    const none = { metric: 'clients', total: 0, more: false, from: null, to: null, step: null, series: [] }
    await page.route('**/admin/v1/statistics?metric=clients', (route) => route.fulfill({ json: none }))
    await visit(page, '/', 'No longer yours.')
    // Nothing signs in here yet.
    await page.getByRole('link', { name: 'Connect an application' }).waitFor()
    await page.getByRole('link', { name: 'Invite somebody' }).waitFor()
    await page.getByRole('link', { name: 'Ask why somebody can’t' }).waitFor()
    await fits(page)
    await figure('Refused').getByText('1', { exact: true }).waitFor()
    await context.close()
  })

  it.each([
    ['in the sidebar', wide],
    ['in the drawer of a phone', phoneAtNight],
  ])('has the menu of the account %s', async (_, look) => {
    const { context, page } = await open(people.admin, look)
    if (look === phoneAtNight) await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).waitFor()
    expect(await findings(page)).toEqual([])
    const other = look === wide ? 'Dark' : 'Light'
    await page.getByRole('menuitemradio', { name: other }).click()
    await page.locator(`:root[data-mantine-color-scheme=${other.toLowerCase()}]`).waitFor()
    await context.close()
  })

  it('shows an organisation what is its own, a unit its people, and others where they begin', async () => {
    const own = await open(heads.head)
    await own.page.locator('.figures li', { hasText: 'People' }).getByText('4', { exact: true }).waitFor()
    await own.page.getByText('Nobody signed in to your applications.').waitFor()
    await own.page.getByRole('link', { name: 'Acme Head' }).waitFor()
    expect(await own.page.locator('main').textContent()).not.toContain('Acme Admin')
    expect(own.complaints).toEqual([])
    await own.context.close()

    const unit = await open(heads.unitHead)
    await unit.page.locator('.figures li', { hasText: 'People' }).getByText('2', { exact: true }).waitFor()
    await unit.page.getByText('A profile ends within 7 days').waitFor()
    await expect.poll(() => unit.page.locator('.figures li').count()).toBe(1)
    await expect.poll(() => unit.page.locator('.sign-ins').count()).toBe(0)
    expect(unit.complaints).toEqual([])
    const role = (await admin.get('/roles/acme-administrator')).json.permissions
    await admin.patch('/roles/acme-administrator', { permissions: ['iam.access.read'] })
    await visit(unit.page, '/', 'Ask about')
    await expect.poll(() => unit.page.getByRole('link', { name: 'Overview' }).count()).toBe(0)
    await admin.patch('/roles/acme-administrator', { permissions: role })
    await unit.context.close()
  })
})
