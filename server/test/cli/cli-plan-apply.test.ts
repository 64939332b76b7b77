import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeRequest, claimsOf, people, TestBrowser } from '../harness/browser.ts'
import { complaintsOf, type Ran, runHere, type Runs } from './command-support.ts'
import {
  createDatabase,
  type Dialect,
  onEachDatabase,
  onOneDatabase,
  type TestDatabase,
} from '../harness/databases.ts'
import { applyChanged, disabled } from '../declared/change.ts'
import { acme, edited } from '../declared/support.ts'
import { duringTests, startTessera, type Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { machine, refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

/** `tessera plan` and `tessera apply` as operators use them: files, exit codes, and a service that runs meanwhile. */

afterAll(cleanUp)

/** Runs a command on a declared file of this text. */
function onFile(databaseUrl: string, commandLine: string[], text: string, by: Runs = runHere): Promise<Ran> {
  const file = join(temporaryFolder(), 'access.yaml')
  writeFileSync(file, text)
  const environment = { TESSERA_DATABASE_URL: databaseUrl, TESSERA_MODE: 'development' }
  return by([...commandLine, file], { environment })
}

interface Plan {
  changes: { kind: string; action: string; id: string }[]
  access: { users: { email: string; gains: string[]; loses: string[] }[]; clients: { client_id: string }[] }
}
const nothing = (database: string) => ({ database, changes: [], access: { users: [], clients: [] } })
const unchanged = 'Nothing to change: everything already is as the file says.'

/** As people read it: without the password. */
function nameOf(url: string): string {
  if (url.startsWith('sqlite:')) return url
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username}@${host}${pathname}`
}

/** An empty database, and commands on it with a file of this text. */
function filesOn(dialect: Dialect) {
  const database = duringTests(async () => {
    const made = await createDatabase(dialect, 'empty')
    return { ...made, close: made.remove }
  })
  const on = (commandLine: string[], text = acme) => onFile(database.url, commandLine, text)
  const asProcess = (commandLine: string[], text: string) => onFile(database.url, commandLine, text, run)
  /** The first line of what is shown. */
  const head = () => `Database: ${nameOf(database.url)}\n`
  return { database, on, asProcess, head }
}

onEachDatabase('a declared file', (dialect) => {
  const { database, on, head } = filesOn(dialect)

  it('is planned without being applied, then applied, then found to be so', async () => {
    const planned = await on(['plan', '--json'])
    expect(planned).toMatchObject({ code: 2, stderr: '' })
    // A plan changes nothing: the database is as empty as it was.
    expect(await tablesOf(database)).toEqual([])
    const { changes, access } = JSON.parse(planned.stdout) as Plan
    expect(changes.every(({ action }) => action === 'create')).toBe(true)
    expect(changes).toContainEqual(expect.objectContaining({ kind: 'client', id: 'nightly-import' }))
    expect(access.users.map(({ email }) => email)).toContain('importer@acme.example')

    const again = await on(['plan'])
    expect(again.code).toBe(2)
    expect(again.stdout).toMatch(/^(\d+) changes: \1 new, 0 changed, 0 removed\.$/m)
    expect(again.stdout.split('\n')[0]).toBe(
      `Database: ${nameOf(database.url)}, which has no tables yet: an empty one is compared with`,
    )
    for (const secret of ['correct horse', machine.client_secret, '$argon2id', 'sha256:'])
      expect(planned.stdout + again.stdout).not.toContain(secret)

    const applied = await on(['apply', '--yes', '--json'])
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect((JSON.parse(applied.stdout) as Plan).changes).toHaveLength(changes.length)
    const second = await on(['apply', '--yes', '--json'])
    expect([second.code, JSON.parse(second.stdout)]).toEqual([0, nothing(nameOf(database.url))])
    const after = await on(['plan'])
    expect(after).toEqual({ code: 0, stderr: '', stdout: `${head()}${unchanged}\n` })
  })

  it('is what an export is: for its owner alone, never in the place of another, and with nothing to change', async () => {
    await on(['apply', '--yes'])
    const cwd = temporaryFolder()
    const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'production' }
    const exported = await run(['export', 'all.yaml'], { cwd, environment })
    expect(exported).toMatchObject({ code: 0, stderr: '', stdout: 'all.yaml holds the whole state.\n' })
    const file = join(cwd, 'all.yaml')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toMatch(/^ +password_hash: \$argon2id\$/m)
    expect(await runHere(['plan', file], { environment })).toMatchObject({ code: 0, stderr: '' })
    const again = await runHere(['export', file], { environment })
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/exists already/) })
    // As another that is under way has it.
    writeFileSync(join(cwd, 'two.yaml.partial'), 'half')
    const second = await runHere(['export', join(cwd, 'two.yaml')], { environment })
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/is under way/) })
    expect(readFileSync(join(cwd, 'two.yaml.partial'), 'utf8')).toBe('half')
    const records = dialect === 'postgres' ? 'audit_waiting' : 'audit_records'
    await ask(database, `alter table ${records} rename to away`)
    const unrecorded = await runHere(['export', join(cwd, 'three.yaml')], { environment })
    await ask(database, `alter table away rename to ${records}`)
    expect(unrecorded).toMatchObject({ code: 1, stdout: '' })
    expect(readdirSync(cwd).toSorted()).toEqual(['all.yaml', 'two.yaml.partial'])
  })
})

onOneDatabase('a declared file', (dialect) => {
  const { database, on, asProcess, head } = filesOn(dialect)
  beforeAll(() => on(['apply', '--yes']))

  it('is applied with --yes alone where nobody can be asked, and names the database', async () => {
    const text = edited(acme, ['name: Globex', 'name: Globex unasked'])
    const before = await on(['plan'], text)
    for (const options of [[], ['--json'], ['--prune']]) {
      const refused = await (options.length === 0 ? asProcess : on)(['apply', ...options], text)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toBe(
        `${before.stdout}\ntessera: It would change what is shown above, and nobody can be asked here: add --yes.\n`,
      )
    }
    expect(await on(['plan'], text)).toEqual(before)
    const { code, stdout, stderr } = await asProcess(['apply', '--yes'], text)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.startsWith(`${head()}1 change: 0 new, 1 changed, 0 removed.\n`)).toBe(true)
    expect(stdout).toMatch(/Globex unasked[\s\S]*\n\nApplied\. 1 change: 0 new, 1 changed, 0 removed\.\n$/)
    expect(stdout.match(/^1 change/gm)).toHaveLength(1)
    const json = await on(['apply', '--yes', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ database: nameOf(database.url), changes: [{}] })
    // Where nothing is to change nobody has to be asked.
    for (const options of [['--yes'], []])
      expect(await asProcess(['apply', ...options], acme)).toMatchObject({
        code: 0,
        stdout: `${head()}${unchanged}\n`,
        stderr: '',
      })
  })

  it('is shown, asked about and applied at a terminal, and says that it was', async () => {
    await on(['apply', '--yes'])
    const text = edited(acme, ['name: Globex', 'name: Globex of the terminal'])
    const atTerminal = async (input: string, columns?: number, ...more: string[]) =>
      await onFile(database.url, ['apply', ...more], text, (commandLine, here) =>
        runHere(commandLine, {
          environment: { ...here.environment, TERM: 'dumb' },
          ...{ terminal: true, input },
          ...(columns !== undefined && { columns }),
        }),
      )
    const refused = await atTerminal('n\n')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(
      /Globex of the terminal[\s\S]*\[y\/N\] .*tessera: Nothing was changed\.\n$/s,
    )
    expect(refused.stderr).toContain(`\n${head()}1 change`)
    expect(refused.stderr).toContain(`Apply this to ${nameOf(database.url)}? [y/N]`)
    expect((await on(['plan'], text)).code).toBe(2)

    const { code, stdout, stderr } = await atTerminal('y\n')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Applied. 1 change: 0 new, 1 changed, 0 removed.\n' })
    expect(stderr.match(/1 change: 0 new/g)).toHaveLength(1)
    expect(stderr).toMatch(
      /^Reading \S+access\.yaml …\nComparing it with what is stored …\nDatabase: \S+\n1 change.*\[y\/N\] .*Applying 1 change …\n$/s,
    )
    expect(await atTerminal('y\n')).toMatchObject({
      code: 0,
      stdout: `${head()}${unchanged}\n`,
      // It neither asks nor says that it applies.
      stderr: expect.stringMatching(/^Reading \S+access\.yaml …\nComparing it with what is stored …\n$/),
    })
    await on(['apply', '--yes'])
    const json = await atTerminal('y\n', 80, '--json')
    expect((JSON.parse(json.stdout) as Plan).changes).toHaveLength(1)
    await on(['apply', '--yes'])
    const unasked = await atTerminal('', 80, '--yes')
    expect(unasked.stdout).toMatch(/^Database: \S+\n1 change: [\s\S]*\n\nApplied\. 1 change: /)
    expect(unasked.stderr).toMatch(/^Reading \S+ …\nApplying …\n$/)
    await on(['apply', '--yes'])
  })

  it('says so when somebody else has done what was agreed to meanwhile', async () => {
    await on(['apply', '--yes'])
    const text = edited(acme, ['name: Globex', 'name: Globex of another'])
    /** Read when the question is asked. */
    async function* answer() {
      await on(['apply', '--yes'], text)
      yield 'y\n'
    }
    const agreed = await onFile(database.url, ['apply'], text, (commandLine, here) =>
      runHere(commandLine, { ...here, terminal: true, input: Readable.from(answer()) }),
    )
    expect(agreed).toMatchObject({
      code: 0,
      stdout: `${head()}${unchanged}\n`,
      stderr: expect.stringContaining('Globex of another'),
    })
    await on(['apply', '--yes'])
  })

  it('takes its progress away again, where a terminal can', async () => {
    const text = edited(acme, ['name: Globex', 'name: Globex for a moment'])
    const { stdout, stderr } = await onFile(database.url, ['apply', '--yes'], text, (commandLine, here) =>
      runHere(commandLine, { ...here, terminal: true }),
    )
    expect(stdout).toContain('Applied. ')
    expect(stderr.split('\r\u001B[K')).toEqual([
      expect.stringMatching(/^Reading \S+access\.yaml …$/),
      'Applying …',
      '',
    ])
    await on(['apply', '--yes'])
  })

  it('shows what somebody changed by other means, and whose access that was', async () => {
    await on(['apply', '--yes'])
    const drifted = "update roles set active = 0 where code = 'reader' returning code as name"
    expect(await ask(database, drifted)).toHaveLength(1)
    const { code, stdout } = await on(['plan'])
    expect(code).toBe(2)
    expect(stdout).toContain('  ~ reader\n      active: false -> true\n')
    expect(stdout).toContain(
      '  1 user gains ledger.entry.read, submissions-tool.vista-import.read in acme/finance\n',
    )
    await on(['apply', '--yes'])
    expect(await on(['plan'])).toEqual({ code: 0, stderr: '', stdout: `${head()}${unchanged}\n` })
  })

  it('is pruned on request alone, and without a terminal with --yes alone', {
    timeout: 120_000,
  }, async () => {
    await on(['apply', '--yes'])
    const retired = acme.slice(acme.indexOf('  - client_id: retired-app'))
    const text = edited(acme, [retired, ''])
    const kept = await on(['plan'], text)
    expect(kept).toMatchObject({ code: 0, stderr: '' })
    expect(kept.stdout).toMatch(/--prune removes them\n {2}client retired-app\n$/)
    const planned = await on(['plan', '--prune'], text)
    expect(planned).toMatchObject({ code: 2, stderr: '' })
    expect(planned.stdout).toContain('  - retired-app (no longer in the file)\n')
    const unasked = await on(['apply', '--prune'], text)
    expect(unasked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/add --yes/) })
    expect(await on(['apply', '--prune', '--yes'], text)).toMatchObject({ code: 0, stderr: '' })
    expect(await on(['plan', '--prune'], text)).toMatchObject({ code: 0, stderr: '' })
    await on(['apply', '--yes'])
  })

  it('is planned against tables of this version alone', async () => {
    await on(['apply', '--yes'])
    const rename = (name: string, other: string) =>
      ask(database, `update kysely_migration set name = '${other}' where name = '${name}' returning name`)
    // As a version before this one left them, and as a later one did.
    for (const [other, pattern] of [
      ['0001-additive-first', /is that of another version .*before 0\.1\.0.*export with that version/],
      ['9999-breaking-later', /is that of another version .*newer version/],
    ] as const) {
      await rename('0001-baseline', other)
      const ran = await on(['plan'])
      await rename(other, '0001-baseline')
      const { code, stdout } = ran
      expect({ code, stdout, complaints: complaintsOf(ran) }).toEqual({
        code: 1,
        stdout: '',
        complaints: [expect.stringMatching(pattern)],
      })
    }
    expect(await on(['plan'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('is refused by plan as by apply when nobody who administers would be left', async () => {
    await on(['apply', '--yes'])
    const admin = acme.slice(acme.indexOf('  - email: admin@'), acme.indexOf('\nclients:'))
    const ways = [
      { text: edited(acme, disabled('    name: Acme Admin')), options: [] },
      { text: edited(acme, [admin, '']), options: ['--prune'] },
    ]
    for (const { text, options } of ways) {
      const refused = await on(['apply', '--yes', ...options], text)
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^tessera: Nobody w/),
      })
      expect(await on(['plan', ...options], text)).toEqual(refused)
      expect(await on(['plan', '--json', ...options], text)).toEqual(refused)
    }
  })

  it('is not half applied when it contradicts what is stored', async () => {
    await on(['apply', '--yes'])
    const text = edited(
      acme,
      ['client_name: Nightly import', 'client_name: Another name'],
      ['uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001', 'uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6fffff'],
    )
    const ran = await on(['apply', '--yes'], text)
    const { code, stdout } = ran
    expect({ code, stdout, complaints: complaintsOf(ran) }).toEqual({
      code: 1,
      stdout: '',
      complaints: [expect.stringMatching(/^tessera: \/\S+\/access\.yaml:\d+: .*uuid/)],
    })
    expect(await on(['plan'])).toMatchObject({ code: 0, stderr: '' })
  })
})

it('plan compares with an empty database where there is none, and makes none', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'access.yaml'), acme)
  const planned = await run(['plan', 'access.yaml', '--json'], {
    cwd,
    environment: { TESSERA_MODE: 'development' },
  })
  expect(planned).toMatchObject({ code: 2, stderr: '' })
  expect((JSON.parse(planned.stdout) as Plan).changes.length).toBeGreaterThan(10)
  expect(readdirSync(cwd)).toEqual(['access.yaml'])
})

async function tablesOf(database: TestDatabase): Promise<string[]> {
  const rows = database.url.startsWith('sqlite:')
    ? await ask(database, "select name from sqlite_master where type = 'table'")
    : await ask(database, "select tablename as name from pg_tables where schemaname = 'public'")
  return rows.map(({ name }) => name)
}

/** Without opening the database as the service does, which would migrate it. */
async function ask({ url }: TestDatabase, statement: string): Promise<{ name: string }[]> {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    if (!existsSync(path)) return []
    const file = new DatabaseSync(path)
    const rows = file.prepare(statement).all() as { name: string }[]
    file.close()
    return rows
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(statement)
  await client.end()
  return rows
}

describe('a declared file that is wrong', () => {
  const mistakes = edited(acme, ['type: machine', 'type: robot'], ['role: reader', 'role: raeder'])
  const ofMistakes = [/:\d+: .*raeder.*did you mean "reader"/, /:\d+: type .*robot/]
  const plain = [
    ...Array<RegExp>(4).fill(/:\d+: .*password/),
    ...Array<RegExp>(2).fill(/:\d+: .*client_secret/),
  ]
  it.each<[string, string, string, string, RegExp[]]>([
    ['apply', 'with each mistake on its line', 'development', mistakes, ofMistakes],
    ['plan', 'with each mistake on its line', 'development', mistakes, ofMistakes],
    ['apply', 'with plain passwords and secrets in production', 'production', acme, plain],
  ])('is refused by %s %s, before any database is opened', async (command, _what, mode, text, expected) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, 'access.yaml'), text)
    const environment = { TESSERA_MODE: mode }
    const { code, stdout, complaints } = await run([command, 'access.yaml'], { cwd, environment })
    expect({ code, stdout, lines: complaints.length }).toEqual({
      code: 1,
      stdout: '',
      lines: expected.length,
    })
    for (const [index, pattern] of expected.entries()) {
      const line = complaints[index]?.replace('tessera: ', '')
      expect(line).toMatch(/^access\.yaml:/)
      expect(line).toMatch(pattern)
    }
    expect(complaints.join()).not.toMatch(/correct horse|development-secret/)
    expect(readdirSync(cwd)).toEqual(['access.yaml'])
  })

  it('is named when it is not there', async () => {
    const { code, complaints } = await run(['apply', 'nowhere.yaml'])
    expect({ code, complaints }).toEqual({
      code: 1,
      complaints: [
        "tessera: nowhere.yaml: the file can't be read: check its name and that this user may read it (ENOENT)",
      ],
    })
  })
})

onEachDatabase('applying while the service runs', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera(dialect)
  })
  afterAll(() => tessera?.close())

  /** Applies the reference file with these edits. */
  async function apply(...edits: [string, string][]): Promise<Plan> {
    const { code, stdout, stderr } = await onFile(
      tessera.databaseUrl,
      ['apply', '--yes', '--json'],
      edited(acme, ...edits),
    )
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as Plan
  }
  const machineAnswer = async (form: Record<string, string> = machine) => {
    const { status, json } = await token(tessera.url, { grant_type: 'client_credentials', ...form })
    return `${status} ${String(json.error ?? json.token_type)}`
  }

  it('an inactive client is refused at its next request, and served again when it is active', async () => {
    expect(await machineAnswer()).toBe('200 Bearer')
    const { access } = await apply(disabled('  - client_id: nightly-import'))
    expect(access.clients).toMatchObject([{ client_id: 'nightly-import' }])
    expect(await machineAnswer()).toBe('401 invalid_client')
    await apply()
    expect(await machineAnswer()).toBe('200 Bearer')
  })

  it('another secret replaces the one before', async () => {
    const client_secret = 'another-development-secret-of-the-import'
    await apply([machine.client_secret, client_secret])
    expect(await machineAnswer()).toBe('401 invalid_client')
    expect(await machineAnswer({ ...machine, client_secret })).toBe('200 Bearer')
    await applyChanged(tessera)
  })

  it('the next refresh holds what a role was given, and no more what was taken', async () => {
    const approve = 'submissions-tool.submission.approve'
    const before = await new Visitor(tessera.url).tokens()
    expect(claimsOf(before.access_token).permissions).not.toContain(approve)
    const list = 'permissions: [submissions-tool.vista-import.create, submissions-tool.vista-import.read]'
    const { access } = await apply([list, `permissions: [${approve}]`])
    expect(access.users).toMatchObject([{ email: people.importer.email, gains: [approve] }])
    const given = tokensOf(await refresh(tessera.url, before.refresh_token))
    expect(claimsOf(given.access_token).permissions).toEqual([approve])
    await applyChanged(tessera)
    const taken = tokensOf(await refresh(tessera.url, given.refresh_token))
    expect(claimsOf(taken.access_token).permissions).not.toContain(approve)
  })

  it('a disabled person is out at once, and an enabled one signs in anew', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const { access } = await apply(disabled('    name: Acme Importer'))
    expect(access.users).toMatchObject([{ email: people.importer.email, gains: [] }])
    const refused = await refresh(tessera.url, tokens.refresh_token)
    expect([refused.status, refused.json.error]).toEqual([400, 'invalid_grant'])
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    const page = await visitor.browser.open(authorizeRequest().path)
    expect([page.status, new URL(page.url).pathname]).toEqual([200, '/sign-in'])
    expect((await visitor.browser.submit(page, people.importer)).status).toBe(400)
    await applyChanged(tessera)
    expect((await refresh(tessera.url, tokens.refresh_token)).json.error).toBe('invalid_grant')
    expect(await new Visitor(tessera.url).tokens()).toHaveProperty('access_token')
  })

  it('a return address that was taken away is refused on a page', async () => {
    const { path } = authorizeRequest()
    expect((await new TestBrowser(tessera.url).request(path)).status).toBe(303)
    await apply(['http://127.0.0.1:4001/callback, ', ''])
    const refused = await new TestBrowser(tessera.url).request(path)
    expect([refused.status, refused.location]).toEqual([400, undefined])
    expect(refused.body).toContain('invalid_redirect_uri')
    await applyChanged(tessera)
    expect((await new TestBrowser(tessera.url).request(path)).status).toBe(303)
  })
})
