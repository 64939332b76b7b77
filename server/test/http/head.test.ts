import { beforeAll, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { countOf } from '../harness/states.ts'

/** Checkers of links and monitors ask by HEAD, sometimes with a person's cookies: it must change nothing. */
onOneDatabase('HEAD', (dialect) => {
  const tessera = tesseraOn(dialect)
  let browser: TestBrowser
  beforeAll(async () => {
    browser = new TestBrowser(tessera.url)
    await browser.submit(await browser.open(authorizeRequest().path), people.importer)
  })

  const head = (path: string, by = browser) => by.request(path, { method: 'HEAD' })
  const signedIn = async () =>
    answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path)).error === undefined
  const expectRefused = (visit: Visit, allow: string) => {
    expect([visit.status, visit.headers.get('allow'), visit.body]).toEqual([405, allow, ''])
    expect(visit.headers.getSetCookie()).toEqual([])
  }

  it('of the logout signs nobody out', async () => {
    const query = new URLSearchParams({
      client_id: 'submissions-web',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
    })
    // That application has to have taken part, so that GET would not ask.
    expect(await signedIn()).toBe(true)
    expectRefused(await head(`/oauth2/logout?${query}`), 'GET, POST')
    expect(await signedIn()).toBe(true)
  })

  it('of an authorization request gives no code, and keeps nothing', async () => {
    const codes = await countOf(tessera, 'codes')
    expectRefused(await head(authorizeRequest().path), 'GET, POST')
    expect(await countOf(tessera, 'codes')).toBe(codes)
    const kept = await countOf(tessera, 'authorization requests')
    expectRefused(await head(authorizeRequest().path, new TestBrowser(tessera.url)), 'GET, POST')
    expect(await countOf(tessera, 'authorization requests')).toBe(kept)
  })

  it('of the address that steps return to leaves the sign-in to the person', async () => {
    const other = new TestBrowser(tessera.url)
    const page = await other.open(authorizeRequest().path)
    const back = await other.submitOnce(page, people.importer)
    expect(back.location).toContain('/oauth2/authorize/continue?request=')
    expectRefused(await head(back.location ?? '', other), 'GET')
    expect(answerOf(await other.follow(back)).code).toMatch(/./)
  })

  it('of what only shows something is answered as GET is, without the body', async () => {
    for (const path of [
      '/.well-known/openid-configuration',
      '/oauth2/jwks',
      '/health/live',
      '/api/doc.json',
    ]) {
      const [asked, got] = [await head(path), await browser.request(path)]
      expect([asked.status, asked.body]).toEqual([200, ''])
      expect(asked.headers.get('content-type')).toBe(got.headers.get('content-type'))
    }
  })
})
