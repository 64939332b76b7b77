import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../dist/cli/connect.js'
import { Administrator, profiles, startAdministered, users } from '../administration/support.ts'
import { type Ran, runHere, type Way, ways } from './command-support.ts'
import { onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, run, secret, temporaryFolder, TesseraProcess } from '../harness/process.ts'
import { auditOf, forgetConsents, giveConsents } from '../harness/states.ts'

/** `tessera user` and the like, over HTTP and straight on the database: the same routes, so the same answers. */

onOneDatabase('the command', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => {
    await cleanUp()
    await tessera.close()
  })

  const by = async (way: Way, ...commandLine: string[]): Promise<Ran> =>
    await runHere(commandLine, { environment: ways[way](tessera) })
  const direct = async (...commandLine: string[]) => await by('database', ...commandLine)
  const asAcme = async (...commandLine: string[]) =>
    await runHere(commandLine, { environment: ways.http(tessera, 'acme-cli') })
  const jsonOf = ({ code, stdout, stderr }: Ran): Record<string, unknown> => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as Record<string, unknown>
  }

  it.each([
    ['user list'],
    ['user list --search acme --limit 2 --json'],
    ['user list --all --organisation acme --unit intake --json'],
    ['user list --no-active --json'],
    ['user show Both@acme.example'],
    [`user show ${users.both} --json`],
    ['organisation list --json'],
    ['organisation show acme --json'],
    ['unit list --organisation acme --search in --json'],
    ['unit show acme/intake'],
    ['profile list --user both@acme.example --role reader --json'],
    [`profile show ${profiles.importer} --json`],
    ['role list --search imp'],
    ['role show reader --json'],
    ['permission list --service ledger'],
    ['permission show ledger.entry.read --json'],
    ['service list'],
    ['service show ledger --json'],
    ['client list --type machine --json'],
    ['client show nightly-import'],
    ['user show nobody-at-all@acme.example'],
    ['user show nobody-at-all@acme.example --json'],
    ['role show nosuch --json'],
    ['unit show acme/nosuch'],
    ['unit list --organisation nosuch'],
    ['client show ..'],
    ['user list --cursor nonsense'],
    ['role create Bad --json'],
    ['role create importer --name Again'],
    ['service create iam --name x --audience https://x.example'],
    ['role change importer --permission no.such.permission --override-file'],
    ['permission delete iam.users.read --yes'],
    ['permission change iam.users.read --description Other'],
    ['service change iam --name Other --json'],
    ['user change nobody@acme.example --picture nonsense --locale nonsense'],
    ['profile create --user nobody@acme.example --role importer --unit intake'],
    ['client change nightly-import --redirect-uri https://x.example/'],
    ['role change importer --name Other'],
    ['user disable importer@acme.example --json'],
    ['unit delete acme/intake --yes'],
  ])('does the same over HTTP as on the database: tessera %s', async (line) => {
    const commandLine = line.split(' ')
    const [here, there] = [await by('database', ...commandLine), await by('http', ...commandLine)]
    expect(there).toEqual(here)
    expect(here.stdout === '').toBe(here.code !== 0)
  })

  it.each(['database', 'http'] as const)('makes, changes, disables and deletes by %s', async (way) => {
    const run = async (...commandLine: string[]) => await by(way, ...commandLine)
    const [code, address] = [`press-${way}`, `ines-${way}@acme.example`]
    jsonOf(
      await run(
        'service',
        'create',
        code,
        '--name',
        'Press',
        '--audience',
        `https://${code}.example`,
        '--json',
      ),
    )
    const permission = `${code}.label.print`
    jsonOf(await run('permission', 'create', permission, '--description', 'Print', '--json'))
    const roleMade = await run(
      'role',
      'create',
      code,
      '--name',
      'Printer',
      '--permission',
      permission,
      '--json',
    )
    expect(jsonOf(roleMade)).toEqual({
      code,
      name: 'Printer',
      permissions: [permission],
      active: true,
      policy: null,
      managed_by: null,
    })
    const more = ['--add-permission', 'ledger.entry.read', '--remove-permission', permission]
    expect(jsonOf(await run('role', 'change', code, ...more, '--json')).permissions).toEqual([
      'ledger.entry.read',
    ])
    expect(jsonOf(await run('role', 'change', code, '--no-permission', '--json')).permissions).toEqual([])

    const organisation = jsonOf(await run('organisation', 'create', code, '--name', 'Harbour', '--json'))
    jsonOf(await run('unit', 'create', 'quay', '--organisation', code, '--name', 'Quay', '--json'))
    const pier = ['unit', 'create', 'pier', '--organisation', code, '--parent', 'quay', '--name', 'Pier']
    expect(jsonOf(await run(...pier, '--json')).parent_uuid).not.toBe(null)
    const moved = jsonOf(await run('unit', 'change', `${code}/pier`, '--unset', 'parent', '--json'))
    expect(moved.parent_uuid).toBe(null)

    const user = jsonOf(await run('user', 'create', address, '--name', 'Ines', '--locale', 'sv', '--json'))
    expect(user).toMatchObject({ email: address, locale: 'sv', has_password: false, active: true })
    const held = ['--user', address, '--role', code, '--organisation', code, '--unit', 'quay']
    const profile = jsonOf(await run('profile', 'create', ...held, '--json'))
    expect(profile).toMatchObject({ user_uuid: user.uuid, organisation_uuid: organisation.uuid })
    const ends = ['--expires-at', '2031-12-31T00:00:00Z', '--unit', 'pier']
    expect(jsonOf(await run('profile', 'change', String(profile.uuid), ...ends, '--json'))).toMatchObject({
      expires_at: '2031-12-31T00:00:00.000Z',
      organisation_unit_uuid: moved.uuid,
    })
    const renamed = ['--name', 'Inês', '--unset', 'locale', '--email-verified']
    expect(jsonOf(await run('user', 'change', address, ...renamed, '--json'))).toMatchObject({
      name: 'Inês',
      locale: null,
      email_verified: true,
    })
    expect(jsonOf(await run('user', 'disable', address, '--json')).active).toBe(false)
    expect(jsonOf(await run('user', 'enable', address, '--json')).active).toBe(true)

    const machine = ['--client-name', 'Sorter', '--type', 'machine', '--access-token-lifetime', '300']
    const made = await run('client', 'create', code, ...machine, '--service', 'ledger', '--json')
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('shown this once') })
    expect(JSON.parse(made.stdout)).toMatchObject({
      client_secret: expect.stringMatching(/^.{43}$/),
      access_token_lifetime: 300,
      services: ['ledger'],
    })

    const gone: [noun: string, id: string, said: string][] = [
      ['client', code, 'client'],
      ['user', address, 'user'],
      ['organisation', code, 'organisation'],
      ['role', code, 'role'],
      ['permission', permission, 'permission'],
      ['service', code, 'service'],
    ]
    for (const [noun, id, said] of gone) {
      expect(await run(noun, 'delete', id, '--yes'), noun).toEqual({
        code: 0,
        stdout: `The ${said} ${id} is deleted.\n`,
        stderr: '',
      })
      expect(await run(noun, 'show', id), noun).toMatchObject({ code: 4, stdout: '' })
    }
  })

  it('records who ran it, as the change of a command', async () => {
    jsonOf(await direct('organisation', 'create', 'recorded', '--name', 'Recorded', '--json'))
    const records = (await auditOf(tessera, { kind: 'organisation.created' })).slice(-1)
    expect(records).toMatchObject([
      {
        actor: { kind: 'command', id: expect.stringMatching(/^.+@.+$/) },
        request_id: expect.any(String),
        after: { code: 'recorded' },
      },
    ])
    expect(records[0]).not.toHaveProperty('client_id')
  })

  it.each(['database', 'http'] as const)(
    'changes what a declared file manages when told to, by %s',
    async (way) => {
      const change = ['role', 'change', 'reader', '--name', `Reader by ${way}`]
      const refused = await by(way, ...change)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(
        /^tessera: The declared file "acme.yaml" manages this role; .*--override-file\.\n$/,
      )
      expect(jsonOf(await by(way, ...change, '--override-file', '--json'))).toMatchObject({
        name: `Reader by ${way}`,
        managed_by: 'acme.yaml',
      })
    },
  )

  it.each(['database', 'http'] as const)('shows and withdraws consents by %s', async (way) => {
    const given = { user_uuid: users.importer, client_id: 'partner-portal', scope: 'openid email' }
    await giveConsents(tessera, given, { ...given, user_uuid: users.both, granted_at: 2 })
    const one = {
      ...given,
      ...{
        email: 'importer@acme.example',
        services: [],
        permissions: [],
        redirect_hosts: [],
        claims: [],
        onward: [],
      },
      granted_at: '1970-01-01T00:00:00.001Z',
    }
    const listed = jsonOf(await by(way, 'consents', 'list', 'Importer@acme.example', '--json'))
    expect(listed).toEqual({ items: [one], next_cursor: null })
    const table = await by(way, 'consents', 'list', '--client', 'partner-portal')
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(table.stdout).toMatch(/^importer@acme\.example\tpartner-portal\topenid email\t1970-/m)
    expect(table.stdout).toContain('both@acme.example')
    // Whoever administers one organisation asks about one person of it.
    expect(await asAcme('consents', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--user: It is needed'),
    })
    expect(await asAcme('consents', 'withdraw', 'admin@acme.example', 'partner-portal')).toMatchObject({
      code: 4,
    })

    const withdraw = ['consents', 'withdraw', users.importer, 'partner-portal']
    expect(await by(way, ...withdraw)).toEqual({
      code: 0,
      stdout: `${users.importer} no longer allows partner-portal anything.\n`,
      stderr: '',
    })
    expect(await by(way, ...withdraw)).toMatchObject({ code: 4, stdout: '' })
    expect(await by(way, 'consents', 'withdraw', 'nobody@else.example', 'x')).toMatchObject({
      code: 4,
      stderr: 'tessera: There is no user nobody@else.example.\n',
    })
    expect(jsonOf(await by(way, 'consents', 'list', users.importer, '--json')).items).toEqual([])
    await forgetConsents(tessera)
  })

  it('is seen by a running service at once', async () => {
    const administrator = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect((await administrator.get('/audit')).status).toBe(200)
    jsonOf(await direct('client', 'disable', 'onlooker-cli', '--override-file', '--json'))
    expect((await administrator.get('/audit')).status).toBe(401)
    jsonOf(await direct('client', 'enable', 'onlooker-cli', '--override-file', '--json'))
  })

  describe('over HTTP', () => {
    it('sees and changes what its token reaches, and nothing else', async () => {
      const seen = jsonOf(await asAcme('user', 'list', '--all', '--json')).items as { email: string }[]
      expect(seen.map((one) => one.email)).not.toContain('admin@acme.example')
      expect(await asAcme('user', 'show', 'admin@acme.example')).toEqual({
        code: 4,
        stdout: '',
        stderr: 'tessera: There is no user admin@acme.example.\n',
      })
      expect(await asAcme('organisation', 'disable', 'acme')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^tessera: .*Ask whoever administers the installation\.\n$/),
      })
      const refused = await asAcme('role', 'create', 'own', '--name', 'Own', '--json')
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(JSON.parse(refused.stderr)).toMatchObject({ status: 403, error: 'forbidden' })
    })

    it('names the permission that its token lacks', async () => {
      const environment = ways.http(tessera, 'onlooker-cli')
      expect(await runHere(['user', 'list'], { environment })).toEqual({
        code: 1,
        stdout: '',
        stderr: 'tessera: The access token lacks the permission iam.users.read\n',
      })
      const { stderr } = await runHere(['user', 'list', '--json'], { environment })
      expect(JSON.parse(stderr)).toMatchObject({
        error: 'insufficient_scope',
        permissions: ['iam.users.read'],
      })
    })

    it.each<[string, Record<string, string>, RegExp]>([
      ['nobody asks', {}, /Who asks\? Run tessera login --url .* TESSERA_TOKEN/],
      ['the token is none', { TESSERA_TOKEN: 'nonsense' }, /access token is not valid here/],
      [
        'the secret is wrong',
        { TESSERA_CLIENT_ID: 'admin-cli', TESSERA_CLIENT_SECRET: 'another-secret' },
        /gave the client admin-cli no token: /,
      ],
      [
        'two things say who asks',
        { TESSERA_TOKEN: 'x', TESSERA_CLIENT_ID: 'admin-cli', TESSERA_CLIENT_SECRET: 'y' },
        /are both set: keep one/,
      ],
    ])('refuses when %s', async (_, more, said) => {
      const environment = { TESSERA_URL: tessera.url, ...more }
      const { code, stdout, stderr } = await runHere(['user', 'list'], { environment })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(said)
      for (const secret of ['nonsense', 'another-secret']) expect(stderr).not.toContain(secret)
    })

    it('takes the address as an option, which counts before the environment', async () => {
      const environment = { ...ways.http(tessera), TESSERA_URL: 'http://127.0.0.1:1' }
      const there = await runHere(['role', 'show', 'reader', '--url', tessera.url], { environment })
      expect(there.code).toBe(0)
      const nowhere = await runHere(['role', 'show', 'reader'], { environment })
      expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("can't be reached") })
    })
  })

  it.each(['database', 'http'] as const)('changes nothing that changed meanwhile, by %s', async (way) => {
    const address = `meanwhile-${way}@acme.example`
    jsonOf(await direct('user', 'create', address, '--name', 'First', '--json'))
    for (const commandLine of [
      ['user', 'change', address, '--name', 'Third'],
      ['user', 'delete', address, '--yes'],
    ]) {
      const { code, stdout, stderr } = await runHere(commandLine, {
        environment: ways[way](tessera),
        // Somebody else, between what is read and what is written.
        connect: async (context, url) => {
          const connection = await connect(context, url)
          return {
            close: () => connection.close(),
            async ask(asking) {
              if (asking.route.method !== 'GET')
                jsonOf(
                  await direct(
                    'user',
                    'change',
                    address,
                    '--locale',
                    'sv',
                    '--name',
                    commandLine[1] ?? '',
                    '--json',
                  ),
                )
              return await connection.ask(asking)
            },
          }
        },
      })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^tessera: It was changed since that version/)
      expect(jsonOf(await direct('user', 'show', address, '--json'))).toMatchObject({ name: commandLine[1] })
    }
  })

  it('never takes the last administrator away', async () => {
    const environment = ways.database(tessera)
    for (const commandLine of [
      ['user', 'disable', 'admin@acme.example'],
      ['user', 'delete', 'admin@acme.example', '--yes'],
      ['role', 'delete', 'administrator', '--yes'],
      ['profile', 'delete', profiles.admin, '--yes'],
    ]) {
      expect(
        await runHere([...commandLine, '--override-file'], { environment }),
        commandLine.join(' '),
      ).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^tessera: Nobody would be left who administers the whole installation\./,
        ),
      })
    }
  })

  it('asks before it deletes, and does nothing without a yes', async () => {
    jsonOf(await direct('organisation', 'create', 'asked', '--name', 'Asked', '--json'))
    const environment = ways.database(tessera)
    const remove = ['organisation', 'delete', 'asked']
    expect(await runHere(remove, { environment })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'tessera: It can not be undone, and nobody can be asked here: add --yes.\n',
    })
    expect(await runHere(remove, { environment, terminal: true, input: 'n\n' })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /Delete the organisation asked\? \[y\/N\][\s\S]*tessera: Nothing was changed\.\n$/,
      ),
    })
    expect((await direct('organisation', 'show', 'asked')).code).toBe(0)
    expect(await runHere(remove, { environment, terminal: true, input: 'y\n' })).toMatchObject({
      code: 0,
      stdout: 'The organisation asked is deleted.\n',
    })
    expect((await direct('organisation', 'show', 'asked')).code).toBe(4)
  })

  it('lists page by page, and goes on where it ended', async () => {
    const emails = async (...more: string[]) => {
      const { items, next_cursor: next } = jsonOf(await direct('user', 'list', '--json', ...more))
      return { emails: (items as { email: string }[]).map((one) => one.email), next }
    }
    const all = await emails('--all')
    expect(all.next).toBe(null)
    const first = await emails('--limit', '2')
    const rest = await emails('--all', '--cursor', String(first.next))
    expect([...first.emails, ...rest.emails]).toEqual(all.emails)
    const { stderr } = await direct('user', 'list', '--limit', '2')
    expect(stderr).toBe(`There are more: add --all, or --cursor ${String(first.next)}\n`)
    expect(await direct('user', 'list', '--search', 'zzz')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'There are none.\n',
    })
  })

  it.each([
    [['user', 'list', '--limit', '0'], /whole number above 0/],
    [['key', 'nosuch'], /unknown command 'nosuch'/],
    [['user', 'list', '--nosuch'], /unknown option '--nosuch'/],
    [['client', 'list', '--type', 'robot'], /Allowed choices are public, web, machine/],
    [['client', 'change', 'x', '--access-token-lifetime', '1e9'], /whole number/],
    [['client', 'change', 'x', '--grant-type', 'password'], /Allowed are authorization_code/],
    [['user', 'change', 'x', '--unset', 'email'], /Allowed are given-name/],
    [
      ['user', 'change', 'x', '--locale', 'de', '--unset', 'locale'],
      /--locale and --unset locale contradict/,
    ],
    [
      ['user', 'change', 'x', '--active', '--name', 'X', '--no-active'],
      /--active and --no-active contradict/,
    ],
    [
      ['profile', 'change', 'x', '--unset', 'expires-at', '--expires-at', '2031-01-01T00:00:00Z'],
      /--expires-at and --unset expires-at contradict/,
    ],
    [
      ['client', 'change', 'x', '--unset', 'permission', '--add-permission', 'a.b.read'],
      /--add-permission and --unset permission contradict/,
    ],
    [
      ['client', 'change', 'x', '--service', 'ledger', '--no-service'],
      /--service and --no-service contradict/,
    ],
    [
      ['role', 'change', 'x', '--add-permission', 'a.b.read', '--remove-permission', 'a.b.read'],
      /--add-permission a\.b\.read and --remove-permission a\.b\.read contradict/,
    ],
    [
      ['role', 'change', 'x', '--permission', 'a.b.read', '--remove-permission', 'a.b.read'],
      /--permission a\.b\.read and --remove-permission a\.b\.read contradict/,
    ],
    [
      ['client', 'create', 'x', '--first-party', '--no-first-party'],
      /--first-party and --no-first-party contradict/,
    ],
    [['user', 'change', 'importer@acme.example'], /Say what to change/],
    [['unit', 'show', 'intake'], /Which organisation has the unit intake/],
    [['user', 'list', '--url', 'ftp://x.example'], /is no address of a service/],
    [['user', 'list', '--url', 'http://id.example.com'], /write https:\/\/id\.example\.com/],
    [['user', 'create'], /missing required argument 'email'/],
    [['user', 'create', 'x@acme.example', '--password', 'secret of x'], /unknown option '--password'/],
  ])('refuses %j before anything is asked', async (commandLine, said) => {
    const { code, stdout, stderr } = await direct(...commandLine)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(said)
  })

  it.each([
    [
      [
        ...['client', 'create', 'x', '--type', 'public', '--client-name', 'X'],
        ...['--redirect-uri', 'https://x.example/', '--redirect-uri', 'x'],
      ],
      [/^ {2}--redirect-uri, number 2: /m],
    ],
    [
      [
        ...['client', 'create', 'x', '--client-name', 'X', '--type', 'machine', '--federated'],
        '{"issuer":"https://ci.example.com","claims":{"repository":"a/b"}}',
      ],
      [/--federated, claims: It names none of repository_id/],
    ],
    [
      ['client', 'create', 'x', '--client-name', ''],
      [
        /^ {2}--client-name: It is empty/m,
        /^ {2}--type: It is missing; it is public or web or machine or proxied\.$/m,
      ],
    ],
    [
      ['user', 'create', 'no address', '--name', ''],
      [/^ {2}email: /m, /^ {2}--name: /m],
    ],
    [['profile', 'create', '--user', 'importer@acme.example', '--role', 'nosuch'], [/^tessera: --role: /]],
    [['user', 'change', 'importer@acme.example', '--locale', 'no such'], [/^ {2}--locale: /m]],
  ])('says of a refusal what was typed: %j', async (commandLine, said) => {
    const { code, stderr } = await direct(...commandLine)
    expect(code).toBe(1)
    for (const one of said) expect(stderr).toMatch(one)
  })

  it('ends, as a process, with the same codes', async () => {
    const environment = ways.http(tessera)
    expect(await run(['user', 'show', 'nobody-at-all@acme.example'], { environment })).toMatchObject({
      code: 4,
      stdout: '',
      complaints: ['tessera: There is no user nobody-at-all@acme.example.'],
    })
    const listing = new TesseraProcess(['user', 'list', '--all'], { environment: ways.database(tessera) })
    listing.closeOutput()
    expect(await listing.ended).toMatchObject({ stderr: '' })
  })

  it('says of what it does not know where it looked, and makes no database there', async () => {
    const folder = temporaryFolder()
    const environment = {
      ...ways.database(tessera),
      TESSERA_DATABASE_URL: `sqlite:${folder}/wrong.sqlite`,
      TESSERA_SECRET: secret,
    }
    for (const typed of [
      'user list',
      'keys list',
      'keys rotate',
      'keys reencrypt',
      `export ${folder}/all.yaml`,
      'audit export',
    ]) {
      const { code, stdout, stderr } = await runHere(typed.split(' '), { environment })
      expect({ typed, code, stdout, stderr }).toEqual({
        typed,
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/There is no database of Tessera where TESSERA_DATABASE_URL says/),
      })
      expect(readdirSync(folder), typed).toEqual([])
    }
    const token = { ...ways.database(tessera), TESSERA_TOKEN: 'x' }
    expect(await runHere(['user', 'list'], { environment: token })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('give the commands that go by the API TESSERA_URL as well'),
    })
  })
})
