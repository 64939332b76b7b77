/** People in the console: what they are given and lose, by somebody who administers everything, or an organisation. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people, tokensFor } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { acme, Administrator, heads, users } from '../administration/support.ts'
import { userinfo } from '../harness/program.ts'
import { giveConsents } from '../harness/states.ts'
import { importEnrolled, personOf } from '../sign-in/factor-support.ts'
import { linkIn, mailTo, shownTo } from '../harness/development-mail.ts'
import { consoleOn, fits, visit } from './console-page.ts'
import { patience } from './interface-page.ts'

onOneDatabase('people in the console', (dialect) => {
  const { tessera, look, open, window } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const press = (page: Page, name: string) => button(page, name).click()
  const agree = (page: Page, name: string) =>
    dialogOf(page).getByRole('button', { name, exact: true }).click()
  const pick = async (page: Page, field: string, text: string, option: string) => {
    await page.getByLabel(field, { exact: true }).first().fill(text)
    await page.getByRole('option', { name: option }).first().click()
  }
  const profilesOf = async (uuid: string) =>
    (await admin.all(`/profiles?user_uuid=${uuid}`)) as { role_code: string; expires_at: string | null }[]

  it('gives a profile for a week, lets it go on, and takes it away', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/people/${users.nobody}`,
      'No profile',
    )
    await press(page, 'Give a profile')
    await pick(page, 'Role', 'read', 'Reader')
    await dialogOf(page).getByText('Without an organisation the role holds in every one.').waitFor()
    // What was found first is taken by Enter, and the field shows that it has the focus.
    const organisation = page.getByLabel('Organisation', { exact: true }).first()
    await organisation.fill('acme')
    await page.locator('[data-combobox-selected]', { hasText: 'Acme Institute' }).waitFor()
    expect(await organisation.evaluate((field) => getComputedStyle(field).outlineStyle)).toBe('solid')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText('Without an organisation').waitFor({ state: 'detached' })
    await agree(page, '1 week')
    await expect
      .poll(() => dialogOf(page).locator('[aria-pressed="true"]').allTextContents())
      .toEqual(['1 week'])
    // What they would gain, before anything is changed.
    await dialogOf(page).getByText('gains').waitFor()
    await dialogOf(page).getByText('ledger.entry.read').waitFor()
    expect(await profilesOf(users.nobody)).toEqual([])
    await fits(page)
    await agree(page, 'Give a profile')
    await page.getByRole('heading', { name: 'Reader' }).waitFor()
    const [given] = await profilesOf(users.nobody)
    expect(given).toMatchObject({ role_code: 'reader', organisation_uuid: acme })
    const days = (Date.parse(given?.expires_at ?? '') - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)

    await press(page, 'Change end')
    await agree(page, 'No end date')
    await dialogOf(page).getByText('This changes nobody’s access').waitFor()
    await agree(page, 'Save')
    await dialogOf(page).waitFor({ state: 'detached' })
    expect((await profilesOf(users.nobody))[0]?.expires_at).toBeNull()

    await press(page, 'Take away')
    await dialogOf(page).getByText('loses').waitFor()
    await fits(page)
    await agree(page, 'Take away')
    await page.getByText('No profile').waitFor()
    expect(await profilesOf(users.nobody)).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })

  /** The mail that took the place of another one. */
  const mailAfter = async (id: string) => {
    const newest = async () => (await shownTo(tessera, 'ines@acme.example')).find((one) => one.id !== id)
    await expect.poll(newest, { timeout: patience }).toBeDefined()
    return (await newest()) ?? expect.fail('It is gone again.')
  }

  it('invites somebody who only reads, as far as their own page', async () => {
    const { context, page } = await open(heads.unitHead, look, '/people', people.importer.email)
    await page.getByRole('link', { name: 'Invite', exact: true }).click()
    // Their own unit stands there already.
    await expect.poll(() => page.getByLabel('Unit', { exact: true }).first().inputValue()).toBe('Intake')
    await pick(page, 'Role', 'importer', 'Importer')
    await page
      .getByRole('region', { name: 'What it gives' })
      .getByText(/Import a VISTA file|vista-import.create/)
      .waitFor()
    // Whoever has the address needs no invitation.
    await page.getByLabel('E-mail address').fill(people.importer.email)
    await page.getByText('Acme Importer has this address already').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Invite' }).isDisabled()).toBe(true)
    await page.getByLabel('E-mail address').fill('ines@acme.example')
    await page.getByLabel('Name').fill('Ines Moreau')
    await fits(page)
    await press(page, 'Invite')
    await page.getByText('It is mailed to ines@acme.example').waitFor()
    const first = await mailTo(tessera, 'ines@acme.example', '')
    await page.getByRole('link', { name: 'See invitations' }).click()
    await page.getByRole('button', { name: 'Send again' }).waitFor()
    await fits(page)
    await press(page, 'Send again')
    await agree(page, 'Send again')
    await dialogOf(page).getByText('It is mailed to').waitFor()
    await dialogOf(page).locator('.buttons').getByRole('button', { name: 'Close' }).click()
    await page.locator('table').getByText('Waiting').waitFor()

    const joining = await window()
    await joining.page.goto(new URL(linkIn(await mailAfter(first.id)), tessera.url).href)
    await joining.page.getByLabel('A password', { exact: true }).fill('correct horse battery ines')
    await joining.page.getByLabel('The password again').fill('correct horse battery ines')
    await joining.page.getByRole('button', { name: 'Create account' }).click()
    await joining.page.getByRole('heading', { name: 'Thank you for your answer' }).waitFor()
    await joining.page.goto(`${tessera.url}/account`)
    await joining.page.getByText('Ines Moreau').first().waitFor()
    await joining.context.close()

    await visit(page, '/people/invitations?state=accepted', 'Ines Moreau')
    await visit(page, '/people?q=ines', 'Ines Moreau')
    await page.getByRole('link', { name: 'Ines Moreau' }).click()
    await page.getByRole('heading', { name: 'Importer' }).waitFor()
    await context.close()
  })

  it('lets somebody in again, ends what they are signed in to, and removes them', async () => {
    await importEnrolled(tessera, ['leaver'])
    const leaver = personOf('leaver')
    const [found] = await admin.all(`/users?q=${leaver.email}`)
    const uuid = String(found?.uuid)
    const path = `/people/${uuid}`
    // What they may choose for themself keeps nobody out: a language that no browser takes, a name that none types.
    const own = { locale: 'en-ab1', name: 'Lea\u00a0 V\u200der' }
    expect((await admin.patch(`/users/${uuid}`, own)).status).toBe(200)
    const { context, page } = await open(people.admin, look, `${path}/factors`, 'Authenticator app')
    await press(page, 'Remove')
    await dialogOf(page).getByText('a password alone signs them in').waitFor()
    await fits(page)
    await agree(page, 'Remove')
    await page.getByText('No second factor').waitFor()
    await press(page, 'Set a new password')
    await agree(page, 'Make the link')
    await dialogOf(page).getByText(`It is mailed to ${leaver.email}`).waitFor()
    await mailTo(tessera, leaver.email, '')
    await dialogOf(page).locator('.buttons').getByRole('button', { name: 'Close' }).click()
    await press(page, 'Set a new password')
    await dialogOf(page).getByLabel('Show me the link').check()
    await agree(page, 'Make the link')
    const link = (await dialogOf(page).locator('dd code').textContent()) ?? ''
    expect((await fetch(link)).status).toBe(200)
    await fits(page)

    const { access_token: token } = await tokensFor(tessera.url, leaver)
    await giveConsents(tessera, { user_uuid: uuid, client_id: 'partner-portal', scope: 'openid' })
    await visit(page, `${path}/applications`, 'partner-portal')
    await page.locator('table').getByText('submissions-web').waitFor()
    await fits(page)
    await press(page, 'End')
    await agree(page, 'End')
    await page.getByText('No application has tokens').waitFor()
    expect((await userinfo(tessera.url, token)).status).toBe(401)
    await press(page, 'Withdraw')
    await agree(page, 'Withdraw')
    await page.getByText('No consent given').waitFor()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await press(page, 'End all sessions')
    await dialogOf(page).getByText('1 session ends').waitFor()
    await agree(page, 'End all sessions')
    await dialogOf(page).waitFor({ state: 'detached' })
    await button(page, 'End all sessions').waitFor({ state: 'detached' })
    await fits(page)

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Address', { exact: true }).fill('none')
    await press(page, 'Save')
    await page.getByRole('alert').getByText('That did not work').waitFor()
    await fits(page)
    // Somebody else changes the language meanwhile; it stays as they left it.
    expect((await admin.patch(`/users/${uuid}`, { locale: 'fr' })).status).toBe(200)
    await page.getByLabel('Address', { exact: true }).fill('gone@factors.example')
    await press(page, 'Save')
    await page.getByText('Theirs stays as it is: Language').waitFor()
    await fits(page)
    await press(page, 'Save mine')
    await page.getByText('gone@factors.example').first().waitFor()
    expect((await admin.get(`/users/${uuid}`)).json).toMatchObject({
      email: 'gone@factors.example',
      email_verified: false,
      locale: 'fr',
    })
    // Their own: each load of the console was a family, and they are one line and end together.
    const loads = async () =>
      (await admin.all(`/token-families?user_uuid=${users.admin}`))
        .filter((one) => one.client_id === 'tessera:console')
        .map(({ id }) => id)
    const before = await loads()
    expect(before.length).toBeGreaterThan(2)
    await visit(page, `/people/${users.admin}/applications`, 'tessera:console')
    await expect.poll(() => page.getByRole('row', { name: /tessera:console/ }).count()).toBe(1)
    await press(page, 'End')
    await agree(page, 'End')
    await dialogOf(page).waitFor({ state: 'detached' })
    await page.getByText('tessera:console').waitFor()
    expect((await loads()).filter((id) => before.includes(id))).toEqual([])
    await visit(page, `${path}/settings`, 'Remove this person')
    await press(page, 'Remove this person')
    await dialogOf(page).getByText('1 profile').waitFor()
    // The name has to be typed: they lose access.
    await expect
      .poll(() => dialogOf(page).getByRole('button', { name: 'Remove this person' }).isDisabled())
      .toBe(true)
    await fits(page)
    await page.locator('[role=dialog]:focus-within').waitFor()
    await dialogOf(page).getByRole('textbox').fill('Lea Ver')
    await agree(page, 'Remove this person')
    await page.waitForURL(/\/console\/people$/)
    expect((await admin.get(`/users/${uuid}`)).status).toBe(404)
    await context.close()
  })

  it('says why an administrator of an organisation can’t give a role', async () => {
    const { context, page } = await open(heads.head, {}, `/people/${users.importer}`, 'Importer')
    await press(page, 'Give a profile')
    // Theirs stands where others pick, and there is no role that they may not give.
    await expect.poll(() => dialogOf(page).getByLabel('Organisation', { exact: true }).count()).toBe(0)
    await dialogOf(page).getByText('Acme Institute').waitFor()
    await page.getByLabel('Role', { exact: true }).first().fill('administrator')
    await page.getByRole('option', { name: 'Acme administrator' }).waitFor()
    await expect.poll(() => page.getByRole('option').count()).toBe(1)
    await pick(page, 'Role', 'acme-adm', 'Acme administrator')
    await dialogOf(page).getByText('gains').waitFor()
    // Meanwhile the role comes to give more than they hold.
    await admin.post('/roles', { code: 'keeper', name: 'Keeper', permissions: ['iam.users.read'] })
    await pick(page, 'Role', 'keeper', 'Keeper')
    // What this role gives, with the name of the place: nothing moves any more under the click.
    const effect = page.locator('.effect')
    await effect.getByText('iam.users.read', { exact: true }).waitFor()
    await effect.getByText('Acme Institute').waitFor()
    await admin.patch('/roles/keeper', { permissions: ['ledger.entry.read'] })
    await agree(page, 'Give a profile')
    await dialogOf(page).getByText('it gives more than you hold').first().waitFor()
    await fits(page)
    expect(await profilesOf(users.importer)).toHaveLength(1)

    // Somebody who also belongs elsewhere is let in again by who administers everything.
    await visit(page, `/people/${users.both}/factors`, 'No second factor')
    await press(page, 'Let them try again')
    await dialogOf(page).getByText('That did not work').waitFor()
    const [own] = await admin.all(`/users?q=${heads.head.email}`)
    await visit(page, `/people/${String(own?.uuid)}/factors`, 'No second factor')
    await expect.poll(() => button(page, 'Let them try again').count()).toBe(0)
    await context.close()
  })
})
