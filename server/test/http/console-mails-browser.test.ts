/** Mails in the console: what became of them, sent again, and a test; and what to set where none is sent. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { heads } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { MailServer, trustMailServer } from '../harness/mail-server.ts'
import { consoleOn, fits, turnTo, visit } from './console-page.ts'

beforeAll(trustMailServer)

onOneDatabase('mails in the console', (dialect) => {
  const server = new MailServer()
  beforeAll(() => server.listen())
  const settings = {
    get TESSERA_MAIL_URL() {
      return server.url
    },
    TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>',
  }
  const { look, open } = consoleOn(dialect, settings)
  afterAll(() => server.close())
  const dialog = (page: Page) => page.getByRole('dialog')
  const sendTest = async (page: Page, to: string) => {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await dialog(page).getByLabel('To').fill(to)
    await dialog(page).getByRole('button', { name: 'Send a test' }).click()
  }

  it('tell what became of a test, and are sent again when they were given up', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/mails',
      'Mails go to your mail server.',
    )
    await page.getByText('Acme <no-reply@acme.example>').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => dialog(page).getByLabel('To').inputValue()).toBe(people.admin.email)
    await page.keyboard.press('Escape')
    expect(complaints).toEqual([])
    await sendTest(page, 'nowhere')
    await dialog(page).locator('[aria-invalid=true]').waitFor()
    await fits(page, 'a wrong recipient')
    await page.keyboard.press('Escape')

    server.behaviour = 'refuse'
    const to = 'somebody@harbour.example'
    await sendTest(page, to)
    await dialog(page).waitFor({ state: 'detached' })
    const row = (state: string) => page.getByRole('row', { name: new RegExp(`Test.*${to}.*${state}`) })
    await row('550.*Given up').waitFor()
    await fits(page, 'mails')
    await page.getByLabel('Status').selectOption('Sent')
    await page.waitForURL(/state=sent/)
    await expect.poll(() => row('').count()).toBe(0)
    await visit(page, '/mails?state=dead', to)
    server.behaviour = 'accept'
    await page.getByRole('button', { name: 'Send again' }).click()
    await dialog(page).getByText('It goes to the same address').waitFor()
    await fits(page, 'a mail that is sent again')
    await dialog(page).getByRole('button', { name: 'Send again' }).click()
    await page.getByText('Nothing in this state').waitFor()
    await visit(page, `/mails?recipient=${to.toUpperCase()}`, to)
    await row('Sent').waitFor()
    expect(server.to(to)).toHaveLength(1)
    await context.close()
  })

  it('are of the whole installation alone', async () => {
    for (const person of [heads.head, heads.unitHead]) {
      const { context, page } = await open(person, look)
      await expect.poll(() => page.getByRole('link', { name: 'Mail', exact: true }).count()).toBe(0)
      await turnTo(page, '/mails', 'That did not work')
      await expect.poll(() => page.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
      await fits(page, 'mails out of reach')
      await context.close()
    }
  })
})

onOneDatabase('mails in the console of a service that sends none', (dialect) => {
  const { look, open } = consoleOn(dialect)

  it('are shown by the service itself in development', async () => {
    const { context, page } = await open(people.admin, look, '/mails', 'shown at /development/mail')
    await fits(page, 'mails of a development')
    await page.evaluate("localStorage.setItem('tessera-console-language', 'de')")
    await visit(page, '/mails', 'unter /development/mail gezeigt')
    await context.close()
  })
})
