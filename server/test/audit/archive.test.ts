import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, expect, it, vi } from 'vitest'
import { markArchived } from '../../dist/audit/archive.js'
import { goesThrough } from '../../dist/audit/head.js'
import { closedMonths, closeMonth } from '../../dist/audit/months.js'
import { record } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { runHere } from '../cli/command-support.ts'
import { createDatabase, oneDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { temporaryFolder } from '../harness/process.ts'
import { allLinked, openStore } from '../harness/stores.ts'
import { addRecords, Intruder, monthTimes, writeMonths } from './support.ts'

const { october, november, december } = monthTimes

/** Closed months leave the database for files, and nothing else removes a record. */
onEachDatabase('tessera audit archive', (dialect) => {
  const once = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  let intruder: Intruder
  let folder: string
  beforeEach(async () => {
    database = await createDatabase(dialect, 'tables')
    store = await openStore(database.url)
    intruder = new Intruder(store)
    folder = join(temporaryFolder(), 'archive')
    return async () => {
      await store.close()
      await database.remove()
    }
  })
  const audit = (...commandLine: string[]) =>
    runHere(['audit', ...commandLine], {
      environment: { TESSERA_DATABASE_URL: database.url },
      now: december + 60_000,
    })
  const archive = (before: string, ...more: string[]) =>
    audit('archive', '--before', before, '--to', folder, '--yes', ...more)
  const sequences = async () => {
    await allLinked(store)
    const rows = await store.db.selectFrom('audit_records').select('sequence').orderBy('sequence').execute()
    return rows.map(({ sequence }) => sequence)
  }
  const fileOf = (month: string) => join(folder, `audit-${month}.jsonl`)
  const verdict = async (...more: string[]) => {
    const { code, stdout } = await audit('verify', '--json', ...more)
    const { problems, ...rest } = JSON.parse(stdout)
    const told = problems.map((one: { what: string; sequence: number }) => `${one.what} ${one.sequence}`)
    return { code, ...rest, problems: told }
  }
  const files = () => (existsSync(folder) ? readdirSync(folder) : [])

  it('writes closed months, removes their records, and verify goes on from there', async () => {
    await writeMonths(store)
    const { stdout } = await audit('export')
    const before = stdout.split('\n')
    const { code, stdout: said } = await archive('2030-12', '--json')
    const [october, november] = await closedMonths(store.db)
    expect({ code, ...JSON.parse(said) }).toEqual({
      code: 0,
      archived: [
        { month: '2030-10', first: 1, last: 3, hash: october?.hash, file: fileOf('2030-10') },
        { month: '2030-11', first: 4, last: 5, hash: november?.hash, file: fileOf('2030-11') },
      ],
    })
    const lines = readFileSync(fileOf('2030-11'), 'utf8').split('\n')
    expect(lines.slice(0, 2)).toEqual(before.slice(3, 5))
    expect(JSON.parse(lines[2] ?? '')).toEqual({
      month: '2030-11',
      first: 4,
      last: 5,
      hash: november?.hash,
      mac: november?.mac,
    })
    // The one of December, that of the export, and one for each month.
    expect(await sequences()).toEqual([6, 7, 8, 9])
    const { stdout: listed } = await audit('list', '--kind', 'audit.archived', '--json')
    expect(JSON.parse(listed).items.map(({ detail }: { detail: object }) => detail)).toEqual([
      { month: '2030-11', first: 4, last: 5, file: 'audit-2030-11.jsonl' },
      { month: '2030-10', first: 1, last: 3, file: 'audit-2030-10.jsonl' },
    ])
    expect(await verdict()).toMatchObject({ code: 0, whole: true, records: 4, archived_to: 5 })
    expect((await audit('verify')).stdout).toMatch(
      /^The audit is whole: 4 records\.\nHead: 9:\w+\nArchived: records 1 to 5\. The check went on/,
    )
    const bothFiles = [fileOf('2030-10'), fileOf('2030-11')]
    expect(await verdict(...bothFiles)).toMatchObject({ code: 0, records: 5, problems: [] })
    expect((await audit('verify', ...bothFiles)).stdout).toBe(
      `The audit is whole: 5 records.\nHead: 5:${november?.hash}\n`,
    )
    expect(await verdict('--file', fileOf('2030-11'))).toMatchObject({ code: 0, records: 2 })
  })

  it('archives each month once, and keeps what a later key marks', async () => {
    await writeMonths(store)
    expect(await archive('2030-11')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /audit-2030-10\.jsonl holds records 1 to 3, which are removed\. Head: 3:/,
      ),
    })
    expect(await archive('2030-11')).toEqual({
      code: 0,
      stdout: 'There is no month to archive before 2030-11.\n',
      stderr: '',
    })
    expect(files()).toEqual(['audit-2030-10.jsonl'])
    expect(await audit('rekey', '--yes')).toMatchObject({ code: 0 })
    expect(await verdict()).toMatchObject({ code: 0, archived_to: 3 })
    expect(await verdict(fileOf('2030-10'))).toMatchObject({ code: 0, records: 3 })
    expect(await archive('2030-12')).toMatchObject({ code: 0 })
    expect(await verdict()).toMatchObject({ code: 0, archived_to: 5 })
  })

  once.it('refuses what is open, and what nobody said yes to', async () => {
    await writeMonths(store)
    const all = await sequences()
    expect(await archive('2031-01')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('2030-12 is open'),
    })
    expect(await audit('archive', '--before', '2030-12', '--to', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--yes'),
    })
    for (const wrong of ['2030-13', '2030', '30-12', '2030-12-01'])
      expect(await archive(wrong)).toMatchObject({ code: 1, stderr: expect.stringContaining('2026-01') })
    expect([files(), await sequences()]).toEqual([[], all])
  })

  if (dialect === 'postgres')
    it('drops the partitions of what it archives', async () => {
      await writeMonths(store)
      const partitions = async () => {
        const { rows } = await sql<{ name: string }>`
          select inhrelid::regclass::text as name from pg_inherits
          where inhparent = 'audit_records'::regclass order by name`.execute(store.db)
        return rows.map(({ name }) => name.slice('audit_records_'.length))
      }
      expect(await partitions()).toEqual(['2030_10', '2030_11', '2030_12', 'first'])
      // A reader in a long transaction holds it up, and is not held up.
      const other = new pg.Client({ connectionString: database.url })
      await other.connect()
      await other.query('begin; select count(*) from audit_records')
      const archiving = archive('2030-12')
      await vi.waitFor(
        async () => expect((await closedMonths(store.db))[0]?.archived_at).not.toBe(null),
        60_000,
      )
      expect((await other.query('select count(*) from audit_records')).rowCount).toBe(1)
      await other.end()
      expect(await archiving).toMatchObject({ code: 0 })
      expect(await partitions()).toEqual(['2030_12', 'first'])
      expect(await verdict()).toMatchObject({ code: 0, archived_to: 5 })
    })

  if (dialect === 'postgres')
    it('refuses a month of which a record waits', async () => {
      await writeMonths(store)
      await record(store, { at: november, kind: 'user.changed' })
      const other = new pg.Client({ connectionString: database.url })
      await other.connect()
      await other.query('begin; select from audit_head for update')
      try {
        const ended = await runHere(['audit', 'archive', '--before', '2031-01', '--to', folder, '--yes'], {
          environment: { TESSERA_DATABASE_URL: database.url },
          now: Date.parse('2031-01-05'),
        })
        expect(ended).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('2030-12 is open, or records'),
        })
      } finally {
        await other.end()
      }
      expect(files()).toEqual([])
    })

  once.it.each([
    [
      'a forged head',
      () =>
        store.db
          .updateTable('audit_months')
          .set({ hash: 'f'.repeat(64) })
          .execute(),
    ],
    [
      'months whose first one is gone',
      () => store.db.deleteFrom('audit_months').where('month', '=', '2030-10').execute(),
    ],
    [
      'a record that was altered',
      async () => {
        await intruder.dropTriggers()
        await intruder.set(2, { kind: 'sign_out' })
        await intruder.makeTriggers()
      },
    ],
    [
      'a record that is gone',
      async () => {
        await intruder.dropTriggers()
        await intruder.remove(1)
        await intruder.makeTriggers()
      },
    ],
    [
      'a webhook that still waits for a record',
      async () => {
        const columns = { url: 'https://hook.example', description: '', kinds: '["*"]', active: 1, since: 0 }
        await store.db
          .insertInto('webhooks')
          .values({ uuid: 'w', ...columns, organisation_uuid: null, created_at: 1, updated_at: 1 } as never)
          .execute()
      },
    ],
    [
      'another file of that name',
      async () => {
        mkdirSync(folder)
        writeFileSync(fileOf('2030-10'), 'something else\n')
      },
    ],
  ])('removes nothing with %s', async (_, work) => {
    await writeMonths(store)
    await work()
    const before = await sequences()
    const { code, stdout, stderr } = await archive('2030-12')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/verify|webhook|no audit record/i)
    expect(await sequences()).toEqual(before)
    expect(files().filter((name) => name.endsWith('.partial'))).toEqual([])
  })

  it('two at once archive each month once', async () => {
    await writeMonths(store)
    const to = (name: string) => audit('archive', '--before', '2030-12', '--to', join(folder, name), '--yes')
    const ended = await Promise.all([to('a'), to('b'), to('c')])
    expect(ended.some(({ code }) => code === 0)).toBe(true)
    for (const { code, stderr } of ended)
      if (code !== 0) expect(stderr).toMatch(/Somebody else has archived 2030-1\d meanwhile/)
    const { stdout } = await audit('list', '--kind', 'audit.archived', '--json')
    expect(JSON.parse(stdout).items).toHaveLength(2)
    expect(await verdict()).toMatchObject({ code: 0, archived_to: 5 })
  })

  it('finishes what a killed one began', async () => {
    await writeMonths(store)
    const [october] = await closedMonths(store.db)
    if (october === undefined) throw new Error('October is not closed.')
    const told = { now: december, by: {}, file: 'audit-2030-10.jsonl' }
    await markArchived(store, october, told, async () => undefined)
    expect(await verdict()).toMatchObject({ code: 1, problems: ['archived 1'], archived_to: 3 })
    expect(await archive('2030-11')).toMatchObject({ code: 0 })
    expect(await sequences()).toEqual([4, 5, 6, 7])
    expect(await verdict()).toMatchObject({ code: 0, archived_to: 3 })
  })

  it('a month that somebody removed is missing, whatever they say of it', async () => {
    await writeMonths(store)
    await intruder.dropTriggers()
    await intruder.remove(1, 2, 3)
    await intruder.makeTriggers()
    expect(await verdict()).toMatchObject({ code: 1, problems: ['missing 1', 'not_kept 3'], archived_to: 0 })
    await store.db
      .updateTable('audit_months')
      .set((row) => ({ archived_at: 1, archive_mac: row.ref('mac') }))
      .where('month', '=', '2030-10')
      .execute()
    expect(await verdict()).toMatchObject({
      code: 1,
      problems: ['month_not_marked 1', 'missing 1'],
      archived_to: 0,
    })
  })

  it('an archived month whose head is gone is missing', async () => {
    await writeMonths(store)
    await archive('2030-11')
    await store.db.deleteFrom('audit_months').where('month', '=', '2030-10').execute()
    expect(await verdict()).toMatchObject({ code: 1, problems: ['month_missing 1', 'missing 1'] })
  })

  once.it.each([
    ['a record changed', (text: string) => text.replace('user.changed', 'sign_out'), 'altered 1'],
    ['a record left out', (text: string) => text.split('\n').toSpliced(1, 1).join('\n'), 'missing 2'],
    ['its beginning left out', (text: string) => text.split('\n').slice(1).join('\n'), 'missing 1'],
    ['its end left out', (text: string) => `${text.split('\n').slice(0, 2).join('\n')}\n`, 'month_missing 1'],
    ['another head', (text: string) => text.replace('"last":3', '"last":2'), 'month_not_marked 1'],
  ])('a file with %s is not the month', async (_, change, problem) => {
    await writeMonths(store)
    await archive('2030-11')
    writeFileSync(fileOf('2030-10'), change(readFileSync(fileOf('2030-10'), 'utf8')))
    const { code, problems } = await verdict(fileOf('2030-10'))
    expect([code, problems[0]]).toEqual([1, problem])
  })

  if (dialect === 'sqlite')
    it('stays as it is after the restore of a backup, here and elsewhere', async () => {
      await writeMonths(store)
      const command = (commandLine: string[], url = database.url) =>
        runHere(commandLine, { environment: { TESSERA_DATABASE_URL: url }, now: december + 60_000 })
      const [old, late] = [join(temporaryFolder(), 'old.sqlite'), join(temporaryFolder(), 'late.sqlite')]
      expect(await command(['backup', old])).toMatchObject({ code: 0 })
      await archive('2030-12')
      expect(await command(['backup', late])).toMatchObject({ code: 0 })
      expect(await command(['restore', old, '--yes'])).toMatchObject({ code: 0 })
      expect(await verdict()).toMatchObject({ code: 0, archived_to: 5 })
      expect((await sequences())[0]).toBe(6)
      const elsewhere = `sqlite:${join(temporaryFolder(), 'new.sqlite')}`
      expect(await command(['restore', late, '--yes'], elsewhere)).toMatchObject({ code: 0 })
      const { code, stdout } = await command(['audit', 'verify', '--json'], elsewhere)
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, archived_to: 5, problems: [] })
    })

  if (dialect === 'sqlite')
    it('stays as it is after the restore of a backup from within an archived month, once or twice', async () => {
      const command = (commandLine: string[]) =>
        runHere(commandLine, {
          environment: { TESSERA_DATABASE_URL: database.url },
          now: december + 60_000,
        })
      const early = join(temporaryFolder(), 'early.sqlite')
      await closeMonth(store, october)
      await addRecords(store, october, 2)
      expect(await command(['backup', early])).toMatchObject({ code: 0 })
      await addRecords(store, october + 2, 1)
      await closeMonth(store, november)
      await addRecords(store, november, 1)
      await archive('2030-11')
      expect(await sequences()).toEqual([5, 6])
      // Nothing here tells any more whether these two are the first of that month: they are kept.
      for (const all of [
        [5, 6, 7, 8, 9],
        [5, 6, 7, 8, 9, 10],
      ]) {
        expect(await command(['restore', early, '--yes'])).toMatchObject({ code: 0 })
        expect(await sequences()).toEqual(all)
        expect(await verdict()).toMatchObject({ code: 0, archived_to: 4, problems: [] })
      }
      const { stdout } = await audit('list', '--json')
      const kinds = JSON.parse(stdout).items.map(({ kind }: { kind: string }) => kind)
      expect(kinds.filter((kind: string) => kind === 'user.changed')).toHaveLength(3)
      expect(await verdict(fileOf('2030-10'))).toMatchObject({ code: 0, problems: [] })
    })

  it('heads that were kept elsewhere are found where their records are', async () => {
    await writeMonths(store)
    const rows = await store.db.selectFrom('audit_records').selectAll().orderBy('sequence').execute()
    const [two, three, five] = [2, 3, 5].map((n) => `${n}:${rows[n - 1]?.hash}`) as [string, string, string]
    await archive('2030-11')
    for (const kept of [three, five]) expect(await verdict('--expect', kept)).toMatchObject({ code: 0 })
    expect(await verdict('--expect', `3:${'f'.repeat(64)}`)).toMatchObject({ problems: ['not_kept 3'] })
    expect(await audit('verify', '--expect', two)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is of an archived month'),
    })
    expect(await verdict(fileOf('2030-10'), '--expect', two)).toMatchObject({ code: 0 })
    expect(await verdict(fileOf('2030-10'), '--expect', five)).toMatchObject({ problems: ['not_kept 5'] })
    // A process that saw the chain end there has not lost anything.
    expect(await goesThrough(store, rows[2] ?? rows[0] ?? { sequence: 0, hash: '' })).toBe(true)
    expect(await goesThrough(store, { sequence: 5, hash: 'f'.repeat(64) })).toBe(false)
  })
})
