import { afterAll, beforeAll, expect, it } from 'vitest'
import { together } from '../../dist/database/steps.js'
import { countAttempt, uncountAttempt } from '../../dist/store/throttles.js'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { withStore } from '../harness/program.ts'
import { evaluated, retryAfter, trySignIn, unknown, wrong } from './throttling-support.ts'

const hour = 3600_000

/** Each test has addresses of its own, so they share a service that believes its proxy. */
onEachDatabase('the throttling of an address', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  beforeAll(async () => {
    const settings = { TESSERA_LIMIT_SIGN_IN_ADDRESS: '5', TESSERA_TRUSTED_PROXIES: '127.0.0.1, ::1' }
    tessera = await startTessera(dialect, { settings })
    tessera.clock.stop()
  })
  afterAll(() => tessera.close())

  let account = 0
  const fail = async (address: string) =>
    (await trySignIn(tessera.url, unknown(account++), { headers: { 'x-forwarded-for': address } })).status
  const failures = async (...addresses: string[]) => {
    const statuses: number[] = []
    for (const address of addresses) statuses.push(await fail(address))
    return statuses
  }
  const five = (address: string) => failures(...Array<string>(5).fill(address))
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

  it('answers 429 with Retry-After after its limit, whichever accounts were tried', async () => {
    expect(await five('203.0.113.1')).toEqual([400, 400, 400, 400, 400])
    const visit = await trySignIn(tessera.url, people.importer, from('203.0.113.1'))
    expect(visit.status).toBe(429)
    expect(retryAfter(visit)).toBeGreaterThan(0)
    expect(retryAfter(visit)).toBeLessThanOrEqual(5)
    // Other addresses are not concerned.
    expect((await trySignIn(tessera.url, people.importer, from('203.0.113.2'))).status).toBe(303)
    tessera.clock.advance(2 * hour)
    expect((await trySignIn(tessera.url, people.importer, from('203.0.113.1'))).status).toBe(303)
  })

  it('does not count what the delay of an account refuses: whoever hammers at one shuts out nobody else', async () => {
    for (let n = 0; n < 10; n++)
      await trySignIn(tessera.url, wrong(people.both), from(`198.51.100.${60 + n}`))
    for (let n = 0; n < 6; n++) {
      expect((await trySignIn(tessera.url, wrong(people.both), from('203.0.113.70'))).status).toBe(429)
    }
    expect(await five('203.0.113.70')).toEqual([400, 400, 400, 400, 400])
  })

  it('keeps a delay that others began while a right password was checked', async () => {
    const throttle = [{ key: 'address of a test', free: 2 }]
    const now = tessera.clock.now()
    const later = await withStore(tessera, async (store) => {
      const count = () => countAttempt(store, throttle, now, () => together())
      const [right] = await count()
      await count()
      if (Array.isArray(right)) await uncountAttempt(store, right)
      return (await count())[0]
    })
    expect(later).toHaveProperty('retryAfter')
  })

  onOne.it('counts an IPv6 network of 64 bits as one', async () => {
    const one = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:0db8:0001:0002:1:2:3:4', '2001:DB8:1:2::3']
    expect(await failures(...one, '2001:db8:1:2:a:b:c:d')).toEqual([400, 400, 400, 400, 400])
    expect(await failures('2001:db8:1:2::9', '2001:db8:1:3::1')).toEqual([429, 400])
  })

  onOne.it('counts an IPv4 address in IPv6 clothes as the IPv4 address', async () => {
    await failures(
      '::ffff:203.0.113.20',
      '203.0.113.20',
      '::FFFF:203.0.113.20',
      '203.0.113.20',
      '203.0.113.20',
    )
    expect(await failures('203.0.113.20', '::ffff:203.0.113.21')).toEqual([429, 400])
  })

  onOne.it('takes the address that the proxy adds, not what the caller wrote in front of it', async () => {
    for (let n = 0; n < 5; n++) await fail(`198.51.100.${n}, 203.0.113.30`)
    expect(await failures('198.51.100.99, 203.0.113.30', '203.0.113.30')).toEqual([429, 429])
    expect(await failures('198.51.100.1')).toEqual([400])
  })

  it('never evaluates more of 20 parallel guesses at as many accounts', async () => {
    const visits = await Promise.all(
      Array.from({ length: 20 }, (_, n) => trySignIn(tessera.url, unknown(1000 + n), from('203.0.113.40'))),
    )
    expect(evaluated(visits)).toBe(5)
  })

  it('does not count people who sign in, one after the other or all at once', async () => {
    for (let n = 0; n < 7; n++) {
      expect((await trySignIn(tessera.url, people.importer, from('203.0.113.50'))).status).toBe(303)
    }
    expect(await failures('203.0.113.50', '203.0.113.50')).toEqual([400, 400])
    const visits = await Promise.all([
      trySignIn(tessera.url, people.admin, from('203.0.113.50')),
      trySignIn(tessera.url, people.importer, from('203.0.113.50')),
    ])
    expect(visits.map((visit) => visit.status)).toEqual([303, 303])
    expect(await failures('203.0.113.50', '203.0.113.50', '203.0.113.50')).toEqual([400, 400, 400])
    expect(await failures('203.0.113.50')).toEqual([429])
  })

  it('does not lock a whole office out: a device that signed in there before still does', async () => {
    const browser = new TestBrowser(tessera.url)
    await trySignIn(tessera.url, people.importer, { browser, ...from('203.0.113.60') })
    browser.cookies.delete('tessera-session')
    await five('203.0.113.60')
    expect((await trySignIn(tessera.url, people.importer, from('203.0.113.60'))).status).toBe(429)
    expect((await trySignIn(tessera.url, people.importer, { browser, ...from('203.0.113.60') })).status).toBe(
      303,
    )
  })
})

