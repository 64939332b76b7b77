/** How soon the console shows rows of a large installation, to a browser that has kept nothing of it. */
import type { Browser } from 'playwright-core'
import { people } from '../server/test/harness/browser.ts'
import { launchChromium } from '../server/test/harness/chromium.ts'
import { freePort } from '../server/test/harness/process.ts'
import { newFolder, remove, startService } from './service.ts'
import { large } from './speed/administration.ts'
import { declareAdministrators, seedSqlite } from './speed/administration-seed.ts'
import { median } from './speed/outcome.ts'

/** The most that a median may be, ms. */
const bar = 600
const rounds = 5

/** Each shows a first row or a first card of what the large installation has. */
const views = [
  '/people',
  '/people?q=person-12',
  '/people?role=reader',
  '/people?active=false',
  '/applications',
  '/organisations',
  '/audit',
  '/roles',
  '/services',
] as const

type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['cookies']>>

export async function consoleRows(): Promise<void> {
  const folder = newFolder()
  const settings = { TESSERA_DECLARED: declareAdministrators(folder) }
  await seedSqlite(folder, settings, { seed: 1, size: large })
  const service = await startService(await freePort(), folder, settings)
  const browser = await launchChromium()
  try {
    const cookies = await signIn(browser, service.url)
    for (const view of views) {
      const took: number[] = []
      for (let round = 0; round < rounds; round++) took.push(await cold(browser, service.url, view, cookies))
      const middle = median(took)
      process.stdout.write(`${view}: ${middle.toFixed(0)} ms (at most ${Math.max(...took).toFixed(0)})\n`)
      if (!(middle <= bar)) process.exitCode = 1
    }
    process.stdout.write(`The bar is ${bar} ms.\n`)
  } finally {
    await browser.close()
    await service.stop()
    remove(folder)
  }
}

async function signIn(browser: Browser, url: string): Promise<Cookies> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${url}/console/`)
  await page.getByLabel('E-mail address').fill(people.admin.email)
  await page.getByLabel('Password').fill(people.admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('main h1').waitFor()
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

/** Measures from the address to the first row, with the session alone: ms. */
async function cold(browser: Browser, url: string, view: string, cookies: Cookies): Promise<number> {
  const context = await browser.newContext()
  await context.addCookies(cookies)
  const page = await context.newPage()
  const began = performance.now()
  await page.goto(`${url}/console${view}`, { waitUntil: 'commit' })
  await page.locator('main tbody tr, main li a').first().waitFor()
  const took = performance.now() - began
  await context.close()
  return took
}
