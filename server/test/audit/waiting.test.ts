import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { link } from '../../dist/audit/link.js'
import { type AuditEvent, record, recordAll } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { runHere } from '../cli/command-support.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import { startTessera } from '../harness/harness.ts'
import { cleanUp, secret } from '../harness/process.ts'
import { openStore } from '../harness/stores.ts'

/** Records wait on PostgreSQL until one process links them to the chain. */

afterAll(cleanUp)

const event = (n: number): AuditEvent => ({ at: n, kind: 'user.changed', detail: { n } })

describe('records that wait on postgres', () => {
  let database: TestDatabase
  let store: Store
  /** Somebody else with the database's password. */
  let other: pg.Client
  beforeEach(async () => {
    database = await createDatabase('postgres', 'tables')
    store = await openStore(database.url)
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
  })
  afterEach(async () => {
    await other.end()
    await store.close()
    await database.remove()
  })
  const waiting = async () =>
    (await store.db.selectFrom('audit_waiting').select('number').orderBy('number').execute()).length
  const linked = async () => {
    const rows = await store.db
      .selectFrom('audit_records')
      .select(['sequence', 'detail'])
      .orderBy('sequence')
      .execute()
    return rows.map(({ sequence, detail }) => [sequence, JSON.parse(detail ?? '{}').n])
  }
  const verify = async () => {
    const environment = { TESSERA_DATABASE_URL: database.url }
    const { code, stdout } = await runHere(['audit', 'verify', '--json'], { environment })
    const { records, waiting: wait, problems } = JSON.parse(stdout)
    return { code, records, waiting: wait, problems }
  }
  const holdHead = () => other.query('begin; select from audit_head for update')

  it('are linked in the order in which they were written, in batches, by whoever looks first', async () => {
    await recordAll(
      store,
      Array.from({ length: 1001 }, (_, n) => event(n + 1)),
    )
    expect([await waiting(), await linked()]).toEqual([1001, []])
    expect(await link(store)).toEqual({ busy: false, records: 1000, unmarked: 0 })
    const rest = await Promise.all([link(store), link(store), link(store)])
    expect(rest.reduce((sum, { records }) => sum + records, 0)).toBe(1)
    expect(await linked()).toEqual(Array.from({ length: 1001 }, (_, n) => [n + 1, n + 1]))
    expect(await verify()).toEqual({ code: 0, records: 1001, waiting: 0, problems: [] })
  })

  it('hold up no change while somebody holds the head, and are told from linked ones', async () => {
    await record(store, event(1))
    await link(store)
    await holdHead()
    await record(store, event(2))
    await store.db.transaction().execute((trx) => record(store, event(3), trx))
    expect(await link(store)).toEqual({ busy: true, records: 0, unmarked: 0 })
    expect(await verify()).toEqual({ code: 0, records: 1, waiting: 2, problems: [] })
    const environment = { TESSERA_DATABASE_URL: database.url }
    const told = await runHere(['audit', 'verify'], { environment })
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toContain('\nWaiting to be linked to the chain: 2.\n')
    await other.query('rollback')
    expect(await verify()).toEqual({ code: 0, records: 3, waiting: 0, problems: [] })
  })

  it('all wait as before when the process that links them is killed', async () => {
    for (const n of [1, 2, 3]) await record(store, event(n))
    // It has the head by then, and waits to insert.
    await other.query('begin; lock table audit_records in share mode')
    const source = fileURLToPath(new URL('../../dist/', import.meta.url))
    const program = `
      const [, url, source, secret] = process.argv
      const { auditKeeper } = await import(source + 'keys/audit-key.js')
      const { openStore } = await import(source + 'database/open.js')
      const { link } = await import(source + 'audit/link.js')
      await link(await openStore(url, auditKeeper(() => ({ secret }))))`
    const flags = ['--input-type=module', '--eval', program, database.url, source, secret]
    const child = spawn(process.execPath, flags, { stdio: 'inherit' })
    const isLinking = "select from pg_locks where relation = 'audit_records'::regclass and not granted"
    await vi.waitFor(async () => expect((await other.query(isLinking)).rowCount).toBe(1), 60_000)
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGKILL')
    await ended
    await other.query('rollback')
    await vi.waitFor(async () => expect((await link(store)).busy).toBe(false), 60_000)
    expect(await linked()).toEqual([1, 2, 3].map((n) => [n, n]))
    expect(await verify()).toEqual({ code: 0, records: 3, waiting: 0, problems: [] })
  })

  it('are found when somebody alters one, or adds one without the secret', async () => {
    for (const n of [1, 2, 3]) await record(store, event(n))
    await other.query('alter table audit_waiting disable trigger audit_waiting_no_change')
    await other.query("update audit_waiting set kind = 'sign_out' where number = 2")
    await other.query('alter table audit_waiting enable trigger audit_waiting_no_change')
    await other.query("insert into audit_waiting (at, kind, actor_kind) values (4, 'sign_out', 'service')")
    await holdHead()
    const what = 'waiting_not_marked'
    const found = [2, 4].map((sequence) => ({ what, sequence, to: sequence }))
    expect(await verify()).toEqual({ code: 1, records: 0, waiting: 4, problems: found })
    await other.query('rollback')
    expect(await link(store)).toEqual({ busy: false, records: 4, unmarked: 2 })
    const marked = found.map((one) => ({ ...one, what: 'not_marked' }))
    expect(await verify()).toEqual({ code: 1, records: 4, waiting: 0, problems: marked })
  })

  it.each([
    "update audit_waiting set kind = 'sign_out'",
    'delete from audit_waiting',
    'truncate audit_waiting',
  ])('refuse to %s', async (statement) => {
    await record(store, event(1))
    await link(store)
    await record(store, event(2))
    await expect(other.query(statement)).rejects.toThrow(/never changed, and removed by being linked alone/)
    expect(await waiting()).toBe(1)
  })

  it('do not ask temporary tables in the place of theirs', async () => {
    await record(store, event(1))
    await other.query('create temp table audit_head (name text, sequence bigint)')
    await other.query(
      'create temp table audit_records as select 1 as sequence, number as waited from audit_waiting',
    )
    await other.query("insert into pg_temp.audit_head values ('chain', 1)")
    await expect(other.query('delete from audit_waiting')).rejects.toThrow(/removed by being linked alone/)
    expect(await waiting()).toBe(1)
  })

  it('are linked for a process that has died by any that serves', async () => {
    const tessera = await startTessera('postgres')
    const died = await openStore(tessera.databaseUrl)
    await record(died, { ...event(1), kind: 'webhook_delivery.tested' })
    const found = () =>
      died.db
        .selectFrom('audit_records')
        .select('waited')
        .where('kind', '=', 'webhook_delivery.tested')
        .execute()
    await vi.waitFor(async () => expect(await found()).toHaveLength(1), 60_000)
    await died.close()
    await tessera.close()
  })
})
