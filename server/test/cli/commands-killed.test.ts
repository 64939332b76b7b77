/** Commands that are killed at a named write, or whose disk is full: nothing is half done, and the next run goes on. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { complaintsOf, runHere } from './command-support.ts'
import { createDatabase, onBothDatabases, type TestDatabase } from '../harness/databases.ts'
import { laterVersion } from '../database/later-version.ts'
import { cleanUp, type Ended, run, temporaryFolder } from '../harness/process.ts'
import { machineToken, withStore } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'

afterAll(cleanUp)

/** That of the template's keys. */
const secret = 'a-secret-of-the-tests-0123456789-abcdef'
const acme = fileURLToPath(new URL('../fixtures/acme.yaml', import.meta.url))
const launcher = fileURLToPath(new URL('../../bin/tessera.cjs', import.meta.url))
const preload = new URL('../../../bench/crash/preload.mjs', import.meta.url).href

const environmentOf = ({ url }: TestDatabase) => ({
  TESSERA_MODE: 'development',
  TESSERA_DATABASE_URL: url,
  TESSERA_SECRET: secret,
  TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
})

/** Runs a command to the statement at which it is killed, as `after:2:commit`: when the database has done it. */
async function killedAt(
  at: string,
  commandLine: readonly string[],
  environment: Record<string, string>,
): Promise<Ended> {
  const killing = { NODE_OPTIONS: `--import ${preload}`, TESSERA_TEST_KILL: at }
  const ended = await run(commandLine, { environment: { ...environment, ...killing } })
  // By the signal, and not by anything that it says.
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: null, stderr: '' })
  return ended
}

async function expectService(environment: Record<string, string>): Promise<void> {
  const service = await start(testSettings(environment))
  expect(await machineToken(service.url)).toMatch(/^ey/)
  await service.close()
}

async function numbers(database: TestDatabase): Promise<Record<string, number>> {
  const { rows } = await withStore({ databaseUrl: database.url }, ({ db }) =>
    sql<Record<string, number | string>>`select
      (select count(*) from users where email_key like 'new%') as people,
      (select count(*) from profiles where user_uuid in (select uuid from users where email_key like 'new%')) as profiles,
      (select count(*) from roles where code like 'new%') as roles,
      (select count(*) from audit_records where kind = 'user.created') as records,
      (select count(*) from audit_records where kind = 'database.restored') as restored`.execute(db),
  )
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}

/** The reference file with more people and roles in it. */
function declaredFile(people: number): string {
  const roles = Array.from(
    { length: 3 },
    (_, n) => `  - code: new-${n}\n    name: New ${n}\n    permissions: []\n`,
  )
  const users = Array.from(
    { length: people },
    (_, n) =>
      `  - email: new${n}@acme.example\n    name: New ${n}\n    profiles:\n      - role: reader\n        organisation: acme\n`,
  )
  const text = readFileSync(acme, 'utf8')
    .replace(/^roles:\n/m, (line) => line + roles.join(''))
    .replace(/^users:\n/m, (line) => line + users.join(''))
  return fileWith('access.yaml', text)
}

const peopleFile = (people: number): string =>
  fileWith(
    'people.csv',
    [
      'email,name,role,organisation',
      ...Array.from({ length: people }, (_, n) => `new${n}@acme.example,New ${n},reader,acme`),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  )

function fileWith(name: string, text: string): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

onBothDatabases('a command that is killed', (dialect) => {
  let database: TestDatabase
  let environment: Record<string, string>
  beforeEach(async () => {
    database = await createDatabase(dialect)
    environment = environmentOf(database)
  })
  afterEach(() => database.remove())

  it('amid apply has changed nothing, or everything', async () => {
    const before = await numbers(database)
    const commandLine = ['apply', declaredFile(250), '--yes']
    // 200 people at a time: after the first, most of them would be there. The first two commits end what only reads.
    for (const at of ['after:1:insert into "users"', 'before:3:commit']) {
      await killedAt(at, commandLine, environment)
      expect(await numbers(database), at).toEqual(before)
    }
    await expectService(environment)
    await killedAt('after:3:commit', commandLine, environment)
    const after = await numbers(database)
    expect(after).toMatchObject({ people: 250, profiles: 250, roles: 3 })
    const again = await runHere(commandLine, { environment })
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Database: .*\nNothing to change/) as string,
    })
    expect(await numbers(database)).toEqual(after)
  })

  it('amid import has imported what it said, and the next run goes on', async () => {
    const commandLine = ['import', peopleFile(500), '--json']
    const amid = await killedAt('before:2:commit', commandLine, environment)
    expect(amid.stdout).toContain('"imported":200')
    expect(await numbers(database)).toMatchObject({ people: 200, profiles: 200 })
    // What it could not say any more is there all the same; the first commit is that of rows that were there already.
    await killedAt('after:2:commit', commandLine, environment)
    expect(await numbers(database)).toMatchObject({ people: 400, profiles: 400 })
    const last = await run(commandLine, { environment })
    const done = JSON.parse(last.stdout.trim().split('\n').at(-1) ?? '') as object
    expect(done).toMatchObject({ kind: 'done', rows: 500, imported: 100, already: 400, refused: 0 })
    expect(await numbers(database)).toMatchObject({ people: 500, profiles: 500 })
  })

  it('amid keys reencrypt leaves keys that one of both secrets opens, and the next run goes on', async () => {
    const changing = { ...environment, TESSERA_SECRET: `${secret}-next`, TESSERA_SECRET_PREVIOUS: secret }
    await killedAt('after:1:commit', ['keys', 'reencrypt'], changing)
    for (const alone of [secret, `${secret}-next`]) {
      const refused = await runHere(['keys', 'reencrypt'], {
        environment: { ...environment, TESSERA_SECRET: alone },
      })
      expect(complaintsOf(refused)).toEqual([
        expect.stringMatching(/another secret.*TESSERA_SECRET_PREVIOUS/),
      ])
    }
    await expectService(changing)
    expect(await runHere(['keys', 'reencrypt'], { environment: changing })).toMatchObject({
      code: 0,
      stderr: '',
    })
    const alone = { ...environment, TESSERA_SECRET: `${secret}-next` }
    expect(await runHere(['keys', 'reencrypt'], { environment: alone })).toMatchObject({ code: 0 })
  })
})

