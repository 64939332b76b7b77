import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AuditRecordRow } from '../../dist/database/schema-audit.js'
import { ChainCheck, type ChainProblem, verifyAudit } from '../../dist/audit/verify.js'
import { record } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { contentColumns, hashOf, Intruder, writeRecords } from './support.ts'
import { type Ran, runHere, type Runs } from '../cli/command-support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'

/** What it says when no head was given. */
const cutUnknown =
  "Not known without --expect: whether an end was cut off, or all put back to an earlier state. Keep the head where it can't be written from here.\n"

/** What somebody does to the table behind the product's back, and that `tessera audit verify` finds it. */

afterAll(cleanUp)

onEachDatabase('tessera audit verify', (dialect) => {
  let database: TestDatabase
  let store: Store
  let rows: AuditRecordRow[]
  let intruder: Intruder
  beforeAll(async () => {
    database = await createDatabase(dialect, 'tables')
    store = await openStore(database.url)
    intruder = new Intruder(store)
    await intruder.dropTriggers()
    return async () => {
      await store.close()
      await database.remove()
    }
  })
  beforeEach(async () => {
    await intruder.clear()
    rows = await writeRecords(store)
  })
  const rowAt = (sequence: number): AuditRecordRow => {
    const row = rows[sequence - 1]
    if (row === undefined) throw new Error(`There is no record ${sequence}.`)
    return row
  }
  const headOf = ({ sequence, hash }: AuditRecordRow) => `${sequence}:${hash}`
  const here: Runs = (commandLine, options) => runHere(commandLine, options)
  /** With the triggers, as an intruder who was careful puts them back. */
  async function verify(more: string[] = [], by = here): Promise<Ran> {
    await intruder.makeTriggers()
    const environment = { TESSERA_DATABASE_URL: database.url }
    try {
      return await by(['audit', 'verify', ...more], { environment })
    } finally {
      await intruder.dropTriggers()
    }
  }
  /** As `altered 3` or `missing 4-6`, by the command. */
  async function found(...more: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await verify(['--json', ...more])
    expect(stderr).toBe('')
    const verdict = JSON.parse(stdout) as { whole: boolean; problems: ChainProblem[]; problem_count: number }
    expect(verdict.whole).toBe(verdict.problems.length === 0)
    expect(verdict.problem_count).toBeGreaterThanOrEqual(verdict.problems.length)
    expect(code).toBe(verdict.whole ? 0 : 1)
    return verdict.problems.map(words)
  }
  const words = ({ what, sequence, to }: ChainProblem) =>
    `${what} ${sequence === to ? sequence : `${sequence}-${to}`}`
  async function foundInside(): Promise<string[]> {
    const problems: string[] = []
    const check = new ChainCheck((one) => problems.push(words(one)), { key: store.auditKey() })
    await verifyAudit(store, check, () => undefined)
    return problems
  }

  it('says that what was written is whole, and where it ends', async () => {
    const last = rowAt(12)
    expect(await verify([], run)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `The audit is whole: 12 records.\nHead: ${headOf(last)}\n${cutUnknown}`,
    })
    expect(await found('--expect', headOf(rowAt(1)), '--expect', headOf(rowAt(7)))).toEqual([])
  })

  it('finds any column of any record altered', async () => {
    for (const [index, column] of [...contentColumns, 'previous' as const, 'hash' as const].entries()) {
      const row = rowAt(1 + (index % 12))
      for (const value of column === 'at' ? [row.at + 1] : ['forged', null]) {
        if (value === null && ['kind', 'actor_kind', 'previous', 'hash'].includes(column)) continue
        await intruder.set(row.sequence, { [column]: value })
        expect(await foundInside(), column).toEqual([`altered ${row.sequence}`])
        await intruder.set(row.sequence, row)
      }
    }
    expect(await foundInside()).toEqual([])
  })

  const setAt = (at: string) =>
    sql`update audit_records set at = ${sql.lit(at)} where sequence = 5`.execute(store.db)
  type Case = [what: string, work: () => Promise<unknown>, found: string[]]
  const cases: Case[] = [
    ['a field', () => intruder.set(5, { address: '192.0.2.9' }), ['altered 5']],
    ['before and after', () => intruder.set(5, { before: '{}', after: null }), ['altered 5']],
    ['an empty text for none', () => intruder.set(5, { detail: '' }), ['altered 5']],
    ['a time that no number holds', () => setAt('9223372036854775807'), ['altered 5']],
    ['two rows that changed places', () => intruder.swap(rowAt(3), rowAt(8)), ['altered 3', 'altered 8']],
    [
      'two neighbours that changed places',
      () => intruder.swap(rowAt(3), rowAt(4)),
      ['altered 3', 'altered 4'],
    ],
    ['a row that is gone', () => intruder.remove(6), ['missing 6']],
    ['the first rows gone', () => intruder.remove(1, 2), ['missing 1-2']],
    ['the last row gone', () => intruder.remove(12), ['missing 12']],
    [
      'rows gone here and there',
      () => intruder.remove(2, 5, 6, 12),
      ['missing 2', 'missing 5-6', 'missing 12'],
    ],
    ['all rows gone', () => intruder.remove(...rows.map(({ sequence }) => sequence)), ['missing 1-12']],
    [
      'a row that is gone, and the gap closed',
      async () => {
        await intruder.remove(10)
        await intruder.shift(rows.slice(10), -1)
      },
      ['altered 10', 'altered 11', 'missing 12'],
    ],
    [
      'a row slipped in, the others moved',
      async () => {
        await intruder.shift(rows.slice(10), 1)
        const forged = { ...rowAt(11), previous: rowAt(10).hash, user_uuid: 'forged' }
        await intruder.insert({ ...forged, hash: hashOf(forged) })
      },
      ['not_marked 11', 'altered 12', 'inserted 13'],
    ],
    [
      'a number that no number holds',
      () => intruder.insert({ ...rowAt(1), sequence: sql.raw('9223372036854775807') as never }),
      ['inserted 13-9007199254740991'],
    ],
    ['a row before the first', () => intruder.insert({ ...rowAt(1), sequence: 0 }), ['inserted 0']],
    [
      'a row after the last, well made',
      () => {
        const forged = { ...rowAt(12), sequence: 13, previous: rowAt(12).hash, kind: 'user.removed' }
        return intruder.insert({ ...forged, hash: hashOf(forged) })
      },
      ['inserted 13'],
    ],
    [
      'a row written anew with its hash',
      () => intruder.rewrite(rows, 5, { user_uuid: 'somebody else' }),
      ['not_marked 5'],
    ],
    [
      'the last row written anew with its hash',
      () => intruder.rewrite(rows, 12, { user_uuid: 'somebody else' }),
      ['not_marked 12'],
    ],
    ['another head', () => intruder.moveHead({ sequence: 12, hash: 'f'.repeat(64) }), ['replaced 12']],
    ['a head that is gone', () => intruder.db.deleteFrom('audit_head').execute(), ['no_head 12']],
  ]

  if (dialect === 'sqlite') {
    const hide = (column: string) => () =>
      sql`update audit_records set ${sql.ref(column)} = ${sql.ref(column)} || char(0) || 'x' where sequence = 5`.execute(
        store.db,
      )
    // No driver reads on, and no filter finds the record any more.
    for (const column of ['target_id', 'kind', 'after', 'hash', 'previous']) {
      cases.push([`a NUL and a text behind it in ${column}`, hide(column), ['altered 5']])
    }
  }

  it.each(cases)('finds %s', async (_, work, problems) => {
    await work()
    expect(await foundInside()).toEqual(problems)
  })

  it('names all that was done at once', async () => {
    await intruder.set(2, { after: '{"name":"forged"}' })
    await intruder.swap(rowAt(4), rowAt(5))
    await intruder.rewrite(rows, 7, { user_uuid: 'somebody else' })
    await intruder.remove(9, 12)
    const forged = { ...rowAt(1), sequence: 0 }
    await intruder.insert({ ...forged, hash: hashOf(forged) })
    const problems = [
      'inserted 0',
      'altered 2',
      'altered 4',
      'altered 5',
      'not_marked 7',
      'missing 9',
      'missing 12',
    ]
    expect(await foundInside()).toEqual(problems)
    expect(await found()).toEqual(problems)
  })

  it('finds, by a head that was kept elsewhere, an end that was cut off with the head', async () => {
    await intruder.remove(11, 12)
    await intruder.moveHead(rowAt(10))
    expect(await found()).toEqual([])
    expect(await found('--expect', headOf(rowAt(10)))).toEqual([])
    expect(await found('--expect', headOf(rowAt(12)))).toEqual(['not_kept 12'])
  })

  it('finds a chain that was written anew to its end, by the marks, and by a head that was kept elsewhere', async () => {
    await intruder.rewrite(rows, 5, { user_uuid: 'somebody else' }, { throughout: true })
    const unmarked = [5, 6, 7, 8, 9, 10, 11, 12].map((sequence) => `not_marked ${sequence}`)
    expect(await found()).toEqual(unmarked)
    expect(await found('--expect', headOf(rowAt(4)))).toEqual(unmarked)
    // Of two heads of one number both would have to be there.
    const wrong = `4:${'f'.repeat(64)}`
    expect(await found('--expect', wrong, '--expect', headOf(rowAt(4)))).toEqual([...unmarked, 'not_kept 4'])
    const heads = [5, 9].flatMap((sequence) => ['--expect', headOf(rowAt(sequence))])
    expect(await found(...heads)).toEqual([...unmarked, 'not_kept 5', 'not_kept 9'])
    // Records that are added later don't hide it.
    await record(store, { at: 1, kind: 'user.changed' })
    expect(await found(...heads)).toEqual([...unmarked, 'not_kept 5', 'not_kept 9'])
  })

  it('tells people which records, and says when there are very many', async () => {
    await writeRecords(store, 300)
    await intruder.remove(20, 21, 22)
    await intruder.db.updateTable('audit_records').set({ address: null }).where('sequence', '>', 50).execute()
    const { code, stdout, stderr } = await verify()
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^The audit is broken\.\nOf 309 records:\n {2}records 20 to 22 missing\n/)
    expect(stdout).toContain('\n  record 51 altered: not what its hash was made of\n')
    expect(stdout).toContain('\n  record 149 altered')
    expect(stdout).not.toContain('record 150')
    expect(stdout).toContain('\nand 163 more\n')
  })

  it('is whole again when what was altered is put back, and goes on over records that are added', async () => {
    await intruder.set(5, { kind: 'forged' })
    await record(store, { at: 1, kind: 'user.changed' })
    expect(await found()).toEqual(['altered 5'])
    expect(await verify([], run)).toMatchObject({ code: 1, stderr: '' })
    await intruder.set(5, { kind: rowAt(5).kind })
    expect(await found('--expect', headOf(rowAt(12)))).toEqual([])
  })

  it('says that an audit without a record is whole', async () => {
    await intruder.clear()
    const { code, stdout } = await verify()
    expect(code).toBe(0)
    expect(stdout).toBe(`The audit is whole: 0 records.\nHead: 0:${'0'.repeat(64)}\n${cutUnknown}`)
    // The head that was kept then is in the chain ever after.
    const kept = ['--expect', `0:${'0'.repeat(64)}`]
    expect(await found(...kept)).toEqual([])
    await writeRecords(store)
    expect(await found(...kept)).toEqual([])
    expect(await found('--expect', `0:${'f'.repeat(64)}`)).toEqual(['not_kept 0'])
    expect(await found(...kept, '--expect', `0:${'f'.repeat(64)}`)).toEqual(['not_kept 0'])
  })
})

