import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest } from '../harness/browser.ts'
import { axeFindings } from '../harness/axe.ts'
import { launchChromium } from '../harness/chromium.ts'
import { leaving, Person, staff, startWorld, type World } from './journey-support.ts'
import { overflow, spaceOut, unfold } from '../pages/page-fits.ts'
import { cleanUp } from '../harness/process.ts'
import { codeOf } from '../sign-in/factor-support.ts'

/** Each page as it is really served, under its real policy: nothing for axe to find, nothing blocked. */

let browser: Browser
let world: World
beforeAll(async () => {
  browser = await launchChromium()
  world = await startWorld('sqlite')
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await cleanUp()
})

const desk = { width: 1280, height: 860 }
const phone = { width: 390, height: 844 }
/** In the dark a page has other colours, and nothing else for axe to judge. */
const inTheDark = { runOnly: ['color-contrast', 'link-in-text-block'] }
const looks = [
  { colorScheme: 'light', viewport: desk, rules: undefined },
  { colorScheme: 'dark', viewport: desk, rules: inTheDark },
  { colorScheme: 'light', viewport: phone, rules: undefined },
] as const

/** The page stays the same, as when somebody turns the light off. */
async function inspect(page: Page): Promise<void> {
  for (const { colorScheme, viewport, rules } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    const look = `${page.url()} ${colorScheme} ${viewport.width}`
    expect(await axeFindings(page, rules), look).toEqual([])
    expect(await overflow(page), look).toBeLessThanOrEqual(0)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  await spaceOut(page)
  expect(await overflow(page), `${page.url()} spaced`).toBeLessThanOrEqual(0)
}

/** Each page, and how somebody gets there. */
const ways: Record<string, (person: Person) => Promise<void>> = {
  'the password page': (person) => person.setOut(world.web),
  'the password page after a wrong password': async (person) => {
    await person.setOut(world.web)
    await person.typePassword({ ...staff.mara, password: 'something else' })
  },
  'the password page with an empty field': async (person) => {
    await person.setOut(world.web)
    await person.press('Sign in')
  },
  'the password page for somebody known': async (person) => {
    await person.setOut(world.web)
    await person.typePassword(staff.mara)
    await person.follow('Sign in as somebody else')
  },
  'the choice of a profile': async (person) => {
    await person.setOut(world.web)
    await person.typePassword(staff.priya)
  },
  consent: async (person) => {
    await person.setOut(world.partner)
    await person.typePassword(staff.mara)
  },
  'the page for people without a profile': async (person) => {
    await person.setOut(world.web)
    await person.typePassword(staff.tomas)
  },
  'the question before signing out': async (person) => {
    await person.setOut(world.web)
    await person.typePassword(staff.mara)
    await person.page.goto(`${world.tessera.url}/oauth2/logout`)
  },
  'the page after signing out': async (person) => {
    await person.page.goto(`${world.tessera.url}/oauth2/logout`)
  },
  'an error of the application': async (person) => {
    await person.page.goto(`${world.tessera.url}/oauth2/authorize?client_id=unknown`)
  },
  'an address where nothing is': async (person) => {
    await person.page.goto(`${world.tessera.url}/nowhere`)
  },
  'a sign-in that is over': async (person) => {
    await person.page.goto(`${world.tessera.url}/sign-in?request=unknown`)
  },
}

describe('axe finds nothing, nothing is blocked and nothing scrolls sideways', () => {
  it.each(Object.entries(ways))('on %s', async (_name, way) => {
    const person = await Person.with(browser)
    const policies: string[] = []
    person.page.on('response', (response) => {
      if (!response.url().startsWith(world.tessera.url) || !response.request().isNavigationRequest()) return
      if (response.status() >= 300 && response.status() < 400) return
      policies.push(response.headers()['content-security-policy'] ?? 'none')
    })
    await way(person)
    expect(person.page.url()).toContain(world.tessera.url)
    await inspect(person.page)
    expect(policies.length).toBeGreaterThan(0)
    for (const policy of policies) {
      expect(policy).toMatch(/^default-src 'none'; style-src 'self'; /)
      expect(policy).toMatch(/frame-ancestors 'none'/)
      expect(policy.replace("; script-src 'self'", '')).not.toMatch(/script|unsafe|\*/)
    }
    expect(person.complaints).toEqual([])
    await person.context.close()
  })

  it('on the pages of the example', async () => {
    const person = await Person.with(browser)
    await person.page.goto(world.web)
    await inspect(person.page)
    await person.page.goto(`${world.web}/callback?state=unknown`)
    await inspect(person.page)
    await person.setOut(world.web)
    await person.typePassword(staff.jonas)
    const text = await person.page.locator('main').innerText()
    expect(text).toContain('Acme Field Research')
    // Ids and tokens are folded away.
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|eyJ/)
    await inspect(person.page)
    expect(await person.did('Import a sample file')).toBe('Import a sample file: 403 Forbidden')
    await unfold(person.page)
    await inspect(person.page)
    expect(person.complaints).toEqual([])
    await person.context.close()
  })

  it('on the pages of second factors, which work by the keyboard', async () => {
    const { tessera } = world
    tessera.clock.stop()
    const changes = { redirect_uri: `${world.web}/callback`, acr_values: '2', prompt: 'login' }
    const person = await Person.with(browser)
    const { page } = person
    const enter = () => leaving(page, () => page.keyboard.press('Enter'))
    const toPassword = async () => {
      await page.goto(`${tessera.url}${authorizeRequest(changes).path}`)
      await page.getByLabel('E-mail address').fill(staff.mara.email)
      await page.getByLabel('Password').focus()
      await page.keyboard.type(staff.mara.password)
      await enter()
    }
    const account = () => page.goto(`${tessera.url}/account/sign-in`)

    await toPassword()
    expect(await person.heading()).toBe('Set up a second factor')
    await inspect(page)
    await person.giveCode(tessera, staff.mara.email)
    await inspect(page)
    const secret = (await page.locator('.key').innerText()).replaceAll(' ', '')
    const codeNow = () => codeOf(tessera, 0, secret)
    await page.getByLabel('The code that the app shows').focus()
    await page.keyboard.type(codeNow())
    await enter()
    expect(await person.heading()).toBe('Keep these recovery codes')
    await inspect(page)
    await page.keyboard.press('Tab')
    await enter()

    await account()
    await unfold(page)
    await inspect(page)
    for (const [button, heading] of [
      ['Add an authenticator app', 'Set up a second factor'],
      ['Add a passkey or security key', 'Set up a passkey or security key'],
    ] as const) {
      await account()
      await page.getByRole('button', { name: button }).focus()
      await enter()
      expect(await person.heading()).toBe(heading)
      await inspect(page)
    }
    tessera.clock.advance(11 * 60_000)
    await account()
    await person.press('Make new recovery codes')
    expect(await person.heading()).toBe('Confirm that it is you')
    await inspect(page)
    await page.getByLabel('Password').focus()
    await page.keyboard.type(staff.mara.password)
    // Past the button that shows the password.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type(codeNow())
    await enter()
    expect(await person.heading()).toBe('Keep these recovery codes')

    await toPassword()
    expect(await person.heading()).toBe('Confirm that it is you')
    await inspect(page)
    await person.follow('Use a recovery code')
    await inspect(page)
    await page.keyboard.type('1-0000-0000-0000-0000')
    await enter()
    expect(await page.locator('main').innerText()).toContain('There is no such recovery code')
    await inspect(page)
    expect(person.complaints).toEqual([])
    await person.context.close()
  })
})
