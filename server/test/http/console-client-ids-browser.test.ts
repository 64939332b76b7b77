/** An application in the console whose client_id is a URL, as another system gave it. */
import { expect, it, describe } from 'vitest'
import { people } from '../harness/browser.ts'
import { Administrator } from '../administration/support.ts'
import { consoleOn, fits, heading } from './console-page.ts'

const id = 'https://app.example/oidc?tenant=1'

describe('an application with a URL as its client_id', () => {
  const { tessera, look, open } = consoleOn('sqlite')

  it('is found, opened, read again and changed', async () => {
    const admin = await Administrator.machine(tessera.url)
    const made = await admin.post('/clients', {
      client_id: id,
      client_name: 'Moved here',
      type: 'web',
      redirect_uris: ['https://app.example/callback'],
      scope: 'openid',
    })
    expect(made.status).toBe(201)
    const { context, page } = await open(people.admin, look)
    await page.goto(`${tessera.url}/console/applications`)
    await page.getByRole('link', { name: 'Moved here' }).click()
    await page.getByText('Redirect addresses').first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/applications/${encodeURIComponent(id)}`)
    await page.reload()
    await page.getByText('Redirect addresses').first().waitFor()
    expect(await heading(page)).toBe('Moved here')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Settled')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Settled', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Settled', exact: true }).waitFor()
    await fits(page)
    await context.close()
  })
})
