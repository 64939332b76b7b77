/** `tessera serve --processes N` and a process that hangs; a stopped one does, as one whose event loop is blocked. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createDatabase, type Dialect } from '../harness/databases.ts'
import { askForMachine } from '../database/fails.ts'
import { childrenOf, cleanUp, freePort, isRunning, pause, TesseraProcess } from '../harness/process.ts'

afterAll(cleanUp)

async function serving(dialect: Dialect) {
  const database = await createDatabase(dialect)
  const port = await freePort()
  const service = new TesseraProcess(['serve', '--processes', '2'], {
    group: true,
    environment: {
      TESSERA_MODE: 'development',
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_PORT: String(port),
      TESSERA_LOG_LEVEL: 'error',
    },
  })
  await service.prints(/with 2 processes$/m)
  const url = `http://localhost:${port}`
  return { service, url, close: () => database.remove() }
}

/** Longer than one may be silent, ms. */
const long = 12_500

// All at the same time: each waits for most of its time.
describe.concurrent('one of several processes', { timeout: 60_000 }, () => {
  // Whatever the database is.
  it.each(['sqlite'] as const)(
    'is replaced when it hangs, which is told, while the other goes on (%s)',
    async (dialect) => {
      const { service, url, close } = await serving(dialect)
      const [hanging = 0, other = 0] = childrenOf(service.pid)
      process.kill(hanging, 'SIGSTOP')
      await vi.waitFor(() => expect(isRunning(hanging)).toBe(false), { timeout: 40_000, interval: 200 })
      expect(service.stderr).toBe(
        `tessera: the process ${hanging} answered nothing for 10 seconds and was killed.\n`,
      )
      await vi.waitFor(() => expect(childrenOf(service.pid)).toHaveLength(2), 20_000)
      expect(childrenOf(service.pid)).toContain(other)
      expect((await askForMachine(url)).status).toBe(200)
      expect((await service.stop('SIGTERM')).code).toBe(0)
      await close()
    },
  )

  it('is not, when all of them were stopped for longer, as a frozen container or a sleeping machine is', async () => {
    const { service, url, close } = await serving('sqlite')
    const pids = childrenOf(service.pid)
    process.kill(-service.pid, 'SIGSTOP')
    await pause(long)
    process.kill(-service.pid, 'SIGCONT')
    // Nor later, when the first one has looked again.
    await pause(3000)
    expect([service.stderr, childrenOf(service.pid)]).toEqual(['', pids])
    expect((await askForMachine(url)).status).toBe(200)
    expect((await service.stop('SIGTERM')).code).toBe(0)
    await close()
  })

  it('ends when the first one is killed, so that another start finds its port free', async () => {
    const { service, url, close } = await serving('sqlite')
    const pids = childrenOf(service.pid)
    expect((await askForMachine(url)).status).toBe(200)
    await service.stop('SIGKILL')
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 20_000)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    await close()
  })

  it('is not, when none of them answered, and one comes back before the other', async () => {
    const { service, url, close } = await serving('sqlite')
    const pids = childrenOf(service.pid)
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await pause(long)
    for (const pid of pids) {
      process.kill(pid, 'SIGCONT')
      await pause(1500)
    }
    expect([service.stderr, childrenOf(service.pid)]).toEqual(['', pids])
    expect((await askForMachine(url)).status).toBe(200)
    expect((await service.stop('SIGTERM')).code).toBe(0)
    await close()
  })
})
