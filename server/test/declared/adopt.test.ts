import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyDeclared } from '../../dist/declared/apply.js'
import { parseDeclared } from '../../dist/declared/format.js'
import { planDeclared } from '../../dist/declared/plan.js'
import { plainPasswords } from '../../dist/identity/plain-passwords.js'
import {
  acme as acmeUuid,
  Administrator,
  administrators,
  profiles,
  startAdministered,
  users,
} from '../administration/support.ts'
import { authorizeRequest, people, TestBrowser } from '../harness/browser.ts'
import { type Ran, runHere } from '../cli/command-support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { acme, edited } from './support.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { introspect, machineToken, refresh, token, Visitor, withStore } from '../harness/program.ts'
import { byPasskey, credentialOf } from '../sign-in/passkey-support.ts'
import { consentsAndDevicesOf, countOf, giveConsents, passwordHashOf } from '../harness/states.ts'

/** What a declared file adopts that somebody else made: openly, and without what the wrong people know. */

afterAll(cleanUp)

const boss = { email: 'new.boss@acme.example', password: 'a password that they know' }
const person = { ...boss, name: 'New Boss' }
const importer = [{ role_code: 'importer', organisation_uuid: acmeUuid }]
const robot = {
  client_id: 'nightly-sync',
  client_name: 'Nightly sync',
  type: 'machine',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
  organisation_uuid: acmeUuid,
}
const bossInFile: [string, string] = [
  'users:\n',
  `users:
  - email: ${boss.email}
    name: New Boss
    profiles:
      - role: administrator
`,
]
const robotInFile: [string, string] = [
  'clients:\n',
  `clients:
  - client_id: nightly-sync
    client_name: Nightly sync
    type: machine
    services: [iam]
    permissions: ["iam.*"]
`,
]