it('is not told of a database that is not there, nor makes one', async () => {
  const cwd = temporaryFolder()
  const url = 'sqlite:wrong.sqlite'
  for (const part of ['verify', 'list', 'tail']) {
    const ended = await run(['audit', part], { cwd, environment: { TESSERA_DATABASE_URL: url } })
    expect(ended).toMatchObject({ code: part === 'verify' ? 3 : 1, stdout: '' })
    expect(ended.complaints).toEqual([
      expect.stringMatching(/There is no database of Tessera.*TESSERA_DATABASE_URL/),
    ])
  }
  expect(readdirSync(cwd)).toEqual([])
})

it.each([
  [[], 3, /The database can't be opened/],
  [['--file', 'none.jsonl'], 3, /There is no such file.*ENOENT.*none\.jsonl/],
  ...['12', '', 'Head: 1:', `00:${'0'.repeat(64)}`, `1:${'A'.repeat(64)}`, `1:${'a'.repeat(63)}`].map(
    (text): [string[], number, RegExp] => [
      ['--expect', text],
      3,
      /^tessera: --expect .*a number, a colon, 64 digits/,
    ],
  ),
  [['--expect'], 1, /argument missing/],
  [['--nope'], 1, /unknown option/],
])('what can not be checked is not called whole: %j', async (more, code, why) => {
  const environment = { TESSERA_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const ended = await runHere(['audit', 'verify', ...more], { environment })
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toMatch(why)
  expect(ended.stderr).not.toMatch(/\n\s+at /)
})
