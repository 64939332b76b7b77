/** A declared file in the console: planned, looked at, applied as just that, and exported. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits, keptBy, signInOn, turnTo, visit } from './console-page.ts'

const hostile = '<img src=x onerror=document.title=1>'
const weighers = (permissions: string) =>
  `roles:\n  - code: weigher\n    name: Weigher\n    permissions: [${permissions}]\n`
const importer = `users:\n  - email: importer@acme.example\n    name: ${hostile}\n    profiles:\n      - role: weigher\n`

onOneDatabase('a declared file in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const text = (page: Page) => page.getByRole('textbox', { name: 'The file', exact: true })
  const name = (page: Page) => page.getByLabel('Name of the file')
  const plan = (page: Page) => page.getByRole('button', { name: 'Plan it' })
  const apply = (page: Page) => page.getByRole('button', { name: 'Apply this plan' })
  const role = async (code = 'weigher') => (await admin.get(`/roles/${code}`)).json
  /** What was sent stays, whatever comes of it. */
  const paste = async (page: Page, source: string, file = 'weighers.yaml') => {
    await text(page).fill(source)
    await name(page).fill(file)
  }

  it('marks refused lines, shows the plan by person and place, and applies just that', async () => {
    const { context, page, complaints } = await open(people.admin, look)
    await page.getByRole('navigation').getByRole('link', { name: 'Declared file' }).click()
    await page.getByText('Nothing is changed yet.').waitFor()
    await expect.poll(() => plan(page).isDisabled()).toBe(true)
    await fits(page, 'no file yet')

    await paste(page, weighers('iam.users.read, iam.no.read').replace('name:', 'nam:'))
    await plan(page).click()
    const refused = page.locator('.refused')
    await refused.getByText('3 lines are refused').waitFor()
    await refused.getByText('did you mean "name"?').waitFor()
    await expect.poll(() => page.locator('.numbered mark').allTextContents()).toEqual(['2\n', '3\n', '4\n'])
    await fits(page, 'refused lines')
    await refused.getByRole('button', { name: 'Line 3' }).press('Enter')
    const selected = `(() => { const { value, selectionStart: a, selectionEnd: b } = document.activeElement
      return value.slice(a, b) })()`
    expect(await page.evaluate(selected)).toBe('    nam: Weigher')
    await page.keyboard.type('    name: Weigher')
    await text(page).fill((await text(page).inputValue()).replace(', iam.no.read', ''))
    await plan(page).click()
    await page.getByText('1 change, 1 new.').waitFor()
    await page.getByText('Nobody’s access changes.').waitFor()
    await expect.poll(() => refused.count()).toBe(0)
    expect((await admin.get('/roles/weigher')).status).toBe(404)

    // Somebody loses something: it is told by person and place, and the name has to be typed.
    await paste(page, `${weighers('iam.users.read')}${importer}`)
    await page.getByText('You changed the text or its settings since').waitFor()
    await expect.poll(() => apply(page).isDisabled()).toBe(true)
    await plan(page).click()
    const access = page.locator('.plan .card').filter({ hasText: 'Whose access changes' })
    await access.getByText(people.importer.email).waitFor()
    await access.getByText('Everywhere').waitFor()
    await access.getByText('submissions-tool.vista-import.create').waitFor()
    await page.getByText('managed by acme.yaml until now').waitFor()
    await page.getByText(hostile).first().waitFor()
    await fits(page, 'a plan')
    await expect.poll(() => apply(page).isDisabled()).toBe(true)
    await page.getByLabel('Type “weighers.yaml” to go on').fill('weighers.yaml')
    await apply(page).click()
    await page.getByText('weighers.yaml is applied.').waitFor()
    await fits(page, 'an applied file')
    expect(await role()).toMatchObject({ permissions: ['iam.users.read'], managed_by: 'weighers.yaml' })
    expect((await admin.get(`/users/${users.importer}`)).json.name).toBe(hostile)
    await page.getByRole('link', { name: 'What it did, in the audit' }).click()
    await page.getByText('declared.applied').first().waitFor()
    await visit(page, `/people/${users.importer}`, 'Managed by weighers.yaml')
    await visit(page, '/roles/weigher', 'Managed by weighers.yaml')
    // What a file manages says so wherever it is shown.
    const invited = 'invitations:\n  - email: asked@acme.example\n    profiles:\n      - role: weigher\n'
    const body = { text: `${weighers('iam.users.read')}${invited}`, file: 'asked.yaml' }
    const { json: planned } = await admin.post('/declared/plan', body)
    expect((await admin.post('/declared/apply', { ...body, digest: planned.digest })).status).toBe(200)
    await visit(page, '/people/invitations', 'Managed by asked.yaml')
    const scim = { organisation_uuid: acme, code: 'scim', name: 'Directory of Acme' }
    const { json: directory } = await admin.post('/directories', scim)
    await visit(page, `/directories/${String(directory.uuid)}`, 'Managed by acme.yaml')
    const back = { text: weighers('iam.users.read'), file: 'weighers.yaml' }
    const { json: again } = await admin.post('/declared/plan', back)
    expect((await admin.post('/declared/apply', { ...back, digest: again.digest })).status).toBe(200)
    // The refused file.
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
    await context.close()
  })

  it('applies nothing else than was seen, and says what differs since', async () => {
    const { context, page } = await open(people.admin, look, '/file', 'Nothing is changed yet.')
    await paste(page, weighers('iam.users.read, iam.roles.read'))
    await plan(page).click()
    await page.getByText('1 change, 1 changed.').waitFor()
    // Of the importer, who was in the file before.
    await page.getByText('No longer in the file, and stays').waitFor()
    expect((await admin.patch('/roles/weigher', { name: 'Renamed meanwhile' })).status).toBe(200)
    await apply(page).click()
    await page.getByText('What is stored changed since you looked.').waitFor()
    await page.getByText('new in the plan').first().waitFor()
    await page.getByText('no longer in the plan').first().waitFor()
    await fits(page, 'an outdated plan')
    expect(await role()).toMatchObject({ name: 'Renamed meanwhile', permissions: ['iam.users.read'] })
    await apply(page).click()
    await page.getByText('weighers.yaml is applied.').waitFor()
    expect(await role()).toMatchObject({ name: 'Weigher', permissions: ['iam.roles.read', 'iam.users.read'] })

    // What it names no more goes where that is chosen.
    await page.getByLabel('Remove what it names no more').check()
    await plan(page).click()
    const removed = page.locator('.plan .card').filter({ hasText: 'What goes' })
    await removed.getByText('no longer in the file').first().waitFor()
    await fits(page, 'a plan that prunes')
    await context.close()
  })

  it('keeps what was dropped while the network, the sign-in or its age is gone', async () => {
    const { context, page } = await open(people.admin, look, '/file', 'Nothing is changed yet.')
    const source = weighers('iam.users.read, iam.units.read')
    const dropped = `(() => {
      const files = new DataTransfer()
      files.items.add(new File([${JSON.stringify(source)}], 'weighers.yaml'))
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))
    })()`
    await page.evaluate(dropped)
    await page.waitForFunction(`document.querySelector('#declared-text').value !== ''`)
    expect([await text(page).inputValue(), await name(page).inputValue()]).toEqual([source, 'weighers.yaml'])
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.yaml', mimeType: 'text/yaml', buffer: Buffer.from([0xff, 0xfe, 0x00]) })
    await page.getByText('It is not UTF-8 text.').waitFor()
    await expect.poll(() => text(page).inputValue()).toBe(source)

    await page.route('**/declared/plan', (route) => route.abort(), { times: 1 })
    await plan(page).click()
    await page.getByText('The service can’t be reached.').waitFor()
    await expect.poll(() => text(page).inputValue()).toBe(source)
    await plan(page).click()
    await page.getByText('1 change, 1 changed.').waitFor()

    const again = async (button: string) => {
      const [other] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: button }).last().click(),
      ])
      await signInOn(other, people.admin)
      await other.getByText('As Acme Admin.').waitFor()
      await other.close()
    }
    await admin.delete(`/users/${users.admin}/sessions`)
    await plan(page).click()
    await page.getByText('Your sign-in ended. Nothing is lost.').waitFor()
    await expect.poll(() => text(page).inputValue()).toBe(source)
    await again('Sign in again')
    await page.getByText('Your sign-in ended. Nothing is lost.').waitFor({ state: 'hidden' })
    await page.getByText('1 change, 1 changed.').waitFor()

    tessera.clock.advance(11 * 60_000)
    admin = await Administrator.machine(tessera.url)
    await plan(page).click()
    await page.getByText('You will be asked to confirm that it is you.').waitFor()
    await page.getByLabel('Type “weighers.yaml” to go on').fill('weighers.yaml')
    await apply(page).click()
    await page.getByText('For this, confirm that it is you.').waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByText('It needs a sign-in of the last ten minutes').waitFor()
    expect((await role()).permissions).not.toContain('iam.units.read')
    await apply(page).click()
    await again('Confirm that it is you')
    await page.getByText('weighers.yaml is applied.').waitFor()
    expect((await role()).permissions).toContain('iam.units.read')
    // Nothing of a file is left in the browser.
    await visit(page, '/roles', 'Weigher')
    expect(await keptBy(page)).not.toContain('iam.units.read')
    await context.close()
  })

  it('tells whose tokens prove an application, and what that opens', async () => {
    const issuer = 'https://token.actions.githubusercontent.com'
    const { etag } = await admin.get('/assertion-issuers')
    await admin.ask('PUT', '/assertion-issuers', { body: { issuers: [{ issuer }] }, match: etag })
    const { context, page } = await open(people.admin, look, '/file', 'Nothing is changed yet.')
    await paste(
      page,
      `clients:\n  - client_id: deploy\n    client_name: Deploy\n    type: machine\n    federated: {issuer: "${issuer}", claims: {repository_id: "456789"}}\n`,
    )
    await plan(page).click()
    await page.getByText(`a token of ${issuer} in which repository_id is "456789"`).waitFor()
    await page.getByText('Every branch and every pull request of the repository may').waitFor()
    await fits(page, 'who proves to be an application')
    await context.close()
  })

  it('is exported without hashes, and changes nothing', async () => {
    const { context, page } = await open(people.admin, look, '/file', 'Nothing is changed yet.')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('tessera.yaml')
    const exported = await readFile(await download.path(), 'utf8')
    expect(exported).toContain('code: weigher')
    for (const hash of ['$argon2', 'sha256:', 'password_hash']) expect(exported).not.toContain(hash)
    await paste(page, exported, 'everything.yaml')
    await plan(page).click()
    await page.getByText('It changes nothing').waitFor()
    await page.getByText('What it takes over').waitFor()
    await context.close()
  })

  it('is for nobody who administers a part', async () => {
    for (const who of [heads.head, heads.unitHead, people.importer]) {
      const { context, page } = await open(who, look)
      await expect.poll(() => page.getByRole('link', { name: 'Declared file' }).count()).toBe(0)
      await turnTo(page, '/file', 'A declared file is for those who administer everything')
      await expect.poll(() => page.getByRole('main').getByRole('button').count()).toBe(0)
      await fits(page, 'no file for who administers a part')
      await context.close()
    }
    // With the permission, and not everything.
    const some = { code: 'some-files', name: 'Files', permissions: ['iam.declared.read'] }
    expect((await admin.post('/roles', some)).status).toBe(201)
    const given = { user_uuid: users.nobody, role_code: 'some-files' }
    expect((await admin.post('/profiles', given)).status).toBe(201)
    const { context, page } = await open(people.nobody, look, '/file', 'Nothing is changed yet.')
    await paste(page, weighers(''))
    await plan(page).click()
    await page.getByText('It takes somebody who administers everything.').waitFor()
    await expect.poll(() => text(page).inputValue()).toBe(weighers(''))
    await context.close()
  })

  it('speaks German', async () => {
    const { context, page } = await open(people.admin, look)
    await page.evaluate(`localStorage.setItem('tessera-console-language', 'de')`)
    await visit(page, '/file', 'Noch ist nichts geändert.')
    await page.getByLabel('Die Datei', { exact: true }).fill(weighers('iam.users.read'))
    await page.getByLabel('Name der Datei').fill('weighers.yaml')
    await page.getByRole('button', { name: 'Planen' }).click()
    await page.getByText('1 Änderung, 1 geändert.').waitFor()
    await fits(page, 'auf Deutsch')
    await context.close()
  })
})
