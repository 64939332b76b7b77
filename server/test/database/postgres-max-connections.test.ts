/** PostgreSQL has fewer connections to give than the service may have. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { askForMachine, expectDiscovery, expectUnavailable, readyAgain } from './fails.ts'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import type { OwnServer } from '../harness/postgres.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { token, Visitor } from '../harness/program.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname
const pool = 20
/**
 * Beside its pool a service has two for its looks: one, and the next while the one before ends. The rest is what the
 * second service starts with, however many connections the jobs of the first take.
 */
const most = pool + 2 + 3

afterAll(cleanUp)

describe('at max_connections', () => {
  let server: OwnServer
  const others: pg.Client[] = []
  let environment: Record<string, string>
  let service: Serving
  beforeAll(async () => {
    server = await startFilledPostgres(() => [
      `max_connections=${most}`,
      'max_wal_senders=0',
      'autovacuum=off',
    ])
    environment = {
      TESSERA_DATABASE_URL: `${server.url}/postgres`,
      TESSERA_DATABASE_POOL: String(pool),
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LIMIT_AUTHORIZE: '0',
      TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
    }
    service = await Serving.start(environment)
  })
  afterAll(async () => {
    await leave(others.length)
    await service.stop('SIGKILL')
    await server.stop()
  })

  /** Others take a connection. False: there is none left. */
  async function take(): Promise<boolean> {
    const client = new pg.Client({ connectionString: `${server.url}/postgres` })
    try {
      await client.connect()
    } catch (error) {
      expect(error).toMatchObject({ code: '53300' })
      return false
    }
    // The end of the server is theirs too.
    client.on('error', () => undefined)
    others.push(client)
    return true
  }
  const leave = async (count: number) => {
    await Promise.all(others.splice(0, count).map((one) => one.end()))
  }
  async function codes(url: string, count: number) {
    const visitor = new Visitor(url)
    const exchanges: Record<string, string>[] = []
    while (exchanges.length < count) exchanges.push(await visitor.code())
    return exchanges
  }

  it('a service waits for the connections that it has, and lives with them', async () => {
    const exchanges = await codes(service.url, 40)
    // The service gives up what it does not use.
    while (others.length < most - 5) await expect.poll(take).toBe(true)
    const answers = await Promise.all(exchanges.map((exchange) => token(service.url, exchange)))
    expect(answers.map(({ status }) => status)).toEqual(exchanges.map(() => 200))
  })

  it('it answers 503 where there is none at all, and goes on by itself when there is one', async () => {
    const [exchange = {}] = await codes(service.url, 1)
    // What it has is ended, and taken by others before it asks again.
    await vi.waitFor(
      async () => {
        await others[0]?.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tessera'`,
        )
        while (await take());
        // A machine's token: an exchange that was not refused yet would use up the code.
        expect((await askForMachine(service.url)).status).toBe(503)
        // One that ends late leaves a connection free.
        expect(await take()).toBe(false)
      },
      { timeout: 20_000 },
    )
    for (const answer of await Promise.all([token(service.url, exchange), askForMachine(service.url)]))
      expectUnavailable(answer)
    await expectDiscovery(service.url)
    await leave(1)
    await readyAgain(service.url)
    expect((await token(service.url, exchange)).status).toBe(200)
    expect((await askForMachine(service.url)).status).toBe(200)
  })

  it('several services that need more than there are refuse with 503, and all go on', async () => {
    await leave(others.length)
    const second = await Serving.start({ ...environment, TESSERA_ISSUER: service.issuer })
    const exchanges = [...(await codes(service.url, 30)), ...(await codes(service.url, 30))]
    const urls = [service.url, second.url]
    const answers = await Promise.all(
      exchanges.map((exchange, index) => token(urls[index % 2] ?? '', exchange)),
    )
    for (const answer of answers) if (answer.status !== 200) expectUnavailable(answer)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    // None was used up by a refusal, and each of them gets connections again.
    for (const [index, answer] of answers.entries()) {
      const url = urls[index % 2] ?? ''
      if (answer.status === 200) continue
      await readyAgain(url, 30_000)
      expect((await token(url, exchanges[index] ?? {})).status).toBe(200)
    }
    await second.stop('SIGKILL')
  })
})
