/** The console's answers to who can do something, why, and what happened. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { acme, Administrator, globex, heads, users } from '../administration/support.ts'
import { consoleOn, fits, turnTo, visit } from './console-page.ts'

const vistaRead = 'submissions-tool.vista-import.read'
const vistaImport = 'submissions-tool.vista-import.create'
const week = 7 * 86_400_000

/** What a button saves. */
async function saved(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  expect(download.url()).toMatch(/^blob:/)
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
}

onOneDatabase('the console about access', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  it('compares two people, and says no more than may be seen', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/access/compare', 'Pick two people')
    await page.getByRole('textbox', { name: 'One person' }).fill('importer@')
    await page.getByRole('option', { name: 'Acme Importer' }).click()
    await page.getByRole('textbox', { name: 'Another person' }).fill('both@')
    await page.getByRole('option', { name: 'Acme Both' }).click()
    const table = page.getByRole('table', { name: 'submissions-tool' })
    const row = table.getByRole('row').filter({ hasText: vistaImport })
    await row.waitFor()
    await expect.poll(() => row.getByRole('cell').allTextContents()).toEqual([vistaImport, 'Importer', 'No'])
    expect(new URL(page.url()).search).toBe(`?left=${users.importer}&right=${users.both}`)
    await expect.poll(() => table.getByText(vistaRead, { exact: true }).count()).toBe(0)
    await page.getByLabel('Differences only').uncheck()
    await table.getByText(vistaRead, { exact: true }).waitFor()
    await fits(page)
    await turnTo(page, `/access/compare?left=${users.both}&right=${users.both}`, 'They may do the same.')
    expect(complaints).toEqual([])
    await turnTo(page, `/access/compare?left=${users.both}&right=nobody`, 'That did not work')
    await context.close()

    const elsewhere = (await admin.all('/users?q=globex'))[0]?.uuid
    const own = await open(
      heads.head,
      look,
      `/access/compare?left=${users.importer}&right=${String(elsewhere)}`,
      'That did not work',
    )
    await own.context.close()
  })

  it('says why not, and gives it for a week', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/access', 'Ask about')
    await page.getByRole('link', { name: /^Why can .*Book an entry/ }).waitFor()
    await fits(page)
    const choose = async (field: string, text: string, option: string) => {
      await page.getByLabel(field, { exact: true }).first().fill(text)
      await page.getByRole('option', { name: option }).first().click()
    }
    await choose('Person', 'both@', 'Acme Both')
    await choose('Permission', vistaImport, vistaImport)
    await page.getByText('No. Acme Both can’t. The role does not give it.').waitFor()
    expect(new URL(page.url()).searchParams.get('user')).toBe(users.both)
    await page.getByText('not given by the role').waitFor()
    await page.getByText('Nothing else comes with it.').first().waitFor()
    await page.getByRole('link', { name: /Bookkeeper · Globex/ }).waitFor()
    await fits(page)

    const asked = Date.now()
    await page.getByRole('button', { name: /Do it: Give Acme Both the role importer/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: '1 week' }).click()
    await dialog.getByText('The file acme.yaml manages this.').waitFor()
    await dialog.getByText('gains').waitFor()
    await fits(page)
    await dialog.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('Yes. Acme Both can.').waitFor()
    const { json } = await admin.get(`/users/${users.both}/access`)
    const given = (json.profiles as { role_code: string; expires_at: string }[]).find(
      (one) => one.role_code === 'importer',
    )
    // The field holds whole minutes.
    expect(Date.parse(given?.expires_at ?? '')).toBeGreaterThan(asked + week - 120_000)
    expect(Date.parse(given?.expires_at ?? '')).toBeLessThan(Date.now() + week + 120_000)

    // What gives very much is unfolded first, and says how much its button gives.
    await turnTo(page, `/access/why?user=${users.both}&permission=iam.users.read`, 'What would change that')
    const much = page.getByRole('listitem').filter({ hasText: 'Give Acme Both the role administrator' })
    await much.waitFor()
    await expect.poll(() => much.getByRole('button', { name: /^Do it/ }).count()).toBe(0)
    expect(await much.getByRole('button').isVisible()).toBe(false)
    await much.getByText(/^Gives \d+ more permissions$/).click()
    await much.getByRole('button', { name: /^Give all \d+ permissions: / }).click()
    await dialog.getByRole('button', { name: /^Give all \d+ permissions$/ }).waitFor()
    await fits(page)
    await page.keyboard.press('Escape')

    await turnTo(page, `/access/why?user=${users.both}&permission=ledger.nothing.read`, 'no such permission')
    await turnTo(
      page,
      `/access/why?client=nightly-import&permission=${vistaImport}`,
      'Yes. nightly-import can.',
    )
    await turnTo(page, `/access/why?user=${users.nobody}&permission=${vistaImport}`, 'No. Acme Nobody can’t.')

    // What fails at the application: a profile where that belongs, then its scope.
    const web = {
      ...{ client_id: 'globex-web', client_name: 'Globex web', type: 'public', scope: 'openid' },
      ...{ redirect_uris: ['https://globex.example/callback'], services: ['submissions-tool'] },
    }
    expect((await admin.post('/clients', { ...web, organisation_uuid: globex })).status).toBe(201)
    const search = `user=${users.both}&permission=${vistaRead}&client=globex-web`
    await visit(page, `/access/why?${search}`, 'The application belongs to another organisation.')
    for (const cure of [
      /^Do it: Give Acme Both the role reader \(Globex/,
      /^Do it: Allow globex-web the scopes/,
    ]) {
      await page.getByRole('button', { name: cure }).click()
      await page.locator('[role=dialog]:focus-within').waitFor()
      await dialog.getByRole('button', { name: 'Do it' }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByText('Yes. Acme Both can.').waitFor()
    expect((await admin.patch('/clients/globex-web', { allowed: { roles: ['importer'] } })).status).toBe(200)
    await visit(page, `/access/why?${search}`, 'The application does not let this profile in.')
    await page.getByText('not let in', { exact: true }).waitFor()
    await fits(page)
    await page.getByRole('button', { name: 'Do it: Open globex-web to the role reader' }).click()
    await dialog.getByText('can sign in newly to globex-web.').waitFor()
    await dialog.getByRole('button', { name: 'Do it' }).click()
    await page.getByText('Yes. Acme Both can.').waitFor()

    await turnTo(page, `/access/who?permission=${vistaImport}&organisation=${acme}`, 'Nightly import')
    const because = page.getByRole('button', { name: 'Why Nightly import can' })
    await because.press('Enter')
    await page.getByText('The permissions of the client nightly-import include it.').waitFor()
    expect(await because.getAttribute('aria-expanded')).toBe('true')
    await fits(page)
    const file = await saved(page, 'Download CSV')
    expect(file.name).toMatch(/^access-[0-9-]{10}\.csv$/)
    expect(file.text).toContain('importer@acme.example')
    expect(file.text).toContain('nightly-import')
    await page.getByRole('link', { name: 'Acme Importer' }).click()
    await page.getByText('Yes. Acme Importer can.').waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it('shows what happens as it happens, and leads from a record to the person and back', async () => {
    const { context, page, complaints } = await open(
      people.admin,
      look,
      '/audit?kind=webhook.removed',
      'Nothing matches',
    )
    await turnTo(page, `/audit?user=${users.nobody}`, 'Acme Nobody')
    await page.getByText('Live').waitFor()
    await fits(page)
    // On a phone the filters are folded, and stay as they were left.
    const fold = page.getByRole('button', { name: 'Filters · 1' })
    const whose = page.getByRole('textbox', { name: 'About whom' })
    expect(await fold.isVisible()).toBe(false)
    await whose.waitFor()
    await page.setViewportSize({ width: 390, height: 900 })
    await whose.waitFor({ state: 'hidden' })
    await fold.press('Enter')
    expect(await fold.getAttribute('aria-expanded')).toBe('true')
    await whose.waitFor()
    await fits(page)
    const lines = (await saved(page, 'Download JSONL')).text.trim().split('\n')
    expect(lines.map((one) => (JSON.parse(one) as { user_uuid: string }).user_uuid)).toEqual([users.nobody])
    expect((await admin.patch(`/users/${users.nobody}`, { name: 'Renamed' })).status).toBe(200)
    await page.getByRole('link', { name: 'Person changed' }).click()
    await page
      .getByText('By the same request')
      .or(page.getByText('What else happened to it'))
      .first()
      .waitFor()
    await page.getByText('Acme Nobody').waitFor()
    await fits(page)
    await page.getByRole('link', { name: 'Renamed' }).click()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('link', { name: 'Person changed' }).first().click()
    await page.getByRole('link', { name: 'What else happened to it' }).click()
    await page.getByRole('link', { name: 'Person added' }).waitFor()
    // A hidden tab holds no connection, and shows what came meanwhile once it is seen again.
    const hide = (hidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true })
         document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await page.getByText('Live').waitFor()
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/audit/stream'))
    await hide(true)
    await ended
    expect((await admin.patch(`/users/${users.nobody}`, { name: 'Acme Nobody' })).status).toBe(200)
    await hide(false)
    await expect.poll(() => page.getByRole('link', { name: 'Person changed' }).count()).toBe(2)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()

    const verify = (...more: string[]) =>
      runHere(['audit', 'verify', ...more], { environment: ways.database(tessera) })
    const before = (words: string) => standsBefore(page, words, 'table')
    await page.getByText('Never verified').waitFor()
    await page.getByRole('button', { name: 'Copy: tessera audit verify' }).waitFor()
    expect(await before('Never verified')).toBe(false)
    await fits(page)
    expect((await verify()).code).toBe(0)
    await visit(page, '/audit', 'Until record')
    expect(await before('Until record')).toBe(false)
    await expect.poll(() => page.getByRole('button', { name: 'Copy: tessera audit verify' }).count()).toBe(0)
    await fits(page)
    expect((await verify('--expect', `1:${'0'.repeat(64)}`)).code).toBe(1)
    await visit(page, '/audit', 'one thing was found wrong')
    await page.getByText('Last found whole').waitFor()
    // What is wrong comes first, and is said once.
    expect(await before('one thing was found wrong')).toBe(true)
    await expect.poll(() => page.locator('.verified').count()).toBe(1)
    await fits(page)
    await visit(page, '/', 'The audit is broken')
    await namesWhatAnObjectHas(page)
    expect(complaints).toEqual([])
    await context.close()
  })

  /** Whether a text of the page stands before the first element of this kind. */
  const standsBefore = (page: Page, words: string, element: string) =>
    page.getByText(words).evaluate((said, name) => {
      const other = document.querySelector(name)
      return other !== null && Boolean(said.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
    }, element)

  async function namesWhatAnObjectHas(page: Page): Promise<void> {
    const code = 'constructor'
    const permission = `${code}.thing.read`
    for (const [path, body] of [
      ['/services', { code, name: 'A service', audience: 'https://constructor.example' }],
      ['/permissions', { code: permission, description: 'Read a thing' }],
      ['/roles', { code, name: 'A role', permissions: [permission] }],
      [
        '/clients',
        {
          client_id: code,
          client_name: 'A machine',
          type: 'machine',
          services: [code],
          permissions: [permission],
        },
      ],
    ] as const) {
      const { status, text } = await admin.post(path, body)
      expect(status, text).toBe(201)
    }
    await visit(page, `/audit?target=${code}`, 'admin-cli')
    await page.getByRole('table').getByRole('link', { name: code, exact: true }).waitFor()
    await visit(page, `/roles/${code}`, permission)
    await visit(page, `/people/invitations?state=${code}`, 'No invitation')
  }

  it('tells those who administer an organisation who else can help', async () => {
    expect((await admin.patch('/roles/importer', { active: false })).status).toBe(200)
    const { context, page } = await open(
      heads.head,
      {},
      `/access/why?user=${users.importer}&permission=${vistaImport}`,
      'The role is disabled.',
    )
    await page.getByText('Whoever administers the installation can').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Do it/ }).count()).toBe(0)
    expect((await admin.patch('/roles/importer', { active: true })).status).toBe(200)
    await turnTo(
      page,
      `/access/why?user=${users.importer}&permission=ledger.entry.read`,
      'no such permission',
    )
    await page.getByText('You act for Acme').waitFor()
    await turnTo(page, `/access/who?permission=${vistaImport}&organisation=${globex}`, 'You act for Acme')
    const question = page.getByRole('group', { name: 'Who can do something?' })
    await expect.poll(() => question.textContent()).toMatch(/^Who can in Acme .*at \?$/)
    await expect.poll(() => question.getByRole('textbox').count()).toBe(2)
    await turnTo(page, '/audit', 'Pause')
    await page.getByRole('table', { name: 'Audit' }).waitFor()
    await expect.poll(() => page.locator('.verified').count()).toBe(0)
    await context.close()

    const unit = await open(heads.unitHead, {}, '/access/who', 'Import a VISTA file')
    const theirs = unit.page.getByRole('group', { name: 'Who can do something?' })
    await expect.poll(() => theirs.textContent()).toMatch(/^Who can in Acme .* › .+\?$/)
    await expect.poll(() => unit.page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    await turnTo(unit.page, '/audit', 'you administer a unit of one')
    await unit.context.close()
  })
})
