/** A password that an administrator sets for once. */
import { beforeAll, expect, it } from 'vitest'
import { acme, Administrator, administeredOn, problemOf } from '../administration/support.ts'
import { answerOf, authorizeRequest, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'

const given = 'a password for one day'
const fresh = 'seven quiet ferries at dawn'
const typed = { password: fresh, password_again: fresh }
const minute = 60_000

onEachDatabase('a temporary password', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  const uuids = new Map<string, string>()
  const names = ['one', 'two', 'slow', 'here', 'there'] as const
  const personOf = (name: string, password = given) => ({ email: `${name}@temporary.example`, password })

  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    for (const name of names) {
      const profiles = [{ role_code: 'importer', organisation_uuid: acme }]
      const made = { ...personOf(name), name, profiles, password_temporary: true }
      const { status, json } = await admin.post('/users', made)
      expect([status, json.password_temporary]).toEqual([201, true])
      uuids.set(name, String(json.uuid))
    }
  })

  const pathOf = (name: string) => `/users/${uuids.get(name) ?? ''}`
  const browser = () => new TestBrowser(tessera.url)
  const isAsked = ({ status, url, body }: Visit) =>
    status === 200 &&
    new URL(url).pathname === '/sign-in/new-password' &&
    body.includes('name="password_again"')

  it('is said together with a password alone', async () => {
    for (const body of [{ password_temporary: true }, { password: null, password_temporary: true }]) {
      const wrong = await admin.patch(pathOf('one'), body)
      expect(problemOf(wrong)).toBe('400 invalid_request password_temporary')
    }
    const made = { email: 'no@temporary.example', name: 'No', password_temporary: true }
    expect(problemOf(await admin.post('/users', made))).toBe('400 invalid_request password_temporary')
    expect((await admin.get(pathOf('one'))).json.password_temporary).toBe(true)
  })

  it('gives nothing before the person has another, of their own', async () => {
    const one = browser()
    const page = await signIn(one, authorizeRequest().path, personOf('one'))
    expect(isAsked(page)).toBe(true)
    expect(answerOf(await one.open(authorizeRequest({ prompt: 'none' }).path)).error).toBe(
      'interaction_required',
    )
    // Another tab skips nothing.
    expect(isAsked(await one.open(authorizeRequest().path))).toBe(true)
    for (const [wrong, words] of [
      [{}, 'Enter a password.'],
      [{ password: 'short', password_again: 'short' }, 'at least 8'],
      [{ ...typed, password_again: 'another' }, 'not the same'],
      [{ password: given, password_again: given }, 'the password that you have now'],
    ] as const) {
      const again = await one.submit(page, wrong as Record<string, string>)
      expect([again.status, again.body.includes(words)]).toEqual([400, true])
    }
    expect(answerOf(await one.submit(page, { choice: 'cancel' })).error).toBe('access_denied')
    const other = browser()
    const elsewhere = await signIn(other, authorizeRequest().path, personOf('one'))
    const { json } = await admin.post(`${pathOf('one')}/recovery`, { delivery: 'link' })
    expect((await browser().open(String(json.link))).status).toBe(200)
    const next = await one.open(authorizeRequest().path)
    expect(answerOf(await one.submit(next, typed)).code).toBeDefined()
    expect((await browser().open(String(json.link))).body).toContain('This link has ended')
    // The other browser's sign-in has ended with the password that it was by.
    expect(new URL((await other.submit(elsewhere, typed)).url).pathname).toBe('/sign-in')
    expect((await signIn(browser(), authorizeRequest().path, personOf('one'))).status).toBe(400)
    const again = await signIn(browser(), authorizeRequest().path, personOf('one', fresh))
    expect(answerOf(again).code).toBeDefined()
    expect((await admin.get(pathOf('one'))).json.password_temporary).toBe(false)
  })

  it('opens no page of the account before that, and then the one that was asked for', async () => {
    const here = browser()
    const page = await signIn(here, '/account/person', personOf('here'))
    expect(isAsked(page)).toBe(true)
    const opened = await here.submit(page, typed)
    expect([opened.status, new URL(opened.url).pathname]).toEqual([200, '/account/person'])
    // A sign-in for an application that stopped there is a session too.
    const there = browser()
    expect(isAsked(await signIn(there, authorizeRequest().path, personOf('there')))).toBe(true)
    for (const path of ['/account', '/account/sign-in', '/account/data'])
      expect(isAsked(await there.open(path)), path).toBe(true)
  })

  it('is one again only where that is said again', async () => {
    const set = async (body: object) => (await admin.patch(pathOf('two'), body)).json.password_temporary
    expect(await set({ name: 'Two' })).toBe(true)
    expect(await set({ password: fresh })).toBe(false)
    expect(await set({ password: given, password_temporary: true })).toBe(true)
    expect(await set({ password: null })).toBe(false)
  })

  it('is changed by who has typed it within ten minutes', async () => {
    const one = browser()
    const page = await signIn(one, authorizeRequest().path, personOf('slow'))
    tessera.clock.advance(9 * minute)
    const waiting = await one.open(authorizeRequest().path)
    tessera.clock.advance(2 * minute)
    expect(isAsked(page)).toBe(true)
    const again = await one.submit(waiting, typed)
    expect(new URL(again.url).pathname).toBe('/sign-in')
    expect(isAsked(await one.submit(again, personOf('slow')))).toBe(true)
  })
})
