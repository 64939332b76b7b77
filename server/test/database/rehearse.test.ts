/** `tessera rehearse`: the migrations of an upgrade, made on a copy. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withCopy } from '../../dist/backup/copy.js'
import { withUnmigrated } from '../../dist/database/open.js'
import { complaintsOf, runHere } from '../cli/command-support.ts'
import { laterVersion } from './later-version.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, isRunning, run, temporaryFolder, TesseraProcess } from '../harness/process.ts'

afterAll(cleanUp)

interface Rehearsed {
  ms: number
  migrations: { name: string; kind: string; ms: number; locks: Record<string, unknown>[] }[]
}

const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tessera-rehearsal-'))

onEachDatabase('tessera rehearse', (dialect) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase(dialect)
    return () => database.remove()
  })

  /** A backup of SQLite is its file; a copy of PostgreSQL is named by its address. */
  const from = () => (dialect === 'sqlite' ? [database.url.slice('sqlite:'.length)] : [database.url, '--yes'])
  const rehearse = (...more: string[]) => runHere(['rehearse', '--from', ...from(), ...more])
  const rehearsed = (stdout: string) => JSON.parse(stdout) as Rehearsed
  const migrations = () =>
    withUnmigrated(database.url, async ({ db }) => {
      const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
        db,
      )
      return rows.map(({ name }) => name)
    })
  /** Leaves the database as 0.1.0 did. */
  const asBefore = (without = '') =>
    withUnmigrated(database.url, async ({ db }) => {
      for (const [table, column] of [
        ['clients', 'dpop_bound_access_tokens'],
        ['clients', 'id_token_signed_response_alg'],
        ['authorization_codes', 'jkt'],
        ['token_families', 'jkt'],
      ] as const)
        if (`${table}.${column}` !== without)
          await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(db)
      await sql`delete from kysely_migration where name like '0048%'`.execute(db)
    })

  it('says how long a migration takes and what it locks, and needs no secret', async () => {
    await asBefore()
    const { code, stdout, stderr } = await rehearse('--json')
    expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({
      ...{ code: 0, last: 'makes 0048-additive-bound-tokens' },
    })
    const { ms, migrations: made } = rehearsed(stdout)
    expect(ms).toBeGreaterThan(0)
    const whole = {
      table: null,
      lock: 'RESERVED',
      waits: 'writes',
      rows: null,
      written: null,
      rewritten: false,
    }
    const alone = (table: string, rows: number) => ({
      ...{
        table,
        lock: 'AccessExclusiveLock',
        waits: 'reads and writes',
        rows,
        written: 0,
        rewritten: false,
      },
    })
    expect(made).toEqual([
      {
        ...{ name: '0048-additive-bound-tokens', kind: 'additive', ms: expect.any(Number) },
        locks:
          dialect === 'sqlite'
            ? [whole]
            : [alone('authorization_codes', 0), alone('clients', 8), alone('token_families', 0)],
      },
    ])
  })

  it('says it to people in lines, and that there is nothing to do once it is done', async () => {
    await asBefore()
    const { code, stdout } = await rehearse()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^0048-additive-bound-tokens\t\d+ ms\t/)
    expect(stdout).toContain(dialect === 'sqlite' ? '\tthe whole file\t\twrites' : '\treads and writes')
    expect(stdout).toMatch(/\nIn all [\d.]+ m?s\. Processes of the version before may go on meanwhile\.\n$/)
    const tables = await migrations()
    // The copy of a file is gone, and another one is as it was; that of PostgreSQL stays as it was made.
    expect(tables.includes('0048-additive-bound-tokens')).toBe(dialect === 'postgres')
    expect(leftBehind()).toEqual([])
    if (dialect === 'sqlite') return
    expect(await rehearse()).toMatchObject({
      ...{ code: 0, stdout: 'The backup is of this version: an upgrade has nothing to do.\n' },
    })
  })

  it('names what is breaking, an index made beside, and rows that are written', async () => {
    const later = async (kind: Parameters<typeof laterVersion>[0]) => {
      const ran = await run(['rehearse', '--from', ...from(), '--json'], { command: laterVersion(kind) })
      expect(ran).toMatchObject({ code: 0 })
      return rehearsed(ran.stdout).migrations
    }
    expect(await later('rows')).toMatchObject([
      {
        name: '9000-additive-rows',
        locks: [
          dialect === 'sqlite'
            ? { waits: 'writes' }
            : { table: 'users', lock: 'RowExclusiveLock', waits: 'changes of its rows', written: 4, rows: 4 },
        ],
      },
    ])
    expect(await later('index')).toMatchObject([
      {
        ...{ name: '9003-additive-later-index', kind: 'additive' },
        locks: [
          dialect === 'sqlite'
            ? { table: null, waits: 'writes' }
            : { table: 'token_families', lock: 'ShareUpdateExclusiveLock', waits: 'nothing' },
        ],
      },
    ])
    expect(await later('removed')).toMatchObject([
      {
        locks: [
          dialect === 'sqlite'
            ? { waits: 'writes' }
            : { table: 'throttles', waits: 'reads and writes', rows: null, rewritten: false },
        ],
      },
    ])
    expect(await later('breaking')).toMatchObject([
      { name: '9002-breaking-later', kind: 'breaking', locks: dialect === 'sqlite' ? [{}] : [] },
    ])
  })

  it('refuses a backup of a newer version, of one before 0.1.0, and what is none', async () => {
    const rename = (made: string, name: string) =>
      withUnmigrated(database.url, ({ db }) =>
        sql`update kysely_migration set name = ${name} where name = ${made}`.execute(db),
      )
    const last = (await migrations()).at(-1) ?? ''
    await rename(last, '9009-breaking-later')
    expect(complaintsOf(await rehearse())).toContainEqual(
      expect.stringMatching(/can't be rehearsed: a newer version .*9009-breaking-later/),
    )
    await rename('9009-breaking-later', last)
    await rename('0001-baseline', '0001-additive-first')
    expect(complaintsOf(await rehearse())).toContainEqual(expect.stringMatching(/before 0\.1\.0/))
    const empty = await createDatabase(dialect, 'empty')
    await database.remove()
    database = empty
    if (dialect === 'postgres')
      expect(await rehearse()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no tables of Tessera'),
      })
  })

  it('says which migration fails on the data', async () => {
    await asBefore('token_families.jkt')
    const { code, stdout, stderr } = await rehearse()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/tessera: 0048-additive-bound-tokens fails on this copy: .*jkt/)
    expect(leftBehind()).toEqual([])
  })
})

