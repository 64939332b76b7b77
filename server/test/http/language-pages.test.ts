/** The switch of languages on every page: it leads back to that page, in the other language. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { linkIn, mailTo } from '../harness/development-mail.ts'
import { tesseraOn } from '../harness/harness.ts'
import { cleanUp } from '../harness/process.ts'
import { setPolicy } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'
import { applyChanged } from '../declared/change.ts'
import { beginDevice, deviceClients, enter } from '../oauth2/device-support.ts'
import { codeOf, importEnrolled, personOf } from '../sign-in/factor-support.ts'

// The look for mails that are due.
shortenTimers({ 500: 50 })
afterAll(cleanUp)

const minute = 60_000

describe('the switch of languages', () => {
  const tessera = tesseraOn('sqlite', { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
  beforeAll(async () => {
    tessera.clock.stop()
    await importEnrolled(tessera, ['walker'])
    await setPolicy(tessera, {}, { self_deletion: true, trusted_device_days: 5 })
    await applyChanged(tessera, deviceClients)
  })

  const pathOf = ({ url }: Visit) => new URL(url).pathname
  const languageOf = ({ body }: Visit) => /<html lang="(..)"/.exec(body)?.[1]
  const plain = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')

  /** Presses the button of the switch that is on a page; it must lead to the page of this path. */
  async function expectSwitch(browser: TestBrowser, page: Visit, path = pathOf(page)): Promise<void> {
    const what = `${pathOf(page)} (${page.status})`
    const locale = languageOf(page) === 'fr' ? 'pl' : 'fr'
    const form = /<form method="post" action="\/language">.*?<\/form>/.exec(page.body)?.[0] ?? ''
    expect(form, what).toContain(`name="locale" value="${locale}"`)
    const to = plain(/name="to" value="([^"]*)"/.exec(form)?.[1] ?? '')
    const sent = await browser.request('/language', { form: { to, locale } })
    expect([sent.status, to], what).toEqual([303, expect.stringMatching(/^\//)])
    const there = await browser.follow(sent)
    expect([pathOf(there), languageOf(there)], what).toEqual([path, locale])
    if (page.status === 200) expect(there.status, what).toBe(200)
  }

  const formsOn = (page: Visit) =>
    [...page.body.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
      .map(([, action = '', content = '']) => ({
        action: plain(action),
        hidden: Object.fromEntries(
          [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
            ([, name = '', value = '']) => [name, plain(value)],
          ),
        ),
      }))
      .filter(({ action }) => action !== '/language')

  /** Signed in with a second factor, which a browser elsewhere is trusted for, and with an application. */
  async function owner(): Promise<TestBrowser> {
    let browser = new TestBrowser(tessera.url)
    for (let times = 0; times < 2; times++) {
      browser = new TestBrowser(tessera.url)
      const page = await signIn(browser, authorizeRequest().path, personOf('walker'))
      await browser.submit(page, { code: codeOf(tessera), trust: '1' })
      tessera.clock.advance(30_000)
    }
    return browser
  }

  it('is on each page of the account and on what its forms answer, and leads back there', async () => {
    const browser = await owner()
    // Whatever a form does wants a fresh proof, so nothing is done.
    tessera.clock.advance(11 * minute)
    const found = new Map<string, Visit>()
    const forms = new Map<string, ReturnType<typeof formsOn>[number]>()
    const paths = ['/', '/account']
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      if (found.has(path)) continue
      const page = await browser.open(path)
      expect(page.status, path).toBe(200)
      found.set(path, page)
      for (const [, href = ''] of page.body.matchAll(/<a href="(\/account[^"]*)"/g)) paths.push(plain(href))
      for (const one of formsOn(page)) forms.set(`${one.action} ${one.hidden.do}`, one)
      await expectSwitch(browser, page)
    }
    expect([...found.keys()].toSorted()).toEqual(
      expect.arrayContaining([
        '/account',
        '/account/activity',
        '/account/applications',
        '/account/data',
        '/account/deletion',
        '/account/person',
        '/account/profiles',
        '/account/sessions',
        '/account/sign-in',
      ]),
    )
    expect([...forms.keys()]).toEqual(
      expect.arrayContaining([
        '/account/sessions end',
        '/account/sessions forget',
        '/account/sign-in remove',
      ]),
    )
    for (const { action, hidden } of forms.values()) {
      const page = await browser.follow(await browser.request(action, { form: hidden }))
      await expectSwitch(browser, page)
    }
    for (const path of found.keys()) {
      const page = await browser.request(path === '/' ? '/account' : path, { form: { csrf: 'wrong' } })
      expect(page.status).toBe(403)
      await expectSwitch(browser, page)
    }
    const stranger = new TestBrowser(tessera.url)
    await expectSwitch(stranger, await stranger.open('/account'))
  })

  it('is on each page of a sign-in, also after a wrong answer', async () => {
    const browser = new TestBrowser(tessera.url)
    const expectHere = async (page: Visit, path: string, status = 200) => {
      expect([pathOf(page), page.status]).toEqual([path, status])
      await expectSwitch(browser, page)
      return page
    }
    await expectHere(await browser.open('/'), '/')
    const page = await expectHere(await browser.open(authorizeRequest().path), '/sign-in')
    await expectHere(await browser.submit(page, { email: 'nobody' }), '/sign-in', 400)
    const query = new URL(page.url).search
    await expectHere(await browser.request(`/sign-in${query}`, { form: { csrf: 'wrong' } }), '/sign-in', 403)
    const code = await expectHere(await browser.submit(page, personOf('walker')), '/sign-in/second-factor')
    await expectHere(await browser.submit(code, { code: '1' }), '/sign-in/second-factor', 400)
    const both = new TestBrowser(tessera.url)
    const profiles = await both.submit(await both.open(authorizeRequest().path), people.both)
    expect(pathOf(profiles)).toBe('/choose-profile')
    await expectSwitch(both, profiles)
    const asking = { prompt: 'consent', profile: '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0201' }
    const consent = await both.open(authorizeRequest(asking).path)
    expect(['/consent', '/choose-profile']).toContain(pathOf(consent))
    await expectSwitch(both, consent)
  })

  it('is on the pages of a device', async () => {
    const browser = new TestBrowser(tessera.url)
    await expectSwitch(browser, await browser.open('/device'))
    await expectSwitch(browser, await enter(browser, 'BBBB-BBBB'))
    await signIn(browser, authorizeRequest().path, people.importer)
    for (const [choice, outcome] of [
      ['allow', 'connected'],
      ['deny', 'Nothing was allowed'],
    ] as const) {
      const { user_code: code } = await beginDevice(tessera.url)
      browser.cookies.delete('tessera-language')
      const question = await enter(browser, code)
      const done = await browser.submit(question, { choice })
      expect(done.body).toContain(outcome)
      await expectSwitch(browser, done)
      const { user_code: next } = await beginDevice(tessera.url)
      await expectSwitch(browser, await enter(browser, next))
    }
  })

  it('is on the pages of a forgotten password, and of what its mails lead to', async () => {
    const browser = new TestBrowser(tessera.url)
    const { email } = people.admin
    const page = await browser.open('/sign-in/forgotten')
    await expectSwitch(browser, page)
    await expectSwitch(browser, await browser.submit(page, { email: 'nobody' }))
    browser.cookies.delete('tessera-language')
    await expectSwitch(browser, await browser.submit(page, { email }))
    const link = linkIn(await mailTo(tessera, email, 'password'))
    const reset = await browser.open(link)
    expect(reset.status).toBe(200)
    await expectSwitch(browser, reset)
    await expectSwitch(browser, await browser.submit(reset, { password: 'short', password_again: 'other' }))
    await expectSwitch(browser, await browser.open('/sign-in/reset?link=x'))
  })

  it('is on the pages of a notice, but not where a form was used up', async () => {
    await owner()
    const link = linkIn(await mailTo(tessera, personOf('walker').email, 'A new sign-in'))
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(link)
    expect([page.status, pathOf(page)]).toEqual([200, '/account/not-me'])
    await expectSwitch(browser, page)
    const done = await browser.submit(page)
    expect([done.status, done.body.includes('action="/language"')]).toEqual([200, false])
    await expectSwitch(browser, await browser.open(link))
  })

  it('is on the pages of signing out', async () => {
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const question = await browser.open('/oauth2/logout?state=a%26b')
    await expectSwitch(browser, question)
    const wrong = await browser.request('/oauth2/logout/confirm', { form: { csrf: 'wrong' } })
    expect(wrong.status).toBe(403)
    await expectSwitch(browser, wrong, '/')
    const done = await browser.submit(question)
    expect(done.status).toBe(200)
    await expectSwitch(browser, done, '/oauth2/logout')
  })

  it('is on every page that says an error, and leads to none where only a form is taken', async () => {
    const browser = new TestBrowser(tessera.url)
    for (const path of [
      '/nothing',
      '/nothing?x=%22&y=1',
      '/oauth2/authorize',
      '/oauth2/token',
      '/setup?link=x',
    ])
      await expectSwitch(browser, await browser.open(path))
    const refused = await browser.request('/language', { form: { to: 'https://evil.example/' } })
    expect(refused.status).toBe(400)
    await expectSwitch(browser, refused, '/')
  })
})