onEachDatabase('a declared file that adopts', (dialect) => {
  const once = oneDatabase(dialect)
  let tessera: Tessera
  let everything: Administrator
  /** Of Acme alone. */
  let planter: Administrator
  beforeEach(async () => {
    tessera = await startAdministered(dialect)
    everything = await Administrator.machine(tessera.url)
    planter = await Administrator.machine(tessera.url, 'acme-cli')
  })
  afterEach(() => tessera?.close())

  const textOf = (...edits: [string, string][]) => edited(acme, ...administrators, ...edits)
  async function command(
    name: 'plan' | 'apply',
    edits: [string, string][],
    ...options: string[]
  ): Promise<Ran> {
    const file = join(temporaryFolder(), 'acme.yaml')
    writeFileSync(file, textOf(...edits))
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
    const unasked = name === 'apply' && !options.includes('--yes') ? ['--yes'] : []
    return await runHere([name, file, ...options, ...unasked], { environment })
  }
  /** Applies it, and yields what the plan before it said of what it adopts. */
  async function adopted(...edits: [string, string][]): Promise<string> {
    const planned = await command('plan', edits)
    expect(planned.stderr).toBe('')
    const applied = await command('apply', edits)
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout.startsWith(planned.stdout)).toBe(true)
    expect(applied.stdout).toMatch(/\nApplied\. \d+ changes?: .*, \d+ adopted\.\n$/)
    expect(await command('plan', edits)).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining('Adopts'),
    })
    // What is merely adopted comes after whose access changes.
    const merely = planned.stdout.indexOf('\nAdopts what is there already\n')
    const access = planned.stdout.search(/^(The access of|Nobody's access)/m)
    if (merely !== -1) expect(merely).toBeGreaterThan(access)
    return [...planned.stdout.matchAll(/^Adopts.*\n(?: .*\n)*/gm)].map(([part]) => part).join('')
  }
  async function make(by: Administrator, path: string, body: object): Promise<Record<string, unknown>> {
    const { status, json, text } = await by.post(path, body)
    if (status !== 201) throw new Error(`${status} ${text}`)
    return json
  }
  const signsIn = async (who: { email: string; password: string }) => {
    const { path } = authorizeRequest()
    const browser = new TestBrowser(tessera.url)
    const visit = await browser.submit(await browser.open(path), who)
    return visit.status !== 400
  }
  const proves = async (client_secret: unknown, client_id = 'nightly-sync') => {
    const form = { grant_type: 'client_credentials', client_id, client_secret: String(client_secret) }
    return (await token(tessera.url, form)).status === 200
  }

  it('takes from an account what somebody of one organisation gave it, with all that it gave them', async () => {
    await make(planter, '/users', { ...person, profiles: importer })
    const visitor = new Visitor(tessera.url, boss)
    const tokens = await visitor.tokens()
    const code = await visitor.code()
    const [{ uuid = '' } = {}] = (await everything.all(`/users?q=${boss.email}`)) as { uuid?: string }[]
    await giveConsents(tessera, { user_uuid: uuid, client_id: 'partner-portal', scope: 'openid' })
    // The browser by which they signed in is known as theirs.
    expect(await consentsAndDevicesOf(tessera, uuid)).toHaveLength(2)
    const planted = await credentialOf(tessera, boss)
    expect((await byPasskey(new TestBrowser(tessera.url), planted)).status).not.toBe(400)
    const said = await adopted(bossInFile)
    expect(await consentsAndDevicesOf(tessera, uuid)).toEqual([])
    expect(said).toMatch(
      /^ {2}user new\.boss@acme\.example\n {6}made by client acme-cli of acme, \d{4}-[-\d]+T[\d:.]+Z\n {6}loses its password, factors, sessions, tokens and consents: /m,
    )
    expect(await signsIn(boss)).toBe(false)
    expect((await byPasskey(new TestBrowser(tessera.url), planted)).status).toBe(400)
    expect((await refresh(tessera.url, tokens.refresh_token)).json.error).toBe('invalid_grant')
    expect((await introspect(tessera.url, tokens.access_token)).active).toBe(false)
    expect((await token(tessera.url, code)).json.error).toBe('invalid_grant')
    const [found] = await everything.all(`/users?q=${boss.email}`)
    expect(found).toMatchObject({ has_password: false, managed_by: 'acme.yaml' })
    const given = { ...boss, password: 'one that they do not know' }
    await everything.patch(`/users/${String(found?.uuid)}`, { password: given.password })
    await command('apply', [bossInFile])
    expect(await signsIn(given)).toBe(true)
  })

  it('takes from a machine the secret and the tokens of somebody of one organisation', async () => {
    const { client_secret } = await make(planter, '/clients', robot)
    const { json } = await token(tessera.url, {
      grant_type: 'client_credentials',
      client_id: 'nightly-sync',
      client_secret: String(client_secret),
    })
    const said = await adopted(robotInFile)
    expect(said).toMatch(
      /client nightly-sync\n {6}made by client acme-cli of acme, .*\n {6}loses its client secret and tokens: /,
    )
    expect(await proves(client_secret)).toBe(false)
    expect((await introspect(tessera.url, String(json.access_token))).active).toBe(false)
    const { json: next } = await everything.post('/clients/nightly-sync/secrets', {})
    await command('apply', [robotInFile])
    expect(await proves(next.client_secret)).toBe(true)
  })

  it('gives a machine that it names again nothing of the one that it pruned', async () => {
    await command('apply', [robotInFile])
    const { json: made } = await everything.post('/clients/nightly-sync/secrets', {})
    const form = { client_id: 'nightly-sync', client_secret: String(made.client_secret) }
    const former = new Administrator(tessera.url, await machineToken(tessera.url, form))
    expect((await former.get('/clients')).status).toBe(200)
    expect((await command('apply', [], '--prune')).code).toBe(0)
    expect((await everything.get('/clients/nightly-sync')).status).toBe(404)
    expect((await command('apply', [robotInFile])).code).toBe(0)
    expect((await former.get('/clients')).status).toBe(401)
  })

  describe('leaves what comes from', () => {
    it('an administrator of everything', async () => {
      await make(everything, '/users', person)
      const { client_secret } = await make(everything, '/clients', robot)
      const said = await adopted(bossInFile, robotInFile)
      expect(said).toMatch(
        /user new\.boss@acme\.example: made by client admin-cli, \S+; keeps its password, which the file does not name\n/,
      )
      expect(said).toMatch(
        /client nightly-sync: made by client admin-cli, \S+; keeps its client secret, which the file does not name\n/,
      )
      expect(said).not.toContain('loses')
      expect([await signsIn(boss), await proves(client_secret)]).toEqual([true, true])
    })

    once.it('an administrator of everything who is a person, and leaves them signed in', async () => {
      const admin = await Administrator.person(tessera.url, people.admin, profiles.admin)
      await make(admin, '/users', { ...person, profiles: importer })
      const visitor = new Visitor(tessera.url, boss)
      const tokens = await visitor.tokens()
      const profile = '      - role: importer\n        organisation: acme\n'
      const said = await adopted([
        bossInFile[0],
        bossInFile[1].replace('      - role: administrator\n', profile),
      ])
      expect(said).toMatch(/made by admin@acme\.example, /)
      expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
    })

    it('an import and the command on the database', async () => {
      const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
      const file = join(temporaryFolder(), 'people.jsonl')
      const hash = await plainPasswords.hashPassword(boss.password)
      writeFileSync(file, `${JSON.stringify({ email: boss.email, name: 'New Boss', password_hash: hash })}\n`)
      expect(await run(['import', file], { environment })).toMatchObject({ code: 0, stderr: '' })
      const options = [
        '--client-name',
        'Nightly',
        '--type',
        'machine',
        '--service',
        'submissions-tool',
        '--json',
      ]
      const made = await runHere(['client', 'create', 'nightly-sync', ...options], { environment })
      expect(made).toMatchObject({ code: 0 })
      const said = await adopted(bossInFile, robotInFile)
      expect(said).toMatch(/made by import of people\.jsonl, \S+; keeps its password/)
      expect(said).toMatch(/made by command by .*; keeps its client secret/)
      const { client_secret } = JSON.parse(made.stdout) as { client_secret: string }
      expect([await signsIn(boss), await proves(client_secret)]).toEqual([true, true])
    })
  })

  describe('asks who set the credential, not who made what it is of', () => {
    it('and takes the password and the secret that one of an organisation set afterwards', async () => {
      const made = await make(everything, '/users', {
        ...person,
        password: 'the first of two',
        profiles: importer,
      })
      const { client_secret } = await make(everything, '/clients', robot)
      expect((await planter.patch(`/users/${String(made.uuid)}`, { password: boss.password })).status).toBe(
        200,
      )
      const second = await make(planter, '/clients/nightly-sync/secrets', {})
      expect(await proves(second.client_secret)).toBe(true)
      const said = await adopted(bossInFile, robotInFile)
      expect(said).toMatch(/made by client admin-cli, .*\n {6}loses its password, /)
      expect(said).toMatch(
        /made by client admin-cli, .*\n {6}keeps its client secret, .*\n {6}loses its client secret and tokens/,
      )
      expect(await signsIn(boss)).toBe(false)
      expect([await proves(client_secret), await proves(second.client_secret)]).toEqual([true, false])
    })

    once.it('and leaves those that one of everything set afterwards', async () => {
      const made = await make(planter, '/users', { ...person, profiles: importer })
      const { client_secret } = await make(planter, '/clients', robot)
      const given = { ...boss, password: 'one that they do not know' }
      expect(
        (await everything.patch(`/users/${String(made.uuid)}`, { password: given.password })).status,
      ).toBe(200)
      const second = await make(everything, '/clients/nightly-sync/secrets', {})
      const said = await adopted(bossInFile, robotInFile)
      expect(said).toMatch(/user \S+: made by client acme-cli of acme, \S+; keeps its password/)
      expect([await signsIn(boss), await signsIn(given)]).toEqual([false, true])
      expect([await proves(client_secret), await proves(second.client_secret)]).toEqual([false, true])
    })

    once.it('of whom it asks that they administer everything, not merely everywhere', async () => {
      await make(await Administrator.machine(tessera.url, 'roles-cli'), '/users', person)
      expect(await adopted(bossInFile)).toMatch(/made by client roles-cli, .*\n {6}loses its password/)
      expect(await signsIn(boss)).toBe(false)
    })
  })

  once.describe('knows an account by its address', () => {
    once.it('and takes its password when one of an organisation gave it that address', async () => {
      const other = { email: 'mole@acme.example', password: boss.password }
      const made = await make(everything, '/users', { ...person, ...other, profiles: importer })
      expect((await planter.patch(`/users/${String(made.uuid)}`, { email: boss.email })).status).toBe(200)
      expect(await signsIn(boss)).toBe(true)
      expect(await adopted(bossInFile)).toMatch(/made by client admin-cli, .*\n {6}loses its password/)
      expect(await signsIn(boss)).toBe(false)
    })

    once.it('also when that account was managed by the same file', async () => {
      expect((await planter.patch(`/users/${users.importer}`, { email: boss.email })).status).toBe(200)
      const known = { ...people.importer, email: boss.email }
      expect(await signsIn(known)).toBe(true)
      const unnamed: [string, string] = ['    uuid: 0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0001\n', '']
      expect(
        await adopted(bossInFile, unnamed, [
          `      - uuid: ${profiles.importer}\n        role`,
          '      - role',
        ]),
      ).toMatch(/user new\.boss@acme\.example\n.*\n {6}loses its password/)
      expect(await signsIn(known)).toBe(false)
      expect(await signsIn(people.importer)).toBe(true)
    })
  })

  once.it(
    'takes the password that was set meanwhile when what it managed was pruned and is named again',
    async () => {
      const other = { ...people.importer, password: boss.password }
      const text = textOf()
      const start = text.indexOf('  - email: importer@acme.example')
      const unnamed: [string, string] = [text.slice(start, text.indexOf('  - email: both@acme.example')), '']
      expect((await planter.patch(`/users/${users.importer}`, { password: other.password })).status).toBe(200)
      // What somebody set since stays as long as the file goes on to manage them.
      expect(await command('apply', [])).toMatchObject({ code: 0 })
      expect(await signsIn(other)).toBe(true)
      expect(await command('apply', [unnamed], '--prune', '--yes')).toMatchObject({ code: 0 })
      const said = await adopted()
      expect(said).toMatch(
        /user importer@acme\.example\n.*\n {6}loses its factors, sessions, tokens and consents/,
      )
      expect([await signsIn(other), await signsIn(people.importer)]).toEqual([false, true])
    },
  )

  once.it(
    'ends what a client gave that somebody of one organisation made, and sets all that the file does not name',
    async () => {
      const portal = {
        client_id: 'lunch-menu',
        client_name: 'Lunch menu',
        type: 'public',
        redirect_uris: ['https://evil.example/cb'],
        post_logout_redirect_uris: ['https://evil.example/bye'],
        backchannel_logout_uri: 'https://evil.example/out',
        logo_uri: 'https://evil.example/logo.png',
        scope: 'openid service.api',
        services: ['submissions-tool'],
        permissions: ['submissions-tool.vista-import.read'],
        organisation_uuid: acmeUuid,
      }
      await make(planter, '/clients', portal)
      const changes = {
        client_id: 'lunch-menu',
        redirect_uri: 'https://evil.example/cb',
        scope: 'openid service.api',
      }
      const browser = new TestBrowser(tessera.url)
      const request = authorizeRequest(changes)
      const asked = await browser.submit(await browser.open(request.path), people.importer)
      const answered = await browser.submit(asked, { choice: 'allow' })
      const code = new URL(answered.location ?? '').searchParams.get('code') ?? ''
      const tokens = await token(tessera.url, {
        grant_type: 'authorization_code',
        client_id: 'lunch-menu',
        redirect_uri: 'https://evil.example/cb',
        code,
        code_verifier: request.verifier,
      })
      expect(tokens.status).toBe(200)
      const begun = await new TestBrowser(tessera.url).open(authorizeRequest(changes).path)
      expect(begun.status).toBe(200)
      const inFile: [string, string] = [
        'clients:\n',
        `clients:
  - client_id: lunch-menu
    client_name: Lunch menu
    type: public
    redirect_uris: [https://lunch.acme.example/cb]
    scope: openid service.api
    services: [submissions-tool]
`,
      ]
      const said = await adopted(inFile)
      expect(said).toMatch(/client lunch-menu\n.*\n {6}loses its tokens and consents/)
      const form = { client_id: 'lunch-menu' }
      expect((await refresh(tessera.url, String(tokens.json.refresh_token), form)).json.error).toBe(
        'invalid_grant',
      )
      expect((await introspect(tessera.url, String(tokens.json.access_token))).active).toBe(false)
      expect((await everything.get('/clients/lunch-menu')).json).toMatchObject({
        redirect_uris: ['https://lunch.acme.example/cb'],
        post_logout_redirect_uris: [],
        allowed_origins: ['https://lunch.acme.example'],
        backchannel_logout_uri: null,
        logo_uri: null,
        organisation_uuid: null,
      })
      expect(await everything.all('/consents?client_id=lunch-menu')).toEqual([])
      expect(await countOf(tessera, 'authorization requests')).toBe(0)
    },
  )

  once.it(
    'says so of roles, services, organisations and units too, and that another file managed them',
    async () => {
      await make(everything, '/roles', { code: 'clerk', name: 'Clerk', permissions: [] })
      const organisation = await make(everything, '/organisations', { code: 'initech', name: 'Initech' })
      const unit = { code: 'desk', name: 'Desk', organisation_uuid: organisation.uuid }
      await make(everything, '/units', unit)
      const edits: [string, string][] = [
        ['roles:\n', 'roles:\n  - code: clerk\n    name: Clerk\n'],
        [
          'organisations:\n',
          'organisations:\n  - code: initech\n    name: Initech\n    units:\n      - code: desk\n        name: Desk\n',
        ],
      ]
      const planned = await command('plan', edits)
      expect(planned).toMatchObject({ code: 0, stderr: '' })
      for (const thing of ['role clerk', 'organisation initech', 'unit initech/desk'])
        expect(planned.stdout).toMatch(new RegExp(`^ {2}${thing}: made by client admin-cli, \\S+Z$`, 'm'))
      expect(planned.stdout).toMatch(/^Database: \S+\nNothing to change/)
      // On a terminal it is asked all the same.
      const file = join(temporaryFolder(), 'other.yaml')
      writeFileSync(file, textOf(...edits))
      const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
      const refused = await runHere(['apply', file], { environment, terminal: true, input: 'n\n' })
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Adopts[^]*Nothing was changed/),
      })
      expect(refused.stderr).toMatch(
        /^ {2}\d services \((\S+, )*ledger(, \S+)*\): made by [^;]+; until now managed by acme\.yaml\n/m,
      )
      // Many of the same are not named one by one.
      expect(refused.stderr).toMatch(
        /^ {2}\d users \((\S+, ){3}…\): made by [^;]+; until now managed by acme\.yaml\n/m,
      )
      expect(refused.stderr).not.toMatch(/^ {2}user both@acme\.example/m)
      // What changes nothing comes last.
      expect(refused.stderr.indexOf('Adopts')).toBeGreaterThan(refused.stderr.indexOf('Nothing to change'))
    },
  )

  it('is not what was agreed to when somebody was removed and made again in between', async () => {
    const body = { ...person, profiles: importer }
    const first = await make(planter, '/users', body)
    await withStore(tessera, async (store) => {
      const declared = parseDeclared(textOf(bossInFile), { file: 'acme.yaml', mode: 'development' })
      const settings = { now: tessera.clock.now(), ...plainPasswords }
      const expected = await planDeclared(store, declared, settings)
      expect(expected.adopts).toMatchObject([{ id: boss.email, managed_by: null }])
      tessera.clock.advance(1000)
      expect((await planter.delete(`/users/${String(first.uuid)}`)).status).toBe(204)
      await make(planter, '/users', body)
      const applying = applyDeclared(store, declared, { ...settings, expected })
      await expect(applying).rejects.toThrow('What is stored changed since the plan was shown')
    })
    expect(await signsIn(boss)).toBe(true)
  })

  once.it(
    'says whose a thing was that another file managed, and takes what one of an organisation set since',
    async () => {
      const other = { ...people.importer, password: boss.password }
      expect((await planter.patch(`/users/${users.importer}`, { password: other.password })).status).toBe(200)
      const file = join(temporaryFolder(), 'other.yaml')
      writeFileSync(file, textOf())
      const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_MODE: 'development' }
      const planned = await runHere(['plan', file, '--json'], { environment })
      expect(planned).toMatchObject({ code: 2, stderr: '' })
      const { adopts } = JSON.parse(planned.stdout) as {
        adopts: { id: string; managed_by: string; loses: string[] }[]
      }
      expect(new Set(adopts.map((one) => one.managed_by))).toEqual(new Set(['acme.yaml']))
      expect(adopts.filter((one) => one.loses.length > 0).map((one) => one.id)).toEqual([
        people.importer.email,
      ])
      expect(await runHere(['apply', file, '--yes'], { environment })).toMatchObject({ code: 0, stderr: '' })
      // The file says which password they have.
      expect([await signsIn(other), await signsIn(people.importer)]).toEqual([false, true])
      expect(await runHere(['plan', file, '--json'], { environment })).toMatchObject({ code: 0 })
    },
  )

  once.it('leaves the password where the file names the very one, and ends what began with it', async () => {
    await make(planter, '/users', { ...person, profiles: importer })
    const tokens = await new Visitor(tessera.url, boss).tokens()
    const [part, by] = bossInFile
    const hash = `    password_hash: ${await passwordHashOf(tessera, boss.email)}\n    profiles:\n      - role: importer\n        organisation: acme\n`
    const named: [string, string] = [part, by.replace('    profiles:\n      - role: administrator\n', hash)]
    await command('apply', [named])
    expect((await refresh(tessera.url, tokens.refresh_token)).json.error).toBe('invalid_grant')
    expect(await signsIn(boss)).toBe(true)
  })
})
