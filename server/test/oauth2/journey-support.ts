import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { start as startApi } from '../../../examples/submissions-api/dist/server.js'
import { start as startWeb } from '../../../examples/submissions-web/dist/server.js'
import { namesIn } from '../../dist/cli/dev.js'
import { newCode } from '../harness/development-mail.ts'
import type { Dialect } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { unfold } from '../pages/page-fits.ts'
import { freePort, temporaryFolder } from '../harness/process.ts'

/** What `npm start` runs, on free ports: the service, a web application, a partner's, and a protected API. */
export interface World {
  tessera: Tessera
  web: string
  /** A third party's application: asks for consent, and never gets the permission to import. */
  partner: string
  close(): Promise<void>
}

/** People of examples/development.yaml. */
export const staff = {
  /** One profile, may import. */
  mara: { email: 'mara.lind@acme.example', password: 'mara-development-password' },
  /** One profile, may only look. */
  jonas: { email: 'jonas.weber@acme.example', password: 'jonas-development-password' },
  /** Imports at Acme Field Research, looks at Lakeside University. */
  priya: { email: 'priya.nair@acme.example', password: 'priya-development-password' },
  /** No profile. */
  tomas: { email: 'tomas.novak@acme.example', password: 'tomas-development-password' },
} as const

export async function startWorld(dialect: Dialect): Promise<World> {
  const folder = temporaryFolder()
  const [webPort, partnerPort] = [await freePort(), await freePort()]
  const declared = join(folder, 'development.yaml')
  const text = readFileSync(new URL('../../../examples/development.yaml', import.meta.url), 'utf8')
  writeFileSync(declared, text.replaceAll(':4001/', `:${webPort}/`).replaceAll(':4003/', `:${partnerPort}/`))
  const tessera = await startTessera(dialect, {
    content: 'tables',
    settings: { TESSERA_DECLARED: declared },
  })
  const issuer = tessera.url
  const names = await namesIn({ declared, mode: 'development' })
  const audience = 'https://submissions.acme.example/api'
  const api = await startApi({ port: 0, host: '127.0.0.1', issuer, audience, database: ':memory:' })
  const web = (clientId: string, port: number) =>
    startWeb({
      port,
      host: 'localhost',
      issuer,
      clientId,
      apiUrl: api.url,
      names,
      database: join(folder, `${clientId}.sqlite`),
    })
  const own = await web('submissions-web', webPort)
  const partner = await web('lakeside-portal', partnerPort)
  return {
    tessera,
    web: own.url,
    partner: partner.url,
    async close() {
      for (const one of [partner, own, api, tessera]) await one.close()
    },
  }
}

/** Chromium's own notes, no complaints of the page: its status is an error, or somebody typed before it had the focus. */
const note =
  /^(Failed to load resource: the server responded with a status of 4\d\d |Autofocus processing was blocked because a document already has a focused element)/

/** A person with a browser of their own. What the browser complains about, such as a violated policy, is kept. */
export class Person {
  readonly context: BrowserContext
  readonly page: Page
  readonly complaints: string[] = []

  private constructor(context: BrowserContext, page: Page) {
    this.context = context
    this.page = page
    this.watch(page)
  }

  static async with(browser: Browser, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(10_000)
    return new Person(context, await context.newPage())
  }

  /** A second tab of the same browser. */
  async tab(): Promise<Page> {
    const page = await this.context.newPage()
    this.watch(page)
    return page
  }

  private watch(page: Page): void {
    page.on('console', (message) => {
      if (!note.test(message.text())) this.complaints.push(message.text())
    })
    page.on('pageerror', (error) => this.complaints.push(error.message))
  }

  /** From the application's start page to the page that asks for the password. */
  async setOut(application: string, page: Page = this.page): Promise<void> {
    await page.goto(application)
    await this.follow('Sign in', page)
    await page.waitForURL('**/sign-in?request=*')
  }

  async typePassword(who: { email: string; password: string }, page: Page = this.page): Promise<void> {
    await page.getByLabel('E-mail address').fill(who.email)
    await page.getByLabel('Password').fill(who.password)
    await this.press('Sign in', page)
  }

  async chooseProfile(role: string, page: Page = this.page): Promise<void> {
    await page.waitForURL('**/choose-profile?request=*')
    await leaving(page, () => page.getByRole('button', { name: role }).click())
  }

  /** Presses a button and waits for the page that it leads to. */
  async press(button: string | RegExp, page: Page = this.page): Promise<void> {
    await leaving(page, () => page.getByRole('button', { name: button, exact: true }).click())
  }

  async follow(link: string, page: Page = this.page): Promise<void> {
    await leaving(page, () => page.getByRole('link', { name: link, exact: true }).click())
  }

  /** Before a first second factor: has a code mailed, and gives it. */
  async giveCode(tessera: { url: string }, address: string): Promise<void> {
    const code = await newCode(tessera, address, () => this.press('Send the code'))
    await this.page.getByLabel('Code from the mail').fill(code)
    await this.press('Continue')
  }

  heading(page: Page = this.page): Promise<string> {
    return page.getByRole('heading', { level: 1 }).innerText()
  }

  /** A field of the application's page, such as `Role`. */
  async shown(term: string): Promise<string> {
    await unfold(this.page)
    return await this.page
      .locator('dl > div', { has: this.page.locator('dt', { hasText: new RegExp(`^${term}$`) }) })
      .first()
      .locator('dd')
      .innerText()
  }

  /** The headline of what the application did last. */
  async did(button: string): Promise<string> {
    await this.press(button)
    return await this.page.getByRole('status').getByRole('heading', { level: 2 }).innerText()
  }

  /** The claims of a token that the application shows. */
  async claims(token: 'ID token' | 'Access token'): Promise<Record<string, unknown>> {
    await unfold(this.page)
    const heading = this.page.getByRole('heading', { name: `${token}: payload` })
    const json = await heading.locator('xpath=following-sibling::pre[1]').innerText()
    return JSON.parse(json) as Record<string, unknown>
  }
}

/** Without it a test could read the page that is about to go. */
export async function leaving(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForEvent('load'), act()])
}
