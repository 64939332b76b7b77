/** What is set of the whole installation, in the console: its policy, its branding, and all settings in one place. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, heads } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { managePolicy } from '../harness/states.ts'
import { consoleOn, fits, turnTo } from './console-page.ts'

onOneDatabase('the installation in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
  const kept = async (path: string) => (await admin.get(path)).json
  const put = async (path: string, body: object) =>
    expect((await admin.ask('PUT', path, { body, match: '*' })).status).toBe(200)

  it('has a policy, whose change says what it does before it is saved', async () => {
    await admin.patch('/roles/importer', { policy: { second_factor: 'passkey' } })
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('link', { name: 'Policy', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Policy' }).waitFor()
    const elsewhere = page.getByRole('row', { name: /Importer importer Role/ })
    await elsewhere.getByText('Demanded, by a passkey or a security key').waitFor()
    await fits(page, 'a policy')
    await field(page, 'A second factor is').selectOption('required')
    await page.getByText('Nobody gets in by a password alone').waitFor()
    await field(page, 'Days to set it up').fill('7')
    await page
      .locator('.effect')
      .getByText(/\d+ people have to set up a second factor\./)
      .waitFor()
    await fits(page, 'a change of the policy')
    expect(complaints).toEqual([])
    expect((await kept('/policy')).second_factor).toBeNull()
    await button(page, 'Save').click()
    await expect.poll(async () => (await kept('/policy')).grace_days).toBe(7)
    expect(await kept('/policy')).toMatchObject({ second_factor: 'required', self_deletion: null })

    // What somebody else set meanwhile stays, though it is set as a whole.
    await field(page, 'Least length of a new password').fill('12')
    await page.locator('.effect').getByText('Nobody is stopped by it').waitFor()
    await put('/policy', { second_factor: 'required', grace_days: 7, email_change: 'administrator' })
    await button(page, 'Save').click()
    await page.getByText('Theirs stays as it is: Who changes the address of a person.').waitFor()
    await button(page, 'Save mine').click()
    await expect.poll(async () => (await kept('/policy')).password_length).toBe(12)
    expect(await kept('/policy')).toMatchObject({ email_change: 'administrator', grace_days: 7 })
    await admin.patch('/roles/importer', { policy: null })
    await put('/policy', {})
    await context.close()
  })

  it('refuses a policy that is none, and says that a file manages it', async () => {
    await managePolicy(tessera, 'acme.yaml')
    const { context, page } = await open(
      people.admin,
      look,
      '/policy',
      'The file acme.yaml manages the policy',
    )
    await field(page, 'Least length of a new password').fill('7')
    await page.locator('[aria-invalid=true]').waitFor()
    await field(page, 'Days to set it up').fill('31')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(2)
    await fits(page, 'a policy that is refused')
    await button(page, 'Save').click()
    expect(await kept('/policy')).toMatchObject({ password_length: null, grace_days: null })
    await button(page, 'Discard').click()
    expect(await field(page, 'Least length of a new password').inputValue()).toBe('')
    await managePolicy(tessera, null)
    await context.close()
  })

  it('has a branding, shown as the page of a sign-in while one types', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('link', { name: 'Branding', exact: true }).click()
    const preview = page.getByRole('img', { name: 'The page of a sign-in, by day' })
    await preview.getByText('Tessera').waitFor()
    const name = '<img src=x onerror=alert(1)> & Söhne'
    await field(page, 'Name').fill(name)
    await preview.getByText(name).waitFor()
    await expect.poll(() => preview.locator('img').count()).toBe(0)
    await field(page, 'Accent colour').fill('#7A1F5C')
    await expect.poll(() => preview.getAttribute('style')).toContain('--accent: #7a1f5c')
    await page.getByText(/By day\. Contrast of links \d+(\.\d)?:1, of the button \d+(\.\d)?:1/).waitFor()
    await fits(page, 'a branding')
    expect(complaints).toEqual([])
    await button(page, 'Save').click()
    await expect.poll(async () => (await kept('/branding')).name).toBe(name)
    expect((await kept('/branding')).accent_color).toBe('#7A1F5C')

    await field(page, 'Accent colour').fill('#eeeeee')
    await page.getByText('has a contrast of').waitFor()
    await page.getByText('This colour is not shown').waitFor()
    await field(page, 'Help').fill('javascript:alert(1)')
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(2)
    await fits(page, 'a branding that is refused')
    await button(page, 'Save').click()
    expect(await kept('/branding')).toMatchObject({ accent_color: '#7A1F5C', help_uri: null })
    await put('/branding', {})
    await context.close()
  })

  it('has a branding of an organisation, set by who administers it', async () => {
    await put('/branding', { name: 'Everybody' })
    const wide = await open(people.admin, look, `/branding?organisation=${acme}`, 'Branding of Acme')
    const shown = wide.page.getByRole('img', { name: 'The page of a sign-in, by day' })
    // It is taken as a whole: that of the installation, until the organisation says anything.
    await shown.getByText('Everybody').waitFor()
    await field(wide.page, 'Accent colour').fill('#7a1f5c')
    await shown.getByText('Tessera').waitFor()
    await wide.context.close()
    await put('/branding', {})
    const { context, page } = await open(heads.head, look, `/organisations/${acme}`, 'Branding of Acme')
    await page.getByRole('link', { name: 'Branding of Acme' }).click()
    await field(page, 'Name').fill('Acme Research')
    await button(page, 'Save').click()
    await expect
      .poll(async () => (await kept(`/organisations/${acme}`)).branding)
      .toEqual({ name: 'Acme Research' })
    await fits(page, 'the branding of an organisation')
    await field(page, 'Name').fill('')
    await button(page, 'Save').click()
    await expect.poll(async () => (await kept(`/organisations/${acme}`)).branding).toBeNull()
    await context.close()
  })

  it('lists its settings, each with where it is changed, and never a secret', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('link', { name: 'Installation', exact: true }).click()
    await page
      .getByRole('row', { name: /^TESSERA_HOST / })
      .getByText('127.0.0.1')
      .waitFor()
    await page
      .getByRole('row', { name: /^TESSERA_SECRET / })
      .getByText('never shown')
      .waitFor()
    await page
      .getByRole('row', { name: /Policy/ })
      .getByText('In the console')
      .waitFor()
    await fits(page, 'the settings')
    await page.getByLabel('Search settings').fill('idle session')
    await page.waitForURL(/q=idle/)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('row', { name: /TESSERA_SESSION_IDLE_LIFETIME/ }).waitFor()
    await page.getByLabel('Search settings').fill('nonsense')
    await page.getByText('No setting matches “nonsense”').waitFor()
    await fits(page, 'no setting')
    await turnTo(page, '/settings?by=environment', 'TESSERA_HOST')
    await expect.poll(() => page.getByText('As usual', { exact: true }).count()).toBe(0)
    await turnTo(page, '/settings?by=console', 'How pages and mails look')
    await page.getByRole('main').getByRole('link', { name: 'Branding' }).click()
    await page.getByRole('heading', { level: 1, name: 'Branding' }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it.each([heads.head, heads.unitHead])('is nothing for $email, who is told so', async (person) => {
    const { context, page } = await open(person, look)
    for (const name of ['Policy', 'Branding', 'Installation'])
      await expect.poll(() => page.getByRole('link', { name, exact: true }).count()).toBe(0)
    for (const path of ['/policy', '/branding', '/settings']) {
      await turnTo(page, path, 'You act for')
      await expect
        .poll(() => page.locator('main').getByRole('textbox').and(page.locator(':enabled')).count())
        .toBe(0)
      await fits(page, path)
    }
    await context.close()
  })
})
