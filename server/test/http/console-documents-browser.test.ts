import { afterAll, beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { DocumentServer } from '../harness/document-server.ts'
import { Administrator } from '../administration/support.ts'
import { consoleOn, letEverybodyIn, visit } from './console-page.ts'

onOneDatabase('an application that is a document, in the console', (dialect) => {
  const { tessera, open } = consoleOn(dialect, { TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true' })
  let host: DocumentServer
  let admin: Administrator
  beforeAll(async () => {
    host = await DocumentServer.start()
    admin = await Administrator.machine(tessera.url)
  })
  afterAll(async () => await host?.close())

  it('is registered by its address, and its page says what is read there', async () => {
    const { context, page } = await open(people.admin, {}, '/applications/new', 'What do you connect?')
    const address = `${host.origin}/oauth/client.json`
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.getByRole('button', { name: /An MCP client/ }).click()
    await page.getByRole('heading', { name: 'What is its address?' }).waitFor()
    const field = page.getByLabel('Its address (client_id)')
    await field.fill(`${address}?a=1`)
    await page.getByText(/has a query or a fragment/).waitFor()
    await field.fill(address)
    await button('Next').click()
    await letEverybodyIn(page)
    await expect.poll(() => page.getByLabel('It is ours').count()).toBe(0)
    await page.getByLabel('Services that it calls', { exact: true }).first().fill('Submissions')
    await page.getByRole('option', { name: 'submissions-tool' }).first().click()
    await button('Connect it').click()
    await page.getByRole('heading', { name: 'Agent is connected' }).waitFor()
    await expect.poll(() => page.getByText(address).first().isVisible()).toBe(true)

    const path = `/applications/${encodeURIComponent(address)}`
    await visit(page, path, 'Agent')
    const card = page.getByRole('region', { name: 'Where it says what it is' })
    await card.getByText(new URL(address).host, { exact: true }).waitFor()
    await expect.poll(() => page.getByText('http://localhost/callback').isVisible()).toBe(true)
    await visit(page, `${path}/settings`, 'Agent')
    await expect.poll(() => page.getByLabel('Redirect addresses').count()).toBe(0)
    await page.getByLabel('Further hosts').fill('app.acme.example')
    await button('Save').click()
    await expect
      .poll(async () => (await admin.get(`/clients/${encodeURIComponent(address)}`)).json['redirect_hosts'])
      .toEqual(['app.acme.example'])
    await context.close()
  })
})
