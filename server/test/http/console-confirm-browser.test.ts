/** The console where a change wants a recent sign-in: asked for in another tab, once, and nothing typed is lost. */
import { expect, it } from 'vitest'
import { people } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Administrator } from '../administration/support.ts'
import { consoleOn, fits, signInOn } from './console-page.ts'

/** Whether nothing lies over the first line of the notice. */
const seesItWhole = `(() => {
  const [line] = document.querySelector('[role=dialog] .ended strong').getClientRects()
  const at = [line.top + 1, line.bottom - 1].map((y) => document.elementFromPoint(line.left + 5, y))
  return at.every((one) => one?.closest('.ended') !== null)
})()`

onOneDatabase('the console, confirmed by a recent sign-in', (dialect) => {
  const { tessera, look, open } = consoleOn(dialect)

  it('asks who left it open, keeps the input when they would rather not, and makes the change once', async () => {
    const { context, page } = await open(
      people.admin,
      look,
      '/applications/acme-cli/secrets',
      'Two can count at a time',
    )
    const secrets = async () => {
      const { json } = await (await Administrator.machine(tessera.url)).get('/clients/acme-cli')
      return (json.secrets as unknown[]).length
    }
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/acme-cli/secrets'))
        keys.push(request.headers()['idempotency-key'])
    })
    tessera.clock.advance(11 * 60_000)

    await page.getByRole('button', { name: 'Add a secret' }).click()
    const dialog = page.getByRole('dialog')
    await page.locator('[role=dialog]:focus-within').waitFor()
    const made = dialog.getByRole('button', { name: 'Make the secret' })
    await dialog.locator('.chip').last().click()
    const end = dialog.locator('input')
    const chosen = await end.inputValue()
    expect(chosen).not.toBe('')
    await made.click()
    await dialog.getByText('For this, confirm that it is you.').waitFor()
    // It stands once, and whole, however far what is under it was scrolled.
    await expect.poll(() => page.getByText('For this, confirm that it is you.').count()).toBe(1)
    await page.setViewportSize({ width: 390, height: 400 })
    await page.evaluate("document.querySelector('.mantine-Modal-content').scrollTo({ top: 10000 })")
    expect(await page.evaluate(seesItWhole)).toBe(true)
    await fits(page)
    await dialog.getByRole('button', { name: 'Not now' }).click()
    await dialog.getByText('It needs a sign-in of the last ten minutes').waitFor()
    await expect.poll(() => dialog.getByText('For this, confirm that it is you.').count()).toBe(0)
    expect([await end.inputValue(), await secrets()]).toEqual([chosen, 1])

    await made.click()
    const confirm = async (person: (typeof people)['admin' | 'importer'], name: string) => {
      const link = dialog.getByRole('link', { name: 'Confirm that it is you' })
      const [other] = await Promise.all([context.waitForEvent('page'), link.click()])
      await signInOn(other, person)
      await other.getByText(`As ${name}.`).waitFor()
      await other.close()
    }
    // Somebody else does not confirm that it is the one who asks.
    await confirm(people.importer, 'Acme Importer')
    await dialog.getByText('For this, confirm that it is you.').waitFor()
    expect(await secrets()).toBe(1)
    await confirm(people.admin, 'Acme Admin')
    await page.getByText('The new secret').first().waitFor()
    expect(await secrets()).toBe(2)
    // Each try was sent and refused, and then made; all are the same request.
    expect(keys.length).toBe(3)
    expect(new Set(keys).size).toBe(1)
    await context.close()
  })
})
