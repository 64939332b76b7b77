/** Somebody at an origin that is behind a proxy: their browser, and what reached the application. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { person } from './journey.ts'
import type { Between, ProtectedApp, Reached } from './protected-app.ts'
import type { Answer, Raw } from './raw-request.ts'

export interface Asked {
  browser: Browser
  app: ProtectedApp
  origin: string
  issuer: string
  between: Between
}

export interface Visit extends Asked {
  context: BrowserContext
  /** The cookies of the protected origin, as a header. */
  cookie: () => Promise<string>
  raw: (asked: Raw) => Promise<Answer>
}

export type Check = readonly [name: string, check: (visit: Visit) => Promise<void>]

export function expect(holds: boolean, what: string, seen: unknown): asserts holds {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen).slice(0, 1500)}`)
}

export const last = ({ app }: Visit): Reached | undefined => app.reached.at(-1)
export const said = (one: Reached | undefined, name: string): string[] =>
  (one?.headers ?? []).filter(([header]) => header.toLowerCase() === name).map(([, value]) => value)

export async function signIn(visit: Visit, path = '/'): Promise<Page> {
  const page = await visit.context.newPage()
  await page.goto(`${visit.origin}${path}`)
  await fill(page)
  await page.waitForURL(`${visit.origin}/**`)
  return page
}

export async function fill(page: Page): Promise<void> {
  await page.fill('input[name="email"]', person.email)
  await page.fill('input[name="password"]', person.password)
  await page.locator('input[name="password"]').press('Enter')
}
