/** The log where nobody reads it, and where its disk is full: it may cost lines, and never an answer. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { createDatabase } from '../harness/databases.ts'
import { cleanUp, freePort, temporaryFolder } from '../harness/process.ts'

const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await cleanUp()
})

const launcher = fileURLToPath(new URL('../../bin/tessera.cjs', import.meta.url))

async function serving(output: 'pipe' | number, limits: readonly string[] = []) {
  const database = await createDatabase('sqlite')
  const port = await freePort()
  const child = spawn('prlimit', [...limits, process.execPath, launcher, 'serve'], {
    cwd: temporaryFolder(),
    stdio: ['ignore', output, 'inherit'],
    env: {
      PATH: process.env.PATH,
      TESSERA_MODE: 'development',
      TESSERA_PORT: String(port),
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DATABASE_URL: database.url,
    },
  })
  started.push(child)
  const url = `http://localhost:${port}`
  const ask = async (path: string) =>
    (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(20_000) })).status
  await vi.waitFor(async () => expect(await ask('/health/live')).toBe(200), {
    timeout: 20_000,
    interval: 100,
  })
  return {
    output: child.stdout,
    /** Each in a line of more than 4 KB. */
    async askMany(count: number) {
      for (let asked = 0; asked < count; asked++) expect(await ask(`/${'a'.repeat(4000)}`)).toBe(404)
    },
    /** There is room on the disk of its database too, which it tidies up at its end. */
    makeRoom: () => void execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
      await database.remove()
    },
  }
}

const recordsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; path?: string })

it('goes on while nobody reads its log, and tells later how much of it was lost', async () => {
  const service = await serving('pipe')
  await service.askMany(300)
  let read = ''
  service.output?.setEncoding('utf8').on('data', (part: string) => (read += part))
  await vi.waitFor(() => expect(recordsOf(read).length).toBeGreaterThan(60), 20_000)
  await service.askMany(1)
  await vi.waitFor(() => expect(read).toMatch(/\d+ lines of the log were lost/), 20_000)
  await service.stop()
  const told = recordsOf(read)
  const lost = Number(told.map(({ msg }) => /^(\d+) lines of the log/.exec(msg)?.[1]).find(Boolean))
  expect(lost).toBeGreaterThan(50)
  // All the others are there, whole and once.
  expect(told.filter(({ path }) => path?.startsWith('/aaa')).length).toBe(301 - lost)
})

it('starts and goes on while the disk of its log is full, and tells what was lost when there is room', async () => {
  const file = join(temporaryFolder(), 'log')
  const size = 100_000
  writeFileSync(file, 'x'.repeat(size))
  // No file may grow beyond it; the database is larger, but nothing is written to it.
  const service = await serving(openSync(file, 'a'), [`--fsize=${size}:unlimited`])
  await service.askMany(20)
  expect(readFileSync(file).length).toBe(size)
  truncateSync(file)
  await service.askMany(1)
  // The line of an answer comes after it: that of the last one before may still have been on its way, and come first.
  await vi.waitFor(
    () =>
      expect(readFileSync(file, 'utf8')).toMatch(
        /^({.*"answered"}\n)?{.*\d+ lines of the log were lost"}\n({.*"answered"}\n){1,2}$/,
      ),
    20_000,
  )
  service.makeRoom()
  await service.stop()
})
