import { beforeEach, expect, it } from 'vitest'
import {
  answerOf,
  authorizeRequest,
  people,
  redirectUri,
  signIn,
  TestBrowser,
  type Visit,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { changeClient } from '../harness/states.ts'

const hour = 3600_000
const steps = ['/sign-in', '/choose-profile', '/consent', '/no-profile']

onOneDatabase('the forms of a sign-in', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const csrfOf = (page: Visit) => /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const open = (changes: Record<string, string> = {}) => browser.open(authorizeRequest(changes).path)
  const cookieOf = (one: TestBrowser, name: string) => one.cookies.get(`tessera-${name}`) ?? ''

  function expectRefused(visit: Visit, status: number, code: string): void {
    expect([visit.status, visit.location]).toEqual([status, undefined])
    expect(visit.body).toContain(`<code>${code}</code>`)
    expect(visit.headers.getSetCookie()).toEqual([])
  }

  it.each(steps)('are refused at %s without a CSRF token, or with a wrong one', async (path) => {
    const page = await open()
    const url = page.url.replace('/sign-in', path)
    const right = csrfOf(page)
    const wrong = [undefined, '', 'x', right.slice(1), `${right}x`, right.toLowerCase(), 'é'.repeat(43)]
    for (const csrf of wrong) {
      for (const choice of ['cancel', 'allow', undefined]) {
        const form = { ...people.importer, ...(csrf && { csrf }), ...(choice && { choice }) }
        expectRefused(await browser.request(url, { form }), 403, 'form_expired')
      }
    }
    expect(browser.cookies.has('tessera-session')).toBe(false)
  })

  it('are refused with the CSRF token of another request of the same browser', async () => {
    const one = await open()
    const two = await open()
    const form = { ...people.importer, csrf: csrfOf(two) }
    expectRefused(await browser.request(one.url, { form }), 403, 'form_expired')
  })

  it('are refused with the CSRF token of another browser', async () => {
    const attacker = new TestBrowser(tessera.url)
    const page = await open()
    const theirs = await attacker.open(authorizeRequest().path)
    const form = { ...people.importer, csrf: csrfOf(theirs) }
    expectRefused(await browser.request(page.url, { form }), 403, 'form_expired')
  })

  it('are refused with a CSRF token that is repeated', async () => {
    const page = await open()
    const form = new URLSearchParams({ ...people.importer, csrf: csrfOf(page) })
    form.append('csrf', csrfOf(page))
    expectRefused(await browser.request(page.url, { form }), 400, 'invalid_request')
  })

  it('take a CSRF token from the body alone', async () => {
    const page = await open()
    const url = `${page.url}&csrf=${csrfOf(page)}`
    expectRefused(await browser.request(url, { form: people.importer }), 403, 'form_expired')
  })

  it.each(steps)(
    'and pages at %s are refused to another browser, and to one without cookies',
    async (path) => {
      const page = await open()
      const url = page.url.replace('/sign-in', path)
      const other = new TestBrowser(tessera.url)
      await other.open(authorizeRequest().path)
      for (const stranger of [other, new TestBrowser(tessera.url)]) {
        expectRefused(await stranger.request(url), 400, 'request_expired')
        const form = { ...people.importer, csrf: csrfOf(page) }
        expectRefused(await stranger.request(url, { form }), 400, 'request_expired')
      }
    },
  )

  it('give the answer to no other browser than the one that asked', async () => {
    const page = await open({ prompt: 'login' })
    const done = await browser.submitOnce(page, people.importer)
    const other = new TestBrowser(tessera.url)
    await signIn(other, authorizeRequest().path, people.admin)
    // Not even with the session of the one: the browser’s own cookie counts.
    other.cookies.set('tessera-session', cookieOf(browser, 'session'))
    expectRefused(await other.request(done.location ?? ''), 400, 'request_expired')
    expect(answerOf(await browser.follow(done))).toHaveProperty('code')
  })

  it.each(['', 'x', '0'.repeat(32), '__proto__', "' or '1'='1", '%00', 'a&request=b'])(
    'are refused for the request "%s"',
    async (id) => {
      await open()
      for (const path of [...steps, '/oauth2/authorize/continue']) {
        const visit = await browser.request(`${path}?request=${id}`)
        const repeated = id.includes('&') || id === '%00'
        expectRefused(visit, 400, repeated ? 'invalid_request' : 'request_expired')
      }
    },
  )

  it('are over when their time is, an hour after they were begun', async () => {
    const page = await open()
    tessera.clock.advance(hour - 5000)
    expect((await browser.open(page.url)).status).toBe(200)
    tessera.clock.advance(10_000)
    // The way back is shown to its browser, and to others the front page.
    const address = 'https://submissions.acme.example/'
    await changeClient(tessera, 'submissions-web', { client_uri: address })
    const late = [await browser.open(page.url), await browser.submit(page, people.importer)]
    const other = new TestBrowser(tessera.url)
    await other.open(authorizeRequest().path)
    for (const [visit, way] of [
      ...late.map((visit) => [visit, `<a href="${address}">`] as const),
      [await other.open(page.url), '<a href="/">'],
      [await browser.open('/sign-in?request=x'), '<a href="/">'],
    ] as const) {
      expectRefused(visit, 400, 'request_expired')
      expect(visit.body.match(/<a href="(?:https|\/)[^>]*>/g)).toEqual([way])
    }
  })

  it('give one answer, however often and however fast it is fetched', async () => {
    const page = await open()
    const done = await browser.submitOnce(page, people.importer)
    const visits = await Promise.all(Array.from({ length: 8 }, () => browser.request(done.location ?? '')))
    expect(visits.filter((visit) => visit.location?.startsWith(redirectUri))).toHaveLength(1)
    for (const visit of visits) {
      if (visit.location === undefined) expectRefused(visit, 400, 'request_expired')
    }
    expectRefused(await browser.open(page.url), 400, 'request_expired')
    expectRefused(await browser.submit(page, people.importer), 400, 'request_expired')
  })

  it('can’t change what was asked for, whatever fields they are given', async () => {
    const { path, parameters } = authorizeRequest({ scope: 'openid' })
    const page = await browser.open(path)
    const visit = await browser.submit(page, {
      ...people.both,
      client_id: 'partner-portal',
      redirect_uri: 'https://evil.example/',
      scope: 'openid profile service.api',
      state: 'evil',
      nonce: 'evil',
      prompt: 'none',
      request: 'evil',
      profile_uuid: 'evil',
      user_uuid: 'evil',
    })
    expect(new URL(visit.url).pathname).toBe('/choose-profile')
    const [, profile] = /name="profile_uuid" value="([^"]+)"/.exec(visit.body) ?? []
    const answer = await browser.submit(visit, {
      profile_uuid: profile ?? '',
      redirect_uri: 'https://evil.example/',
      client_id: 'partner-portal',
      state: 'evil',
    })
    expect(answer.location?.startsWith(`${redirectUri}?code=`)).toBe(true)
    expect(answerOf(answer)).toMatchObject({ state: parameters.state, iss: tessera.url })
  })

  it('can’t change it through the address either', async () => {
    const { path, parameters } = authorizeRequest()
    const page = await browser.open(path)
    const evil = 'redirect_uri=https://evil.example/&state=evil&client_id=partner-portal'
    const form = { ...people.importer, csrf: csrfOf(page) }
    const done = await browser.request(`${page.url}&${evil}`, { form })
    const answer = await browser.request(`${done.location}&${evil}`)
    expect(answer.location?.startsWith(`${redirectUri}?code=`)).toBe(true)
    expect(answerOf(answer).state).toBe(parameters.state)
  })

  it('skip no step: each page sends on to the one that is missing', async () => {
    const page = await open()
    for (const path of steps) {
      const visit = await browser.open(page.url.replace('/sign-in', path))
      expect(new URL(visit.url).pathname).toBe('/sign-in')
    }
  })

  it('are cancelled into access_denied, and leave nobody signed in', async () => {
    const { path, parameters } = authorizeRequest()
    const visit = await browser.submit(await browser.open(path), { ...people.importer, choice: 'cancel' })
    const { error_description: _, ...answer } = answerOf(visit)
    expect([visit.status, answer]).toEqual([
      303,
      { error: 'access_denied', state: parameters.state, iss: tessera.url },
    ])
    expect(browser.cookies.has('tessera-session')).toBe(false)
  })

  it('take a form and nothing else', async () => {
    const page = await open()
    const cookie = browser.cookieHeader()
    const send = (type: string, body: string) =>
      fetch(page.url, { method: 'POST', headers: { 'content-type': type, cookie }, body, redirect: 'manual' })
    const fields = { ...people.importer, csrf: csrfOf(page) }
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const response = await send(type, JSON.stringify(fields))
      expect([response.status, response.headers.getSetCookie()]).toEqual([400, []])
    }
    const big = await send('application/x-www-form-urlencoded', `password=${'x'.repeat(70_000)}`)
    expect(big.status).toBe(413)
  })

  it('answer a second sign-in of the same form by going on, not by an error', async () => {
    const page = await open({ ui_locales: 'en' })
    const [one, two] = await Promise.all([
      browser.submitOnce(page, people.importer),
      browser.submitOnce(page, people.importer),
    ])
    expect([one?.status, two?.status]).toEqual([303, 303])
    const answer = await browser.follow(two ?? page)
    expect(answerOf(answer)).toHaveProperty('code')
  })
})
