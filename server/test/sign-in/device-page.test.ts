import { beforeEach, describe, expect, it } from 'vitest'
import { applyChanged } from '../declared/change.ts'
import { authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import { claimsOf } from '../harness/browser.ts'
import { refusalOf, tokensOf } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'
import {
  approve,
  type Begun,
  beginDevice,
  deviceClients,
  enter,
  enterAndSignIn,
  poll,
} from '../oauth2/device-support.ts'

const pathOf = (visit: Visit) => new URL(visit.url).pathname

onOneDatabase('the page for devices', (dialect) => {
  const tessera = duringTests(async () => {
    const started = await startTessera(dialect, {
      settings: { TESSERA_LIMIT_SIGN_IN_ACCOUNT: '3', TESSERA_LIMIT_SIGN_IN_ADDRESS: '12' },
    })
    await applyChanged(started, deviceClients)
    return started
  })
  let browser: TestBrowser
  let begun: Begun
  beforeEach(async () => {
    browser = new TestBrowser(tessera.url)
    begun = await beginDevice(tessera.url)
    // Wrong codes of the test before are forgotten.
    tessera.clock.advance(3_600_001)
    begun = await beginDevice(tessera.url)
  })
  const waits = async () => refusalOf(await poll(tessera.url, begun))
  /** A request too many: it is looked at what the device gets, not when. */
  const nothing = /^400 (authorization_pending|slow_down)$/

  it('takes a code in any case, with or without hyphens and spaces', async () => {
    const letters = begun.user_code.replace('-', '')
    for (const typed of [
      begun.user_code,
      letters.toLowerCase(),
      ` ${letters.slice(0, 3)} ${letters.slice(3)}–`,
    ])
      expect(pathOf(await enter(browser, typed))).toBe('/sign-in')
  })

  it('says the same of an unknown code, one that can be none, one that was answered and an expired one', async () => {
    const words = 'There is no such code, or it has expired.'
    const denied = await beginDevice(tessera.url)
    await browser.submit(await enter(browser, denied.user_code), { choice: 'cancel' })
    for (const typed of ['BBBB-BBBB', 'nonsense', denied.user_code]) {
      const page = await enter(browser, typed)
      expect([page.status, page.body.includes(words)]).toEqual([400, true])
    }
    const empty = await enter(browser, '')
    expect([empty.status, empty.body.includes('Enter the code.')]).toEqual([400, true])
    tessera.clock.advance(601_000)
    expect((await enter(new TestBrowser(tessera.url), begun.user_code)).body).toContain(words)
  })

  it('fills in the code of the address, and approves nothing by being opened, signed in or not', async () => {
    const { path } = authorizeRequest()
    await signIn(browser, path, people.importer)
    for (const visitor of [browser, new TestBrowser(tessera.url)]) {
      const page = await visitor.open(begun.verification_uri_complete)
      expect([page.status, pathOf(page)]).toEqual([200, '/device'])
      expect(page.body).toContain(`value="${begun.user_code}"`)
      expect((await visitor.request(begun.verification_uri_complete, { method: 'HEAD' })).status).toBe(200)
    }
    expect(await waits()).toBe('400 authorization_pending')
    // Somebody who is signed in is asked too, although the client is first-party.
    const question = await browser.submit(await browser.open(begun.verification_uri_complete), {
      user_code: begun.user_code,
    })
    expect(pathOf(question)).toBe('/device/confirm')
    for (const url of [question.url, question.url.replace('/device/confirm', '/oauth2/authorize/continue')]) {
      expect(pathOf(await browser.open(url))).toBe('/device/confirm')
    }
    expect(await waits()).toMatch(nothing)
    await browser.submit(question, { choice: 'allow' })
    tokensOf(await poll(tessera.url, begun))
  })

  it('shows nothing but a code of an address', async () => {
    const page = await browser.open('/device?user_code=%22%3E%3Cscript%3E')
    expect(page.body).not.toContain('script')
    expect(page.body).not.toContain('value="&quot;')
  })

  it('names the application, what it gets, the person, the profile and the code, and warns', async () => {
    const question = await enterAndSignIn(browser, begun.user_code, people.importer)
    for (const text of [
      'Field terminal',
      'Acme Importer',
      begun.user_code,
      'Only go on if you began this yourself, on your own device.',
      'Your e-mail address',
      'Access to services in your name',
      'Acme',
    ])
      expect(question.body).toContain(text)
    // Each sign-in keeps the language that it began in; the switch changes it.
    browser.cookies.set('tessera-language', 'de')
    expect((await browser.open(question.url)).body).toContain(
      'Fahren Sie nur fort, wenn Sie das selbst begonnen',
    )
    expect((await browser.open('/device')).body).toContain('Geben Sie den Code ein')
  })

  it('can be put into no frame, and its forms lead nowhere else', async () => {
    const question = await enterAndSignIn(browser, begun.user_code, people.importer)
    const done = await browser.submit(question, { choice: 'allow' })
    for (const { headers } of [await browser.open('/device'), question, done]) {
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'.*form-action 'self'/)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  describe('a form of elsewhere', () => {
    it('enters no code', async () => {
      const form = { user_code: begun.user_code }
      expect((await browser.request('/device', { form })).status).toBe(403)
      const page = await browser.open('/device')
      const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
      expect((await browser.request('/device', { form: { ...form, csrf: `${csrf}x` } })).status).toBe(403)
      // The form of another browser.
      const other = new TestBrowser(tessera.url)
      await other.open('/device')
      expect((await other.request('/device', { form: { ...form, csrf } })).status).toBe(403)
    })

    it('allows nothing', async () => {
      const question = await enterAndSignIn(browser, begun.user_code, people.importer)
      const url = question.url
      expect((await browser.request(url, { form: { choice: 'allow' } })).status).toBe(403)
      expect((await browser.request(url, { form: { choice: 'allow', csrf: 'nonsense' } })).status).toBe(403)
      // The form, in a browser that did not begin this.
      const other = new TestBrowser(tessera.url)
      await signIn(other, authorizeRequest().path, people.admin)
      expect((await other.submit(question, { choice: 'allow' })).status).toBe(400)
      expect(await waits()).toBe('400 authorization_pending')
    })
  })

  it('a code is allowed by the first of two people alone', async () => {
    const second = new TestBrowser(tessera.url)
    const asked = await enterAndSignIn(second, begun.user_code, people.admin)
    await approve(browser, begun.user_code, people.importer)
    const late = await second.submit(asked, { choice: 'allow' })
    expect([late.status, late.body.includes('request_expired')]).toEqual([400, true])
    expect((await second.submit(asked, { choice: 'deny' })).status).toBe(200)
    expect((await enter(second, begun.user_code)).status).toBe(400)
    const { access_token: access } = tokensOf(await poll(tessera.url, begun))
    expect(claimsOf(access)).toMatchObject({ email: people.importer.email })
  })

  it('two answers at once are one', async () => {
    const second = new TestBrowser(tessera.url)
    const questions = [
      await enterAndSignIn(browser, begun.user_code, people.importer),
      await enterAndSignIn(second, begun.user_code, people.admin),
    ] as const
    const done = await Promise.all([
      browser.submit(questions[0], { choice: 'allow' }),
      second.submit(questions[1], { choice: 'allow' }),
    ])
    expect(done.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400])
    tokensOf(await poll(tessera.url, begun))
  })

  describe('a refusal after the device was allowed', () => {
    const nothing = 'Nothing was allowed'
    const before = 'This device was allowed before'

    it.each(['deny', 'cancel'])('says that the device has its access: %s in a second tab', async (choice) => {
      const second = await enterAndSignIn(browser, begun.user_code, people.importer)
      const question = await browser.submit(await browser.open('/device'), { user_code: begun.user_code })
      await browser.submit(question, { choice: 'allow' })
      const late = await browser.submit(second, { choice })
      expect([late.status, pathOf(late)]).toEqual([200, '/device/done'])
      expect([late.body.includes(nothing), late.body.includes(before)]).toEqual([false, true])
      expect(late.body).toContain('href="/account/applications"')
      tokensOf(await poll(tessera.url, begun))
      expect((await auditOf(tessera, { kind: 'device_code.denied' })).at(-1)?.target).not.toMatchObject({
        id: begun.device_code.split('.')[0],
      })
      // So it does once the device has its tokens, and of who was not signed in yet.
      const other = new TestBrowser(tessera.url)
      const again = await beginDevice(tessera.url)
      const signInPage = await enter(other, again.user_code)
      await approve(new TestBrowser(tessera.url), again.user_code, people.importer)
      tokensOf(await poll(tessera.url, again))
      expect((await other.submit(signInPage, { choice: 'cancel' })).body).toContain(before)
    })

    it('and of two that come at once one counts, and the page of each is true', async () => {
      for (let round = 0; round < 4; round++) {
        const one = await beginDevice(tessera.url)
        const visitor = new TestBrowser(tessera.url)
        const page = await enterAndSignIn(visitor, one.user_code, people.importer)
        const [, denied] = await Promise.all([
          visitor.submit(page, { choice: 'allow' }),
          visitor.submit(page, { choice: 'deny' }),
        ])
        const { json } = await poll(tessera.url, one)
        if (json.error === 'access_denied') expect(denied.body).toContain(nothing)
        else expect(denied.body).not.toContain(nothing)
      }
    })

    it('is none where the code was refused or ran out: then nothing was allowed', async () => {
      const question = await enterAndSignIn(browser, begun.user_code, people.importer)
      for (let twice = 0; twice < 2; twice++)
        expect((await browser.submit(question, { choice: 'deny' })).body).toContain(nothing)
      expect(refusalOf(await poll(tessera.url, begun))).toBe('400 access_denied')
      const old = await beginDevice(tessera.url)
      const asked = await enter(browser, old.user_code)
      tessera.clock.advance(601_000)
      expect((await browser.submit(asked, { choice: 'deny' })).body).toContain(nothing)
      expect(refusalOf(await poll(tessera.url, old))).toBe('400 expired_token')
    })
  })

  it('asks again where another person signed in meanwhile, or it can do more than was shown', async () => {
    const question = await enterAndSignIn(browser, begun.user_code, people.importer)
    // In another tab.
    const { path } = authorizeRequest({ prompt: 'login' })
    await signIn(browser, path, people.admin)
    const again = await browser.submit(question, { choice: 'allow' })
    expect([pathOf(again), again.body.includes('Acme Admin<')]).toEqual(['/device/confirm', true])
    const allowed = deviceClients[1].replace(
      'services: [submissions-tool]',
      'services: [submissions-tool, ledger]',
    )
    await applyChanged(tessera, [deviceClients[0], allowed])
    const more = await browser.submit(again, { choice: 'allow' })
    expect([pathOf(more), more.body.includes('Ledger')]).toEqual(['/device/confirm', true])
    expect(await waits()).toBe('400 authorization_pending')
    await applyChanged(tessera, deviceClients)
  })

  it('lets another account go on', async () => {
    const question = await enterAndSignIn(browser, begun.user_code, people.importer)
    const signInPage = await browser.submit(question, { choice: 'switch' })
    expect(pathOf(signInPage)).toBe('/sign-in')
    const other = await browser.submit(signInPage, people.admin)
    await browser.submit(other, { choice: 'allow' })
    const { access_token: access } = tokensOf(await poll(tessera.url, begun))
    expect(claimsOf(access)).toMatchObject({ email: people.admin.email })
  })

  describe('guessed codes', () => {
    beforeEach(() => tessera.clock.stop())

    it('are refused in a browser for a while, and a right one with them', async () => {
      for (let n = 0; n < 3; n++) expect((await enter(browser, `BBBB-BBB${'CDF'[n]}`)).status).toBe(400)
      const refused = await enter(browser, begun.user_code)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
      expect(refused.body).toContain('There were too many wrong codes.')
      expect(pathOf(await enter(new TestBrowser(tessera.url), begun.user_code))).toBe('/sign-in')
      tessera.clock.advance(5000)
      expect(pathOf(await enter(browser, begun.user_code))).toBe('/sign-in')
      const [record] = (await auditOf(tessera, { kind: 'user_code.throttled' })).slice(-1)
      expect(record).toMatchObject({ detail: { failures: 3, seconds: 5 }, actor: { kind: 'anonymous' } })
    })

    it('are refused of an address, whatever the browser says of itself', async () => {
      for (let n = 0; n < 12; n++) await enter(new TestBrowser(tessera.url), 'BBBB-BBBB')
      expect((await enter(new TestBrowser(tessera.url), begun.user_code)).status).toBe(429)
    })

    it('no more than allowed are looked up, however many come at once', async () => {
      const page = await browser.open('/device')
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => browser.submitOnce(page, { user_code: 'BBBB-BBBB' })),
      )
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(3)
    })
  })
})
