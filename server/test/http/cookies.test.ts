/** A browser that sends no cookies, and one that sends too many: people are told what to do. */
import type { Browser } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { launchChromium } from '../harness/chromium.ts'
import { tesseraOn } from '../harness/harness.ts'

const html = { accept: 'text/html' }
const json = { accept: 'application/json' }

describe('a browser', () => {
  const tessera = tesseraOn('sqlite')
  const ask = async (path: string, headers: Record<string, string>, form?: Record<string, string>) => {
    const response = await fetch(new URL(path, tessera.url), {
      redirect: 'manual',
      headers,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: await response.text(),
    }
  }
  const signInPage = async () =>
    (await new TestBrowser(tessera.url).request(authorizeRequest().path)).location ?? ''

  describe('that sends no cookies', () => {
    it.each([
      '/sign-in',
      '/sign-in/second-factor',
      '/choose-profile',
      '/consent',
      '/oauth2/authorize/continue',
    ])('is told of them at %s, also when it posts', async (path) => {
      const url = (await signInPage()).replace('/sign-in', path)
      for (const form of path.startsWith('/oauth2') ? [undefined] : [undefined, people.importer]) {
        const page = await ask(url, html, form)
        expect([page.status, page.type]).toEqual([400, 'text/html; charset=utf-8'])
        expect(page.text).toContain('<h1>Your browser sent no cookies</h1>')
        expect(page.text).toContain('request_expired')
        const answer = await ask(url, json, form)
        expect([answer.status, JSON.parse(answer.text)]).toEqual([
          400,
          {
            error: 'request_expired',
            error_description: expect.stringMatching(/^The browser sent no cookie/),
          },
        ])
      }
    })

    it('is told in its language', async () => {
      const page = await ask(await signInPage(), { ...html, 'accept-language': 'de' })
      expect(page.text).toContain('<h1>Ihr Browser hat keine Cookies gesendet</h1>')
    })

    it('is another thing than one that has cookies of another sign-in', async () => {
      const other = new TestBrowser(tessera.url)
      await other.open(authorizeRequest().path)
      const page = await other.request(await signInPage())
      expect([page.status, page.body.includes('sent no cookies')]).toEqual([400, false])
      expect(page.body).toContain('<h1>This sign-in is over</h1>')
    })
  })

  describe('that sends too many cookies', () => {
    const jar = (length: number) => `a=${'x'.repeat(length)}; tessera-language=de`
    const paths = ['/', '/sign-in?request=x', '/account', authorizeRequest().path, '/oauth2/logout']

    it.each(paths)('gets a page at %.20s', async (path) => {
      for (const length of [17_000, 60_000]) {
        const page = await ask(path, { ...html, cookie: jar(length) })
        expect([page.status, page.type]).toEqual([431, 'text/html; charset=utf-8'])
        expect(page.text).toContain('<h1>Ihr Browser sendet zu viele Cookies</h1>')
        expect(page.text).not.toContain('xxxx')
      }
      const english = await ask(path, { ...html, cookie: `a=${'x'.repeat(20_000)}` })
      expect(english.text).toContain('<h1>Your browser sends too many cookies</h1>')
      expect(english.text).toContain('localhost')
    })

    it('gets JSON where it asks for that, and an endpoint answers nothing else', async () => {
      for (const [path, accept] of [
        ['/account', json],
        ['/oauth2/jwks', html],
        ['/admin/v1/users', html],
      ] as const) {
        const answer = await ask(path, { ...accept, cookie: jar(17_000) })
        expect([answer.status, /json/.test(answer.type)]).toEqual([431, true])
      }
    })

    it('gets the usual page with as many as there may be', async () => {
      expect((await ask('/account', { ...html, cookie: jar(14_000) })).status).toBe(303)
    })

    it('is told of large headers where they are not the cookies', async () => {
      const page = await ask('/account', { ...html, 'x-large': 'x'.repeat(17_000) })
      expect([page.status, page.text.includes('cookies</h1>')]).toEqual([431, false])
      expect(page.text).toContain('The headers are too large.')
    })

    it('and is a real one shows the page', async () => {
      let browser: Browser | undefined
      try {
        browser = await launchChromium()
        const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
        const value = 'x'.repeat(3900)
        await context.addCookies(
          Array.from({ length: 9 }, (_, n) => ({ name: `big${n}`, value, url: tessera.url })),
        )
        const page = await context.newPage()
        await page.goto(`${tessera.url}/account`)
        await page.getByRole('heading', { name: 'Your browser sends too many cookies' }).waitFor()
        await context.clearCookies()
        await page.reload()
        await page.getByLabel('Password').waitFor()
      } finally {
        await browser?.close()
      }
    })
  })

  it('that asks where passwords are changed is led there', async () => {
    const response = await fetch(`${tessera.url}/.well-known/change-password`, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '/account/sign-in'])
    const browser = new TestBrowser(tessera.url)
    const signIn = await browser.open('/.well-known/change-password')
    expect((await browser.submit(signIn, people.importer)).body).toContain('name="do" value="password"')
    // What tells a password manager that an unknown address there is none (the specification, §3).
    const none = await fetch(
      `${tessera.url}/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200`,
    )
    expect(none.status).toBe(404)
  })
})
