/** A newcomer in Chromium: from the first page to the console, with the second factor that it asks for. */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { launchChromium } from '../server/test/harness/chromium.ts'

const email = 'lena.hoff@acme.example'
const password = 'a-long-password-of-deploy-check'

/** Opens the link that `tessera setup --link` printed, enters a name and a password, and is in the console. */
export async function becomeAdministrator(url: string, printed: string): Promise<void> {
  const [link] = /http\S+link=\S+/.exec(printed) ?? []
  if (link === undefined) throw new Error(`There is no link: ${printed}`)
  await inBrowser(async (page) => {
    await page.goto(link)
    await submit(page, { name: 'Lena Hoff', email, password, password_again: password })
    await page.goto(`${url}/console`)
    await isInConsole(page, url)
  })
}

/** Signs in with a password, and is in the console. */
export async function signIn(url: string, who: { email: string; password: string }): Promise<void> {
  await inBrowser(async (page) => {
    await page.goto(`${url}/console`)
    await submit(page, who)
    await isInConsole(page, url)
  })
}

async function inBrowser(visit: (page: Page) => Promise<void>): Promise<void> {
  const browser = await launchChromium()
  try {
    // The certificate of deploy/compose.yaml is of an authority of its own.
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    await visit(page).catch(async (error: unknown) => {
      const shown = (await page.innerText('body')).replaceAll(/\s+/g, ' ').slice(0, 300)
      throw new Error(`${(error as Error).message} At ${page.url()}: ${shown}`)
    })
  } finally {
    await browser.close()
  }
}

async function submit(page: Page, fields: Record<string, string>): Promise<void> {
  await page.waitForLoadState('load')
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value)
  await Promise.all([page.waitForEvent('load'), page.click('form button[type=submit]')])
}

/** Sets up the second factor where it is asked for, and waits for what only the API of the console knows. */
async function isInConsole(page: Page, url: string): Promise<void> {
  const overview = page.getByRole('heading', { name: 'Overview', level: 1 })
  const code = page.locator('[name=code]')
  await overview.or(code).waitFor()
  if (await code.isVisible()) {
    const [key = ''] = /(?:[A-Z2-7]{4}\s+)+[A-Z2-7]{4}/.exec(await page.innerText('main')) ?? []
    const secret = Secret.fromBase32(key.replaceAll(/\s/g, ''))
    await submit(page, { code: new TOTP({ secret }).generate() })
    const codes = page.getByRole('heading', { name: 'Keep these recovery codes' })
    await overview.or(codes).waitFor()
    if (await codes.isVisible()) await submit(page, {})
  }
  await overview.waitFor()
  if (!page.url().startsWith(`${url}/console`))
    throw new Error(`Nobody is in the console, but at ${page.url()}`)
}
