import { createServer } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDatabase, onOneDatabase, type TestDatabase } from '../harness/databases.ts'
import { childrenOf, cleanUp, freePort, isRunning, pause, TesseraProcess } from '../harness/process.ts'
import { userinfo, Visitor } from '../harness/program.ts'
import { RoundRobin } from '../harness/round-robin.ts'

afterAll(cleanUp)

const settings = (databaseUrl: string, port: number) => ({
  TESSERA_MODE: 'development',
  TESSERA_DATABASE_URL: databaseUrl,
  TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
  TESSERA_PORT: String(port),
})

/** The processes that have answered something, by the log, which comes a moment after the answer. */
function answering(log: string): number[] {
  return [...new Set([...log.matchAll(/"pid":(\d+)[^\n]*"answered"/g)].map(([, pid]) => Number(pid)))]
}

async function bothAnswering(service: TesseraProcess, since = 0): Promise<number[]> {
  return await vi.waitFor(
    () => {
      const pids = answering(service.stdout.slice(since))
      expect(pids).toHaveLength(2)
      return pids
    },
    { timeout: 30_000 },
  )
}

onOneDatabase('tessera serve --processes 2', (dialect) => {
  let database: TestDatabase
  let proxy: RoundRobin
  let service: TesseraProcess
  beforeAll(async () => {
    database = await createDatabase(dialect)
    // A connection for each request, so that they reach different processes.
    proxy = await RoundRobin.start()
    const port = await freePort()
    service = new TesseraProcess(['serve', '--processes', '2'], {
      environment: { ...settings(database.url, port), TESSERA_ISSUER: proxy.url },
    })
    await service.prints(/^tessera listens on http:\/\/localhost:\d+ with 2 processes$/m)
    proxy.balance([`http://localhost:${port}`])
  })
  afterAll(async () => {
    await service.stop()
    await proxy.close()
    await database.remove()
  })

  it('replaces a process that is killed, even soon after its start, while the other goes on', async () => {
    const visitor = new Visitor(proxy.url)
    const tokens = await visitor.tokens()
    const [killed = 0, other = 0] = await bothAnswering(service)
    process.kill(killed, 'SIGKILL')
    while (isRunning(killed)) await pause(5)
    const before = service.stdout.length
    // Nobody waits for the replacement.
    for (let asked = 0; asked < 5; asked++) {
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
    }
    let since: number[] = []
    for (let waited = 0; since.length < 2 && waited < 60_000; waited += 50) {
      await pause(50)
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
      since = answering(service.stdout.slice(before))
    }
    expect(since).toHaveLength(2)
    expect(since).toContain(other)
    expect(since).not.toContain(killed)
  })

  it('shares the work, and all end with exit 0 at SIGTERM', async () => {
    const visitor = new Visitor(proxy.url)
    const before = service.stdout.length
    for (let round = 0; round < 3; round++) {
      const tokens = await visitor.tokens()
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
    }
    const pids = await bothAnswering(service, before)
    expect(pids).toHaveLength(2)
    expect(pids).not.toContain(service.pid)
    const ended = await service.stop('SIGTERM')
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(pids.filter(isRunning)).toEqual([])
  })
})

describe('tessera serve --processes 2 that can’t start', () => {
  type Wrong = (port: { taken: number; free: number }) => Record<string, string | number>
  it.each<[string, Wrong]>([
    ['a port that is taken', ({ taken }) => ({ TESSERA_PORT: taken })],
    [
      'a port for the metrics that is taken',
      ({ taken, free }) => ({ TESSERA_PORT: free, TESSERA_METRICS_PORT: taken }),
    ],
    [
      'a database that refuses',
      ({ free }) => ({
        TESSERA_PORT: free,
        TESSERA_DATABASE_URL: 'postgres://postgres@127.0.0.1:1/tessera',
      }),
    ],
  ])('ends with what is wrong: %s', async (_name, wrong) => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const address = server.address()
    const taken = typeof address === 'object' && address !== null ? address.port : 0
    const set = Object.entries(wrong({ taken, free: await freePort() }))
    const { code, stdout, stderr } = await new TesseraProcess(['serve', '--processes', '2'], {
      environment: {
        ...settings('sqlite:tessera.sqlite', taken),
        TESSERA_LOG_LEVEL: 'error',
        ...Object.fromEntries(set.map(([name, value]) => [name, String(value)])),
      },
    }).ended
    server.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/TESSERA_(PORT|METRICS_PORT|DATABASE_URL)/)
    expect(stdout).not.toContain('listens')
  })
})

describe('tessera serve --processes 2 on a database whose tables somebody has locked', () => {
  let database: TestDatabase
  let holder: pg.Client
  let observer: pg.Client
  beforeEach(async () => {
    database = await createDatabase('postgres')
    holder = new pg.Client({ connectionString: database.url })
    observer = new pg.Client({ connectionString: database.url })
    await Promise.all([holder.connect(), observer.connect()])
  })
  afterEach(async () => {
    await Promise.all([holder.end(), observer.end()])
    await database.remove()
  })
  const serving = async () => {
    const environment = {
      ...settings(database.url, await freePort()),
      TESSERA_DATABASE_STATEMENT_TIMEOUT: '60',
    }
    return new TesseraProcess(['serve', '--processes', '2'], { environment })
  }

  it('ends soon at SIGTERM while it starts', async () => {
    await holder.query('begin; lock table kysely_migration in access exclusive mode')
    const service = await serving()
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    while ((await observer.query(waiting)).rowCount !== 2) await pause(50)
    const began = performance.now()
    const { code, stdout } = await service.stop('SIGTERM')
    expect([code, stdout]).toEqual([0, ''])
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  // The other ends itself a third of a second before it would be killed too: a busy machine gets another try.
  it('ends in time at SIGTERM while it serves, and kills a process that hangs', { retry: 2 }, async () => {
    const service = await serving()
    await service.prints(/with 2 processes$/m)
    const pids = childrenOf(service.pid)
    expect(pids).toHaveLength(2)
    process.kill(pids[0] ?? 0, 'SIGSTOP')
    await holder.query('begin; lock table logout_notices, webhook_outbox, limits in access exclusive mode')
    // So that what runs by itself waits for them.
    await pause(1500)
    const began = performance.now()
    const { code, stderr } = await service.stop('SIGTERM')
    expect(performance.now() - began).toBeLessThan(20_000)
    expect([code, stderr]).toEqual([
      1,
      `tessera: the process ${pids[0]} did not end in time and was killed.\n`,
    ])
    expect(pids.filter(isRunning)).toEqual([])
  })
})
