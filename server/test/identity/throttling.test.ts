import { beforeAll, beforeEach, expect, it } from 'vitest'
import { answerOf, authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase, onOneDatabase } from '../harness/databases.ts'
import { startTessera, tesseraOn } from '../harness/harness.ts'
import { evaluated, retryAfter, tries, trySignIn, unknown, wrong } from './throttling-support.ts'

const minute = 60_000
/** Fewer than the ten of the settings' own, which the last tests are about: each costs a password check. */
const limit = 3
const wrongOnes = Array<number>(limit).fill(400)

onEachDatabase('the throttling of an account', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ACCOUNT: String(limit) } })
  beforeAll(async () => {
    tessera.clock.stop()
  })
  // What a test before this one counted is forgotten.
  beforeEach(() => tessera.clock.advance(2 * 60 * minute))

  const lock = () => tries(tessera.url, limit, wrong(people.importer))

  it('answers 429 with Retry-After after its limit of failures, even to the right password', async () => {
    expect(await lock()).toEqual(wrongOnes)
    for (const person of [wrong(people.importer), people.importer]) {
      const visit = await trySignIn(tessera.url, person)
      expect(visit.status).toBe(429)
      expect(retryAfter(visit)).toBeGreaterThan(0)
      expect(retryAfter(visit)).toBeLessThanOrEqual(5)
      expect(visit.body).toContain('too many attempts')
      expect(visit.headers.getSetCookie()).toEqual([])
    }
    // Another account is not concerned.
    expect((await trySignIn(tessera.url, people.admin)).status).toBe(303)
  })

  it('grows the delay with each further failure, up to a quarter of an hour', async () => {
    await lock()
    const delays: number[] = []
    for (let n = 0; n < 10; n++) {
      const refused = await trySignIn(tessera.url, wrong(people.importer))
      expect(refused.status).toBe(429)
      delays.push(retryAfter(refused))
      tessera.clock.advance(retryAfter(refused) * 1000)
      expect((await trySignIn(tessera.url, wrong(people.importer))).status).toBe(400)
    }
    for (const [index, expected] of [5, 10, 20, 40, 80, 160, 320, 640, 900, 900].entries()) {
      expect(delays[index]).toBeGreaterThan(expected - 5)
      expect(delays[index]).toBeLessThanOrEqual(expected)
    }
  })

  onOne.it('ends the delay when the clock is set back by more than any delay', async () => {
    await lock()
    tessera.clock.advance(-60 * minute)
    expect((await trySignIn(tessera.url, people.importer)).status).toBe(303)
    tessera.clock.advance(60 * minute)
  })

  onOne.it('does not grow the delay by tries that were refused', async () => {
    await lock()
    expect(await tries(tessera.url, 5, wrong(people.importer))).toEqual(Array(5).fill(429))
    tessera.clock.advance(5000)
    expect((await trySignIn(tessera.url, people.importer)).status).toBe(303)
  })

  it('is over after a sign-in', async () => {
    await tries(tessera.url, limit - 1, wrong(people.importer))
    expect((await trySignIn(tessera.url, people.importer)).status).toBe(303)
    expect(await lock()).toEqual(wrongOnes)
  })

  it('forgets after an hour of quiet', async () => {
    await lock()
    tessera.clock.advance(61 * minute)
    expect(await lock()).toEqual(wrongOnes)
  })

  onOne.it('counts one account however its address is written', async () => {
    const spellings = [
      'importer@acme.example',
      'IMPORTER@ACME.EXAMPLE',
      ' Importer@acme.example ',
      'ｉmporter@acme.example',
    ]
    const statuses: number[] = []
    for (const email of spellings) {
      statuses.push((await trySignIn(tessera.url, wrong({ email }))).status)
    }
    expect(statuses).toEqual([...wrongOnes, 429])
  })

  onOne.it('treats an unknown account alike', async () => {
    expect(await tries(tessera.url, limit + 1, unknown(1))).toEqual([...wrongOnes, 429])
  })

  it('never evaluates more of 30 parallel guesses than of sequential ones', async () => {
    const guesses = (n: number) =>
      Array.from({ length: n }, () => trySignIn(tessera.url, wrong(people.importer)))
    const first = await Promise.all(guesses(30))
    expect(evaluated(first)).toBe(limit)
    for (const visit of first) expect([400, 429]).toContain(visit.status)
    tessera.clock.advance(5000)
    expect(evaluated(await Promise.all(guesses(30)))).toBe(1)
  })

  it('never evaluates more of parallel guesses of one form of one browser', async () => {
    const browser = new TestBrowser(tessera.url)
    const page = await browser.open(authorizeRequest().path)
    const visits = await Promise.all(
      Array.from({ length: 30 }, () => browser.submitOnce(page, wrong(people.importer))),
    )
    expect(evaluated(visits)).toBe(limit)
  })

  it('does not lock out a device that signed in before, and counts that device by itself', async () => {
    const browser = new TestBrowser(tessera.url)
    await trySignIn(tessera.url, people.importer, { browser })
    browser.cookies.delete('tessera-session')
    await lock()
    expect((await trySignIn(tessera.url, people.importer)).status).toBe(429)
    expect((await trySignIn(tessera.url, people.importer, { browser })).status).toBe(303)
    browser.cookies.delete('tessera-session')
    expect(await tries(tessera.url, limit + 1, wrong(people.importer), { browser })).toEqual([
      ...wrongOnes,
      429,
    ])
  })

  it('does not lock out a device that signed in before, although somebody else used it since', async () => {
    const browser = new TestBrowser(tessera.url)
    for (const person of [people.importer, people.admin]) {
      await trySignIn(tessera.url, person, { browser })
      browser.cookies.delete('tessera-session')
    }
    await lock()
    expect((await trySignIn(tessera.url, people.importer, { browser })).status).toBe(303)
  })

  onOne.it(
    'takes a device for one person’s only: an attacker’s own device has no further guesses',
    async () => {
      const browser = new TestBrowser(tessera.url)
      await trySignIn(tessera.url, people.admin, { browser })
      browser.cookies.delete('tessera-session')
      await lock()
      expect((await trySignIn(tessera.url, people.importer, { browser })).status).toBe(429)
      const madeUp = new TestBrowser(tessera.url)
      madeUp.cookies.set('tessera-device', 'A'.repeat(43))
      expect((await trySignIn(tessera.url, people.importer, { browser: madeUp })).status).toBe(429)
    },
  )

  it('lets nobody who shares a device guess on by signing in as themselves in between', async () => {
    const browser = new TestBrowser(tessera.url)
    for (const person of [people.importer, people.admin]) {
      await trySignIn(tessera.url, person, { browser })
      browser.cookies.delete('tessera-session')
    }
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) {
      statuses.push(...(await tries(tessera.url, 2, wrong(people.importer), { browser })))
      expect((await trySignIn(tessera.url, people.admin, { browser })).status).toBe(303)
      browser.cookies.delete('tessera-session')
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(limit)
  })

  onOne.it('leaves what is signed in alone', async () => {
    const browser = new TestBrowser(tessera.url)
    await trySignIn(tessera.url, people.importer, { browser })
    await lock()
    expect(answerOf(await browser.open(authorizeRequest({ prompt: 'none' }).path))).toHaveProperty('code')
  })
})

