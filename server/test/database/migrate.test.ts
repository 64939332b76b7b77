/** `tessera migrate`, which the chart's job runs before a new version serves. */
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { sql } from 'kysely'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { complaintsOf, runHere } from '../cli/command-support.ts'
import { cleanUp, run } from '../harness/process.ts'
import { laterVersion } from './later-version.ts'
import { withStore } from '../harness/program.ts'

afterAll(cleanUp)

interface Reference {
  reference: string
  index: string | null
}

onEachDatabase('tessera migrate', (dialect) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase(dialect, 'empty')
  })
  afterEach(() => database.remove())

  /** Replaces the empty database by one with the tables that a migration made. */
  const withTables = async () => {
    await database.remove()
    database = await createDatabase(dialect, 'tables')
  }
  const inDatabase = () => ({ environment: { TESSERA_DATABASE_URL: database.url } })
  const migrate = () => runHere(['migrate'], inDatabase())
  const asProcess = (...more: string[]) => run(['migrate', ...more], inDatabase())

  it('says what it made, and the second time that there was nothing to do', async () => {
    const first = await asProcess()
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('made 0001-baseline\n')
    expect(await migrate()).toMatchObject({
      code: 0,
      stdout: 'The tables are up to date; there was nothing to do.\n',
    })
  })

  it('needs neither a secret nor an issuer, and makes no signing key', async () => {
    await migrate()
    const keys = await withStore({ databaseUrl: database.url }, ({ db }) =>
      db.selectFrom('signing_keys').select('kid').execute(),
    )
    expect(keys).toEqual([])
  })

  it('leaves no reference without an index: what refers to a row that goes is not looked for among all rows', async () => {
    await withTables()
    // One row for each column by which a table refers to another; null: no index begins with it.
    const references =
      dialect === 'sqlite'
        ? sql<Reference>`select tables.name || '.' || refers."from" as reference, (
            select min(indexes.name) from pragma_index_list(tables.name) as indexes
            join pragma_index_info(indexes.name) as columns on columns.seqno = 0
            where columns.name = refers."from") as "index"
          from sqlite_master as tables join pragma_foreign_key_list(tables.name) as refers
          where tables.type = 'table'`
        : sql<Reference>`select refers.conrelid::regclass || '.' || refers.conkey[1] as reference, (
            select min(indexes.indexrelid::regclass::text) from pg_index as indexes
            where indexes.indrelid = refers.conrelid and indexes.indkey[0] = refers.conkey[1]) as "index"
          from pg_constraint as refers where refers.contype = 'f'`
    const { rows } = await withStore({ databaseUrl: database.url }, ({ db }) => references.execute(db))
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter(({ index }) => index === null)).toEqual([])
  })

  it('lets assertions of clients that have keys already go on to name the token endpoint', async () => {
    const filled = await createDatabase(dialect, 'acme')
    const within = { environment: { TESSERA_DATABASE_URL: filled.url } }
    const before = [
      'assertion_audience',
      'federated',
      'token_endpoint_auth_method',
      'token_endpoint_auth_signing_alg',
    ]
    await withStore({ databaseUrl: filled.url }, async ({ db }) => {
      for (const column of before) await sql`alter table clients drop column ${sql.ref(column)}`.execute(db)
      await sql`drop table federated_subjects`.execute(db)
      await sql`delete from installation where name = 'assertion_issuers'`.execute(db)
      await sql`delete from kysely_migration where name like '0044%' or name like '0045%'`.execute(db)
      await sql`update clients set jwks_uri = 'https://import.example/jwks' where client_id = 'nightly-import'`.execute(
        db,
      )
    })
    expect(await runHere(['migrate'], within)).toMatchObject({ code: 0, stderr: '' })
    const rows = await withStore({ databaseUrl: filled.url }, ({ db }) =>
      db.selectFrom('clients').select(['client_id', 'assertion_audience']).orderBy('client_id').execute(),
    )
    const named = Object.fromEntries(rows.map((row) => [row.client_id, row.assertion_audience]))
    expect(named).toMatchObject({ 'nightly-import': 'token_endpoint', 'ledger-report': 'issuer' })
    await filled.remove()
  })

  it('is refused by tables of before 0.1.0, which stay as they are', async () => {
    const rename = async (name: string, to: string) =>
      await withStore({ databaseUrl: database.url }, ({ db }) =>
        sql`update kysely_migration set name = ${to} where name = ${name}`.execute(db),
      )
    await withTables()
    await rename('0001-baseline', '0001-additive-first')
    const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'development', TESSERA_PORT: '0' }
    for (const command of ['migrate', 'serve', 'export']) {
      const refused = await (command === 'serve' ? run : runHere)([command], { environment })
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(complaintsOf(refused)).toEqual([
        expect.stringMatching(/its tables are of a version before 0\.1\.0.*export with that version/),
      ])
    }
    await expect(rename('0001-additive-first', '0001-baseline')).rejects.toThrow('before 0.1.0')
  })

  it('is asked for by a later version that only reads', async () => {
    await withTables()
    const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname
    const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'development' }
    const planned = await run(['plan', acme], { environment, command: laterVersion('additive') })
    expect(planned).toMatchObject({ code: 1, stdout: '' })
    expect(planned.complaints).toEqual([
      expect.stringMatching(/another version .*9001-additive-later is missing; run tessera migrate/),
    ])
  })

  it('changes nothing with another secret than that of the service', async () => {
    await withTables()
    const later = { command: laterVersion('additive') }
    const environment = {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'another-secret-0123456789-0123456789',
    }
    const refused = await run(['migrate'], { environment, ...later })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.complaints).toEqual([
      expect.stringMatching(/encrypted with another secret.*TESSERA_SECRET/),
    ])
    expect(JSON.parse((await run(['migrate', '--json'], { ...inDatabase(), ...later })).stdout)).toEqual({
      made: ['9001-additive-later'],
    })
  })

  it('is made once by several that run at the same time', async () => {
    const runs = await Promise.all([asProcess('--json'), asProcess('--json'), asProcess('--json')])
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    const made = runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { made: string[] }).made)
    expect(made.length).toBeGreaterThan(0)
    expect(made).toEqual([...new Set(made)])
  })

  it('lets a newer version’s additive migration be, and refuses its breaking one in one line', async () => {
    await withTables()
    const note = (name: string) =>
      withStore({ databaseUrl: database.url }, ({ db }) =>
        sql`insert into kysely_migration (name, timestamp) values (${name}, 'later')`.execute(db),
      )
    await note('9998-additive-later')
    expect(await migrate()).toMatchObject({ code: 0, stderr: '' })
    await note('9999-breaking-later')
    const refused = await migrate()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(complaintsOf(refused)).toEqual([
      expect.stringMatching(/newer version of Tessera has changed its tables \(9999-breaking-later\)/),
    ])
  })
})

it('says in one line when there is no database to migrate', async () => {
  const ran = await runHere(['migrate'], {
    environment: { TESSERA_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  })
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(complaintsOf(ran)).toEqual([expect.stringMatching(/^tessera: .*TESSERA_DATABASE_URL/)])
})
