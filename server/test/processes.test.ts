import { createServer } from 'node:net'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDatabase, onEachDatabase, type TestDatabase } from './databases.ts'
import { cleanUp, pause, TesseraProcess } from './process.ts'
import { userinfo, Visitor } from './program.ts'
import { RoundRobin } from './round-robin.ts'

afterAll(cleanUp)

const settings = (databaseUrl: string, port: number) => ({
  TESSERA_MODE: 'development',
  TESSERA_DATABASE_URL: databaseUrl,
  TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
  TESSERA_PORT: String(port),
})

/** The processes that have answered something since, by the log. */
function answering(log: string): number[] {
  return [...new Set([...log.matchAll(/"pid":(\d+)[^\n]*"answered"/g)].map(([, pid]) => Number(pid)))]
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

onEachDatabase('tessera serve --processes 2', (dialect) => {
  let database: TestDatabase
  let proxy: RoundRobin
  let service: TesseraProcess
  beforeEach(async () => {
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
  afterEach(async () => {
    await service.stop()
    await proxy.close()
    await database.remove()
  })

  it('shares the work, and all end with exit 0 at SIGTERM', async () => {
    const visitor = new Visitor(proxy.url)
    for (let round = 0; round < 3; round++) {
      const tokens = await visitor.tokens()
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
    }
    const pids = answering(service.stdout)
    expect(pids).toHaveLength(2)
    expect(pids).not.toContain(service.pid)
    const ended = await service.stop('SIGTERM')
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('replaces a process that is killed, even soon after its start, while the other goes on', async () => {
    const visitor = new Visitor(proxy.url)
    const tokens = await visitor.tokens()
    const [killed = 0, other = 0] = answering(service.stdout)
    expect(other).toBeGreaterThan(0)
    process.kill(killed, 'SIGKILL')
    while (isRunning(killed)) await pause(5)
    const before = service.stdout.length
    // Nobody waits for the replacement.
    for (let asked = 0; asked < 5; asked++) {
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
    }
    let since: number[] = []
    for (let waited = 0; since.length < 2 && waited < 10_000; waited += 50) {
      await pause(50)
      expect((await userinfo(proxy.url, tokens.access_token)).status).toBe(200)
      since = answering(service.stdout.slice(before))
    }
    expect(since).toHaveLength(2)
    expect(since).toContain(other)
    expect(since).not.toContain(killed)
    expect((await service.stop('SIGTERM')).code).toBe(0)
    expect(since.filter(isRunning)).toEqual([])
  })
})

describe('tessera serve --processes 2 that can’t start', () => {
  it.each([
    ['a port that is taken', {}],
    ['a database that refuses', { TESSERA_DATABASE_URL: 'postgres://postgres@127.0.0.1:1/tessera' }],
  ])('ends with what is wrong: %s', async (_name, wrong) => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, 'localhost', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { code, stdout, stderr } = await new TesseraProcess(['serve', '--processes', '2'], {
      environment: { ...settings('sqlite:tessera.sqlite', port), TESSERA_LOG_LEVEL: 'error', ...wrong },
    }).ended
    taken.close()
    expect(code).toBe(1)
    expect(stderr).toMatch(/TESSERA_(PORT|DATABASE_URL)/)
    expect(stdout).not.toContain('listens')
  })
})

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer().listen(0, 'localhost', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
