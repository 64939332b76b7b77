/** The switch of languages on every page, and one language through one sign-in. */
import { beforeEach, describe, expect, it } from 'vitest'
import { authorizeRequest, people, profilesOfBoth, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { messagesFor } from '../../dist/pages/messages/index.js'
import { tesseraOn } from '../harness/harness.ts'

onOneDatabase('languages', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  const cookie = 'tessera-language'

  beforeEach(() => {
    browser = new TestBrowser(tessera.url)
  })

  const change = (locale: string | undefined, to: string | undefined, headers: Record<string, string> = {}) =>
    browser.request('/language', {
      form: { ...(locale !== undefined && { locale }), ...(to !== undefined && { to }) },
      headers,
    })
  const languageOf = ({ body }: { body: string }) => /<html lang="(..)"/.exec(body)?.[1]

  it('are switched on any page, which comes back in that language', async () => {
    const page = await browser.open(authorizeRequest().path)
    expect(languageOf(page)).toBe('en')
    const to = new URL(page.url).pathname + new URL(page.url).search
    expect(page.body).toContain(`<input type="hidden" name="to" value="${to.replaceAll('&', '&amp;')}"/>`)
    const switched = await change('fr', to)
    expect([switched.status, switched.location]).toEqual([303, page.url])
    expect(switched.headers.get('set-cookie')).toMatch(
      /^tessera-language=fr; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect(languageOf(await browser.open(page.url))).toBe('fr')
    // An error says it in French as well, whatever the browser prefers.
    browser.headers['accept-language'] = 'de'
    const missing = await browser.open('/nothing')
    expect([missing.status, languageOf(missing)]).toEqual([404, 'fr'])
    expect(missing.body).toContain('<h1>Page introuvable</h1>')
    expect(languageOf(await browser.open(authorizeRequest({ ui_locales: 'es' }).path))).toBe('fr')
  })

  it.each([
    ['/oauth2/authorize', 'Die client_id fehlt oder ist unbekannt, oder der Client ist abgeschaltet.'],
    ['/oauth2/authorize?client_id=a&client_id=b', 'Der Parameter client_id kommt mehrfach vor'],
    ['/oauth2/authorize?client_id=submissions-web', 'Die redirect_uri fehlt.'],
    [
      '/oauth2/authorize?client_id=submissions-web&redirect_uri=x',
      'Die redirect_uri stimmt mit keiner genau',
    ],
    ['/oauth2/authorize?request=e30', 'Der Parameter request wird nicht unterstützt'],
    ['/oauth2/logout?client_id=nobody', 'Die client_id ist unbekannt'],
    ['/oauth2/logout?id_token_hint=x', 'Der id_token_hint ist kein ID-Token'],
    [`/oauth2/logout?client_id=${'x'.repeat(5000)}`, 'ist länger als 4096 Zeichen.'],
    ['/oauth2/logout?a=%00&state=%00', 'Der Parameter state enthält ein NUL-Zeichen.'],
    [`/oauth2/logout?${Array.from({ length: 101 }, (_, n) => `a${n}=`).join('&')}`, 'mehr als 100 Parameter'],
    ['/sign-in', 'Der Browser hat kein Cookie gesendet, also zeigt nichts, dass diese Anmeldung seine ist.'],
    ['/invitation?link=x', 'Dieser Link gilt nicht oder nicht mehr. Wer Sie eingeladen hat'],
    ['/setup?link=x', 'Dieser Link gilt nicht oder nicht mehr. Solange niemand den Dienst verwaltet'],
    ['/nothing', 'Unter dieser Adresse gibt es nichts. Die Adressen stehen in /api/doc.'],
    ['/oauth2/token', 'Diese Adresse nimmt GET nicht an, sondern '],
  ])('say in German what is wrong with %s', async (path, said) => {
    browser.headers['accept-language'] = 'de'
    const { status, body } = await browser.request(path)
    expect([status >= 400, body.includes(said)]).toEqual([true, true])
    for (const sentence of Object.values(messagesFor('en').errorPage.details))
      expect(body).not.toContain(sentence)
  })

  it('say in German what is wrong with a form', async () => {
    browser.headers['accept-language'] = 'de'
    const form = await browser.request('/device', { form: { csrf: 'x' } })
    expect([form.status, form.body]).toEqual([
      403,
      expect.stringContaining('gehört nicht zu diesem Browser.'),
    ])
    const strange = await browser.request('/language', {
      form: { to: '/' },
      headers: { authorization: 'a', 'content-type': 'text/plain' },
    })
    expect(strange.body).toContain('Der Inhalt muss als application/x-www-form-urlencoded gesendet werden.')
    const large = await browser.request('/language', { form: { to: 'x'.repeat(70_000) } })
    expect([large.status, large.body]).toEqual([413, expect.stringContaining('Der Inhalt ist größer')])
  })

  describe('lead nowhere else', () => {
    it.each([
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '\\\\evil.example',
      '/\t/evil.example',
      '/.//evil.example/',
      'javascript:alert(1)',
      'sign-in',
      '',
    ])('than to a path of the service: %j', async (to) => {
      const refused = await change('fr', to)
      if (to === '') expect(refused.location).toBe(`${tessera.url}/`)
      else expect([refused.status, refused.location]).toEqual([400, undefined])
    })

    it('and take no language that is not there', async () => {
      for (const locale of ['sv', 'FR', '', '__proto__', undefined])
        expect((await change(locale, '/')).status).toBe(400)
      expect(browser.cookies.has(cookie)).toBe(false)
    })

    it('and are not switched by another site, by GET or by HEAD', async () => {
      const from = await change('fr', '/', { 'sec-fetch-site': 'cross-site' })
      expect([from.status, from.headers.get('set-cookie')]).toEqual([303, null])
      for (const method of ['GET', 'HEAD'])
        expect((await browser.request('/language?locale=fr&to=/', { method })).status).toBe(405)
    })
  })

  it('stay the same through one sign-in, whatever the person prefers', async () => {
    browser.headers['accept-language'] = 'it'
    const page = await browser.open(authorizeRequest().path)
    expect(languageOf(page)).toBe('it')
    const profiles = await browser.submit(page, people.both)
    expect([new URL(profiles.url).pathname, languageOf(profiles)]).toEqual(['/choose-profile', 'it'])
    await browser.submit(profiles, { profile_uuid: profilesOfBoth.reader })
    // The next one begins with somebody who is known.
    const again = await browser.open(authorizeRequest({ prompt: 'login' }).path)
    expect(languageOf(again)).toBe('en')
    const expired = await browser.submit(again, { csrf: 'wrong' })
    expect([expired.status, languageOf(expired)]).toEqual([403, 'en'])
  })
})
