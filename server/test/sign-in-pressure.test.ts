import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, TestBrowser, type Visit } from './browser.ts'
import { onEachDatabase } from './databases.ts'
import { startTessera, type Tessera } from './harness.ts'
import { machine, token } from './program.ts'

/** Far more than may wait for their password check. */
const crowd = 150
const waiting = 20

onEachDatabase('a hundred and fifty sign-ins at once', (dialect) => {
  let tessera: Tessera
  let browsers: TestBrowser[]
  let pages: Visit[]
  beforeAll(async () => {
    tessera = await startTessera(dialect, {
      settings: {
        TESSERA_LIMIT_HASHING: String(waiting),
        TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
        TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
        TESSERA_LIMIT_AUTHORIZE: '0',
      },
    })
    browsers = Array.from({ length: crowd }, () => new TestBrowser(tessera.url))
    pages = await Promise.all(browsers.map((browser) => browser.open(authorizeRequest().path)))
  })
  afterAll(() => tessera.close())
  const submit = async (index: number) => {
    const [browser, page] = [browsers[index], pages[index]]
    if (browser === undefined || page === undefined) throw new Error(`There is no browser ${index}.`)
    return await browser.submitOnce(page, people.importer)
  }
  const everyone = Array.from({ length: crowd }, (_, index) => index)

  it('are checked as far as they may wait; the rest is told to come back, and nobody else notices', async () => {
    let over = false
    const during = { tokens: [] as number[], documents: [] as number[] }
    const meanwhile = (async () => {
      while (!over) {
        const grant = await token(tessera.url, { grant_type: 'client_credentials', ...machine })
        during.tokens.push(grant.status)
        for (const path of ['/.well-known/openid-configuration', '/oauth2/jwks', '/health/ready'])
          during.documents.push((await fetch(`${tessera.url}${path}`)).status)
      }
    })()
    const visits = await Promise.all(everyone.map(submit))
    over = true
    await meanwhile

    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([303, 503]))
    const right = visits.filter(({ status }) => status === 303)
    // All that fitted in at once, at least; and not everybody.
    expect(right.length).toBeGreaterThanOrEqual(waiting)
    expect(right.length).toBeLessThan(crowd)
    for (const visit of right) expect(visit.headers.getSetCookie().join()).toContain('tessera-session=')
    for (const visit of visits.filter(({ status }) => status === 503)) {
      expect(Number(visit.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(visit.headers.getSetCookie()).toEqual([])
      // The form again, with what was typed, so that coming back is one click.
      expect(visit.body).toContain('<form')
      expect(visit.body).toContain(people.importer.email)
      expect(visit.body).not.toContain(people.importer.password)
    }
    expect(during.tokens.length).toBeGreaterThan(2)
    expect(new Set([...during.tokens, ...during.documents])).toEqual(new Set([200]))
  })

  it('sign in when they come back', async () => {
    const later = await submit(0)
    expect(later.status).toBe(303)
    for (const index of everyone.slice(-5)) expect((await submit(index)).status).toBe(303)
  })

  it('take no turn of the event loop while a password is checked', async () => {
    // Checks run in a thread of their own: in this one, timers go on.
    const began = performance.now()
    const checks = Promise.all(everyone.slice(0, waiting).map(submit))
    let turns = 0
    let over = false
    void checks.finally(() => {
      over = true
    })
    for (; !over; turns++) await new Promise((resolve) => setImmediate(resolve))
    await checks
    // Hashing twenty passwords here would leave about one turn for each.
    expect(turns).toBeGreaterThan(waiting * 5)
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})
