import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Person, staff, startWorld, type World } from './journey-support.ts'
import { cleanUp } from '../harness/process.ts'

/** The turns a sign-in can take in a browser: refusals, second thoughts, a partner's consent, several tabs. */

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await cleanUp()
})

onOneDatabase('a sign-in', (dialect) => {
  let world: World
  let person: Person
  beforeAll(async () => {
    world = await startWorld(dialect)
  })
  afterAll(() => world?.close())
  beforeEach(async () => {
    person = await Person.with(browser)
  })
  afterEach(async () => {
    expect(person.complaints).toEqual([])
    await person.context.close()
  })
  const signedIn = () => expect(person.heading()).resolves.toMatch(/^Signed in as /)
  const refused = async (description: string) => {
    expect(await person.heading()).toBe('The sign-in was not completed')
    expect(await person.shown('Error')).toBe('access_denied')
    expect(await person.shown('Description')).toBe(description)
  }

  describe('that is refused', () => {
    it('ends at the application when it is cancelled, which can begin anew', async () => {
      await person.setOut(world.web)
      await person.press('Cancel')
      await refused('The user cancelled the sign-in.')
      await person.follow('Sign in again')
      await person.typePassword(staff.mara)
      await signedIn()
    })

    it('tells somebody without a profile, and lets somebody else in', async () => {
      await person.setOut(world.web)
      await person.typePassword(staff.tomas)
      expect(await person.heading()).toBe('You do not have access yet')
      expect(await person.page.innerText('main')).toContain('You are signed in as Tomas Novak')
      await person.press('Return to Submissions')
      await refused('The user has no profile that may be used.')
      // Not the same refusal again: it asks who it shall be.
      await person.follow('Sign in again')
      await person.typePassword(staff.tomas)
      await person.press('Use another account')
      expect(await person.heading()).toBe('Sign in')
      await person.typePassword(staff.mara)
      expect(await person.heading()).toBe('Signed in as Mara Lind')
    })
  })

  it('to a partner asks for consent once, and its tokens never hold more than it was given', async () => {
    await person.setOut(world.partner)
    await person.typePassword(staff.mara)
    expect(await person.heading()).toBe('Allow Lakeside research portal to use your account?')
    expect(await person.page.innerText('main')).toContain(new URL(world.partner).host)
    await person.press('Do not allow')
    await refused('The user did not give consent.')

    await person.follow('Sign in again')
    await person.typePassword(staff.mara)
    expect(await person.heading()).toMatch(/^Allow /)
    await person.press('Allow')
    await signedIn()
    expect((await person.claims('Access token')).permissions).toEqual(['submissions-tool.vista-import.read'])
    expect(await person.did('Import a sample file')).toBe('Import a sample file: 403 Forbidden')
    // Remembered: straight through, without a page.
    await person.follow('Choose another profile')
    await signedIn()
    expect(person.page.url()).toBe(`${world.partner}/`)
  })

  it('is shared by applications, and ended for all of them', async () => {
    await person.setOut(world.web)
    await person.typePassword(staff.jonas)
    await signedIn()
    await person.page.goto(world.partner)
    await person.follow('Sign in')
    // German, as this person has set: only consent is asked.
    await person.press('Zulassen')
    await signedIn()
    await person.press('Sign out')
    await person.page.goto(world.web)
    expect(await person.page.innerText('main')).toContain('invalid_token')
    await person.press('Refresh')
    expect(await person.heading()).toBe('Send in your submissions')
    expect(await person.page.getByRole('status').innerText()).toContain('Your sign-in has ended.')
  })

  describe('in two tabs', () => {
    it('one after the other: the second needs no password, and checks one that is typed', async () => {
      const other = await person.tab()
      await person.setOut(world.web)
      await person.setOut(world.partner, other)
      await person.typePassword(staff.priya)
      expect(await person.heading()).toBe('Choose a profile')
      // What is typed there is checked all the same; who only comes back to it needn't type anything.
      await person.typePassword({ ...staff.priya, password: 'something else' }, other)
      expect(await other.getByRole('alert').innerText()).toMatch(/do not match/)
      await other.goto(other.url())
      expect(await person.heading(other)).toBe('Choose a profile')
      // One session, and each application has its own profile.
      await person.chooseProfile('Importer')
      await signedIn()
      await person.chooseProfile('Reader', other)
      expect(await person.heading(other)).toMatch(/^Allow /)
      expect(await person.shown('Role')).toBe('Importer')
    })

    it('at the same time, of the same application', async () => {
      const tabs = [person.page, await person.tab()]
      for (const tab of tabs) {
        await person.setOut(world.web, tab)
        await tab.getByLabel('E-mail address').fill(staff.mara.email)
        await tab.getByLabel('Password').fill(staff.mara.password)
      }
      await Promise.all(tabs.map((tab) => person.press('Sign in', tab)))
      for (const tab of tabs) {
        // The application keeps one session: the tab that comes second learns that it is signed in already.
        expect(await person.heading(tab)).toMatch(/^(Signed in as Mara Lind|You are signed in already)$/)
        await tab.goto(world.web)
        expect(await person.heading(tab)).toBe('Signed in as Mara Lind')
      }
    })

    it('whose answers cross: the one with the cookie of before still ends in a session', async () => {
      const other = await person.tab()
      for (const tab of [person.page, other]) await person.setOut(world.web, tab)
      const before = await person.context.cookies(world.web)
      await person.typePassword(staff.mara)
      await signedIn()
      // As if the other tab's callback had left the browser before the first one was answered.
      await person.context.addCookies(before)
      await person.typePassword(staff.mara, other)
      expect(await person.heading(other)).toBe('Signed in as Mara Lind')
      // What was known before anybody signed in is nobody's.
      await person.context.addCookies(before)
      await other.goto(world.web)
      expect(await person.heading(other)).toBe('Send in your submissions')
    })
  })
})
