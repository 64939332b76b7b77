/** Webhooks in the console: added, tried, sent again, stopped and removed, each by who may. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { acme, Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Receiver, subscribe, verified } from '../webhooks/support.ts'
import { consoleOn, fits, turnTo, visit } from './console-page.ts'

onOneDatabase('webhooks in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  const receiver = new Receiver()
  let admin: Administrator
  beforeAll(async () => {
    await receiver.listen()
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(() => receiver.close())
  const dialog = (page: Page) => page.getByRole('dialog')
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const confirm = async (page: Page, name: string) => {
    await button(page, name).click()
    await dialog(page).getByRole('button', { name }).click()
    await dialog(page).waitFor({ state: 'detached' })
  }

  it('is added with a secret that is shown once, and tried, and what was answered stands there', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/webhooks',
      'Tell another system what happens here',
    )
    await fits(page, 'no webhook')
    await button(page, 'Add a webhook').first().click()
    const add = dialog(page).getByRole('button', { name: 'Add a webhook' })
    await dialog(page).getByLabel('Address').fill('http://user@hooks.acme.example/x')
    await expect.poll(() => add.isDisabled()).toBe(true)
    const kinds = dialog(page).getByRole('textbox', { name: 'What is sent' })
    await kinds.fill('everything about people')
    await page.getByRole('option', { name: 'user.*' }).click()
    expect(complaints).toEqual([])
    await add.click()
    await dialog(page).locator('[aria-invalid=true]').waitFor()
    await fits(page, 'a wrong address')
    await dialog(page).getByLabel('Address').fill(`${receiver.url}/siem`)
    await dialog(page).getByLabel('What it is for').fill('SIEM')
    await add.click()
    // A refused answer names its request in a `code` too, until the next answer is there.
    const secret = await dialog(page)
      .locator('code', { hasText: /^whsec_/ })
      .textContent()
    await fits(page, 'the secret of a webhook')
    await page.keyboard.press('Escape')
    await dialog(page).getByText('Stored?').waitFor()
    await button(page, 'Yes, it is stored').click()
    await page.getByRole('heading', { level: 1, name: 'SIEM' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByText('Nothing sent yet').waitFor()

    await confirm(page, 'Send a test')
    const [test] = await receiver.got('/siem', 1)
    expect(test && verified(secret ?? '', test).type).toBe('webhook_delivery.tested')
    await page.getByRole('row', { name: /Webhook tested.*204.*Delivered/ }).waitFor()
    await confirm(page, 'Send again')
    const [, again] = await receiver.got('/siem', 2)
    expect(again?.id).toBe(test?.id)

    receiver.answers.set('/siem', 500)
    await confirm(page, 'Send a test')
    await page.getByRole('row', { name: /Webhook tested.*500.*next attempt.*Tries again/ }).waitFor()
    await fits(page, 'deliveries')
    await page.getByLabel('Status').selectOption('Delivered')
    await page.waitForURL(/state=delivered/)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await visit(page, '/webhooks', 'SIEM')
    await page.getByRole('row', { name: /SIEM.*Everything about people.*Tries again/ }).waitFor()
    await fits(page, 'webhooks')
    await context.close()
  })

  it('gets another address and another secret, is disabled, and removed', async () => {
    const { uuid, at } = await subscribe(admin, receiver, ['role.*'], { description: 'Tickets' })
    const { context, page, complaints } = await open(
      people.admin,
      look,
      `/webhooks/${uuid}/settings`,
      'Two secrets count at a time',
    )
    expect(complaints).toEqual([])
    await page.getByLabel('Address').fill('nowhere')
    await page.locator('[aria-invalid=true]').waitFor()
    await page.getByLabel('Address').fill(`${receiver.url}/tickets`)
    await page.getByText('This changes nobody’s access.').waitFor()
    await fits(page, 'the settings of a webhook')
    // What somebody else made of it meanwhile stays.
    await admin.patch(at, { description: 'Support' })
    await button(page, 'Save').click()
    await page.getByText('Theirs stays as it is: What it is for.').waitFor()
    await button(page, 'Save mine').click()
    await page.getByRole('heading', { level: 1, name: 'Support' }).waitFor()
    expect((await admin.get(at)).json).toMatchObject({
      url: `${receiver.url}/tickets`,
      description: 'Support',
    })

    await page.getByLabel('What it is for').fill('')
    await button(page, 'Save').click()
    await page.getByRole('heading', { level: 1, name: `${receiver.url}/tickets` }).waitFor()
    await button(page, 'Make a new secret').click()
    await dialog(page).getByRole('button', { name: 'Make a new secret' }).click()
    await dialog(page).getByText('whsec_').waitFor()
    await button(page, 'It is stored').click()
    expect((await admin.get(at)).json.secrets).toHaveLength(2)
    await expect.poll(() => button(page, 'Make a new secret').count()).toBe(0)
    await confirm(page, 'End it')
    await expect.poll(async () => (await admin.get(at)).json.secrets).toHaveLength(1)
    await expect.poll(() => button(page, 'End it').count()).toBe(0)

    await confirm(page, 'Disable')
    await button(page, 'Enable').waitFor()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('Nothing sent yet').waitFor()
    await expect.poll(() => button(page, 'Send a test').count()).toBe(0)
    await page.getByRole('link', { name: 'Settings' }).click()
    await button(page, 'Remove this webhook').click()
    await fits(page, 'the removal of a webhook')
    await dialog(page).getByRole('button', { name: 'Remove this webhook' }).click()
    await page.waitForURL(/\/console\/webhooks$/)
    expect((await admin.get(at)).status).toBe(404)
    await context.close()
  })

  it('is of one organisation for who administers that, and absent for a unit or a reader', async () => {
    const elsewhere = await subscribe(admin, receiver, ['*'], { description: 'Of everything' })
    const own = await subscribe(admin, receiver, ['unit.*'], {
      description: '<script>x</script>',
      organisation_uuid: acme,
    })
    const head = await open(heads.head, look, '/webhooks', '<script>x</script>')
    await expect.poll(() => head.page.getByText('Of everything').count()).toBe(0)
    await turnTo(head.page, `/webhooks/${elsewhere.uuid}`, 'There is nothing at this address.')
    await turnTo(head.page, `/webhooks/${own.uuid}`, 'Nothing sent yet')
    await fits(head.page, 'a webhook of an organisation')
    await turnTo(head.page, '/webhooks', '<script>x</script>')
    await button(head.page, 'Add a webhook').click()
    await expect.poll(() => dialog(head.page).getByLabel('Belongs to').count()).toBe(0)
    await head.context.close()

    const unit = await open(heads.unitHead, look)
    await expect.poll(() => unit.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0)
    await turnTo(unit.page, '/webhooks', 'a webhook tells of a whole organisation')
    await expect.poll(() => button(unit.page, 'Add a webhook').count()).toBe(0)
    await unit.context.close()

    const reads = { code: 'hooks', name: 'Hooks', permissions: ['iam.webhooks.read'] }
    expect((await admin.post('/roles', reads)).status).toBe(201)
    expect((await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'hooks' })).status).toBe(201)
    const reader = await open(people.nobody, look, `/webhooks/${own.uuid}`, 'Nothing sent yet')
    const actions = reader.page.getByRole('main').getByRole('button')
    await expect.poll(() => actions.filter({ hasText: /Send|Disable/ }).count()).toBe(0)
    await expect.poll(() => reader.page.getByRole('link', { name: /Settings|Activity/ }).count()).toBe(0)
    await turnTo(reader.page, `/webhooks/${own.uuid}/settings`, 'There is nothing at this address.')
    await reader.context.close()
  })
})
