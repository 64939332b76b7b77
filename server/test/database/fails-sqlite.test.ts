import { execFileSync } from 'node:child_process'
import { renameSync, statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authorizeRequest } from '../harness/browser.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import {
  askForMachine,
  expectDiscovery,
  expectUnavailable,
  readiness,
  readyAgain,
  saysFull,
} from './fails.ts'
import { cleanUp, Serving } from '../harness/process.ts'
import { refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

afterAll(cleanUp)

describe('while SQLite fails', () => {
  let database: TestDatabase
  let service: Serving
  let visitor: Visitor
  let path: string
  beforeEach(async () => {
    database = await createDatabase('sqlite')
    path = database.url.slice('sqlite:'.length)
  })
  const serve = async (connectTimeout = '2') => {
    service = await Serving.start({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_DATABASE_CONNECT_TIMEOUT: connectTimeout,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LOG_LEVEL: 'fatal',
    })
    visitor = new Visitor(service.url)
  }
  afterEach(async () => {
    await service.stop('SIGKILL')
    await database.remove()
  })

  it('waits for another process that writes for a while, and stops nobody meanwhile', async () => {
    // Longer than a slow machine needs for all of this.
    await serve('30')
    const before = await visitor.tokens()
    const exchange = await visitor.code()
    const release = writing(path)
    const waiting = token(service.url, exchange)
    for (let asked = 0; asked < 3; asked++) {
      await expectDiscovery(service.url)
      // Whoever only reads needs no lock.
      const began = performance.now()
      expect((await askForMachine(service.url)).status).toBe(200)
      expect((await userinfo(service.url, before.access_token)).status).toBe(200)
      expect(performance.now() - began).toBeLessThan(10_000)
    }
    release()
    expect((await waiting).status).toBe(200)
  })

  it('answers 503 when it writes for too long, to any number at the same time', async () => {
    await serve()
    const before = await visitor.tokens()
    const exchange = await visitor.code()
    const release = writing(path)
    const began = performance.now()
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => token(service.url, exchange)),
      ...Array.from({ length: 20 }, () => refresh(service.url, before.refresh_token)),
      expectDiscovery(service.url).then(() => undefined),
    ])
    const took = performance.now() - began
    for (const answer of answers) if (answer !== undefined) expectUnavailable(answer)
    expect(took).toBeGreaterThan(1900)
    // Those behind did not begin to wait when those before them gave up.
    expect(took).toBeLessThan(20_000)
    const page = await visitor.browser.request(authorizeRequest().path)
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
    release()
    expect((await token(service.url, exchange)).status).toBe(200)
    expect((await refresh(service.url, before.refresh_token)).status).toBe(200)
  })

  it('answers 503 while the disk is full, and goes on by itself when there is room', async () => {
    await serve()
    const before = await visitor.tokens()
    const exchange = await visitor.code()
    // No file may grow beyond the log as it is: what a full disk is to a program.
    limitFiles(service.pid, String(statSync(`${path}-wal`).size))
    for (let round = 0; round < 3; round++) {
      for (const answer of [
        await token(service.url, exchange),
        await refresh(service.url, before.refresh_token),
      ]) {
        expectUnavailable(answer)
        expect(saysFull(answer)).toBe(true)
      }
      const page = await visitor.browser.request(authorizeRequest().path)
      expect([page.status, saysFull(page)]).toEqual([503, true])
    }
    expect(await readiness(service.url)).toEqual({ status: 200, problem: undefined })
    // What needs no write goes on.
    expect((await askForMachine(service.url)).status).toBe(200)
    expect((await userinfo(service.url, before.access_token)).status).toBe(200)
    await expectDiscovery(service.url)

    limitFiles(service.pid, 'unlimited')
    await readyAgain(service.url)
    const tokens = tokensOf(await token(service.url, exchange))
    expect((await userinfo(service.url, tokens.access_token)).status).toBe(200)
    expect((await refresh(service.url, before.refresh_token)).status).toBe(200)
    expect(integrity(path)).toEqual([{ integrity_check: 'ok' }])
  })

  it('does not start on a file that it can’t read, and says so', async () => {
    await serve()
    await service.stop()
    renameSync(path, `${path}.away`)
    execFileSync('sh', ['-c', 'head -c 65536 /dev/urandom > "$1"', 'sh', path])
    await expect(
      Serving.start({
        TESSERA_DATABASE_URL: database.url,
        TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      }),
    ).rejects.toThrow(/ended with 1: .*TESSERA_DATABASE_URL/)
    renameSync(`${path}.away`, path)
  })
})

/** Another process holds the write lock, until what this yields is called. */
function writing(path: string): () => void {
  const other = new DatabaseSync(path)
  other.exec('begin immediate')
  return () => {
    other.exec('rollback')
    other.close()
  }
}

/** RLIMIT_FSIZE of a running process, the soft one. */
function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`])
}

function integrity(path: string): unknown[] {
  const connection = new DatabaseSync(path)
  try {
    return connection.prepare('pragma integrity_check').all()
  } finally {
    connection.close()
  }
}