describe('tessera rehearse with a file', () => {
  let folder: string
  let database: TestDatabase
  beforeEach(async () => {
    folder = temporaryFolder()
    database = await createDatabase('sqlite')
    return () => database.remove()
  })
  const rehearse = (path: string, environment: Record<string, string> = {}) =>
    runHere(['rehearse', '--from', path], { environment })
  async function refused(path: string, why: RegExp, environment: Record<string, string> = {}) {
    const ran = await rehearse(path, environment)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(complaintsOf(ran)).toEqual([expect.stringMatching(why)])
  }

  it('leaves the backup byte for byte as it was', async () => {
    const backup = join(folder, 'monday.sqlite')
    expect(
      await runHere(['backup', backup], { environment: { TESSERA_DATABASE_URL: database.url } }),
    ).toMatchObject({ code: 0 })
    const before = readFileSync(backup)
    const ran = await run(['rehearse', '--from', backup, '--json'], { command: laterVersion('additive') })
    expect(ran).toMatchObject({ code: 0 })
    expect(JSON.parse(ran.stdout)).toMatchObject({ migrations: [{ name: '9001-additive-later' }] })
    expect(readFileSync(backup).equals(before)).toBe(true)
    expect(readdirSync(folder)).toEqual(['monday.sqlite'])
  })

  it('refuses what is no backup, and a database that is in use', async () => {
    await refused(join(folder, 'none'), /no such file/)
    await refused(folder, /is no backup: give a file of tessera backup, or of pg_dump/)
    const text = join(folder, 'dump.sql')
    writeFileSync(text, '-- PostgreSQL database dump\n')
    await refused(text, /dump\.sql is no backup/)
    const live = join(folder, 'live.sqlite')
    copyFileSync(database.url.slice('sqlite:'.length), live)
    writeFileSync(`${live}-wal`, 'x')
    await refused(live, /is a database in use.*tessera backup/)
    const link = join(folder, 'link.sqlite')
    symlinkSync(live, link)
    await refused(link, /is a database in use.*tessera backup/)
  })

  it('takes no pipe, which nobody may ever write to', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const ran = await run(['rehearse', '--from', pipe])
    expect(ran).toMatchObject({ code: 1, complaints: [expect.stringMatching(/pipe is no backup/)] })
  })

  it('makes the copy one that its owner may write, whatever the backup is', async () => {
    const backup = join(folder, 'monday.sqlite')
    copyFileSync(database.url.slice('sqlite:'.length), backup)
    chmodSync(backup, 0o444)
    const modes = await withCopy(backup, { into: () => '', tell: () => undefined }, async (url) =>
      [statSync(url.slice('sqlite:'.length)), statSync(backup)].map(({ mode }) => mode & 0o777),
    )
    expect(modes).toEqual([0o600, 0o444])
  })

  it('refuses a dump of PostgreSQL without an empty database of PostgreSQL to take it', async () => {
    const dump = join(folder, 'tessera.dump')
    writeFileSync(dump, 'PGDMP and more than sixteen bytes')
    const inFolder = join(folder, 'tessera.folder')
    mkdirSync(inFolder)
    writeFileSync(join(inFolder, 'toc.dat'), 'PGDMP')
    const sqlite = { TESSERA_DATABASE_URL: database.url }
    await refused(dump, /is of PostgreSQL: make an empty database .*TESSERA_DATABASE_URL/, sqlite)
    await refused(inFolder, /is of PostgreSQL: make an empty database/, sqlite)
  })
})

