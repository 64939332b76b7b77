/** The page of the interface description in a real browser. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** How long a busy machine may take, ms. */
export const patience = 120_000

export interface Window {
  context: BrowserContext
  page: Page
  /** Console errors and warnings, policy violations, failed requests, and requests to other hosts. */
  complaints: string[]
}

export async function newWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(patience)
  const complaints: string[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  context.on('weberror', (error) => complaints.push(error.error().message))
  context.on('request', (request) => {
    if (!/^(data:|http:\/\/localhost:)/.test(request.url())) complaints.push(`asked for ${request.url()}`)
  })
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  return { context, page: await context.newPage(), complaints }
}

export async function openInterface(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/api/doc`)
  await page.waitForSelector('.opblock')
}
