import { expect, it } from 'vitest'
import { people, post } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { keepPasswordsDear } from '../harness/passwords.ts'
import { evaluated, retryAfter, tries, trySignIn, unknown, wrong } from './throttling-support.ts'

keepPasswordsDear()

onEachDatabase('a full queue of password checks', (dialect) => {
  const onOne = oneDatabase(dialect)
  const tessera = tesseraOn(dialect, { settings: { TESSERA_LIMIT_HASHING: '1' } })

  const machine = {
    grant_type: 'client_credentials',
    client_id: 'nightly-import',
    client_secret: 'nightly-import-development-secret',
  }

  it('answers the excess 503 with Retry-After, while tokens go on', async () => {
    const [visits, tokens] = await Promise.all([
      Promise.all(Array.from({ length: 12 }, (_, n) => trySignIn(tessera.url, unknown(n)))),
      Promise.all(Array.from({ length: 12 }, () => post(`${tessera.url}/oauth2/token`, machine))),
    ])
    expect(tokens.map((token) => token.status)).toEqual(Array(12).fill(200))
    const busy = visits.filter((visit) => visit.status === 503)
    expect(busy.length).toBeGreaterThan(0)
    expect(evaluated(visits)).toBe(12 - busy.length)
    expect(evaluated(visits)).toBeGreaterThan(0)
    for (const visit of busy) {
      expect(retryAfter(visit)).toBe(5)
      expect(visit.body).toContain('Many people are signing in right now')
      expect(visit.headers.get('content-type')).toContain('text/html')
    }
  })

  it('does not count what was never evaluated', async () => {
    let busy = 0
    for (let round = 0; round < 30 && busy < 15; round++) {
      const visits = await Promise.all([
        trySignIn(tessera.url, people.importer),
        trySignIn(tessera.url, people.importer),
        trySignIn(tessera.url, people.importer),
      ])
      for (const visit of visits) expect([303, 503]).toContain(visit.status)
      busy += visits.filter((visit) => visit.status === 503).length
    }
    expect(busy).toBeGreaterThan(10)
    expect(await tries(tessera.url, 10, wrong(people.importer))).toEqual(Array(10).fill(400))
  })

  onOne.it('is over at once when the checks are done', async () => {
    expect((await trySignIn(tessera.url, people.admin)).status).toBe(303)
  })
})