describe('on SQLite', () => {
  let database: TestDatabase
  let environment: Record<string, string>
  beforeEach(async () => {
    database = await createDatabase('sqlite')
    environment = environmentOf(database)
  })
  afterEach(() => database.remove())

  it('a restore that is killed has changed nothing, or everything, and two at once come one after the other', async () => {
    const backup = join(temporaryFolder(), 'monday.sqlite')
    await run(['import', peopleFile(300)], { environment })
    expect(await runHere(['backup', backup], { environment })).toMatchObject({ code: 0 })
    const empty = await createDatabase('sqlite', 'empty')
    const into = environmentOf(empty)
    const commandLine = ['restore', backup, '--yes']
    await killedAt('before:1:commit', commandLine, into)
    expect(await numbers(empty)).toMatchObject({ people: 0, records: 0, restored: 0 })
    await killedAt('after:1:commit', commandLine, into)
    expect(await numbers(empty)).toMatchObject({ people: 300, profiles: 300, restored: 1 })
    const both = await Promise.all([
      run(commandLine, { environment: into }),
      run(commandLine, { environment: into }),
    ])
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(await numbers(empty)).toMatchObject({ people: 300, profiles: 300, restored: 3 })
    await expectService(into)
    await empty.remove()
  })

  it('a full disk is told with what to do, nothing is half done, and it goes on when there is room', async () => {
    const limited = (bytes: number, ...commandLine: string[]) => {
      const { status, stdout, stderr } = spawnSync(
        'prlimit',
        [`--fsize=${bytes}`, process.execPath, launcher, ...commandLine],
        { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' },
      )
      expect({ status, stdout }, stderr).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(
        /^tessera: The disk has no room, or fails: make room, then run this again\. What was done stays, nothing is half done \(.*\n$/,
      )
    }
    const before = await numbers(database)
    const [declared, people] = [declaredFile(900), peopleFile(900)]
    limited(200_000, 'apply', declared, '--yes')
    expect(await numbers(database)).toEqual(before)
    limited(100_000, 'import', people)
    expect(await numbers(database)).toEqual(before)
    // Room for some of its batches: they stay, and the next run goes on after them.
    limited(1_400_000, 'import', people)
    const { people: stay = 0 } = await numbers(database)
    expect([200, 400, 600]).toContain(stay)
    const rest = await run(['import', people], { environment })
    expect(rest).toMatchObject({ code: 0, stderr: '' })
    expect(rest.stdout).toContain(`${900 - stay} imported, ${stay} there already`)
    expect(await numbers(database)).toMatchObject({ people: 900, profiles: 900 })
    // Half an export would be a declared file as well, and prune what it lacks.
    const folder = temporaryFolder()
    limited(100_000, 'export', join(folder, 'everything.yaml'))
    expect(readdirSync(folder)).toEqual([])
  })

  it('a full disk at the first start of a later version leaves the tables as they were', async () => {
    const older = await createDatabase('sqlite')
    const later = laterVersion('additive')
    const path = older.url.slice('sqlite:'.length)
    const before = readFileSync(path)
    const starting = { ...environmentOf(older), TESSERA_PORT: '0' }
    for (const command of ['migrate', 'serve']) {
      const { status, stderr } = spawnSync('prlimit', ['--fsize=300000', process.execPath, later, command], {
        env: { PATH: process.env.PATH, ...starting },
        encoding: 'utf8',
      })
      expect(status).toBe(1)
      expect(stderr).toMatch(
        /^tessera: The database's disk has no room, .*: make room, .* as they were \(.+\)\.\n$/,
      )
      expect(readFileSync(path).equals(before)).toBe(true)
    }
    await expectService({ ...starting, TESSERA_DECLARED: acme })
    await older.remove()
  })
})
