/** Whether the console keeps what it showed: its heap after garbage collection, over thousands of navigations. */
import type { Page } from 'playwright-core'
import { people } from '../server/test/harness/browser.ts'
import { launchChromium } from '../server/test/harness/chromium.ts'
import { remove, startService } from './service.ts'

/** After how many navigations it is measured. The first ones load the views. */
const at = [0, 250, 1000, 3000] as const
const settled = 250
/** Of the heap at the end to that when all views were loaded. */
const bar = 1.25

/** What each round goes through: the menu, and from two lists to what is first in them. */
const round = [
  '/applications',
  '/applications/*',
  '/people',
  '/people/*',
  '/organisations',
  '/access',
  '/audit',
  '/roles',
  '/services',
  '/',
] as const

export async function consoleHeap(port = 4390): Promise<void> {
  const service = await startService(port)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await signIn(page, service.url)
    const heaps: number[] = []
    for (let done = 0; done <= 3000; done++) {
      if (at.some((one) => one === done)) {
        const heap = await heapOf(page)
        heaps.push(heap)
        process.stdout.write(`${done} navigations: ${heap.toFixed(1)} MiB\n`)
      }
      await navigate(page, round[done % round.length] ?? '/')
    }
    const grown = (heaps.at(-1) ?? Number.NaN) / (heaps[at.indexOf(settled)] ?? Number.NaN)
    process.stdout.write(`grown by ${grown.toFixed(2)} since ${settled}; at most ${bar}\n`)
    if (!(grown <= bar)) process.exitCode = 1
  } finally {
    await browser.close()
    await service.stop()
    remove(service.folder)
  }
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/console/`)
  await page.getByLabel('E-mail address').fill(people.admin.email)
  await page.getByLabel('Password').fill(people.admin.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('main h1').waitFor()
}

/** Within the page, as a click does, until the next view is there with what it asked for. */
async function navigate(page: Page, path: string): Promise<void> {
  const href = `/console${path}`
  const link = path.endsWith('/*')
    ? page.locator(`main tbody a[href^="${href.slice(0, -1)}"]`).first()
    : page.locator(`nav a[href="${href}"]`)
  const before = (await page.locator('main h1').textContent()) ?? ''
  await link.dispatchEvent('click')
  await page.locator('main h1').filter({ hasNotText: before }).waitFor()
  await page.locator('main .waiting').waitFor({ state: 'detached' })
}

/** MiB. */
async function heapOf(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  // What the first collection lets go of may hold more.
  for (let times = 0; times < 3; times++) await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 1024 / 1024
}
