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

/**
 * With all operations, or with those of these ids: each look and click of Swagger UI costs by how many there are, which
 * matters to nothing but the list itself.
 */
export async function openInterface(page: Page, url: string, only?: readonly string[]): Promise<void> {
  if (only !== undefined)
    await page.route('**/api/doc.json', async (route) => {
      const response = await route.fetch()
      const json = (await response.json()) as { paths: Record<string, Record<string, unknown>> }
      const isOf = (item: unknown) =>
        only.some((id) => JSON.stringify(item).includes(`"operationId":"${id}"`))
      json.paths = Object.fromEntries(
        Object.entries(json.paths).filter(([, operations]) => Object.values(operations).some(isOf)),
      )
      await route.fulfill({ response, json })
    })
  await page.goto(`${url}/api/doc`)
  await page.waitForSelector('.opblock')
}
