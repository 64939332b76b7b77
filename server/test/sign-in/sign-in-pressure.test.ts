import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeRequest, people, TestBrowser, type Visit } from '../harness/browser.ts'
import {
  createDatabase,
  oneDatabase,
  onEachDatabase,
  onOneDatabase,
  type TestDatabase,
} from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { keepPasswordsDear } from '../harness/passwords.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { machine, token } from '../harness/program.ts'

/** Far more than may wait for their password check. */
const crowd = 200
const waiting = 20
const limits = {
  TESSERA_LIMIT_HASHING: String(waiting),
  TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
  TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
  TESSERA_LIMIT_AUTHORIZE: '0',
}

/** People who have the form before them; each sends it with the same name and password. */
class Crowd {
  readonly #seats: { browser: TestBrowser; page: Visit }[]

  private constructor(seats: { browser: TestBrowser; page: Visit }[]) {
    this.#seats = seats
  }

  static async gather(url: string, size: number): Promise<Crowd> {
    const seats = Array.from({ length: size }, async () => {
      const browser = new TestBrowser(url)
      return { browser, page: await browser.open(authorizeRequest().path) }
    })
    return new Crowd(await Promise.all(seats))
  }

  /** All of them, or some, at once. */
  async submit(from = 0, to = this.#seats.length): Promise<Visit[]> {
    const some = this.#seats.slice(from, to)
    return await Promise.all(some.map(({ browser, page }) => browser.submitOnce(page, people.importer)))
  }
}

keepPasswordsDear()
afterAll(cleanUp)

onEachDatabase('two hundred sign-ins at once', (dialect) => {
  const onOne = oneDatabase(dialect)
  let database: TestDatabase
  let service: Serving
  let everybody: Crowd
  beforeAll(async () => {
    database = await createDatabase(dialect)
    service = await Serving.start({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'fatal',
      ...limits,
    })
    everybody = await Crowd.gather(service.url, crowd)
  })
  afterAll(async () => {
    // At once: who was asked lately whether it is ready waits four seconds to be asked again.
    await service.stop('SIGKILL')
    await database.remove()
  })

  it('are checked as far as they may wait; the rest is told to come back, and nobody else notices', async () => {
    let over = false
    const during = { tokens: [] as number[], documents: [] as number[] }
    const ask = async () => {
      do {
        during.tokens.push(
          (await token(service.url, { grant_type: 'client_credentials', ...machine })).status,
        )
        for (const path of ['/.well-known/openid-configuration', '/oauth2/jwks', '/health/ready'])
          during.documents.push((await fetch(`${service.url}${path}`)).status)
      } while (!over)
    }
    const submitted = everybody.submit()
    const meanwhile = Array.from({ length: 4 }, ask)
    const visits = await submitted
    over = true
    await Promise.all(meanwhile)

    expect(visits).toHaveLength(crowd)
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set([303, 503]))
    const right = visits.filter(({ status }) => status === 303)
    // All that fitted in at once, at least; and not everybody.
    expect(right.length).toBeGreaterThanOrEqual(waiting)
    expect(right.length).toBeLessThan(crowd)
    for (const visit of right) expect(visit.headers.getSetCookie().join()).toMatch(/tessera-\d+-session=/)
    for (const visit of visits.filter(({ status }) => status === 503)) {
      expect(Number(visit.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(visit.headers.getSetCookie()).toEqual([])
      // The form again, with what was typed, so that coming back is one click.
      expect(visit.body).toContain('<form')
      expect(visit.body).toContain(people.importer.email)
      expect(visit.body).not.toContain(people.importer.password)
    }
    expect(new Set([...during.tokens, ...during.documents])).toEqual(new Set([200]))
  })

  onOne.it('are checked by one thread of the lowest priority', () => {
    const tasks = `/proc/${service.pid}/task`
    const priorities = readdirSync(tasks).map((thread) => {
      // proc(5): what follows the name begins with the third field.
      const fields = readFileSync(`${tasks}/${thread}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
      return Number(fields[19 - 3])
    })
    expect(priorities.filter((nice) => nice === 19)).toHaveLength(1)
  })

  onOne.it('sign in when they come back', async () => {
    for (const from of [0, crowd - waiting])
      for (const visit of await everybody.submit(from, from + waiting)) expect(visit.status).toBe(303)
  })
})

onOneDatabase('password checks', (dialect) => {
  const tessera = tesseraOn(dialect, { settings: limits })

  it('take no turn of the event loop while a password is checked', async () => {
    // Checks run in a thread of their own, so timers go on in this one.
    const gathered = await Crowd.gather(tessera.url, waiting)
    const began = performance.now()
    const checks = gathered.submit()
    let turns = 0
    let over = false
    void checks.finally(() => {
      over = true
    })
    for (; !over; turns++) await new Promise((resolve) => setImmediate(resolve))
    await checks
    // Hashing twenty passwords here would leave about one turn for each.
    expect(turns).toBeGreaterThan(waiting * 5)
    expect(performance.now() - began).toBeLessThan(100_000)
  })
})
