import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../harness/chromium.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { Person, staff, startWorld, type World } from './journey-support.ts'
import { cleanUp } from '../harness/process.ts'

/**
 * The story of the product in a browser: a newcomer signs in, gets tokens, calls a protected API, is refused
 * where a permission is missing, refreshes, switches profile and logs out.
 */

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await cleanUp()
})

onOneDatabase('the journey', (dialect) => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(dialect)
  })
  afterAll(() => world?.close())

  it.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('of somebody with two profiles, %s', async (_, javaScriptEnabled) => {
    const person = await Person.with(browser, { javaScriptEnabled })
    await signIn(person)
    await callApi(person)
    await refresh(person)
    await switchProfile(person)
    await signOut(person)
    expect(person.complaints).toEqual([])
    await person.context.close()
  })

  async function signIn(person: Person): Promise<void> {
    await person.setOut(world.web)
    expect(person.page.url()).toMatch(`${world.tessera.url}/sign-in?`)
    expect(await person.page.innerText('main')).toContain('to continue to Submissions')
    await person.typePassword(staff.priya)
    await person.chooseProfile('Reader')
    expect(await person.heading()).toBe('Signed in as Priya Nair')
    expect(person.page.url()).toBe(`${world.web}/`)
    expect(await person.shown('Role')).toBe('Reader')
    // Cookies ignore ports, so the jar holds those of both; none can be read by a script or sent from elsewhere.
    const cookies = await person.context.cookies()
    expect(cookies.length).toBeGreaterThanOrEqual(3)
    for (const { httpOnly, sameSite } of cookies) expect([httpOnly, sameSite]).toEqual([true, 'Lax'])
  }

  async function callApi(person: Person): Promise<void> {
    expect(await person.claims('Access token')).toMatchObject({
      aud: 'https://submissions.acme.example/api',
      permissions: ['submissions-tool.vista-import.read'],
      role_code: 'reader',
    })
    expect(await person.did('List the imports')).toBe('List the imports: 200 OK')
    expect(await person.did('Import a sample file')).toBe('Import a sample file: 403 Forbidden')
    expect(await person.shown('www-authenticate')).toMatch(/^Bearer .*error="insufficient_scope"/)
    expect(await person.page.getByRole('status').innerText()).toContain(
      'submissions-tool.vista-import.create',
    )
    expect(await person.did('List without a token')).toBe('List without a token: 401 Unauthorized')
    expect(await person.shown('www-authenticate')).toBe('Bearer')
  }

  async function refresh(person: Person): Promise<void> {
    const before = await person.claims('Access token')
    expect(await person.did('Refresh')).toBe('Refresh: done')
    const after = await person.claims('Access token')
    expect(after.jti).not.toBe(before.jti)
    for (const claim of ['sub', 'sid', 'auth_time', 'profile_uuid']) expect(after[claim]).toBe(before[claim])
    expect(await person.claims('ID token')).not.toHaveProperty('nonce')
  }

  async function switchProfile(person: Person): Promise<void> {
    const reader = await person.shown('profile_uuid')
    await expect.poll(() => person.page.getByLabel('A profile that you have used').count()).toBe(0)
    await person.follow('Choose another profile')
    await person.page.waitForURL('**/choose-profile?request=*')
    // The last choice has the focus, and nobody asks for the password again.
    await expect
      .poll(() => person.page.evaluate<string>('document.activeElement.innerText'))
      .toMatch(/^Reader/)
    await person.chooseProfile('Importer')
    expect(await person.shown('Role')).toBe('Importer')
    expect(await person.did('Import a sample file')).toBe('Import a sample file: 201 Created')
    // Back again, without a page of the service; and not to a profile of somebody else.
    const used = person.page.getByLabel('A profile that you have used')
    expect(await used.locator('option').allInnerTexts()).toEqual([
      'Reader · Lakeside University · Soil laboratory',
    ])
    await used.selectOption(reader)
    expect(await person.did('Switch profile')).toBe('Switch profile: done')
    expect(await person.shown('Role')).toBe('Reader')
    const another = '4a6d2c10-91f3-4e0b-8d57-0b1c2d3e0101'
    await used.locator('option').evaluate((one, value) => one.setAttribute('value', value), another)
    expect(await person.did('Switch profile')).toMatch(/^Switch profile: The identity provider refused/)
    expect(await person.page.getByRole('status').innerText()).toContain('invalid_request')
    expect(await person.shown('Role')).toBe('Reader')
  }

  async function signOut(person: Person): Promise<void> {
    await person.press('Sign out')
    expect(await person.heading()).toBe('Send in your submissions')
    expect(person.page.url()).toBe(`${world.web}/`)
    // On http the port stands in them.
    const names = (await person.context.cookies()).map(({ name }) =>
      name.replace(/^tessera-\d+-/, 'tessera-'),
    )
    expect(names).not.toContain('tessera-session')
    expect(names).toContain('tessera-device')
    // Signed out at the service too: it asks for the password.
    await person.setOut(world.web)
    expect(await person.heading()).toBe('Sign in')
  }
})