onOneDatabase('an address that no trusted proxy tells', (dialect) => {
  it('is that of the connection, whatever the headers say', async () => {
    const tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '5' } })
    tessera.clock.stop()
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) {
      const headers = {
        'x-forwarded-for': `203.0.113.${n}`,
        forwarded: `for=203.0.113.${n}`,
        'x-real-ip': `203.0.113.${n}`,
        'cf-connecting-ip': `203.0.113.${n}`,
      }
      statuses.push((await trySignIn(tessera.url, unknown(n), { headers })).status)
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429])
    await tessera.close()
  })

  it('is counted without end when the limit is 0', async () => {
    const tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' } })
    const visits = await Promise.all(Array.from({ length: 30 }, (_, n) => trySignIn(tessera.url, unknown(n))))
    expect(evaluated(visits)).toBe(30)
    await tessera.close()
  })
})

onEachDatabase('the limit of authorization requests', (dialect) => {
  it('answers 429 with Retry-After, as a page or JSON and never by a redirect', async () => {
    const settings = { TESSERA_LIMIT_AUTHORIZE: '3', TESSERA_TRUSTED_PROXIES: '127.0.0.1, ::1' }
    const tessera = await startTessera(dialect, { settings })
    tessera.clock.stop()
    const ask = (address: string, headers = {}) => {
      const all = { 'x-forwarded-for': address, ...headers }
      return new TestBrowser(tessera.url).request(authorizeRequest().path, { headers: all })
    }
    for (let n = 0; n < 3; n++) expect((await ask('203.0.113.1')).status).toBe(303)
    const page = await ask('203.0.113.1')
    expect([page.status, page.location]).toEqual([429, undefined])
    expect(page.body).toContain('<code>too_many_requests</code>')
    expect(retryAfter(page)).toBeGreaterThan(0)
    expect(retryAfter(page)).toBeLessThanOrEqual(60)
    const json = await ask('203.0.113.1', { accept: 'application/json' })
    expect([json.status, JSON.parse(json.body)]).toMatchObject([429, { error: 'too_many_requests' }])
    const form = authorizeRequest().query
    const headers = { 'x-forwarded-for': '203.0.113.1' }
    const posted = await new TestBrowser(tessera.url).request('/oauth2/authorize', { form, headers })
    expect(posted.status).toBe(429)
    expect((await ask('203.0.113.2')).status).toBe(303)
    for (let n = 0; n < 5; n++) {
      const open = await new TestBrowser(tessera.url).request('/.well-known/openid-configuration', {
        headers,
      })
      expect(open.status).toBe(200)
    }
    await tessera.close()
  })

  it('is off with 0, and far off by default', async () => {
    const tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_AUTHORIZE: '0' } })
    const statuses = await Promise.all(
      Array.from(
        { length: 40 },
        async () => (await new TestBrowser(tessera.url).request(authorizeRequest().path)).status,
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([303]))
    await tessera.close()
  })
})
