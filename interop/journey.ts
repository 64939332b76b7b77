/** What a person does with an application, in Chromium: signs in, looks who they are, refreshes, calls, signs out. */
import type { Browser, Page } from 'playwright-core'
import type { Paths } from './products.ts'

export const person = { email: 'ines.moreau@acme.example', password: 'a password of the interop run' }

export interface Journey {
  signs_in: boolean
  refreshes?: boolean
  calls?: boolean
  signs_out?: boolean
  /** What went wrong. */
  problem?: string
}

/** Never rejects, and takes a few minutes at most: each step of it is bounded. */
export async function journey(browser: Browser, url: string, paths: Paths): Promise<Journey> {
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const seen: Journey = { signs_in: false }
  try {
    await open(page, url, paths)
    await page.fill('input[name="email"]', person.email)
    await page.fill('input[name="password"]', person.password)
    await Promise.all([page.waitForURL((at) => at.origin === new URL(url).origin), submit(page)])
    // An application in the browser exchanges the code by a script of its own.
    await page.waitForLoadState('networkidle')
    seen.signs_in = isThey(await shown(page, `${url}${paths.who}`))
    if (!seen.signs_in) throw new Error(`Not signed in: ${await textOf(page)}`)
    if (paths.refresh !== undefined) {
      const answer = await shown(page, `${url}${paths.refresh}`)
      seen.refreshes = answer.includes('"refreshed":true')
      if (!seen.refreshes) seen.problem = `Not refreshed: ${answer.slice(0, 300)}`
    }
    if (paths.call !== undefined) seen.calls = isThey(await shown(page, `${url}${paths.call}`))
    if (paths.logout !== undefined) seen.signs_out = await signsOut(page, url, paths)
  } catch (error) {
    seen.problem = `${String(error).slice(0, 400)} At ${page.url().slice(0, 200)}: ${await textOf(page)}`
  } finally {
    await context.close()
  }
  return seen
}

async function open(page: Page, url: string, { login, press }: Paths): Promise<void> {
  await page.goto(`${url}${login}`)
  if (press !== undefined) await page.click(press)
  await page.waitForSelector('input[name="password"]')
}

const submit = async (page: Page) => await page.locator('input[name="password"]').press('Enter')

async function signsOut(page: Page, url: string, paths: Paths): Promise<boolean> {
  await page.goto(`${url}${paths.logout}`).catch(() => undefined)
  if (paths.logoutPress !== undefined) await page.click(paths.logoutPress)
  await page.waitForLoadState('networkidle')
  if (isThey(await shown(page, `${url}${paths.who}`))) return false
  if (paths.leaves !== 'here') return true
  // Whoever is signed out here too is asked for the password again.
  await open(page, url, paths)
  return true
}

/** The text of a page, once it has some that scripts wrote. */
async function shown(page: Page, address: string): Promise<string> {
  await page.goto(address)
  await page.waitForFunction(() => document.body.innerText.trim() !== '')
  return (await page.locator('body').innerText()).replaceAll(/\s+/g, '')
}

const isThey = (text: string) => /ines\.?moreau|"sub":"[\w-]{36}"/i.test(text)

const textOf = async (page: Page) =>
  (
    await page
      .locator('body')
      .innerText({ timeout: 2000 })
      .catch(() => '')
  ).slice(0, 300)
