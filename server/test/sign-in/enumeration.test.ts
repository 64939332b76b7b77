/** Nobody learns who has an account: by words, status, headers, what the service does, mail, limits or time. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { PatientDriver } from '../../dist/database/sqlite-driver.js'
import { SqliteStatements } from '../../dist/database/sqlite-statements.js'
import { PasswordHasher } from '../../dist/identity/passwords.js'
import { acme, Administrator } from '../administration/support.ts'
import { authorizeRequest, formOn, TestBrowser, type Visit } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { MailServer, trustMailServer } from '../harness/mail-server.ts'
import { mailsTo } from '../harness/states.ts'
import { shortenTimers } from '../harness/timers.ts'

// The look for mails that are due.
shortenTimers({ 500: 50 })

const hour = 3_600_000
const people = ['known', 'silent', 'disabled', 'nobody'] as const
type Person = (typeof people)[number]
const emailOf = (person: string) => `${person}@enumeration.example`

/** What the service does for the request that is looked at: its statements, and its checks of passwords. */
const looked = new AsyncLocalStorage<string[]>()
const does = (what: string) => void looked.getStore()?.push(what)
let current: string[] | undefined

function look(message: unknown): void {
  ;(message as { fastify: FastifyInstance }).fastify.addHook('preHandler', (_request, _reply, done) => {
    if (current === undefined) done()
    else looked.run(current, done)
  })
}

function watchWork(): void {
  const { verify, hash } = PasswordHasher.prototype
  vi.spyOn(PasswordHasher.prototype, 'verify').mockImplementation(async function (
    this: PasswordHasher,
    ...all
  ) {
    does('verify')
    return await verify.apply(this, all)
  })
  vi.spyOn(PasswordHasher.prototype, 'hash').mockImplementation(async function (
    this: PasswordHasher,
    ...all
  ) {
    does('hash')
    return await hash.apply(this, all)
  })
  const { query } = pg.Client.prototype as { query(...all: unknown[]): unknown }
  vi.spyOn(pg.Client.prototype as { query(...all: unknown[]): unknown }, 'query').mockImplementation(
    function (this: pg.Client, ...all) {
      const [asked] = all as [string | { statements?: { text: string }[]; text?: string }]
      if (typeof asked === 'string') does(asked)
      else does((asked.statements ?? [{ text: asked.text ?? '' }]).map((one) => one.text).join('; '))
      return query.apply(this, all)
    },
  )
  const { acquireConnection } = PatientDriver.prototype
  vi.spyOn(PatientDriver.prototype, 'acquireConnection').mockImplementation(async function (
    this: PatientDriver,
  ) {
    const connection = await acquireConnection.apply(this)
    const executeQuery: typeof connection.executeQuery = (query) => {
      does(query.sql)
      return connection.executeQuery(query)
    }
    return { ...connection, executeQuery }
  })
  const { answer } = SqliteStatements.prototype
  vi.spyOn(SqliteStatements.prototype, 'answer').mockImplementation(function (this: SqliteStatements, asked) {
    does(asked.query.for('sqlite').sql)
    return answer.call(this, asked)
  })
}

beforeAll(() => {
  trustMailServer()
  subscribe('fastify.initialization', look)
  watchWork()
})
afterAll(() => {
  unsubscribe('fastify.initialization', look)
  looked.disable()
  vi.restoreAllMocks()
})

