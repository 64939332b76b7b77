import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { record, recordAll } from '../../dist/audit/record.js'
import { type AuditFilter, type AuditRecord, listAudit } from '../../dist/audit/read.js'
import type { Store } from '../../dist/database/store.js'
import { allLinked, openStore } from '../harness/stores.ts'
import { followAudit, writeRecords } from './support.ts'
import { complaintsOf, type Ran, runHere } from '../cli/command-support.ts'
import { createDatabase, oneDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, pause, temporaryFolder, TesseraProcess } from '../harness/process.ts'

/** Reading the audit: `tessera audit list`, `tail` and `export`, and the verbs that they share with the API. */

afterAll(cleanUp)

onEachDatabase('tessera audit', (dialect) => {
  const once = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  beforeEach(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
  })
  afterEach(async () => {
    await store.close()
    await database.remove()
  })
  const environment = () => ({ TESSERA_DATABASE_URL: database.url })
  const audit = (...commandLine: string[]): Promise<Ran> =>
    runHere(['audit', ...commandLine], { environment: environment() })
  async function listed(...more: string[]): Promise<{ items: AuditRecord[]; next_cursor: number | null }> {
    const { code, stdout, stderr } = await audit('list', '--json', ...more)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as { items: AuditRecord[]; next_cursor: number | null }
  }
  const numbers = (records: readonly AuditRecord[]) => records.map(({ sequence }) => sequence)
  /** By the verb, whose answer the command prints. */
  const list = async (filter: AuditFilter, limit = 100) => {
    await allLinked(store)
    return await listAudit(store, filter, { limit })
  }

  /** Past what the template holds. */
  async function afterTemplate(many = 12): Promise<{ first: number; all: AuditRecord[] }> {
    const before = await list({})
    await writeRecords(store, many)
    return { first: before.length + 1, all: (await list({}, 10_000)).toReversed().slice(before.length) }
  }

  it('lists the newest first, and shows people who it was', async () => {
    const { uuid } = await store.db
      .selectFrom('users')
      .select('uuid')
      .where('email', '=', 'importer@acme.example')
      .executeTakeFirstOrThrow()
    await record(store, {
      at: Date.parse('2030-11-20T08:00:00.123Z'),
      kind: 'user.changed',
      actor: { kind: 'user', id: uuid, role_code: 'admin' },
      address: '2001:db8::7',
      requestId: 'r-1',
      target: { kind: 'client', id: 'nightly-import' },
      before: { name: 'a' },
      after: { name: 'b' },
    })
    const { items } = await listed('--limit', '1')
    const [one] = items
    expect(one).toEqual({
      sequence: expect.any(Number),
      at: '2030-11-20T08:00:00.123Z',
      kind: 'user.changed',
      actor: { kind: 'user', id: uuid, role_code: 'admin' },
      address: '2001:db8::7',
      request_id: 'r-1',
      target: { kind: 'client', id: 'nightly-import' },
      before: { name: 'a' },
      after: { name: 'b' },
      previous: expect.stringMatching(/^[0-9a-f]{64}$/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      mac: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const { code, stdout } = await audit('list', '--actor', 'Importer@acme.example')
    expect(code).toBe(0)
    const line = stdout.split('\n').find((row) => row.includes('user.changed')) ?? ''
    expect(line).toContain('importer@acme.example')
    expect(line).toContain('client nightly-import')
    expect(line).toContain('2001:db8::7')
    expect(line).toContain('2030-11-20T08:00:00.123Z')
  })

  it('narrows by actor, target, person, organisation, kind and time, and by all of them', async () => {
    const { first, all } = await afterTemplate()
    const time = (index: number) => Date.parse(all[index]?.at ?? '')
    const expected = (keep: (index: number) => boolean) =>
      all.flatMap((_, index) => (keep(index) ? [first + index] : [])).reverse()
    const cases: [AuditFilter, (index: number) => boolean][] = [
      [{ actor: 'actor-1' }, (i) => i % 4 === 1],
      [{ target: 'target-2' }, (i) => i % 5 === 2],
      [{ user: 'target-2' }, (i) => i % 5 === 2],
      [{ organisation: 'organisation-1' }, (i) => i % 2 === 1],
      [{ kind: 'sign_in.failed' }, (i) => i % 3 === 0],
      [{ actor: 'actor-0', from: time(3), to: time(8) }, (i) => i % 4 === 0 && i >= 3 && i < 8],
      [{ from: time(11), to: time(11) + 1 }, (i) => i === 11],
      [{ actor: 'actor-1', target: 'target-1', kind: 'user.changed' }, (i) => i === 1],
      [{ actor: 'nobody' }, () => false],
      [{ kind: 'sign_in.failed', to: time(0) }, () => false],
    ]
    for (const [filter, keep] of cases)
      expect(numbers(await list(filter)), JSON.stringify(filter)).toEqual(expected(keep))
    const options = [
      '--actor',
      'actor-1',
      '--target',
      'target-1',
      '--user',
      'target-1',
      '--kind',
      'user.changed',
    ]
    const times = ['--from', '2030-03-17', '--to', '2030-03-17T17:48:00Z']
    expect(numbers((await listed(...options, ...times)).items)).toEqual([first + 1])
  })

  it('pages through all of them once, however many are added meanwhile', async () => {
    const { first } = await afterTemplate()
    const seen: number[] = []
    let before: number | undefined
    for (;;) {
      const page = await listAudit(store, { kind: 'user.changed' }, { before, limit: 3 })
      seen.push(...numbers(page))
      await record(store, { at: 1_990_000_000_000, kind: 'user.changed' })
      if (page.length < 3) break
      before = page.at(-1)?.sequence
    }
    const ours = Array.from({ length: 12 }, (_, index) => index).filter((index) => index % 3 !== 0)
    expect(seen.filter((one) => one >= first)).toEqual(ours.map((index) => first + index).reverse())
    const page = await listed('--limit', '2')
    expect(page.next_cursor).toBe(page.items[1]?.sequence)
    const rest = await listed('--before', String(page.next_cursor), '--limit', '100')
    expect(rest.next_cursor).toBe(null)
    expect(numbers(rest.items)[0]).toBe((page.next_cursor ?? 0) - 1)
    const { stdout, stderr } = await audit('list', '--limit', '2')
    expect(stderr).toBe(`There may be more: add --before ${page.next_cursor}\n`)
    expect(stdout.match(/\n/g)).toHaveLength(2)
    expect((await listed('--before', '999999')).items).toEqual([])
  })

  it('calls organisations and units by their codes, while they are there', async () => {
    const { uuid, organisation_uuid: organisation } = await store.db
      .selectFrom('units')
      .select(['uuid', 'organisation_uuid'])
      .where('code', '=', 'intake')
      .executeTakeFirstOrThrow()
    const about = [
      { kind: 'organisation', id: organisation },
      { kind: 'unit', id: uuid },
      { kind: 'unit', id: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5bffff' },
    ]
    for (const target of about) await record(store, { at: Date.now(), kind: 'unit.changed', target })
    const { stdout } = await audit('list', '--limit', '3')
    expect(stdout.split('\n').map((line) => line.split('\t')[4])).toEqual([
      'unit 5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5bffff',
      'unit acme/intake',
      'organisation acme',
      undefined,
    ])
  })

  it('orders by time, where clocks of processes differ', async () => {
    await recordAll(
      store,
      [5, 3, 4].map((at) => ({ at: 1_990_000_000_000 + at, kind: 'sign_out' })),
    )
    const [latest] = await list({ kind: 'sign_out' }, 1)
    const sequence = latest?.sequence ?? 0
    expect(numbers(await list({ kind: 'sign_out' }))).toEqual([sequence, sequence + 2, sequence + 1])
    expect(numbers(await listAudit(store, { kind: 'sign_out' }, { before: sequence, limit: 1 }))).toEqual([
      sequence + 2,
    ])
  })

  it('shows a record that was altered to what can not be, rather than nothing', async () => {
    const { first } = await afterTemplate()
    const trigger =
      dialect === 'sqlite' ? 'audit_records_no_update' : 'audit_records_no_change on audit_records'
    await sql.raw(`drop trigger ${trigger}`).execute(store.db)
    await store.db
      .updateTable('audit_records')
      .set({ before: 'no JSON', at: 9_007_199_254_740_991 })
      .where('sequence', '=', first)
      .execute()
    const { items } = await listed('--limit', '1')
    expect(items).toMatchObject([{ sequence: first, before: 'no JSON', at: '9007199254740991' }])
    expect((await audit('list')).code).toBe(0)
  })

  it('follows what is added, each record once, and no further than it looked', async () => {
    const { first } = await afterTemplate()
    const filter = { kind: 'sign_in.failed' }
    const one = await followAudit(store, filter, { after: first - 1, limit: 2 })
    expect(numbers(one.records)).toEqual([first, first + 3])
    expect(one.reached).toBe(first + 3)
    const two = await followAudit(store, filter, { after: one.reached, limit: 100 })
    expect(numbers(two.records)).toEqual([first + 6, first + 9])
    expect(two.reached).toBe(first + 11)
    expect(await followAudit(store, filter, { after: two.reached, limit: 100 })).toEqual({
      records: [],
      reached: two.reached,
    })
  })

  it('prints the last records and then what comes, until it is told to stop', async () => {
    const { first } = await afterTemplate()
    const tail = new TesseraProcess(['audit', 'tail', '-n', '2', '--json'], { environment: environment() })
    await tail.prints(new RegExp(`"sequence":${first + 11}`))
    expect(tail.stdout).not.toContain(`"sequence":${first + 9},`)
    await record(store, { at: 1_990_000_000_000, kind: 'sign_out', requestId: 'as it happens' })
    await tail.prints(/as it happens/)
    const { code, stderr, stdout } = await tail.stop()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRecord)
    expect(numbers(lines)).toEqual([first + 10, first + 11, first + 12])
  })

  once.it('follows in lines for people, narrowed', async () => {
    const tail = new TesseraProcess(['audit', 'tail', '--kind', 'sign_out'], { environment: environment() })
    // It begins where the audit ends by then, which shows when it prints something.
    while (tail.stdout === '') {
      await record(store, { at: 1_700_000_000_000, kind: 'sign_out' })
      await pause(100)
    }
    await record(store, { at: 1_700_000_000_000, kind: 'user.changed' })
    await record(store, {
      at: 1_700_000_000_000,
      kind: 'sign_out',
      actor: { kind: 'user', id: 'gone' },
      target: { kind: 'session', id: 's1' },
      user_uuid: 'gone',
      address: '192.0.2.7',
    })
    await tail.prints(
      /^\d+ {2}2023-11-14T22:13:20\.000Z {2}sign_out {2}by user gone {2}session s1 of gone {2}from 192\.0\.2\.7\n/m,
    )
    const { stdout } = await tail.stop()
    expect(stdout).not.toContain('user.changed')
  })

  once.it(
    'exports lines that are whole by themselves, says so in the audit, and goes on where it ended',
    async () => {
      await afterTemplate(1200)
      const { code, stdout, stderr } = await audit('export')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const lines = stdout.trimEnd().split('\n')
      const last = JSON.parse(lines.at(-1) ?? '') as AuditRecord
      expect(lines.map((line) => (JSON.parse(line) as AuditRecord).sequence)).toEqual(
        lines.map((_, index) => index + 1),
      )
      expect(last).toMatchObject({ kind: 'audit.exported', actor: { kind: 'command' }, detail: { after: 0 } })

      const file = join(temporaryFolder(), 'audit.jsonl')
      writeFileSync(file, stdout)
      const verify = (...more: string[]) =>
        runHere(['audit', 'verify', '--file', file, ...more], { environment: {} })
      expect(await verify('--expect', `${last.sequence}:${last.hash}`)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          `^The audit is whole: ${lines.length} records.\nHead: ${last.sequence}:${last.hash}\nNot known: .*without the key`,
        ),
      })
      const more = await audit('export', '--after', String(last.sequence))
      expect(
        numbers(
          more.stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as AuditRecord),
        ),
      ).toEqual([last.sequence + 1])
      writeFileSync(file, stdout + more.stdout)
      expect((await verify()).code).toBe(0)
      // A part of it that begins anywhere.
      writeFileSync(file, lines.slice(100, 200).join('\n'))
      expect((await verify()).code).toBe(0)
      writeFileSync(file, lines.toSpliced(100, 1).join('\n').replace('after 50', 'after 51'))
      expect(await verify()).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/altered[\s\S]*record 101 missing/),
      })
      // One reader would take the first value, and this one the last, which is right.
      writeFileSync(file, [lines[0]?.replace('{', '{"kind":"user.removed",'), ...lines.slice(1)].join('\n'))
      const twice = await verify()
      expect(twice).toMatchObject({ code: 3, stdout: '' })
      expect(complaintsOf(twice)).toEqual([expect.stringContaining('audit.jsonl:1 is no audit record')])
      writeFileSync(file, `${lines[0]}\nno record\n`)
      const unread = await verify()
      expect(unread).toMatchObject({ code: 3, stdout: '' })
      expect(complaintsOf(unread)).toEqual([expect.stringContaining('audit.jsonl:2 is no audit record')])
      expect(readFileSync(file, 'utf8')).toContain('no record')
    },
  )

  it('exports what a filter says alone', async () => {
    const { first } = await afterTemplate()
    const { stdout } = await audit('export', '--user', 'target-2')
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditRecord)
    expect(numbers(records)).toEqual([first + 2, first + 7])
    const [latest] = await list({ kind: 'audit.exported' }, 1)
    expect(latest).toMatchObject({ detail: { user: 'target-2', after: 0 } })
  })

  once.it('ends quietly when nobody reads any more', async () => {
    await afterTemplate(3000)
    const tail = new TesseraProcess(['audit', 'export'], { environment: environment() })
    await tail.prints(/sequence/)
    tail.closeOutput()
    const { stderr } = await tail.ended
    expect(stderr).toBe('')
  })
})

it.each([
  [
    ['list', '--kind', 'sign_in'],
    /no such kind; there are sign_in\.succeeded, sign_in\.stepped_up, sign_in\.failed/,
  ],
  [['list', '--kind', 'nothing'], /no such kind; docs\/audit\.md has them all/],
  [['list', '--from', 'yesterday'], /--from.*Write it as 2026-11-20/],
  [['list', '--to', '2026-13-40'], /--to.*Write it as 2026-11-20/],
  [['list', '--limit', '0'], /whole number above 0/],
  [['list', '--before', 'x'], /whole number above 0/],
  [['tail', '-n', '-1'], /whole number above 0/],
  [['export', '--after', '1e9'], /whole number above 0/],
  [['list', 'more'], /too many arguments/],
  [['nosuch'], /unknown command/],
])('tessera audit refuses %j', async (commandLine, why) => {
  const { code, stdout, stderr } = await runHere(['audit', ...commandLine], { environment: {} })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(why)
})
