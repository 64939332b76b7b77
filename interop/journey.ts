/** What a person does with an application, in Chromium: signs in, looks who they are, refreshes, calls, signs out. */
import type { Browser, Page } from 'playwright-core'
import type { Paths } from './product.ts'

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
  // What is begun is false until it is done: a step that throws fails the run.
  const seen: Journey = { signs_in: false }
  try {
    await open(page, url, paths)
    const { origin } = new URL(page.url())
    await page.fill('input[name="email"]', person.email)
    await page.fill('input[name="password"]', person.password)
    await Promise.all([page.waitForURL((at) => at.origin !== origin), submit(page)])
    // An application in the browser exchanges the code by a script of its own.
    await page.waitForLoadState('networkidle')
    seen.signs_in = await shows(page, url, paths, true)
    if (!seen.signs_in) throw new Error(`Not signed in: ${await textOf(page)}`)
    if (paths.refresh !== undefined) {
      seen.refreshes = false
      const answer = await shown(page, `${url}${paths.refresh}`)
      seen.refreshes = answer.includes('"refreshed":true')
      if (!seen.refreshes) seen.problem = `Not refreshed: ${answer.slice(0, 300)}`
    }
    if (paths.call !== undefined) {
      seen.calls = false
      seen.calls = isThey(await shown(page, `${url}${paths.call}`))
    }
    if (paths.logout !== undefined) {
      seen.signs_out = false
      seen.signs_out = await signsOut(page, url, paths)
    }
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
  if (paths.logoutPress !== undefined) {
    // A script may need a while to leave the page.
    const left = page.waitForEvent('framenavigated', { timeout: 20_000 }).catch(() => undefined)
    await page.click(paths.logoutPress)
    await left
  }
  await page.waitForLoadState('networkidle')
  if (await shows(page, url, paths, false)) return false
  if (paths.leaves !== 'here') return true
  // Whoever is signed out here too is asked for the password again.
  await open(page, url, paths)
  return true
}

/** Whether the page shows who is signed in; what scripts or other servers do may take some seconds. */
async function shows(page: Page, url: string, { who, whoPress }: Paths, expected: boolean): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    let text = await shown(page, `${url}${who}`)
    if (whoPress !== undefined) {
      await page.click(whoPress, { timeout: 5000 }).catch(() => undefined)
      text = await textNow(page)
    }
    if (isThey(text) === expected || tries === 10) return isThey(text)
    await page.waitForTimeout(1000)
  }
}

/** The text of a page, once it has some that scripts wrote. */
async function shown(page: Page, address: string): Promise<string> {
  await page.goto(address)
  await page.waitForFunction(() => document.body.innerText.trim() !== '')
  return await textNow(page)
}

const textNow = async (page: Page) => (await page.locator('body').innerText()).replaceAll(/\s+/g, '')

const isThey = (text: string) => /ines\.?moreau|"sub":"[\w-]{36}"/i.test(text)

const textOf = async (page: Page) =>
  (
    await page
      .locator('body')
      .innerText({ timeout: 2000 })
      .catch(() => '')
  ).slice(0, 300)
