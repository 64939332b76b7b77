import { sql } from 'kysely'
import { beforeEach, expect, it, vi } from 'vitest'
import { closedMonths, closeMonth, monthOf, openMonth } from '../../dist/audit/months.js'
import { listAudit } from '../../dist/audit/read.js'
import { record } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { createDatabase, oneDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { runHere } from '../cli/command-support.ts'
import { startTessera } from '../harness/harness.ts'
import { allLinked, openStore } from '../harness/stores.ts'
import { addRecords, Intruder, monthTimes, writeMonths } from './support.ts'

const { october, november, december, january } = monthTimes

/** A month that is over leaves a head of the chain that nobody can write without the secret. */
onEachDatabase('months of the audit', (dialect) => {
  const once = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  let intruder: Intruder
  beforeEach(async () => {
    database = await createDatabase(dialect, 'tables')
    store = await openStore(database.url)
    intruder = new Intruder(store)
    return async () => {
      await store.close()
      await database.remove()
    }
  })
  const ranges = async () =>
    (await closedMonths(store.db)).map(({ month, first, last }) => [month, first, last])
  const headAt = async (sequence: number) =>
    (
      await store.db
        .selectFrom('audit_records')
        .select('hash')
        .where('sequence', '=', sequence)
        .executeTakeFirstOrThrow()
    ).hash
  const problems = async (...more: string[]) => {
    const environment = { TESSERA_DATABASE_URL: database.url }
    const { code, stdout } = await runHere(['audit', 'verify', '--json', ...more], { environment })
    const verdict = JSON.parse(stdout)
    expect(code).toBe(verdict.whole ? 0 : 1)
    return verdict.problems.map(
      ({ what, sequence, to }: { what: string; sequence: number; to: number }) => `${what} ${sequence}-${to}`,
    )
  }

  it('leave a head once they are over, and none where nothing was recorded', async () => {
    await writeMonths(store)
    expect(await ranges()).toEqual([
      ['2030-10', 1, 3],
      ['2030-11', 4, 5],
    ])
    expect((await closedMonths(store.db)).map(({ hash }) => hash)).toEqual([await headAt(3), await headAt(5)])
    await closeMonth(store, december + 1)
    // By a clock that is behind.
    await closeMonth(store, october)
    expect(await ranges()).toHaveLength(2)
    await closeMonth(store, january)
    await closeMonth(store, Date.parse('2031-02-01'))
    expect((await ranges()).slice(2)).toEqual([['2030-12', 6, 6]])
    expect(await problems()).toEqual([])
  })

  once.it('are closed by a process that serves, when its clock says so', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const tessera = await startTessera(dialect, { content: 'tables' })
    const other = await openStore(tessera.databaseUrl)
    const until = async (expected: () => Promise<void>) =>
      await vi.waitFor(async () => {
        await vi.advanceTimersByTimeAsync(60_000)
        await expected()
      }, 60_000)
    try {
      tessera.clock.stop()
      const month = () => monthOf(tessera.clock.now())
      const first = month()
      await until(async () => expect(await openMonth(other.db)).toBe(first))
      expect(await closedMonths(other.db)).toEqual([])
      await addRecords(other, tessera.clock.now(), 2)
      tessera.clock.advance(32 * 86_400_000)
      await until(async () => expect(await openMonth(other.db)).toBe(month()))
      const records = await listAudit(other, {}, { limit: 100 })
      const closed = await closedMonths(other.db)
      expect(closed).toMatchObject([{ month: first, first: 1 }])
      const itsLast = records.find(({ sequence }) => sequence === closed[0]?.last)
      expect(itsLast?.hash).toBe(closed[0]?.hash)
      expect(
        records
          .filter(({ kind }) => kind === 'user.changed')
          .map(({ sequence }) => sequence <= (closed[0]?.last ?? 0)),
      ).toEqual([true, true])
    } finally {
      vi.useRealTimers()
      await other.close()
      await tessera.close()
    }
  })

  it('leave one head when several processes close them at once', async () => {
    await closeMonth(store, october)
    await addRecords(store, october, 3)
    await Promise.all(Array.from({ length: 5 }, () => closeMonth(store, november)))
    expect(await ranges()).toEqual([['2030-10', 1, 3]])
  })

  if (dialect === 'postgres')
    it('stay open while a record of them waits', async () => {
      await closeMonth(store, october)
      await record(store, { at: Date.parse('2030-10-31T23:59:59.999Z'), kind: 'user.changed' })
      await record(store, { at: november, kind: 'user.changed' })
      await closeMonth(store, november)
      expect(await ranges()).toEqual([])
      await allLinked(store)
      await record(store, { at: november, kind: 'user.changed' })
      await closeMonth(store, november)
      expect(await ranges()).toEqual([['2030-10', 1, 2]])
    })

  once.it.each([
    ['a head that was altered', { hash: 'f'.repeat(64) }],
    ['a head with another beginning', { first: 5 }],
    ['a head of another month', { month: '2030-09' }],
    ['a mark of no key', { mac: 'f'.repeat(64) }],
  ])('%s is found', async (_, values) => {
    await writeMonths(store)
    await store.db.updateTable('audit_months').set(values).where('month', '=', '2030-11').execute()
    expect((await problems()).join()).toMatch(/month_not_marked [45]-5$/)
  })

  it('a head that is gone is found, and an end that was cut off from before the last one', async () => {
    await writeMonths(store)
    await store.db.deleteFrom('audit_months').where('month', '=', '2030-10').execute()
    expect(await problems()).toEqual(['month_missing 1-3'])
    await intruder.dropTriggers()
    await intruder.remove(5, 6)
    await intruder.moveHead({ sequence: 4, hash: await headAt(4) })
    await intruder.makeTriggers()
    expect(await problems()).toEqual(['month_missing 1-3', 'not_kept 5-5'])
    const environment = { TESSERA_DATABASE_URL: database.url }
    const { stdout } = await runHere(['audit', 'verify'], { environment })
    expect(stdout).toContain('\n  records 1 to 3 make a closed month whose head is gone\n')
  })

  it('count on under another key', async () => {
    await writeMonths(store)
    const environment = { TESSERA_DATABASE_URL: database.url }
    expect(await runHere(['audit', 'rekey', '--yes'], { environment })).toMatchObject({ code: 0 })
    expect(await problems()).toEqual([])
    expect(await ranges()).toHaveLength(2)
  })

  it('do not let a record of theirs be removed', async () => {
    await writeMonths(store)
    await expect(sql`delete from audit_records where sequence = 1`.execute(store.db)).rejects.toThrow(
      /never changed or removed/,
    )
  })

  if (dialect === 'postgres')
    it('do not ask a temporary table in the place of theirs', async () => {
      await writeMonths(store)
      const removal = store.db.transaction().execute(async (trx) => {
        await sql`create temp table audit_months (archived_at, last) on commit drop as select 1, 9`.execute(
          trx,
        )
        await sql`delete from public.audit_records where sequence = 1`.execute(trx)
      })
      await expect(removal).rejects.toThrow(/never changed or removed/)
    })
})