describe('tessera rehearse with PostgreSQL', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase('postgres')
    return () => database.remove()
  })
  let other: pg.Client | undefined
  afterEach(async () => {
    await other?.end()
    other = undefined
  })

  const rehearse = (...more: string[]) =>
    runHere(['rehearse', '--from', database.url, ...more], {
      environment: { TESSERA_DATABASE_URL: 'postgres://localhost/served' },
    })

  it('changes nothing unless told that it is a copy, and that nobody uses', async () => {
    expect(complaintsOf(await rehearse())).toEqual([
      expect.stringMatching(/say with --yes that it is a copy/),
    ])
    const same = await runHere(['rehearse', '--from', database.url, '--yes'], {
      environment: { TESSERA_DATABASE_URL: database.url },
    })
    expect(complaintsOf(same)).toEqual([expect.stringMatching(/the database of TESSERA_DATABASE_URL/)])
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
    expect(complaintsOf(await rehearse('--yes'))).toEqual([
      expect.stringMatching(/Somebody else is connected to this database/),
    ])
  })

  it('does not take a connection that is just being closed for one that uses it', async () => {
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
    const [ran] = await Promise.all([
      rehearse('--yes'),
      other.query('select pg_sleep(0.3)').then(() => other?.end()),
    ])
    expect(ran).toMatchObject({ code: 0 })
  })

  it('sees a connection of another role, of which its own is told next to nothing', async () => {
    const role = `rehearses_${randomBytes(8).toString('hex')}`
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
    await other.query(`create role ${role} login; grant select on all tables in schema public to ${role}`)
    const url = Object.assign(new URL(database.url), { username: role, password: '' }).href
    const ran = await runHere(['rehearse', '--from', url, '--yes'])
    await other.query(`drop owned by ${role}; drop role ${role}`)
    expect(complaintsOf(ran)).toEqual([expect.stringMatching(/Somebody else is connected/)])
  })

  it('refuses an address of several hosts, of which it asks each', async () => {
    const url = database.url.replace(/@([^/]+)/, '@$1,$1')
    const complaint = expect.stringMatching(/on one host: name that one alone/)
    expect(complaintsOf(await runHere(['rehearse', '--from', url, '--yes']))).toEqual([complaint])
  })

  it('shows no password to who lists processes, wherever the address has it', async () => {
    const folder = temporaryFolder()
    const [dump, program, seen] = ['dump', 'pg_restore', 'seen'].map((name) => join(folder, name)) as [
      ...[string, string, string],
    ]
    writeFileSync(dump, 'PGDMP and more than sixteen bytes')
    writeFileSync(program, `#!/bin/sh\necho "$PGPASSWORD $*" > ${seen}\nexit 1\n`, { mode: 0o755 })
    const empty = await createDatabase('postgres', 'empty')
    const { username, hostname, port, pathname } = new URL(empty.url)
    const told = async (url: string) => {
      const environment = { TESSERA_DATABASE_URL: url, PATH: `${folder}:${process.env.PATH}` }
      const ran = await run(['rehearse', '--from', dump], { environment })
      expect(ran.complaints.at(-1)).toMatch(/The dump can't be restored/)
      const [password, ...options] = readFileSync(seen, 'utf8').trim().split(' ')
      return [password, options.find((one) => one.startsWith('--dbname'))]
    }
    const user = `postgres://${username}`
    expect(await told(`${user}:p%40ss@${hostname}:${port}${pathname}?connect_timeout=9`)).toEqual([
      ...['p@ss', `--dbname=${user}@${hostname}:${port}${pathname}?connect_timeout=9`],
    ])
    expect(await told(`${user}@${hostname}:${port}${pathname}?password=p%40ss`)).toEqual([
      ...['p@ss', `--dbname=${user}@${hostname}:${port}${pathname}`],
    ])
    expect(await told(`${user}:p%40ss@${pathname}?host=${hostname}&port=${port}`)).toEqual([
      ...['p@ss', `--dbname=${user}@${pathname}?host=${hostname}&port=${port}`],
    ])
    await empty.remove()
  })

  it('leaves no pg_restore at work when it is told to stop', async () => {
    const folder = temporaryFolder()
    const [dump, program, seen] = ['dump', 'pg_restore', 'seen'].map((name) => join(folder, name)) as [
      ...[string, string, string],
    ]
    writeFileSync(dump, 'PGDMP and more than sixteen bytes')
    // As one that has much to restore.
    writeFileSync(program, `#!/bin/sh\necho $$ > ${seen}\nexec sleep 600\n`, { mode: 0o755 })
    const empty = await createDatabase('postgres', 'empty')
    const environment = { TESSERA_DATABASE_URL: empty.url, PATH: `${folder}:${process.env.PATH}` }
    const rehearsing = new TesseraProcess(['rehearse', '--from', dump], { environment })
    const restoring = () => (existsSync(seen) ? Number(readFileSync(seen, 'utf8')) : 0)
    await expect.poll(restoring).toBeGreaterThan(0)
    expect(await rehearsing.stop()).toMatchObject({ code: 1 })
    await expect.poll(() => isRunning(restoring())).toBe(false)
    await empty.remove()
  })

  it('puts a dump into no database that has tables, and says what it needs to put it anywhere', async () => {
    const dump = join(temporaryFolder(), 'tessera.dump')
    writeFileSync(dump, 'PGDMP and more than sixteen bytes')
    const into = async (url: string, environment: Record<string, string> = {}) =>
      await run(['rehearse', '--from', dump], { environment: { TESSERA_DATABASE_URL: url, ...environment } })
    expect(await into(database.url)).toMatchObject({
      code: 1,
      complaints: [expect.stringMatching(/not empty/)],
    })
    const empty = await createDatabase('postgres', 'empty')
    const { code, complaints } = await into(empty.url, { PATH: '/nowhere' })
    await empty.remove()
    expect({ code, last: complaints.at(-1) }).toEqual({
      ...{ code: 1, last: expect.stringMatching(/pg_restore is not to be found/) },
    })
  })
})
