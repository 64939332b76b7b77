import { connect, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStore } from '../harness/stores.ts'
import { isTokenRevoked, revokeToken } from '../../dist/store/revoked-tokens.js'
import { authorizeRequest, TestBrowser } from '../harness/browser.ts'
import {
  askForMachine,
  type Asked,
  expectDiscovery,
  expectUnavailable,
  readiness,
  readyAgain,
} from './fails.ts'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import type { OwnServer } from '../harness/postgres.ts'
import { cleanUp, pause, Serving } from '../harness/process.ts'
import { refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

afterAll(cleanUp)

describe('while PostgreSQL fails', () => {
  let server: OwnServer
  let service: Serving
  beforeAll(async () => {
    server = await startFilledPostgres()
    service = await Serving.start({
      TESSERA_DATABASE_URL: `${server.url}/postgres`,
      TESSERA_DATABASE_CONNECT_TIMEOUT: '1',
      TESSERA_DATABASE_STATEMENT_TIMEOUT: '1',
      TESSERA_DATABASE_POOL: '4',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LOG_LEVEL: 'fatal',
    })
  })
  afterEach(async () => {
    await readyAgain(service.url)
  })
  afterAll(async () => {
    // At once: who was asked lately whether it is ready waits four seconds to be asked again.
    await service.stop('SIGKILL')
    await server.stop()
  })

  /** Everything that needs the database, at once. */
  async function askEverything(visitor: Visitor, exchange: Record<string, string>, refreshToken?: string) {
    const page = await visitor.browser.request(authorizeRequest().path)
    return {
      page,
      answers: await Promise.all([
        askForMachine(service.url),
        token(service.url, exchange),
        refresh(service.url, refreshToken),
      ]),
    }
  }

  it('answers 503 and goes on by itself when it was killed and comes back', async () => {
    const visitor = new Visitor(service.url)
    const before = await visitor.tokens()
    const exchange = await visitor.code()
    await server.kill()

    const { page, answers } = await askEverything(visitor, exchange, before.refresh_token)
    answers.forEach(expectUnavailable)
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await readiness(service.url)).toEqual({ status: 503, problem: 'the database does not answer' })
    await expectDiscovery(service.url)

    await server.startAgain()
    await readyAgain(service.url)
    // Nothing was used up by what was answered 503.
    const tokens = tokensOf(await token(service.url, exchange))
    expect((await userinfo(service.url, tokens.access_token)).status).toBe(200)
    expect((await refresh(service.url, before.refresh_token)).status).toBe(200)
  })

  it('answers 503 in bounded time while it is paused, and goes on by itself afterwards', async () => {
    const visitor = new Visitor(service.url)
    const before = await visitor.tokens()
    const exchange = await visitor.code()
    server.signal('SIGSTOP')
    try {
      const began = performance.now()
      const { page, answers } = await askEverything(visitor, exchange, before.refresh_token)
      answers.forEach(expectUnavailable)
      expect(page.status).toBe(503)
      // Each waits for a connection or a statement, not for both again at every step.
      expect(performance.now() - began).toBeLessThan(12_000)
      // More than the pool holds: they do not queue behind one another, which would take half a minute.
      const many = performance.now()
      const crowd = await Promise.all(Array.from({ length: 120 }, () => askForMachine(service.url)))
      crowd.forEach(expectUnavailable)
      expect(performance.now() - many).toBeLessThan(15_000)
      await expectDiscovery(service.url)
    } finally {
      server.signal('SIGCONT')
    }
    await readyAgain(service.url)
    expect((await askForMachine(service.url)).status).toBe(200)
    expect((await refresh(service.url, before.refresh_token)).status).not.toBe(500)
  })

  it('commits what it acknowledges after a pause in the middle of transactions', async () => {
    const visitor = new Visitor(service.url)
    const codes = [await visitor.code()]
    for (let more = 0; more < 15; more++) codes.push(await visitor.code())
    const asked = codes.map(async (exchange, index) => {
      await pause(index * 4)
      return await token(service.url, exchange)
    })
    await pause(30)
    server.signal('SIGSTOP')
    await pause(3500)
    server.signal('SIGCONT')
    const answers: Asked[] = await Promise.all(asked)
    await readyAgain(service.url)
    // Connections that were in a transaction are used again: what comes next must not be swallowed by it.
    for (let round = 0; round < 3; round++) {
      const tokens = await Promise.all(Array.from({ length: 4 }, () => visitor.tokens()))
      for (const { access_token: accessToken } of tokens)
        expect((await userinfo(service.url, accessToken)).status).toBe(200)
    }
    for (const [index, answer] of answers.entries()) {
      if (answer.status !== 200) expectUnavailable(answer)
      // No token without its record, and no code for two.
      else expect((await userinfo(service.url, String(answer.json.access_token))).status).toBe(200)
      const again = await token(service.url, codes[index] ?? {})
      expect(answer.status === 200 ? [400] : [200, 400]).toContain(again.status)
    }
    expect(await openTransactions(server)).toBe(0)
  })

  it('lets people sign in again when the database has come back', async () => {
    const browser = new TestBrowser(service.url)
    const page = await browser.open(authorizeRequest().path)
    const person = { email: 'importer@acme.example', password: 'correct horse battery one' }
    // The request may be lost with the last moment before a crash; a later commit takes it along.
    await query(server, `select pg_logical_emit_message(true, 'test', '')`)
    await server.kill()
    const refused = await browser.submit(page, person)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(refused.body).not.toMatch(/ECONN|postgres/i)
    await server.startAgain()
    await readyAgain(service.url)
    // The very same form works, and the attempt that was not evaluated did not sign anybody in.
    const visit = await browser.submit(page, person)
    expect(new URL(visit.location ?? '').searchParams.get('code')).toMatch(/./)
  })
})

