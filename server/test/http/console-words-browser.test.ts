/** What the console says in words: what happened, by whom, and that there is nothing at an address. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { auditKinds } from '../../dist/protocol/audit-kinds.js'
import { acme, Administrator, heads, profiles, users } from '../administration/support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { consoleOn, fits, turnTo, visit } from './console-page.ts'

describe('the words of the console', () => {
  const { tessera, open } = consoleOn('sqlite')
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    const browser = new TestBrowser(tessera.url)
    browser.headers['user-agent'] = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/140.0'
    await signIn(browser, authorizeRequest().path, people.importer)
  })

  async function speak(page: Page, language: 'en' | 'de'): Promise<void> {
    await page.evaluate(`localStorage.setItem('tessera-console-language', '${language}')`)
  }

  it.each([
    ['en', 'What', 'invitation sent', 'Invitation sent again'],
    ['de', 'Was', 'einladung gesendet', 'Einladung noch einmal gesendet'],
  ] as const)('name every kind of record, and find it by a word or its code, in %s', async (...of) => {
    const [language, field, typed, found] = of
    const { context, page } = await open(people.admin)
    await speak(page, language)
    await visit(page, '/audit', 'sign_in.succeeded')
    const picker = page.getByRole('textbox', { name: field, exact: true })
    await picker.click()
    const options = page.getByRole('option')
    await options.first().waitFor()
    const [words, codes] = await Promise.all(
      [':scope > bdi', 'small'].map((part) => options.locator(part).allTextContents()),
    )
    expect(codes?.toSorted()).toEqual(Object.keys(auditKinds).sort())
    expect(words?.filter((one) => !/^[\p{Lu}„“]/u.test(one) || /[_.]/.test(one))).toEqual([])
    expect(new Set(words).size).toBe(words?.length)
    await picker.fill(typed)
    await expect.poll(() => options.count()).toBe(1)
    await options.getByText(found).waitFor()
    await picker.fill('role.cre')
    await options.getByText('role.created').waitFor()
    await picker.press('Enter')
    await page.waitForURL(/kind=role\.created/)
    await expect.poll(() => page.locator('tbody code').first().textContent()).toBe('role.created')
    await fits(page, 'what was picked')
    // An address may hold what no version knows.
    await turnTo(page, '/audit?kind=constructor', language === 'en' ? 'Nothing matches' : 'Nichts passt dazu')
    await expect.poll(() => picker.inputValue()).toBe('constructor')
    await context.close()
  })

  it('say what happened to somebody, by whom, and where they are signed in', async () => {
    await admin.patch(`/users/${users.importer}`, { locale: 'fr' })
    const { context, page } = await open(
      people.admin,
      {},
      `/people/${users.importer}/history`,
      'Person changed',
    )
    const row = (name: RegExp) => page.getByRole('row', { name })
    await row(/Signed in sign_in\.succeeded Acme Importer$/).waitFor()
    await row(/Person added user\.created the declared file acme\.yaml$/).waitFor()
    await row(/Person changed user\.changed locale admin-cli$/).waitFor()
    await page.getByRole('link', { name: 'Signed in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Signed in' }).waitFor()
    await turnTo(page, `/people/${users.importer}/sessions`, 'Firefox, Windows')
    await row(/^Firefox, Windows\s*From the address (127\.|::1)/).waitFor()
    await context.close()
  })

  it('name nobody out of reach, but say what they are', async () => {
    const { json } = await admin.post('/users', {
      email: 'passer@acme.example',
      name: 'Passer',
      password: 'correct horse battery passer',
      profiles: [{ role_code: 'acme-administrator', organisation_uuid: acme }],
    })
    const own = await Administrator.person(tessera.url, {
      email: 'passer@acme.example',
      password: 'correct horse battery passer',
    })
    const all = await Administrator.person(tessera.url, people.admin)
    for (const [who, day] of [
      [own, 1],
      [all, 2],
    ] as const) {
      const expires_at = new Date(Date.now() + day * 86_400_000).toISOString()
      expect((await who.patch(`/profiles/${profiles.importer}`, { expires_at })).status).toBe(200)
    }
    expect((await admin.delete(`/users/${String(json.uuid)}`)).status).toBe(204)

    const { context, page } = await open(
      heads.head,
      {},
      `/audit?user=${users.importer}&kind=profile.changed`,
      'Profile changed',
    )
    await page.getByRole('cell', { name: 'an administrator of the installation', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'somebody who is no longer here', exact: true }).waitFor()
    expect(await page.locator('tbody').textContent()).not.toContain(users.admin)
    await page.getByRole('link', { name: 'Profile changed' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Profile changed' }).waitFor()
    await page.getByText('an administrator of the installation').waitFor()
    await visit(page, `/people/${users.importer}/history`, 'an administrator of the installation')
    await context.close()
  })

  it('say that there is nothing at an address, and lead back', async () => {
    const { context, page } = await open(people.admin)
    const seen = new Set<string>()
    for (const [path, back] of [
      ['/people/nonsense', 'People'],
      ['/people/import/nonsense', 'People'],
      [`/people/${users.importer}/nonsense`, 'Importer'],
      [`/people/${users.importer}/history/nonsense`, 'Go to the start'],
      ['/applications/nonsense', 'Applications'],
      ['/applications/submissions-web/nonsense', 'Submissions'],
      ['/organisations/nonsense', 'Organisations'],
      [`/organisations/${acme}/units/nonsense`, 'Organisations'],
      [`/organisations/${acme}/nonsense`, 'Go to the start'],
      ['/roles/nonsense', 'Roles'],
      ['/roles/importer/nonsense', 'Importer'],
      ['/services/nonsense', 'Services'],
      ['/file/nonsense', 'Go to the start'],
      ['/webhooks/nonsense', 'Webhooks'],
      ['/services/ledger/nonsense', 'Ledger'],
      ['/audit/nonsense', 'Audit'],
      ['/access/nonsense', 'Go to the start'],
      ['/nonsense', 'Go to the start'],
    ] as const) {
      await turnTo(page, path, 'There is nothing at this address.')
      expect(await page.getByText('That did not work').count(), path).toBe(0)
      await page.locator('.empty').getByRole('link', { name: back }).waitFor()
      // Around other words and links it is the same page.
      const markup = (await page.locator('main').innerHTML()).replaceAll(/ href="[^"]*"|>[^<]+/g, '')
      if (!seen.has(markup)) await fits(page, path)
      seen.add(markup)
    }
    await context.close()
  })
})