onOneDatabase('the throttling of an account, by the settings', (dialect) => {
  it('allows ten failures when nothing is set, of 30 parallel guesses too', async () => {
    const tessera = await startTessera(dialect)
    expect(await tries(tessera.url, 11, wrong(people.admin))).toEqual([...Array<number>(10).fill(400), 429])
    const guesses = Array.from({ length: 30 }, () => trySignIn(tessera.url, wrong(people.importer)))
    expect(evaluated(await Promise.all(guesses))).toBe(10)
    await tessera.close()
  })

  it('allows one failure when that is set', async () => {
    const tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_SIGN_IN_ACCOUNT: '1' } })
    expect(await tries(tessera.url, 2, wrong(people.importer))).toEqual([400, 429])
    tessera.clock.advance(61 * minute)
    expect(await tries(tessera.url, 2, wrong(people.importer))).toEqual([400, 429])
    await tessera.close()
  })

  it('is off with 0', async () => {
    const settings = { TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0', TESSERA_LIMIT_SIGN_IN_ADDRESS: '0' }
    const tessera = await startTessera(dialect, { settings })
    expect(await tries(tessera.url, 14, wrong(people.importer))).toEqual(Array(14).fill(400))
    expect((await trySignIn(tessera.url, people.importer)).status).toBe(303)
    await tessera.close()
  })
})
