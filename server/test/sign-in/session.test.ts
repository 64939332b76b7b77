import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  signIn,
  TestBrowser,
  tokensFor,
} from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

onEachDatabase('a browser session', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const session = (one = browser) => one.cookies.get('tessera-session')
  const silent = async (one = browser) => {
    const answer = answerOf(await one.open(authorizeRequest({ prompt: 'none' }).path))
    return answer.error ?? 'signed in'
  }
  const start = () => signIn(browser, authorizeRequest().path, people.importer)

  onOne.it('is kept in cookies that scripts can’t read, for this host alone', async () => {
    const page = await browser.request(authorizeRequest().path)
    const [browserCookie, ...none] = page.headers.getSetCookie()
    expect(none).toEqual([])
    const own = /^tessera-\d+-(\w+)=[A-Za-z0-9_-]{43}; (.*)$/
    expect(own.exec(browserCookie ?? '')?.slice(1)).toEqual(['browser', 'Path=/; HttpOnly; SameSite=Lax'])
    const form = await browser.follow(page)
    expect(form.headers.getSetCookie()).toEqual([])
    const done = await browser.submitOnce(form, people.importer)
    const cookies = done.headers.getSetCookie().sort()
    expect(cookies).toHaveLength(2)
    expect(cookies.map((cookie) => own.exec(cookie)?.slice(1))).toEqual([
      ['device', 'Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax'],
      ['session', 'Max-Age=604800; Path=/; HttpOnly; SameSite=Lax'],
    ])
  })

  onOne.it('sets no cookie on somebody who is only refused', async () => {
    const page = await browser.open(authorizeRequest().path)
    const wrong = await browser.submit(page, { ...people.importer, password: 'a wrong password' })
    expect(wrong.headers.getSetCookie()).toEqual([])
    expect(session()).toBeUndefined()
  })

  it('has a new id after each sign-in, and the old one is worth nothing', async () => {
    await start()
    const old = session() ?? ''
    await browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), people.importer)
    expect(session()).not.toBe(old)
    expect(await silent()).toBe('signed in')
    const thief = new TestBrowser(tessera.url)
    thief.cookies.set('tessera-session', old)
    expect(await silent(thief)).toBe('login_required')
  })

  onOne.it.each([
    ['made up', 'A'.repeat(43)],
    ['malformed', '../../x'],
    ['empty', ''],
    ['oversized', 'x'.repeat(3000)],
  ])('does not adopt a cookie that is %s', async (_what, value) => {
    browser.cookies.set('tessera-session', value)
    expect(await silent()).toBe('login_required')
    await start()
    expect(session()).not.toBe(value)
    const attacker = new TestBrowser(tessera.url)
    attacker.cookies.set('tessera-session', value)
    expect(await silent(attacker)).toBe('login_required')
  })

  it('does not become the victim’s when an attacker planted their own', async () => {
    const attacker = new TestBrowser(tessera.url)
    await signIn(attacker, authorizeRequest().path, people.admin)
    browser.cookies.set('tessera-session', session(attacker) ?? '')
    await browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), people.importer)
    expect(session()).not.toBe(session(attacker))
    // The attacker's own session has ended: another person's sign-in replaced it.
    expect(await silent(attacker)).toBe('login_required')
    expect(await silent()).toBe('signed in')
  })

  it('is not fixed by a planted browser cookie: what was signed in is not the attacker’s', async () => {
    const attacker = new TestBrowser(tessera.url)
    const theirs = await attacker.open(authorizeRequest().path)
    browser.cookies.set('tessera-browser', attacker.cookies.get('tessera-browser') ?? '')
    await start()
    expect(await silent(attacker)).toBe('login_required')
    const visit = await attacker.open(`/oauth2/authorize/continue${new URL(theirs.url).search}`)
    expect(new URL(visit.url).pathname).toBe('/sign-in')
  })

  it('ends twelve hours after it was last used', async () => {
    await start()
    for (let n = 0; n < 3; n++) {
      tessera.clock.advance(12 * hour - minute)
      expect(await silent()).toBe('signed in')
    }
    tessera.clock.advance(12 * hour + minute)
    expect(await silent()).toBe('login_required')
    expect(await silent()).toBe('login_required')
  })

  it('ends seven days after the sign-in, however much it is used', async () => {
    await start()
    for (let n = 0; n < 20; n++) {
      tessera.clock.advance(8 * hour)
      expect(await silent()).toBe('signed in')
    }
    tessera.clock.advance(7 * day - 20 * 8 * hour - minute)
    expect(await silent()).toBe('signed in')
    tessera.clock.advance(2 * minute)
    expect(await silent()).toBe('login_required')
  })

  it('lasts seven days anew after the same person signs in again', async () => {
    await start()
    for (let n = 0; n < 18; n++) {
      tessera.clock.advance(9 * hour)
      await silent()
    }
    await browser.submit(await browser.open(authorizeRequest({ prompt: 'login' }).path), people.importer)
    tessera.clock.advance(11 * hour)
    expect(await silent()).toBe('signed in')
  })

  it('is another one, by sid, in every browser', async () => {
    const here = claimsOf((await tokensFor(tessera.url, people.importer)).id_token)
    const there = claimsOf((await tokensFor(tessera.url, people.importer)).id_token)
    expect(here.sub).toBe(there.sub)
    expect(here.sid).not.toBe(there.sid)
  })

  it('is one for all clients, and one person’s', async () => {
    const one = await tokensFor(tessera.url, people.importer, { browser })
    browser.cookies.delete('tessera-session')
    const two = await tokensFor(tessera.url, people.admin, { browser })
    expect(claimsOf(one.id_token).sid).not.toBe(claimsOf(two.id_token).sid)
  })

  onOne.it('is not shown by any page: the cookie travels in headers alone', async () => {
    await start()
    const page = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    for (const value of browser.cookies.values()) expect(page.body).not.toContain(value)
  })
})

onOneDatabase('a browser session with lifetimes of its own', (dialect) => {
  it('follows the settings', async () => {
    const settings = { TESSERA_SESSION_IDLE_LIFETIME: '600', TESSERA_SESSION_ABSOLUTE_LIFETIME: '1500' }
    const tessera = await startTessera(dialect, { settings: { ...settings, TESSERA_SIGN_IN_LIFETIME: '60' } })
    try {
      const browser = new TestBrowser(tessera.url)
      const page = await browser.open(authorizeRequest().path)
      tessera.clock.advance(61_000)
      expect((await browser.open(page.url)).status).toBe(400)
      const done = await browser.submitOnce(await browser.open(authorizeRequest().path), people.importer)
      expect(done.headers.getSetCookie().join()).toContain('Max-Age=1500;')
      const ask = async () => answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error
      for (const [minutes, error] of [
        [9, undefined],
        [9, undefined],
        [8, 'login_required'],
      ] as const) {
        tessera.clock.advance(minutes * minute)
        expect(await ask()).toBe(error)
      }
    } finally {
      await tessera.close()
    }
  })
})
