import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { Concurrency } from '../../dist/webhooks/concurrency.js'
import { Limit } from '../../dist/identity/limit.js'
import { openStore } from '../harness/stores.ts'
import { Cache } from '../../dist/database/cache.js'
import { collectGarbage } from '../harness/garbage.ts'

/**
 * What is kept for each name that somebody can choose must not grow with the uptime of a process; and what is kept of
 * the database must not outlive a change.
 */

const megabyte = 1024 * 1024
const many = 3000
/** 8 KB each, so that those that are kept can be seen from outside: 24 MB. */
const name = () => randomBytes(4000).toString('hex')
const heapInUse = () => {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

it('addresses that asked are forgotten after a minute, also while the database is away', async () => {
  let now = Date.now()
  const store = await openStore('sqlite::memory:')
  const limit = new Limit({ store, now: () => now }, 'authorize', 8)
  await store.close()
  const busy = () => {
    for (let count = 0; count < 4; count++) limit.count('busy')
  }
  busy()
  const before = heapInUse()
  for (let index = 0; index < many; index++) limit.count(name())
  expect(heapInUse() - before).toBeGreaterThan(16 * megabyte)
  now += 61_000
  // It asks all the time, and what it counted can't be told.
  busy()
  await expect(limit.share()).rejects.toThrow()
  expect(heapInUse() - before).toBeLessThan(10 * megabyte)
  // Used last, so that nothing of it is garbage before.
  limit.check('busy')
})

it('receivers that failed, and are no more, are forgotten when there are many', async () => {
  const concurrency = new Concurrency()
  let failed = 0
  const next = async () => {
    failed++
    return 'failed' as const
  }
  const report = (failure: unknown) => expect.unreachable(String(failure))
  const before = heapInUse()
  for (let index = 0; index < many; index++) {
    const under: Promise<void>[] = []
    concurrency.start(name(), next, { report, goesOn: (work) => under.push(work) })
    await Promise.all(under)
  }
  expect(heapInUse() - before).toBeLessThan(10 * megabyte)
  concurrency.start(name(), next, { report, goesOn: () => undefined })
  expect(failed).toBeGreaterThan(many)
})

it('what was read slowly is not taken for what it is after a change that came meanwhile', async () => {
  let revision = 1
  const cache = new Cache(async () => revision)
  let answer: (value: string) => void = () => expect.unreachable('nothing was read')
  const slow = cache.get('client', () => new Promise<string>((resolve) => (answer = resolve)))
  revision = 2
  // Whoever asks first after the change: from here on what is kept is that of the second revision.
  expect(await cache.get('another', async () => 'another')).toBe('another')
  answer('as it was')
  // It was asked for before the change.
  expect(await slow).toBe('as it was')
  expect(await cache.get('client', async () => 'as it is')).toBe('as it is')
  expect(await cache.get('client', async () => 'read again')).toBe('as it is')
})
