import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { acme, intake, profiles, startAdministered, users } from '../administration/support.ts'
import { people, signIn, TestBrowser, authorizeRequest } from '../harness/browser.ts'
import { type Here, type Ran, runHere, type Way, ways } from './command-support.ts'
import { createDatabase, onOneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { refresh, token, Visitor } from '../harness/program.ts'
import { cleanUp } from '../harness/process.ts'
import { importEnrolled, personOf } from '../sign-in/factor-support.ts'

/** What nouns have beside the verbs that all have: secrets, passwords, access, sessions. */

const both = ['database', 'http'] as const
const secret = 'a-secret-of-the-tests-0123456789-abcdef'
type Shown = Record<string, string>

onOneDatabase('the parts of the command', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
  })
  afterAll(async () => {
    await tessera.close()
    await cleanUp()
  })

  const by = async (way: Way, commandLine: readonly string[], here: Here = {}): Promise<Ran> =>
    await runHere(commandLine, { environment: ways[way](tessera), ...here })
  const jsonOf = ({ code, stdout, stderr }: Ran): Record<string, unknown> => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const itemsOf = (ran: Ran) => jsonOf(ran).items as Record<string, string>[]

  it.each(both)('replaces the secret of a machine without an outage, by %s', async (way) => {
    const id = `machine-${way}`
    const made = await by(way, [
      'client',
      'create',
      id,
      '--client-name',
      id,
      '--type',
      'machine',
      '--service',
      'ledger',
      '--json',
    ])
    const { client_secret: first } = JSON.parse(made.stdout) as { client_secret: string }
    const works = async (secret: string): Promise<boolean> => {
      const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret }
      return (await token(tessera.url, form)).status === 200
    }
    const added = await by(way, ['client', 'secret', 'add', id, '--expires-at', '2031-12-31T00:00:00Z'])
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^[\w-]{43}\n$/),
      stderr: expect.stringMatching(
        /^The client_secret is shown this once: keep it now\. Its id is \w+\.\n$/,
      ),
    })
    const second = added.stdout.trim()
    expect([await works(first), await works(second)]).toEqual([true, true])
    const third = await by(way, ['client', 'secret', 'add', id])
    expect(third).toMatchObject({ code: 1, stdout: '' })
    const secrets = itemsOf(await by(way, ['client', 'secret', 'list', id, '--json']))
    expect(secrets).toMatchObject([{ expires_at: null }, { expires_at: '2031-12-31T00:00:00.000Z' }])
    const remove = ['client', 'secret', 'remove', id, secrets[0]?.id ?? '']
    expect(await by(way, remove)).toMatchObject({ code: 1, stderr: expect.stringContaining('add --yes') })
    expect(await by(way, [...remove, '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect([await works(first), await works(second)]).toEqual([false, true])
    expect(await by(way, [...remove, '--yes'])).toMatchObject({ code: 4, stdout: '' })
    expect((await by(way, ['client', 'secret', 'list', id])).stdout).not.toContain(second)
    expect(await by(way, ['client', 'secret', 'list', 'nosuch'])).toMatchObject({ code: 4, stdout: '' })
    const past = await by(way, ['client', 'secret', 'add', id, '--expires-at', '2001-01-01T00:00:00Z'])
    expect(past).toMatchObject({ code: 1, stderr: 'tessera: --expires-at: It is over already.\n' })
  })

  it.each(both)('says who asks, by %s', async (way) => {
    const kind = way === 'http' ? 'client' : 'command'
    const { actor, reach, permissions } = jsonOf(await by(way, ['me', '--json']))
    expect(actor).toMatchObject({ kind })
    expect(reach).toMatchObject({ kind: 'installation' })
    expect(permissions).toContain('iam.keys.create')
    expect((await by(way, ['me'])).stdout).toContain('reach\tinstallation\n')
  })

  it.each(both)('tries changes out, by %s', async (way) => {
    const importer = 'importer@acme.example'
    const disable = ['user', 'disable', importer, '--override-file', '--dry-run']
    const tried = await by(way, disable)
    expect(tried).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was changed.') })
    expect(tried.stdout).toMatch(/active\tno\n/)
    expect(tried.stdout).toContain(
      '1 user loses submissions-tool.vista-import.create, submissions-tool.vista-import.read in acme/intake',
    )
    const removed = jsonOf(
      await by(way, ['organisation', 'delete', 'acme', '--override-file', '--dry-run', '--json']),
    )
    expect(removed).toMatchObject({ dry_run: true, would: null, removed_with: { unit: expect.any(Number) } })
    expect((await by(way, ['user', 'show', importer])).stdout).toMatch(/active\tyes\n/)
    const managed = await by(way, ['user', 'delete', importer, '--dry-run'])
    expect(managed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('acme.yaml') })
    expect(await by(way, ['user', 'list', '--dry-run'])).toMatchObject({ code: 1, stdout: '' })
  })

  it.each(both)('shows and changes the policy of the installation, by %s', async (way) => {
    const change = ['policy', 'change']
    expect(jsonOf(await by(way, ['policy', 'show', '--json']))).toMatchObject({ second_factor: null })
    const strict = await by(way, [...change, '--second-factor', 'required', '--grace-days', '7', '--json'])
    expect(jsonOf(strict)).toMatchObject({ second_factor: 'required', grace_days: 7 })
    const kept = jsonOf(await by(way, [...change, '--password-length', '12', '--json']))
    expect(kept).toMatchObject({ second_factor: 'required', grace_days: 7, password_length: 12 })
    expect((await by(way, ['policy', 'show'])).stdout).toMatch(/second factor\s+required\n/)
    for (const wrong of [[], ['--grace-days', '31'], ['--second-factor', 'never']])
      expect(await by(way, [...change, ...wrong])).toMatchObject({ code: 1, stdout: '' })
    const unset = ['second-factor', 'grace-days', 'password-length'].flatMap((one) => ['--unset', one])
    expect(jsonOf(await by(way, [...change, ...unset, '--json']))).toMatchObject({ second_factor: null })
  })

  it.each(both)('shows and changes the branding of the installation, by %s', async (way) => {
    const change = ['branding', 'change']
    const kept = await by(way, [...change, '--name', 'Harbour', '--accent-color', '#7a1f5c', '--json'])
    expect(jsonOf(kept)).toMatchObject({ name: 'Harbour', accent_color: '#7a1f5c', logo: null })
    expect((await by(way, ['branding', 'show'])).stdout).toMatch(/name\s+Harbour\n/)
    expect(await by(way, [...change, '--accent-color', '#7fcdc1'])).toMatchObject({ code: 1, stdout: '' })
    const unset = await by(way, [...change, '--unset', 'name', '--unset', 'accent-color', '--json'])
    expect(jsonOf(unset)).toMatchObject({ name: null, accent_color: null })
  })

  it('shows and removes second factors, unlocks, and demands them, on the database and by HTTP', async () => {
    await importEnrolled(tessera, both)
    for (const way of both) {
      const { email } = personOf(way)
      const listed = ['user', 'factor', 'list', email]
      const [factor, ...more] = itemsOf(await by(way, [...listed, '--json']))
      expect([factor?.kind, more]).toEqual(['totp', []])
      expect((await by(way, listed)).stdout).toContain(factor?.id)
      const remove = ['user', 'factor', 'remove', email]
      for (const wrong of [[], [factor?.id ?? '', '--all']]) {
        const refused = await by(way, [...remove, ...wrong, '--yes'])
        expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('or say --all') })
      }
      expect(await by(way, [...remove, '0'.repeat(32), '--yes'])).toMatchObject({ code: 4, stdout: '' })
      const unasked = await by(way, [...remove, '--all'])
      expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('add --yes') })
      expect(itemsOf(await by(way, [...listed, '--json']))).toHaveLength(1)
      const last = ['users', 'factors', 'remove', email, '--all', '--yes']
      expect(await by(way, last)).toEqual({
        code: 0,
        stdout: `All factors of ${email} are removed.\n`,
        stderr: '',
      })
      expect((await by(way, listed)).stderr).toBe('There are none.\n')

      const devices = (verb: string) => ['user', 'trusted-device', verb, email]
      expect((await by(way, devices('list'))).stderr).toBe('There are none.\n')
      expect((await by(way, [...devices('remove'), '--yes'])).code).toBe(0)
      expect((await by(way, ['user', 'unlock', email])).stdout).toBe(`${email} may try again.\n`)
      expect((await by(way, ['user', 'unlock', `nobody-${email}`])).code).toBe(4)
      const change = ['user', 'change', email, '--enrolment-required', '--json']
      expect(jsonOf(await by(way, change)).enrolment_required).toBe(true)
    }
  })

  it.each(both)('makes a user with profiles and a password, and sets another, by %s', async (way) => {
    const email = `ines-${way}@acme.example`
    const held = ['--profile', 'importer@acme/intake', '--profile', `reader@${acme}`, '--profile', 'reader']
    const create = ['user', 'create', email, '--name', 'Ines', ...held, '--password-stdin', '--json']
    const user = jsonOf(await by(way, create, { input: 'correct horse battery ines\n' }))
    expect(user).toMatchObject({
      has_password: true,
      profiles: [
        { role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: intake },
        { role_code: 'reader', organisation_uuid: acme, organisation_unit_uuid: null },
        { role_code: 'reader', organisation_uuid: null },
      ],
    })
    const signsIn = async (password: string): Promise<boolean> =>
      (await signIn(new TestBrowser(tessera.url), authorizeRequest().path, { email, password })).status !==
      400
    expect(await signsIn('correct horse battery ines')).toBe(true)
    const set = ['user', 'password', email]
    const typed = 'another horse of ines\nanother horse of ines\n'
    const asked = await by(way, set, { terminal: true, input: typed })
    expect(asked).toEqual({
      code: 0,
      stdout: `The password of ${email} is set.\n`,
      stderr: 'Password: \nThe same again: \n',
    })
    expect(await signsIn('correct horse battery ines')).toBe(false)
    expect(await signsIn('another horse of ines')).toBe(true)
    for (const [input, said] of [
      ['short\n', /password: It needs at least 8 characters/],
      ['iloveyou1\n', /password: It is one of the passwords that are guessed first/],
      ['', /no password on standard input/],
    ] as const) {
      const { code, stdout, stderr } = await by(way, set, { input })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(said)
    }
    expect(await signsIn('another horse of ines')).toBe(true)
    expect(await by(way, ['user', 'password', 'nobody-at-all@acme.example'], { input: 'x' })).toMatchObject({
      code: 4,
    })
    const elsewhere = ['user', 'create', `x-${email}`, '--name', 'X', '--profile', 'reader@nosuch']
    expect(await by(way, elsewhere)).toMatchObject({
      code: 4,
      stderr: 'tessera: There is no organisation nosuch.\n',
    })
    expect(await by(way, ['user', 'show', `x-${email}`])).toMatchObject({ code: 4 })
  })

  it.each(both)('ends sessions and token families, by %s', async (way) => {
    const person = way === 'http' ? people.both : people.importer
    const visitor = new Visitor(tessera.url, person)
    const profile = way === 'http' ? profiles.bothReader : undefined
    const tokens = async () => await visitor.tokens(profile === undefined ? {} : { profile_uuid: profile })
    const [one, two] = [await tokens(), await tokens()]
    const refreshed = async (tokens: Record<string, string>) =>
      (await refresh(tessera.url, tokens.refresh_token)).status
    const families = itemsOf(
      await by(way, [
        'token-family',
        'list',
        '--user',
        person.email,
        '--client',
        'submissions-web',
        '--json',
      ]),
    )
    expect(families).toHaveLength(2)
    const family = families[0]?.id ?? ''
    expect(await by(way, ['token-family', 'revoke', family])).toMatchObject({ code: 1 })
    expect(await by(way, ['token-family', 'revoke', family, '--yes'])).toMatchObject({
      code: 0,
      stdout: `The token family ${family} is revoked.\n`,
    })
    expect([await refreshed(one), await refreshed(two)]).toEqual([400, 200])
    const [session] = itemsOf(await by(way, ['session', 'list', '--user', person.email, '--json']))
    const sid = session?.sid ?? ''
    expect(jsonOf(await by(way, ['session', 'show', sid, '--json']))).toMatchObject({ ended_at: null })
    expect((await by(way, ['session', 'revoke', sid, '--yes'])).code).toBe(0)
    expect(await refreshed(two)).toBe(400)
    const again = await new Visitor(tessera.url, person).tokens(
      profile === undefined ? {} : { profile_uuid: profile },
    )
    expect(await by(way, ['session', 'revoke-all', person.email])).toMatchObject({ code: 1 })
    expect(await refreshed(again)).toBe(200)
    expect((await by(way, ['session', 'revoke-all', person.email, '--yes'])).code).toBe(0)
    expect(itemsOf(await by(way, ['session', 'list', '--user', person.email, '--json']))).toEqual([])
    expect(await by(way, ['session', 'revoke', users.admin, '--yes'])).toMatchObject({ code: 4 })
  })

  it.each(both)('keeps webhooks, by %s', async (way) => {
    const environment = { ...ways[way](tessera), ...(way === 'database' && { TESSERA_SECRET: secret }) }
    const run = async (...commandLine: string[]) =>
      await runHere(['webhook', ...commandLine], { environment })
    const address = `https://hooks.example.com/${way}`
    const disabled = ['--organisation', 'acme', '--no-active', '--kind', 'unit.*']
    const made = await run('create', address, ...disabled, '--json')
    expect(made).toMatchObject({ code: 0, stderr: 'The secret is shown this once: keep it now.\n' })
    const { uuid, ...shown } = JSON.parse(made.stdout) as { uuid: string }
    expect(shown).toMatchObject({ url: address, kinds: ['unit.*'], organisation_uuid: acme, active: false })
    const change = ['--address', `${address}/events`, '--add-kind', 'role.*']
    expect(jsonOf(await run('change', uuid, ...change, '--json'))).toMatchObject({
      url: `${address}/events`,
      kinds: ['unit.*', 'role.*'],
    })
    expect((await run('secret', 'add', uuid)).stdout).toMatch(/^whsec_\S+\n$/)
    expect(await run('secret', 'add', uuid)).toMatchObject({ code: 1, stdout: '' })
    expect(itemsOf(await run('secret', 'list', uuid, '--json'))).toHaveLength(2)
    expect(itemsOf(await run('deliveries', uuid, '--state', 'dead', '--json'))).toEqual([])
    expect(await run('deliveries', users.admin)).toMatchObject({ code: 4, stdout: '' })
    expect(await run('test', uuid)).toMatchObject({ code: 1, stdout: '' })
    expect(await run('replay', uuid, 'nosuch')).toMatchObject({ code: 4, stdout: '' })
    const inside = await run('create', 'https://127.0.0.1/', '--kind', '*')
    expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('TESSERA_WEBHOOKS_TO_PRIVATE') })
    expect(await run('delete', uuid, '--yes')).toMatchObject({
      code: 0,
      stdout: `The webhook ${address}/events is deleted.\n`,
    })
  })

  it('sends a test, and again, once a service runs', async () => {
    const database = await createDatabase(dialect)
    const settings = { TESSERA_ISSUER: tessera.url, TESSERA_SECRET: secret }
    const environment = { ...settings, TESSERA_DATABASE_URL: database.url }
    const run = async (...commandLine: string[]) =>
      (await runHere(['webhook', ...commandLine, '--json'], { environment })).stdout
    try {
      const webhook = JSON.parse(
        await run('create', 'https://hooks.example.com/', '--kind', 'user.*'),
      ) as Shown
      const { uuid = '' } = webhook
      const sent = JSON.parse(await run('test', uuid)) as Shown
      expect(sent).toMatchObject({ kind: 'webhook_delivery.tested', state: 'pending' })
      expect(JSON.parse(await run('replay', uuid, sent.id ?? ''))).toMatchObject({ id: sent.id })
      expect(JSON.parse(await run('deliveries', uuid))).toMatchObject({ items: [{ id: sent.id }] })
    } finally {
      await database.remove()
    }
  })

  describe('access', () => {
    it.each([
      ['user access both@acme.example'],
      [`user access ${users.importer} --json`],
      ['user access nobody-at-all@acme.example'],
      ['access who ledger.entry.read --json'],
      ['access who submissions-tool.vista-import.create --organisation acme'],
      ['access who submissions-tool.vista-import.create --organisation acme --unit intake --json'],
      ['access who submissions-tool.vista-import.create --unit acme/intake --json'],
      ['access who submissions-tool.vista-import.create --unit intake'],
      ['access who ledger.entry.read --limit 1 --json'],
      ['access who no.such.permission'],
      ['access explain submissions-tool.vista-import.create --client nightly-import'],
      [
        `access explain submissions-tool.vista-import.create --user importer@acme.example --profile ${profiles.importer} --client submissions-web --json`,
      ],
      [
        `access explain ledger.entry.create --user importer@acme.example --profile ${profiles.importer} --client submissions-web --scope openid`,
      ],
      ['access explain ledger.entry.read'],
      ['access explain ledger.entry.read --user nobody-at-all@acme.example'],
    ])('is told the same both ways: tessera %s', async (line) => {
      const [here, there] = [await by('database', line.split(' ')), await by('http', line.split(' '))]
      expect(there).toEqual(here)
      expect(here.stdout === '').toBe(here.code !== 0)
    })

    it('is none of somebody without a profile', async () => {
      for (const way of both)
        expect(await by(way, ['user', 'access', 'nobody@acme.example'])).toEqual({
          code: 0,
          stdout: '',
          stderr: 'There are none.\n',
        })
    })

    it('says what would grant it', async () => {
      const { code, stdout } = await by('database', [
        'access',
        'explain',
        'ledger.entry.create',
        '--client',
        'nightly-import',
      ])
      expect(code).toBe(0)
      expect(stdout).toMatch(/^No\. The service ledger is not assigned to the client nightly-import\.\nno\t/)
      expect(stdout).toContain(
        'What would grant it:\n  Assign the service ledger to the client nightly-import.',
      )
    })
  })
})
