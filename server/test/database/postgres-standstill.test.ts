/** PostgreSQL whose synchronous standby is gone: it answers what reads, and no commit ends. */
import { connect, createServer } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isTokenRevoked, revokeToken } from '../../dist/store/revoked-tokens.js'
import { openStore } from '../harness/stores.ts'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import type { OwnServer } from '../harness/postgres.ts'
import { cleanUp, pause, Serving } from '../harness/process.ts'
import { authorizeRequest, TestBrowser } from '../harness/browser.ts'
import { refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { askForMachine, expectDiscovery, expectUnavailable } from './fails.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname
const pool = 6
/** The pool, and the looks beside it: one connection, and the next while the one before ends. */
const most = pool + 2
/** What the service promises, and what a busy machine takes beside it, ms. */
const promised = 5000 + 5000

afterAll(cleanUp)

describe('while synchronous replication stands still', () => {
  let server: OwnServer
  let database: pg.Client
  let service: Serving
  beforeAll(async () => {
    server = await startFilledPostgres()
    database = new pg.Client({ connectionString: `${server.url}/postgres` })
    await database.connect()
    service = await Serving.start({
      TESSERA_DATABASE_URL: `${server.url}/postgres`,
      TESSERA_DATABASE_POOL: String(pool),
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LIMIT_GRANTS: '100000',
      TESSERA_LIMIT_AUTHORIZE: '100000',
      TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
    })
  })
  afterAll(async () => {
    await service.stop('SIGKILL')
    await database.end()
    await server.stop()
  })

  const standbys = async (names: string) => {
    await database.query(`alter system set synchronous_standby_names = '${names}'`)
    await database.query('select pg_reload_conf()')
  }
  /** Until a commit waits for a standby that there is not. */
  async function stop() {
    await standbys('nobody')
    const other = new pg.Client({ connectionString: `${server.url}/postgres` })
    await other.connect()
    await vi.waitFor(
      async () => {
        const commit = other.query(`select pg_logical_emit_message(true, 'test', '')`)
        const waits = await Promise.race([commit.then(() => false), pause(300).then(() => true)])
        if (!waits) throw new Error('It still commits.')
        await database.query('select pg_cancel_backend(pid) from pg_stat_activity where wait_event = $1', [
          'SyncRep',
        ])
        await commit
      },
      { timeout: 20_000 },
    )
    await other.end()
  }
  const goOn = () => standbys('')
  const backends = async () => {
    const { rows } = await database.query<{ n: string }>(
      "select count(*) as n from pg_stat_activity where application_name = 'tessera'",
    )
    return Number(rows[0]?.n)
  }
  const timed = async <T>(work: Promise<T>) => {
    const began = performance.now()
    const answer = await work
    expect(performance.now() - began).toBeLessThan(promised)
    return answer
  }

  it('refuses in time what writes, answers what reads, and goes on by itself; nothing is used up', async () => {
    const visitor = new Visitor(service.url)
    const before = await visitor.tokens()
    const families = await Promise.all(Array.from({ length: 20 }, () => visitor.tokens()))
    const codes = [await visitor.code(), await visitor.code()]
    await stop()
    try {
      // The first to meet it wait for their commits, more of them than there are connections.
      const first = await Promise.all([
        ...families.map(({ refresh_token: one }) => timed(refresh(service.url, one))),
        ...Array.from({ length: 10 }, () => timed(askForMachine(service.url))),
      ])
      first.slice(0, families.length).forEach(expectUnavailable)
      for (const answer of first.slice(families.length)) expect(answer.status).toBe(200)
      // From then on nothing waits, and nothing is in doubt.
      for (let round = 0; round < 5; round++) {
        const answers = await Promise.all([
          ...codes.map((exchange) => timed(token(service.url, exchange))),
          timed(refresh(service.url, before.refresh_token)),
        ])
        answers.forEach(expectUnavailable)
        expect((await timed(askForMachine(service.url))).status).toBe(200)
        expect((await timed(userinfo(service.url, before.access_token))).status).toBe(200)
        // What may be lost waits for no standby.
        expect((await timed(new TestBrowser(service.url).open(authorizeRequest().path))).status).toBe(200)
        expect(await backends()).toBeLessThanOrEqual(most)
        await pause(700)
      }
      await expectDiscovery(service.url)
    } finally {
      await goOn()
    }
    await vi.waitFor(
      async () => expect((await refresh(service.url, before.refresh_token)).status).toBe(200),
      { timeout: 20_000, interval: 200 },
    )
    for (const exchange of codes) {
      const tokens = tokensOf(await token(service.url, exchange))
      expect((await userinfo(service.url, tokens.access_token)).status).toBe(200)
    }
    expect(await backends()).toBeLessThanOrEqual(most)
  })

  it('takes a commit that an operator ends for no success, though it is there', async () => {
    const store = await openStore(`${server.url}/postgres`)
    await stop()
    try {
      const revoked = revokeToken(store, { jti: 'in doubt', expiresAt: 1 }, { at: 1 })
      const outcome = expect(revoked).rejects.toThrow('Commits wait for a synchronous standby')
      await vi.waitFor(
        async () => {
          const { rowCount } = await database.query(
            `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
          )
          expect(rowCount).toBeGreaterThan(0)
        },
        { timeout: 10_000, interval: 20 },
      )
      await outcome
      await expect(revokeToken(store, { jti: 'refused', expiresAt: 1 }, { at: 1 })).rejects.toThrow(
        'Commits wait',
      )
    } finally {
      await goOn()
    }
    expect([await isTokenRevoked(store, 'in doubt'), await isTokenRevoked(store, 'refused')]).toEqual([
      true,
      false,
    ])
    await vi.waitFor(() => revokeToken(store, { jti: 'later', expiresAt: 1 }, { at: 1 }), { timeout: 20_000 })
    expect(await isTokenRevoked(store, 'later')).toBe(true)
    await store.close()
  })

  it('ends a commit that the server had not read yet when it was told to', async () => {
    const slow = await startSlow(Number(new URL(server.url).port))
    const store = await openStore(`postgres://postgres@127.0.0.1:${slow.port}/postgres`)
    await stop()
    try {
      slow.holds = true
      // Not that nothing was answered in the time of a statement.
      await expect(revokeToken(store, { jti: 'held up', expiresAt: 1 }, { at: 1 })).rejects.toThrow(
        'Commits wait for a synchronous standby',
      )
      expect(slow.held).toBe(1)
    } finally {
      await goOn()
    }
    await store.close()
    await slow.stop()
  })
})

/** Before PostgreSQL: holds a commit up until the first request to cancel it has gone through. */
async function startSlow(port: number) {
  const slow = { port: 0, holds: false, held: 0, stop: async (): Promise<void> => undefined }
  let release = (): void => undefined
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    let isCancel = false
    from.on('data', (data) => {
      // The code of CancelRequest, after the length.
      isCancel ||= data.length === 16 && data.readInt32BE(4) === 80_877_102
      if (slow.holds && slow.held === 0 && data.includes('commit')) {
        slow.held++
        release = () => void to.write(data)
      } else to.write(data)
    })
    to.on('data', (data) => from.write(data))
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      one.on('error', () => undefined)
      one.once('close', () => other.destroy())
    }
    to.once('close', () => {
      if (isCancel) release()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  slow.port = typeof at === 'object' && at !== null ? at.port : 0
  slow.stop = () => new Promise((resolve) => server.close(() => resolve()))
  return slow
}