describe('a connection on which a statement was not answered', () => {
  it('is given to nobody else: what is acknowledged next is committed', async () => {
    const server = await startFilledPostgres()
    const url = `${server.url}/postgres`
    const store = await openStore(url, { pool: 1, connectTimeout: 2000, statementTimeout: 1000 })
    const mark = (jti: string) => revokeToken(store, { jti, expiresAt: 1 }, { at: 1 })
    // So that there is a connection.
    await mark('before')
    server.signal('SIGSTOP')
    // Its `begin` arrives, and nobody is there any more to end what it begins.
    const begun = store.db.transaction().execute(async () => undefined)
    await expect(begun).rejects.toThrow('Query read timeout')
    server.signal('SIGCONT')
    await mark('acknowledged')
    const other = await openStore(url)
    expect(await isTokenRevoked(other, 'acknowledged')).toBe(true)
    await Promise.all([store.close(), other.close()])
    await server.stop()
  })
})

describe('connections whose other end is gone without a word', () => {
  let server: OwnServer
  let relay: Relay
  let address: URL
  beforeAll(async () => {
    server = await startFilledPostgres()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    relay = await Relay.to(Number(new URL(server.url).port))
    address = new URL(`${server.url}/postgres`)
    address.port = String(relay.port)
    return () => relay.close()
  })

  it('are given up all together when the first of them does not answer', async () => {
    const service = await Serving.start({
      TESSERA_DATABASE_URL: address.href,
      TESSERA_DATABASE_STATEMENT_TIMEOUT: '1',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LOG_LEVEL: 'fatal',
    })
    const visitor = new Visitor(service.url)
    await visitor.tokens()
    await Promise.all(Array.from({ length: 20 }, () => visitor.tokens()))
    expect(relay.connections).toBeGreaterThan(5)
    relay.vanish()
    const began = performance.now()
    while ((await askForMachine(service.url)).status !== 200) await pause(50)
    // One statement that nobody answers takes two seconds; one after the other they would take twenty.
    expect(performance.now() - began).toBeLessThan(12_000)
    // Nor does the end wait for them.
    relay.vanish()
    const ending = performance.now()
    await service.stop()
    expect(performance.now() - ending).toBeLessThan(8000)
  })

  it('are each given up once, however many statements are not answered at the same time', async () => {
    const limits = { pool: 20, connectTimeout: 2000, statementTimeout: 1000 }
    const store = await openStore(address.href, limits)
    const statements = (count: number) =>
      Array.from({ length: count }, () => sql`select pg_sleep(0.3)`.execute(store.db))
    await Promise.all(statements(20))
    const made = relay.connections
    expect([made, store.connections()]).toEqual([made, { open: 20, idle: 20, waiting: 0 }])
    relay.vanish()
    const answers = await Promise.allSettled(statements(10))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'))
    await vi.waitFor(() => expect(store.connections()).toEqual({ open: 0, idle: 0, waiting: 0 }), 60_000)
    // Nobody asked for another one; each of the ten is ended at the server by one of its own.
    expect(relay.connections).toBe(made + 10)
    await sql`select 1`.execute(store.db)
    expect(relay.connections).toBe(made + 11)
    await store.close()
  })
})

/** Stands between the service and PostgreSQL, as a firewall does that forgets what went through it. */
class Relay {
  readonly #server: Server
  #pairs: Socket[] = []

  static async to(port: number): Promise<Relay> {
    const relay = new Relay(port)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  private constructor(port: number) {
    this.#server = createServer((from) => {
      const to = connect(port, '127.0.0.1')
      from.pipe(to).pipe(from)
      for (const socket of [from, to]) {
        socket.on('error', () => undefined)
        this.#pairs.push(socket)
      }
    })
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  get connections(): number {
    return this.#pairs.length / 2
  }

  /** Nothing goes through what is open any more, and nobody is told. */
  vanish(): void {
    for (const socket of this.#pairs) {
      socket.unpipe()
      socket.pause()
    }
  }

  close(): void {
    for (const socket of this.#pairs) socket.destroy()
    this.#server.close()
  }
}

async function openTransactions(server: OwnServer): Promise<number> {
  const [row] = await query<{ n: string }>(
    server,
    "select count(*) as n from pg_stat_activity where application_name = 'tessera' and state like 'idle in transaction%'",
  )
  return Number(row?.n)
}

async function query<T extends object>(server: OwnServer, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: `${server.url}/postgres` })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}
