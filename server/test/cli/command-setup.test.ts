import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hidden } from '../../dist/cli/ask.js'
import { authorizeRequest, claimsOf, tokensFor } from '../harness/browser.ts'
import { type Here, type Ran, runHere } from './command-support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { startTessera } from '../harness/harness.ts'
import { auditOf, countOf, removeEverybody, removeProfiles } from '../harness/states.ts'

/** The first administrator of an installation: `tessera setup`. */

const lena = { email: 'lena.hoff@acme.example', password: 'correct horse battery lena' }

onEachDatabase('tessera setup', (dialect) => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase(dialect, 'tables')
  })
  afterEach(async () => await database.remove())
  const command = async (commandLine: string[], here: Here = {}): Promise<Ran> =>
    await runHere(commandLine, { environment: { TESSERA_DATABASE_URL: database.url }, ...here })
  const setup = async (...more: string[]): Promise<Ran> =>
    await command(['setup', '--email', lena.email, '--password-stdin', ...more], { input: lena.password })
  const whereAt = (issuer: string) =>
    `By the command: tessera login ${issuer}\nIn the console: ${issuer}/console\n`
  const written = async () => {
    const at = { databaseUrl: database.url }
    const [users, roles] = [await countOf(at, 'users'), await countOf(at, 'roles')]
    return { users, roles, profiles: await countOf(at, 'profiles') }
  }

  it('makes somebody who administers everything, with the role and the records of it', async () => {
    // Where there are no tables it makes them as well.
    await database.remove()
    database = await createDatabase(dialect, 'empty')
    expect(await setup('--name', 'Lena Hoff')).toEqual({
      code: 0,
      stdout: 'lena.hoff@acme.example administers the whole installation, by the role administrator.\n',
      stderr: `With the address of the service in the place of ISSUER:\n${whereAt('ISSUER')}`,
    })
    const { code, stdout } = await command(['user', 'access', lena.email, '--json'])
    expect(code).toBe(0)
    const { profiles } = JSON.parse(stdout) as { profiles: Record<string, unknown>[] }
    expect(profiles).toMatchObject([{ role_code: 'administrator', organisation_uuid: null, usable: true }])
    const records = await auditOf({ databaseUrl: database.url }, {})
    expect(records.map((one) => one.kind).toSorted()).toEqual([
      'profile.created',
      'role.created',
      'user.created',
    ])
    expect(new Set(records.map((one) => one.request_id)).size).toBe(1)
    expect(records.every((one) => one.actor.kind === 'command')).toBe(true)
    expect(JSON.stringify(records)).not.toContain('argon2')
    expect((await command(['role', 'show', 'administrator', '--json'])).stdout).toContain('"iam.*"')
  })

  it('ends with where they administer: as the settings say, or rather as the service on this database said', async () => {
    const at = { TESSERA_DATABASE_URL: database.url }
    const setupAt = async (more: Record<string, string>, ...options: string[]) => {
      await removeEverybody({ databaseUrl: database.url })
      const line = ['setup', '--email', lena.email, '--password-stdin', ...options]
      return await command(line, { input: lena.password, environment: { ...at, ...more } })
    }
    const issuer = 'https://id.example.com'
    expect((await setupAt({ TESSERA_ISSUER: issuer })).stderr).toBe(whereAt(issuer))
    const development = { TESSERA_MODE: 'development', TESSERA_PORT: '4010' }
    expect((await setupAt(development)).stderr).toBe(whereAt('http://localhost:4010'))
    // Which nobody knows before it listens.
    expect((await setupAt({ ...development, TESSERA_PORT: '0' })).stderr).toContain(whereAt('ISSUER'))
    const off = await setupAt({ TESSERA_ISSUER: issuer, TESSERA_CONSOLE: 'false' })
    expect(off.stderr).toBe(`By the command: tessera login ${issuer}\n`)
    expect((await setupAt({ TESSERA_ISSUER: issuer }, '--json')).stderr).toBe('')
    const link = ['setup', '--link']
    await removeEverybody({ databaseUrl: database.url })
    const linked = await command(link, { environment: { ...at, TESSERA_ISSUER: issuer } })
    expect(linked.stderr.endsWith(whereAt(issuer))).toBe(true)
    const tessera = await startTessera(dialect, { content: 'empty', settings: at })
    await tessera.close()
    expect((await setupAt(development)).stderr).toBe(whereAt(tessera.url))
    const json = JSON.parse((await setupAt({}, '--json')).stdout) as { console: string }
    expect(json.console).toBe(`${tessera.url}/console`)
  })

  it('refuses when somebody administers everything, and changes nothing', async () => {
    expect((await setup()).code).toBe(0)
    const before = await written()
    const another = ['setup', '--email', 'other@acme.example', '--password-stdin', '--role', 'other']
    expect(await command(another, { input: lena.password })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^tessera: Somebody administers the whole installation already; nothing was changed\. .*tessera profile create\.\n$/,
      ),
    })
    const json = await command([...another, '--json'], { input: lena.password })
    expect(JSON.parse(json.stderr)).toMatchObject({ status: 409, error: 'conflict' })
    expect(await written()).toEqual(before)
  })

  it('is won by one of several at once', async () => {
    const all = await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        command(['setup', '--email', `${name}@acme.example`, '--password-stdin'], { input: lena.password }),
      ),
    )
    expect(
      all.filter(({ code }) => code === 0),
      JSON.stringify(all),
    ).toHaveLength(1)
    expect(all.filter(({ code }) => code === 1)).toHaveLength(2)
    expect(await written()).toEqual({ users: 1, roles: 1, profiles: 1 })
  })

  it('takes the role that is there, and no role that gives less', async () => {
    expect((await setup()).code).toBe(0)
    const make = async (...commandLine: string[]) => expect((await command(commandLine)).code).toBe(0)
    await make('role', 'create', 'reader', '--name', 'Reader')
    // Nobody is left: as where a restored database has lost everybody who could.
    await removeProfiles({ databaseUrl: database.url })
    const again = ['setup', '--email', 'second@acme.example', '--password-stdin']
    for (const [more, said] of [
      [['--role', 'reader'], /^tessera: --role: The role reader is there, but it does not include iam\.\*/],
      [['--role', 'No Code'], /^tessera: What was sent is not valid; nothing was changed\.\n {2}--role: /],
    ] as const) {
      const { code, stdout, stderr } = await command([...again, ...more], { input: lena.password })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(said)
    }
    expect(await setup()).toMatchObject({ code: 1, stderr: 'tessera: --email: This address is taken.\n' })
    expect(await written()).toEqual({ users: 1, roles: 2, profiles: 0 })
    expect(await command(again, { input: lena.password })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('by the role administrator'),
    })
    expect(await written()).toEqual({ users: 2, roles: 2, profiles: 1 })
  })

  it('refuses what can not be, and makes nobody', async () => {
    const cases: [why: string, more: string[], here: Here, said: RegExp][] = [
      [
        'a short password',
        ['--password-stdin'],
        { input: 'short' },
        / {2}password: It needs at least 8 characters\./,
      ],
      [
        'a common password',
        ['--password-stdin'],
        { input: 'Password123' },
        / {2}password: It is one of the passwords that are guessed first\. Take several words/,
      ],
      ['no password', ['--password-stdin'], { input: '\n' }, /There is no password on standard input/],
      ['nobody to ask', [], {}, /Nobody can be asked for a password here: add --password-stdin/],
      [
        'two different ones',
        [],
        { terminal: true, input: 'first of two\nsecond of two\n' },
        /The two are not the same/,
      ],
      ['none at all', [], { terminal: true, input: '' }, /Nothing was changed/],
      ['no address', ['--password-stdin', '--email', 'nobody'], { input: lena.password }, / {2}--email: /],
      [
        'an API to go by',
        ['--password-stdin'],
        { input: lena.password, environment: { TESSERA_URL: 'http://localhost:4000' } },
        /TESSERA_URL is for administering by the API of a service/,
      ],
    ]
    for (const [why, more, here, said] of cases) {
      const { code, stdout, stderr } = await command(['setup', '--email', lena.email, ...more], here)
      expect({ code, stdout }, why).toEqual({ code: 1, stdout: '' })
      expect(stderr, why).toMatch(said)
    }
    expect(await written()).toEqual({ users: 0, roles: 0, profiles: 0 })
  })

  it('lets the person administer a service that starts on it', async () => {
    const typed = `${lena.password}\n${lena.password}\n`
    const asked = await command(['setup', '--email', lena.email], { terminal: true, input: typed })
    expect(asked).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Password: \nThe same again: \n/) })
    expect(asked.stdout + asked.stderr).not.toContain(lena.password)
    const tessera = await startTessera(dialect, {
      content: 'empty',
      settings: { TESSERA_DATABASE_URL: database.url },
    })
    try {
      const redirect = authorizeRequest().parameters.redirect_uri ?? ''
      const web = ['--type', 'public', '--client-name', 'Administration', '--first-party', '--service', 'iam']
      const scope = ['--scope', 'openid service.api', '--redirect-uri', redirect]
      expect((await command(['client', 'create', 'admin-web', ...web, ...scope])).code).toBe(0)
      const changes = { client_id: 'admin-web', scope: 'openid service.api' }
      const { access_token: token = '' } = await tokensFor(tessera.url, lena, { changes })
      expect(claimsOf(token).permissions).toContain('iam.users.delete')
      const environment = { TESSERA_URL: tessera.url, TESSERA_TOKEN: token }
      const list = await runHere(['user', 'list', '--json'], { environment })
      expect(JSON.parse(list.stdout)).toMatchObject({ items: [{ email: lena.email, name: 'Administrator' }] })
    } finally {
      await tessera.close()
    }
  })
})

it('shows nothing of what is typed', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers = hidden(['Password', 'The same again'], { input, output })
  for (const part of ['fir', 'st\r', 'sec', 'ond\r']) input.write(part)
  expect(await answers).toEqual(['first', 'second'])
  expect(String(output.read())).toBe('Password: \nThe same again: \n')
})

it('ends at Ctrl+C without an answer', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answers = hidden(['Password'], { input, output })
  input.write('half of it\u0003')
  await expect(answers).rejects.toThrow('Nothing was changed.')
})