onOneDatabase('an address', (dialect) => {
  let tessera: Tessera
  const server = new MailServer()
  beforeAll(async () => {
    await server.listen()
    tessera = await startTessera(dialect, {
      content: 'administered',
      settings: { TESSERA_MAIL_URL: server.url, TESSERA_MAIL_FROM: 'Acme <no-reply@acme.example>' },
    })
    tessera.clock.stop()
    const admin = await Administrator.machine(tessera.url)
    for (const person of people.filter((one) => one !== 'nobody')) {
      const made = {
        email: emailOf(person),
        name: person,
        profiles: [{ role_code: 'importer', organisation_uuid: acme }],
        ...(person !== 'silent' && { password: 'a password of nine lives' }),
        active: person !== 'disabled',
      }
      expect((await admin.post('/users', made)).status).toBe(201)
    }
  })
  afterAll(async () => {
    await tessera.close()
    await server.close()
  })

  interface Answer {
    status: number | undefined
    /** In their order. */
    headers: string[]
    body: string
  }

  /** Submits the form of a page; yields the answer without what is of the request, what was done for it, and its ms. */
  async function submit(browser: TestBrowser, page: Visit, fields: { email: string }) {
    const { action, hidden } = formOn(page)
    const done: string[] = []
    current = done
    const body = new URLSearchParams({ ...hidden, ...fields }).toString()
    const cookie = browser.cookieHeader()
    const since = performance.now()
    const asked = httpRequest(new URL(action, tessera.url), {
      method: 'POST',
      headers: {
        accept: 'text/html',
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      },
    }).end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    const said = await text(response)
    const ms = performance.now() - since
    current = undefined
    const id = String(response.headers['x-request-id'])
    const email = new RegExp(`${fields.email}|${encodeURIComponent(fields.email)}`, 'g')
    // Of the request, its form and its browser.
    const random = /(?<=request=|value="|data-challenge=")[\w.-]{16,}/g
    const plain = (one: string) =>
      one.replaceAll(email, '').replaceAll(id, '').replaceAll(id.slice(0, 8), '').replaceAll(random, '')
    const headers = response.rawHeaders.map((one, index) =>
      /^(date|content-length)$/i.test(response.rawHeaders[index - 1] ?? '') ? '' : plain(one),
    )
    // Records are linked to the chain whenever there is time.
    const own = done.filter((one) => !/from "audit_waiting"|"audit_head"/.test(one))
    const answer: Answer = { status: response.statusCode, headers, body: plain(said) }
    return { answer, done: own, ms }
  }

  const signInPage = async (browser: TestBrowser) => await browser.open(authorizeRequest().path)
  const forgottenPage = async (browser: TestBrowser) => await browser.open('/sign-in/forgotten')
  const wrong = (email: string) => ({ email, password: 'a wrong password' })

  const signingIn = { page: signInPage, fields: wrong }
  const forgetting = { page: forgottenPage, fields: (email: string) => ({ email }) }
  type Door = typeof signingIn | typeof forgetting

  /** What somebody gets who sends this form in a browser of their own. */
  async function sent({ page, fields }: Door, person: Person) {
    const browser = new TestBrowser(tessera.url)
    return await submit(browser, await page(browser), fields(emailOf(person)))
  }
  const everybody = async (door: Door) => ({
    known: await sent(door, 'known'),
    silent: await sent(door, 'silent'),
    disabled: await sent(door, 'disabled'),
    nobody: await sent(door, 'nobody'),
  })
  /** The same for everybody. Another job may take a statement over, or lend one: a difference that counts comes each time. */
  async function expectSame(door: Door, done: (work: readonly string[]) => readonly string[]) {
    for (let tries = 1; ; tries++) {
      tessera.clock.advance(hour + 1)
      const all = await everybody(door)
      for (const person of people) expect(all[person].answer).toEqual(all.nobody.answer)
      const work = people.map((person) => done(all[person].done))
      if (work.every((one) => String(one) === String(work[0]))) return all
      if (tries === 6) expect(work[0]).toEqual(work.at(-1))
      expect(tries, work.join('\n')).toBeLessThan(6)
    }
  }
  const commits = (work: readonly string[]) =>
    work.filter((one) => /^(begin|insert into "limits|select set_config)/.test(one))

  it('signs in by the same answer and the same work, whoever has it', async () => {
    await expectSame(signingIn, (work) => {
      expect(work.filter((one) => one === 'verify')).toHaveLength(1)
      return work
    })
  })

  it('has the same delay, whoever has it', async () => {
    tessera.clock.advance(hour + 1)
    const throttled = async (person: Person) => {
      const browser = new TestBrowser(tessera.url)
      const page = await signInPage(browser)
      for (let count = 0; count < 10; count++) await submit(browser, page, wrong(emailOf(person)))
      return await submit(browser, page, wrong(emailOf(person)))
    }
    const [known, nobody] = [await throttled('known'), await throttled('nobody')]
    expect(nobody.answer.status).toBe(429)
    expect(known.answer).toEqual(nobody.answer)
    for (const { done } of [known, nobody]) expect(done).not.toContain('verify')
  })

  it('is signed in with in the same time, whoever has it', async () => {
    const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
    const ratio = async () => {
      tessera.clock.advance(hour + 1)
      const took = { known: [] as number[], nobody: [] as number[] }
      const browser = new TestBrowser(tessera.url)
      const page = await signInPage(browser)
      for (let pair = 0; pair < 7; pair++) {
        for (const person of ['known', 'nobody'] as const)
          took[person].push((await submit(browser, page, wrong(emailOf(person)))).ms)
      }
      return median(took.known) / median(took.nobody)
    }
    // Without the check of a password the ratio is 5 or more, each time; a busy machine makes one of these a matter of luck.
    const ratios: number[] = []
    do ratios.push(await ratio())
    while (Math.abs(Math.log2(ratios.at(-1) ?? 0)) > 1 && ratios.length < 6)
    expect(Math.abs(Math.log2(ratios.at(-1) ?? 0)), String(ratios)).toBeLessThan(1)
  })

  it('has a link mailed by the same answer, by as many transactions, and in a time that hides the rest', async () => {
    const before = await expectSame(forgetting, commits)
    for (let count = 0; count < 2; count++)
      await Promise.all(people.map(async (person) => await sent(forgetting, person)))
    // One more is beyond the limit of an account: for all.
    const limited = await everybody(forgetting)
    for (const person of people) {
      expect(limited[person].answer).toEqual(before.nobody.answer)
      // Longer than the work takes; a timer may be early by a millisecond.
      for (const { ms } of [before[person], limited[person]]) expect(ms).toBeGreaterThan(290)
      expect(before[person].done).not.toContain('hash')
      expect(before[person].done.length).toBeLessThan(20)
    }
    for (const person of ['disabled', 'nobody']) expect(await mailsTo(tessera, emailOf(person))).toEqual([])
  })

  it('is never waited for at the mail server', async () => {
    server.behaviour = 'hold'
    tessera.clock.advance(hour + 1)
    await everybody(forgetting)
    await vi.waitFor(() => expect(server.held).toBeGreaterThan(0), { timeout: 60_000 })
    // The second browser is one that its owner gets a notice of.
    for (const browser of [new TestBrowser(tessera.url), new TestBrowser(tessera.url)]) {
      tessera.clock.advance(1)
      const right = { email: emailOf('known'), password: 'a password of nine lives' }
      const signedIn = await browser.submit(await signInPage(browser), right)
      expect(signedIn.location).toContain('code=')
    }
    const notices = async () =>
      (await mailsTo(tessera, emailOf('known'))).filter(({ kind }) => kind === 'notice')
    await vi.waitFor(async () => expect(await notices()).toMatchObject([{ state: 'waiting' }]), {
      timeout: 60_000,
    })
    server.behaviour = 'accept'
    server.release()
    await vi.waitFor(async () => expect(await notices()).toMatchObject([{ state: 'sent' }]), {
      timeout: 60_000,
    })
  })
})
