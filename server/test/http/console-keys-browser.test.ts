/** Signing keys in the console: what signs when, and a rotation by who confirms that it is them. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { Administrator, heads, users } from '../administration/support.ts'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { consoleOn, fits, signInOn, turnTo, visit } from './console-page.ts'

onOneDatabase('signing keys in the console', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })
  const dialog = (page: Page) => page.getByRole('dialog')
  const kids = async () => {
    const all = await (await Administrator.machine(tessera.url)).all('/keys')
    return all.map(({ kid }) => String(kid))
  }

  it('say what each does, and rotate once somebody confirmed that it is them', async () => {
    const { context, page, complaints } = await open(people.admin, look, '/keys', 'When each signs')
    const before = await kids()
    for (const kid of before) await page.getByRole('row', { name: new RegExp(`${kid} Signs`) }).waitFor()
    await fits(page, 'keys')
    expect(complaints).toEqual([])
    tessera.clock.advance(11 * 60_000)
    await page.getByRole('button', { name: 'Rotate' }).click()
    await dialog(page).getByText('confirm that it is you').waitFor()
    await dialog(page).getByLabel('Sign with the new keys at once').check()
    await dialog(page).getByRole('button', { name: 'Rotate at once' }).waitFor()
    await fits(page, 'a rotation')
    await dialog(page).getByLabel('Sign with the new keys at once').uncheck()
    await dialog(page).getByRole('button', { name: 'Rotate' }).click()
    await dialog(page).getByText('For this, confirm that it is you.').waitFor()
    await dialog(page).getByRole('button', { name: 'Not now' }).click()
    expect(await kids()).toEqual(before)
    await dialog(page).getByRole('button', { name: 'Rotate' }).click()
    const link = dialog(page).getByRole('link', { name: 'Confirm that it is you' })
    const [other] = await Promise.all([context.waitForEvent('page'), link.click()])
    await signInOn(other, people.admin)
    await other.getByText('As Acme Admin.').waitFor()
    await other.close()
    await dialog(page).waitFor({ state: 'detached' })
    const after = await kids()
    expect(after.length).toBe(2 * before.length)
    for (const kid of after)
      await page
        .getByRole('row', { name: new RegExp(`${kid} ${before.includes(kid) ? 'Signs' : 'Waits'}`) })
        .waitFor()
    await fits(page, 'keys after a rotation')
    await context.close()
  })

  it('are rotated by who administers the whole installation, and looked at by who may read them', async () => {
    for (const person of [heads.head, heads.unitHead]) {
      const { context, page } = await open(person, look)
      await expect.poll(() => page.getByRole('link', { name: 'Keys', exact: true }).count()).toBe(0)
      await turnTo(page, '/keys', 'When each signs')
      await expect.poll(() => page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)
      await context.close()
    }
    const reads = { code: 'keys', name: 'Keys', permissions: ['iam.keys.read'] }
    expect((await admin.post('/roles', reads)).status).toBe(201)
    expect((await admin.post('/profiles', { user_uuid: users.nobody, role_code: 'keys' })).status).toBe(201)
    const { context, page } = await open(people.nobody, look)
    await page.evaluate("localStorage.setItem('tessera-console-language', 'de')")
    await visit(page, '/keys', 'Wann jeder signiert')
    await expect.poll(() => page.getByRole('button', { name: 'Wechseln' }).count()).toBe(0)
    await fits(page, 'keys in German')
    await context.close()
  })
})
