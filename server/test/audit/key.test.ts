import { sql } from 'kysely'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { chainStart } from '../../dist/audit/chain.js'
import type { Store } from '../../dist/database/store.js'
import { Intruder, recordsOf, triggersOf, writeRecords } from './support.ts'
import { runHere } from '../cli/command-support.ts'
import { createDatabase, oneDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, run, secret, temporaryFolder } from '../harness/process.ts'
import { start } from '../../dist/server.js'
import { testSettings } from '../harness/settings.ts'
import { openStore } from '../harness/stores.ts'

/** The key of the audit: what somebody can do who has the database and not the secret, and what whoever runs it does. */

afterAll(cleanUp)

const another = 'another-secret-of-the-tests-0123456789'

onEachDatabase('the key of the audit', (dialect) => {
  const once = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  let intruder: Intruder
  beforeEach(async () => {
    // The folder of the checkout may hold the secret of a service that somebody tried.
    const folder = process.cwd()
    process.chdir(temporaryFolder())
    database = await createDatabase(dialect)
    store = await openStore(database.url)
    intruder = new Intruder(store)
    await writeRecords(store, 4)
    return async () => {
      process.chdir(folder)
      await store.close()
      await database.remove()
    }
  })
  const command = (commandLine: string[], environment: Record<string, string> = {}) =>
    runHere(commandLine, { environment: { TESSERA_DATABASE_URL: database.url, ...environment } })
  const verify = (environment?: Record<string, string>) => command(['audit', 'verify'], environment)
  const serve = async (environment: Record<string, string> = {}) =>
    await (await start(testSettings({ TESSERA_DATABASE_URL: database.url, ...environment }))).close()
  const keptKeys = () => store.db.selectFrom('audit_keys').selectAll().execute()

  /** All records from a number on, changed and hashed anew, with the head; as a version without the key does. */
  async function forgeFrom(first: number, mac: string | null): Promise<void> {
    await intruder.dropTriggers()
    const rows = await recordsOf(store)
    await intruder.rewrite(rows, first, { user_uuid: 'somebody else' }, { throughout: true })
    await store.db.updateTable('audit_records').set({ mac }).where('sequence', '>=', first).execute()
    await intruder.makeTriggers()
  }

  it.each([
    ['without marks', null],
    ['with a mark of no key', 'f'.repeat(64)],
  ])(
    'finds a chain that was written anew from its first record, %s, also after more was recorded',
    async (_, mac) => {
      await forgeFrom(1, mac)
      await serve()
      await writeRecords(store, 1)
      const { code, stdout } = await verify()
      expect(code).toBe(1)
      expect(stdout).toContain('\n  record 1 not marked by the key of the audit')
      expect(stdout).not.toContain('altered')
    },
  )

  it('its row gone is told, no service starts, and nothing is recorded', async () => {
    await forgeFrom(1, null)
    await store.db.deleteFrom('audit_keys').execute()
    const { code, stdout } = await verify()
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^The audit is broken\.\n {2}the key is gone.*"The key"/),
    ])
    await expect(serve()).rejects.toThrow(/The key of the audit is gone.*docs\/audit\.md/)
    const before = await recordsOf(store)
    for (const commandLine of [
      ['role', 'create', 'new', '--name', 'New'],
      ['audit', 'export'],
      ['keys', 'reencrypt'],
    ])
      expect(await command(commandLine, { TESSERA_MODE: 'development' })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The key of the audit is gone'),
      })
    expect(await recordsOf(store)).toEqual(before)
    expect(await keptKeys()).toEqual([])
  })

  once.it.each(['junk', '', 'v1.a.b'])(
    'something else in its place, "%s", is told as what it may be; rekey alone goes on',
    async (kept) => {
      await serve()
      await store.db.updateTable('audit_keys').set({ kept }).execute()
      const before = await recordsOf(store)
      const why =
        /another secret\..*Where that is right, somebody has put something else in its place.*audit\.md/
      expect(await verify()).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(why) })
      await expect(serve()).rejects.toThrow(why)
      const created = await command(['role', 'create', 'new', '--name', 'New'])
      expect(created).toMatchObject({ code: 1, stderr: expect.stringMatching(why) })
      expect(await recordsOf(store)).toEqual(before)
      const rekey = ['audit', 'rekey', '--yes']
      expect(await command(rekey, { TESSERA_SECRET: another })).toMatchObject({ code: 1 })
      expect(await command(rekey)).toMatchObject({ code: 0 })
      await serve()
      expect(await verify()).toMatchObject({ code: 0 })
    },
  )

  it('is replaced by rekey, which is recorded; verify says which records are older', async () => {
    await store.db.deleteFrom('audit_keys').execute()
    const count = (await recordsOf(store)).length
    expect(await command(['audit', 'rekey'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--yes'),
    })
    expect(await command(['audit', 'rekey', '--yes'], { TESSERA_SECRET: another })).toMatchObject({ code: 1 })
    expect(await keptKeys()).toEqual([])
    expect(await command(['audit', 'rekey', '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect((await recordsOf(store)).at(-1)).toMatchObject({
      kind: 'audit_key.created',
      actor_kind: 'command',
      detail: `{"after":${count}}`,
    })
    await serve()
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        `\nNot known: what was changed in records 1 to ${count} before the key`,
      ),
    })
    // From then on a change of those is found as well.
    await forgeFrom(2, null)
    expect(await verify()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`record ${count} not the one`),
    })
  })

  it('can not be checked without the secret, or by another one, which is told from a broken audit', async () => {
    const cases = [
      [
        { TESSERA_SECRET: '' },
        /^tessera: TESSERA_SECRET is missing: set it .* to the secret of this installation/,
      ],
      [
        { TESSERA_SECRET: another },
        /^tessera: The key of the audit was encrypted with another secret\. Set TESSERA_SECRET /,
      ],
      [{ TESSERA_SECRET: another, TESSERA_SECRET_PREVIOUS: `${another}x` }, /another secret/],
    ] as const
    for (const [environment, why] of cases) {
      const { code, stdout, stderr } = await verify(environment)
      expect([code, stdout]).toEqual([3, ''])
      expect(stderr).toMatch(why)
    }
    expect(
      await run(['audit', 'verify'], { environment: { TESSERA_DATABASE_URL: database.url } }),
    ).toMatchObject({
      code: 0,
    })
  })

  it('is needed by what changes something, and by nothing that only looks', async () => {
    const nothing = { TESSERA_SECRET: '', TESSERA_ISSUER: 'https://id.acme.example' }
    const before = await recordsOf(store)
    for (const commandLine of [
      ['role', 'create', 'new', '--name', 'New'],
      ['audit', 'export'],
      ['migrate'],
      ['export'],
    ])
      expect(await command(commandLine, nothing)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^tessera: TESSERA_SECRET is missing/),
      })
    expect(await command(['role', 'show', 'new'], nothing)).toMatchObject({ code: 4 })
    for (const commandLine of [
      ['role', 'list'],
      ['audit', 'list'],
      ['keys', 'list'],
    ])
      expect(await command(commandLine, nothing)).toMatchObject({ code: 0, stderr: '' })
    expect(await recordsOf(store)).toEqual(before)
  })

  it('stays the same when the secret changes, and is opened by the new one alone after reencrypt', async () => {
    const marks = (await recordsOf(store)).map(({ mac }) => mac)
    const [before] = await keptKeys()
    const changing = { TESSERA_MODE: 'development', TESSERA_SECRET: another, TESSERA_SECRET_PREVIOUS: secret }
    expect(await verify(changing)).toMatchObject({ code: 0 })
    expect(await command(['keys', 'reencrypt'], changing)).toMatchObject({ code: 0, stderr: '' })
    const [after] = await keptKeys()
    expect(after?.kept).not.toBe(before?.kept)
    expect((await recordsOf(store)).slice(0, marks.length).map(({ mac }) => mac)).toEqual(marks)
    // A process that runs on records as before.
    await writeRecords(store, 1)
    expect(await verify({ TESSERA_SECRET: another })).toMatchObject({ code: 0 })
    expect(await verify()).toMatchObject({ code: 3 })
    await serve({ TESSERA_SECRET: another })
    await expect(serve()).rejects.toThrow(/another secret/)
  })

  it.each(triggersOf[dialect])('the trigger %s gone is told, and how to make it again', async (name) => {
    await intruder.dropTriggers([name])
    const { code, stdout } = await verify()
    expect(code).toBe(1)
    expect(stdout).toMatch(
      new RegExp(`^The audit is broken\\.\\n {2}the trigger ${name} is gone .*docs/audit\\.md.*\\nHead: `),
    )
    const told = await command(['audit', 'verify', '--json'])
    expect(JSON.parse(told.stdout)).toMatchObject({
      whole: false,
      missing: [`trigger ${name}`],
      problems: [],
    })
    await intruder.makeTriggers()
    expect(await verify()).toMatchObject({ code: 0 })
  })

  const disarmed =
    dialect === 'sqlite'
      ? [
          `drop trigger audit_records_no_update;
           create trigger audit_records_no_update before update on audit_records when 0
           begin select raise(abort, 'audit records are never changed or removed'); end`,
        ]
      : [
          'alter table audit_records disable trigger audit_records_no_change',
          'alter table audit_records enable replica trigger audit_records_no_truncate',
          `create or replace function audit_records_refuse() returns trigger language plpgsql as 'begin return new; end'`,
        ]
  it.each(disarmed)('a trigger that refuses nothing any more is told: %s', async (statements) => {
    for (const one of statements.split(/;\n/)) await sql.raw(one).execute(store.db)
    expect(await verify()).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/the trigger audit_records_no_\w+ is gone or another/),
    })
  })

  // SQLite has no such setting.
  if (dialect === 'postgres')
    it('triggers that a setting of the database keeps still are told', async () => {
      const name = new URL(database.url).pathname.slice(1)
      await sql.raw(`alter database "${name}" set session_replication_role = replica`).execute(store.db)
      const { code, stdout } = await verify()
      expect(code).toBe(1)
      for (const trigger of triggersOf.postgres)
        expect(stdout).toContain(`the trigger ${trigger} is gone or another`)
      await sql.raw(`alter database "${name}" reset session_replication_role`).execute(store.db)
      expect(await verify()).toMatchObject({ code: 0 })
    })

  it('an end that was cut off with the head is not known without --expect, and verify says so', async () => {
    const kept = (await recordsOf(store)).at(-1)
    await intruder.dropTriggers()
    const [last, ...others] = (await recordsOf(store)).toReversed()
    await intruder.remove(last?.sequence ?? 0)
    await intruder.moveHead(others[0] ?? { sequence: 0, hash: chainStart })
    await intruder.makeTriggers()
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\nNot known without --expect: whether an end was cut off/),
    })
    const expected = ['audit', 'verify', '--expect', `${kept?.sequence}:${kept?.hash}`]
    expect(await command(expected)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('not the one that was kept elsewhere'),
    })
    // It goes on, and is found all the same.
    await writeRecords(store, 3)
    expect(await command(expected)).toMatchObject({ code: 1 })
    const before = ['audit', 'verify', '--expect', `${others[0]?.sequence}:${others[0]?.hash}`]
    expect((await command(before)).stdout).toContain(
      `\nNot known after record ${others[0]?.sequence}, the last head that was kept`,
    )
  })
})
