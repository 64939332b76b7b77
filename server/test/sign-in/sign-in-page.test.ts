import { expect, it } from 'vitest'
import { controlsScriptPath } from '../../dist/pages/controls.js'
import { passkeysScriptPath } from '../../dist/pages/passkeys.js'
import { authorizeRequest, people, signIn, TestBrowser, type Visit } from '../harness/browser.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'

const partner = {
  client_id: 'partner-portal',
  redirect_uri: 'https://partner.example/callback?tenant=1',
  scope: 'openid',
}

/** Every page that people see here, with what it is asked through. */
const pages = {
  '/sign-in': { changes: {}, person: undefined },
  '/choose-profile': { changes: {}, person: people.both },
  '/no-profile': { changes: {}, person: people.nobody },
  '/consent': { changes: partner, person: people.importer },
} as const

onOneDatabase('the pages of a sign-in', (dialect) => {
  const tessera = tesseraOn(dialect)

  const open = (changes: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const browser = new TestBrowser(tessera.url)
    Object.assign(browser.headers, headers)
    return browser.open(authorizeRequest(changes).path)
  }

  async function pageAt(path: keyof typeof pages): Promise<Visit> {
    const { changes, person } = pages[path]
    if (person === undefined) return await open(changes)
    return await signIn(new TestBrowser(tessera.url), authorizeRequest(changes).path, person)
  }

  it.each(Object.keys(pages) as (keyof typeof pages)[])('%s is guarded by its headers', async (path) => {
    const page = await pageAt(path)
    expect(new URL(page.url).pathname).toBe(path)
    const header = (name: string) => page.headers.get(name)
    expect(header('content-type')).toBe('text/html; charset=utf-8')
    expect(header('cache-control')).toBe('no-store')
    expect(header('referrer-policy')).toBe('no-referrer')
    expect(header('x-content-type-options')).toBe('nosniff')
    expect(header('x-frame-options')).toBe('DENY')
    const policy = new Map(
      (header('content-security-policy') ?? '').split('; ').map((one) => {
        const [name = '', ...values] = one.split(' ')
        return [name, values.join(' ')] as const
      }),
    )
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      // Passkeys need one, which asks us for more; a password is shown, and the number of a request copied by another.
      ...(['/sign-in', '/no-profile'].includes(path) && { 'script-src': "'self'" }),
      ...(path === '/sign-in' && { 'connect-src': "'self'" }),
      // No form-action, which Chromium would hold against where the client sends the browser next.
    })
    const own = path === '/sign-in' ? `<script src="${passkeysScriptPath}" defer=""></script>` : ''
    expect(page.body).toContain(own)
    const controls = `<script src="${controlsScriptPath}" defer=""></script>`
    expect(page.body.replace(own, '').replace(controls, '')).not.toMatch(
      /<script|<style|\sstyle=|\son[a-z]+=|javascript:/i,
    )
  })

  it.each(Object.keys(pages) as (keyof typeof pages)[])(
    '%s holds a CSRF token, and no secret',
    async (path) => {
      const page = await pageAt(path)
      expect(page.body.match(/name="csrf" value="[A-Za-z0-9_-]{43}"/g)).toHaveLength(1)
      const forms = page.body.match(/<form method="post" action="[^?"]*/g)
      // The language switch needs no token: it changes words alone.
      expect(forms).toEqual([path, '/language'].map((action) => `<form method="post" action="${action}`))
      expect(page.body).not.toMatch(/correct horse|code_challenge|nonce/)
    },
  )

  it('shows an error page under the same headers, with no place for a form to lead', async () => {
    const page = await open({ client_id: 'nobody' })
    expect(page.status).toBe(400)
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*form-action 'self'$/)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.body).toContain(page.headers.get('x-request-id'))
    expect(page.body.match(/<form [^>]*/g)).toEqual(['<form method="post" action="/language"'])
  })

  it('gives every answer a request id of its own, which the caller can’t choose', async () => {
    const headers = { 'x-request-id': 'chosen', 'request-id': 'chosen' }
    const one = await open({}, headers)
    const two = await open({}, headers)
    expect(one.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(two.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'))
    expect(one.body + two.body).not.toContain('chosen')
  })

  it.each([
    ['ui_locales', { ui_locales: 'de-AT en' }, { 'accept-language': 'en' }, 'de'],
    ['the first known of ui_locales', { ui_locales: 'tlh xx de' }, {}, 'de'],
    ['Accept-Language', {}, { 'accept-language': 'sv, de;q=0.9, en;q=0.8' }, 'de'],
    ['the weights of Accept-Language', {}, { 'accept-language': 'de;q=0.1, en;q=0.2' }, 'en'],
    ['no language when it is unknown', { ui_locales: 'xx' }, { 'accept-language': 'tlh' }, 'en'],
    [
      'no language when it is hostile',
      { ui_locales: '"><script>' },
      { 'accept-language': '../../etc' },
      'en',
    ],
  ])('follows %s', async (_what, changes, headers, expected) => {
    const page = await open(changes, headers as Record<string, string>)
    expect(page.body).toContain(`<html lang="${expected}"`)
  })

  it('follows the locale of a person who is known from the beginning, before Accept-Language', async () => {
    const browser = new TestBrowser(tessera.url)
    browser.headers['accept-language'] = 'de'
    const signInPage = await browser.open(authorizeRequest().path)
    expect(signInPage.body).toContain('<html lang="de"')
    const choose = await browser.submit(signInPage, people.both)
    expect(choose.body).toContain('<html lang="de"')
    const next = await browser.open(authorizeRequest().path)
    expect(next.body).toContain('<html lang="en"')
    const asked = await browser.open(authorizeRequest({ ui_locales: 'de' }).path)
    expect(asked.body).toContain('<html lang="de"')
  })

  it('shows what was typed again, escaped, but never the password', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    const email = `"><img src=x onerror=alert(1)>@acme.example`
    const visit = await browser.submit(page, { email, password: 'a secret that was typed' })
    expect(visit.status).toBe(400)
    expect(visit.body).not.toContain('<img')
    expect(visit.body).toContain('value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;@acme.example"')
    expect(visit.body).not.toContain('a secret that was typed')
  })

  it.each([
    ['the e-mail address', { password: 'x' }, 'Enter your e-mail address.'],
    ['the password', { email: 'importer@acme.example' }, 'Enter your password.'],
  ])('says that %s is missing', async (_what, fields, text) => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    const visit = await browser.submit(page, { email: '', password: '', ...fields })
    expect([visit.status, visit.body.includes(text)]).toEqual([400, true])
  })

  it('answers an unknown person, a wrong password and a disabled person alike', async () => {
    await applyChanged(tessera, disabled('  - email: nobody@acme.example'))
    const attempts = [
      { email: 'nothere@acme.example', password: 'correct horse battery x' },
      { email: people.importer.email, password: 'correct horse battery two' },
      { email: people.nobody.email, password: people.nobody.password },
      { email: people.nobody.email, password: 'correct horse battery x' },
    ]
    const answers = await Promise.all(
      attempts.map(async (attempt) => {
        const browser = new TestBrowser(tessera.url)
        const visit = await browser.submitOnce(await browser.open(authorizeRequest().path), attempt)
        const body = visit.body
          .replaceAll(attempt.email, 'EMAIL')
          .replaceAll(visit.headers.get('x-request-id') ?? '', 'ID')
          .replace(/name="csrf" value="[^"]+"/, 'CSRF')
          .replaceAll(/request=[0-9a-f]{32}/g, 'REQUEST')
        const headers = [...visit.headers].filter(
          ([name]) => !/^(x-request-id|date|content-length)$/.test(name),
        )
        return { status: visit.status, body, headers, length: visit.body.length - attempt.email.length }
      }),
    )
    expect(answers[0]?.status).toBe(400)
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  // Measured work, not time, of which a busy machine needs more.
  it('does as much work for an unknown person as for a wrong password', { retry: 3 }, async () => {
    const times: Record<string, number[]> = { 'nothere@acme.example': [], 'both@acme.example': [] }
    for (let n = 0; n < 6; n++) {
      for (const [email, list] of Object.entries(times)) {
        const browser = new TestBrowser(tessera.url)
        const page = await browser.open(authorizeRequest().path)
        const begun = process.cpuUsage()
        const visit = await browser.submitOnce(page, { email, password: 'correct horse battery x' })
        const { user, system } = process.cpuUsage(begun)
        list.push(user + system)
        expect(visit.status).toBe(400)
      }
      tessera.clock.advance(20 * 60_000)
    }
    const [unknown = 0, wrong = 0] = Object.values(times).map((list) => Math.min(...list))
    // Without the hash of nobody the first would be several times faster.
    expect(unknown / wrong).toBeGreaterThan(0.6)
    expect(unknown / wrong).toBeLessThan(1.6)
  })
})
