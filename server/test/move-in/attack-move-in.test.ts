/** What whoever administers a realm, or merely uses it, gets by its export. */
import { join } from 'node:path'
import { chmodSync, mkdirSync, readFileSync, statSync, renameSync, writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runHere } from '../cli/command-support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { duringTests, startTessera } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { moved } from './support.ts'

afterAll(cleanUp)

type Entry = Record<string, unknown>

const client = (clientId: string, more: Entry = {}): Entry => ({
  clientId,
  enabled: true,
  protocol: 'openid-connect',
  standardFlowEnabled: true,
  publicClient: true,
  redirectUris: [`https://${clientId}.example/cb`],
  defaultClientScopes: ['profile', 'email'],
  ...more,
})

const machine = (clientId: string, secret: string): Entry =>
  client(clientId, { standardFlowEnabled: false, publicClient: false, serviceAccountsEnabled: true, secret })

const account = (clientId: string, realmRoles: string[]): Entry => ({
  username: `service-account-${clientId}`,
  serviceAccountClientId: clientId,
  realmRoles,
})

const person = (username: string, more: Entry = {}): Entry => ({
  id: '11111111-1111-4111-8111-111111111111',
  username,
  email: `${username}@realm.example`,
  emailVerified: true,
  enabled: true,
  ...more,
})

const realm = (more: Entry = {}, name = 'acme'): string =>
  JSON.stringify({
    realm: name,
    roles: { realm: [], client: {} },
    groups: [],
    clients: [],
    users: [],
    ...more,
  })

const ofRealm = async (more: Entry, files: Record<string, string> = {}, mapping?: string) =>
  await moved('keycloak', { 'realm.json': realm(more), ...files }, mapping === undefined ? {} : { mapping })

describe('a machine', () => {
  const roles = { realm: [{ name: 'payroll' }, { name: 'nothing' }], client: {} }
  /** The permissions of whoever has a secret of the attacker. */
  const ofAttacker = async (clients: Entry[], users: Entry[]) => {
    const alone = await ofRealm({ roles, clients: clients.slice(0, 1), users: users.slice(0, 1) })
    const hash = alone.declared.clients[0]?.client_secret_hash
    expect(hash).toBeDefined()
    const { declared } = await ofRealm({ roles, clients, users })
    return declared.clients.find((one) => one.client_secret_hash === hash)?.permissions ?? []
  }

  it.each([
    ['foo/bar', 'foo:bar'],
    ['machine-foo', 'foo'],
  ])('%s does not get what the service account of %s has', async (mine, theirs) => {
    const other = client(theirs, {
      publicClient: false,
      serviceAccountsEnabled: true,
      secret: 'their-secret-their-secret-their',
      standardFlowEnabled: theirs === 'foo',
    })
    const got = await ofAttacker(
      [machine(mine, 'secret-of-the-attacker-secret'), other],
      [account(mine, ['nothing']), account(theirs, ['payroll'])],
    )
    expect(got).not.toContain('acme.role.payroll')
  })
})

describe('codes of an installation that has something', () => {
  const environment = () => ({ TESSERA_DATABASE_URL: `sqlite:${join(temporaryFolder(), 'tessera.db')}` })
  const movedIn = async (name: string, json: string, mapping?: string) => {
    const [file, out] = [join(temporaryFolder(), `${name}.json`), join(temporaryFolder(), name)]
    writeFileSync(file, json)
    expect(await runHere(['move-in', 'keycloak', file, '--out', out, '--prefix', name])).toMatchObject({
      code: 0,
    })
    if (mapping !== undefined) {
      writeFileSync(join(out, 'mapping.yaml'), mapping)
      expect(await runHere(['move-in', 'keycloak', file, '--out', out, '--prefix', name])).toMatchObject({
        code: 0,
      })
    }
    // As the docs say: files of one name are one file.
    renameSync(join(out, 'declared.yaml'), join(out, `${name}.yaml`))
    return { declared: join(out, `${name}.yaml`), people: join(out, 'people.jsonl') }
  }
  const setUp = ['setup', '--email', 'lena@first.example', '--name', 'Lena', '--password-stdin']

  it('gives nobody the role of those who administer it', async () => {
    const at = { environment: environment() }
    expect(await runHere(setUp, { ...at, input: 'Korrekt-Pferd-Batterie-99\n' })).toMatchObject({ code: 0 })
    const json = realm({
      roles: { realm: [{ name: 'administrator' }], client: {} },
      users: [person('mallory', { realmRoles: ['administrator'] })],
    })
    const { declared, people } = await movedIn('acme', json, 'elsewhere: null\n')
    await runHere(['apply', declared, '--yes'], at)
    await run(['import', people], at)
    const { stdout } = await runHere(['access', 'who', 'iam.users.create'], at)
    expect(stdout).toContain('lena@first.example')
    expect(stdout).not.toContain('mallory@realm.example')
  })

  it('leaves the people of a realm that moved in before with what they have', async () => {
    const at = { environment: environment() }
    const roles = { realm: [{ name: 'user' }], client: {} }
    const one = (name: string, id: string) =>
      realm({ roles, users: [person(name, { id, realmRoles: ['user'] })] }, name)
    const first = await movedIn('first', one('first', '11111111-1111-4111-8111-111111111111'))
    const second = await movedIn('second', one('second', '22222222-2222-4222-8222-222222222222'))
    for (const { declared, people } of [first, second]) {
      expect(await runHere(['apply', declared, '--yes'], at)).toMatchObject({ code: 0 })
      expect(await run(['import', people], at)).toMatchObject({ code: 0 })
    }
    const who = async (permission: string) => (await runHere(['access', 'who', permission], at)).stdout
    expect(await who('second-second.role.user')).not.toContain('first@realm.example')
    expect(await who('first-first.role.user')).toContain('first@realm.example')
  })

  it('is not pruned by the realm that moves in next', async () => {
    const at = { environment: environment() }
    const first = await movedIn('first', realm({ clients: [client('one')] }, 'first'))
    const second = await movedIn('second', realm({ clients: [client('two')] }, 'second'))
    expect(await runHere(['apply', first.declared, '--yes'], at)).toMatchObject({ code: 0 })
    const plan = await runHere(['plan', second.declared], at)
    expect(plan.stdout).not.toContain('client one')
  })
})

describe('an application of another realm', () => {
  const tessera = duringTests(() => startTessera('sqlite'))

  it('learns nothing of people of this installation without asking them', async () => {
    const [file, out] = [join(temporaryFolder(), 'realm.json'), join(temporaryFolder(), 'other')]
    writeFileSync(file, realm({ clients: [client('stranger')] }, 'other'))
    expect(await runHere(['move-in', 'keycloak', file, '--out', out, '--prefix', 'other'])).toMatchObject({
      code: 0,
    })
    const environment = { TESSERA_DATABASE_URL: tessera.databaseUrl }
    const applied = await runHere(['apply', join(out, 'declared.yaml'), '--yes'], { environment })
    expect(applied).toMatchObject({ code: 0 })
    const asked = {
      client_id: 'stranger',
      redirect_uri: 'https://stranger.example/cb',
      scope: 'openid profile email',
    }
    const page = await signIn(new TestBrowser(tessera.url), authorizeRequest(asked).path, people.importer)
    expect(page.location ?? '').not.toContain('https://stranger.example/cb?code=')
  })
})

describe('an application', () => {
  it('of a realm enters nobody of another organisation, or the report says that it does', async () => {
    const { declared, report } = await ofRealm({ clients: [client('app')] })
    const [app] = declared.clients
    const isTold = report.some((line) => /consent|whole installation|everybody/.test(line))
    expect(app?.first_party === true && app.organisation === undefined && !isTold).toBe(false)
  })

  it('gets no address of another host that somebody was seen to use', async () => {
    const seen = (uri: string) => ({ type: 'LOGIN', clientId: 'app', details: { redirect_uri: uri } })
    const events = [seen('https://app.example.evil.test/cb'), seen('https://app.example/cb')]
    const clients = [client('app', { redirectUris: ['https://app.example*'] })]
    const { declared } = await ofRealm({ clients }, { 'events.json': JSON.stringify(events) })
    expect(declared.clients.flatMap((one) => one.redirect_uris ?? [])).not.toContain(
      'https://app.example.evil.test/cb',
    )
  })

  it('gets no origin of an address that is refused', async () => {
    const redirectUris = ['https://ok.example/cb', 'https://ok.example@evil.test/cb']
    const { declared } = await ofRealm({ clients: [client('app', { redirectUris, webOrigins: ['+'] })] })
    expect(declared.clients[0]?.allowed_origins).toEqual(['https://ok.example'])
  })
})

describe('what an earlier run wrote', () => {
  it('gives what a role has to none that is new and written alike', async () => {
    const users = [person('boss', { realmRoles: ['admin'] })]
    const first = await ofRealm({ roles: { realm: [{ name: 'admin' }], client: {} }, users })
    const eve = person('eve', { id: '22222222-2222-4222-8222-222222222222', realmRoles: ['Admin'] })
    const roles = { realm: [{ name: 'admin' }, { name: 'Admin' }], client: {} }
    const { people, declared } = await ofRealm({ roles, users: [...users, eve] }, {}, first.mapping)
    const [boss, other] = ['boss', 'eve'].map((name) => {
      const found = people.find((one) => one.preferred_username === name)
      const [{ role = '' } = {}] = (found?.profiles ?? []) as { role?: string }[]
      return declared.roles.find((one) => one.code === role)?.permissions
    })
    expect(boss).toEqual(['acme.role.admin'])
    expect(other).not.toContain('acme.role.admin')
  })

  const profileOf = (edit: string[]) => ({
    components: {
      'org.keycloak.userprofile.UserProfileProvider': [
        {
          config: {
            'kc.user.profile.config': [
              JSON.stringify({ attributes: [{ name: 'dept', permissions: { edit } }] }),
            ],
          },
        },
      ],
    },
  })

  it('gives nothing by an attribute that people edit by now, or the report does not deny it', async () => {
    const first = await ofRealm({ ...profileOf(['admin']), users: [person('eve')] })
    const edited = parse(first.mapping) as { attributes: Record<string, Entry> }
    edited.attributes.dept = {
      ...edited.attributes.dept,
      profiles: { boss: { role: 'boss', organisation: 'acme' } },
    }
    const users = [person('eve', { attributes: { dept: ['boss'] } })]
    const again = await ofRealm({ ...profileOf(['admin', 'user']), users }, {}, JSON.stringify(edited))
    const isDenied = again.report.some((line) => line.includes('so nothing is given by it'))
    const isGiven = again.people.some((one) => JSON.stringify(one.profiles).includes('boss'))
    expect([isDenied, isGiven]).not.toEqual([true, true])
  })
})

describe('people', () => {
  it('lose their address to nobody who registered with it and did not prove it', async () => {
    const email = 'chief@realm.example'
    const stranger = person('stranger', { email, emailVerified: false })
    const chief = person('chief', { id: '22222222-2222-4222-8222-222222222222', email })
    const { people } = await ofRealm({ users: [stranger, chief] })
    expect(people.map((one) => one.preferred_username)).toEqual(['chief'])
  })

  it('who did not prove their address stand in the report', async () => {
    const { report } = await ofRealm({
      users: [
        person('stranger', {
          emailVerified: false,
          credentials: [{ type: 'password', credentialData: '{}', secretData: '{}' }],
        }),
      ],
    })
    expect(report.filter((line) => /verified|proved?/.test(line))).not.toEqual([])
  })

  it('are disabled where the export does not say that they are not, as Keycloak imports them', async () => {
    const { people } = await ofRealm({ users: [person('one', { enabled: undefined })] })
    expect(people.map((one) => one.active)).toEqual([false])
  })

  it('are not counted by the events of their sign-ins', async () => {
    const details = { redirect_uri: 'https://app.example/cb', username: 'eve' }
    const events = JSON.stringify([{ type: 'LOGIN', clientId: 'app', details }])
    const { report } = await ofRealm({ users: [person('eve')] }, { 'events.json': events })
    expect(report.filter((line) => line.includes('not as Keycloak writes it'))).toEqual([])
  })
})

describe('a role', () => {
  const permissionsOf = async (more: Entry) => {
    const { people, declared } = await ofRealm(more)
    const [{ role = '' } = {}] = (people[0]?.profiles ?? []) as { role?: string }[]
    return declared.roles.find((one) => one.code === role)?.permissions
  }

  it.each([
    ['of the realm', { realmRoles: ['app/admin'] }, { realm: [{ name: 'app/admin' }], client: {} }],
    [
      'of another client',
      { clientRoles: { app: ['x/admin'] } },
      { realm: [], client: { app: [{ name: 'x/admin' }] } },
    ],
  ])('%s is not taken for that of a client whose id and name are written alike', async (_, held, others) => {
    const id = others.realm.length > 0 ? 'app' : 'app/x'
    const roles = { ...others, client: { ...others.client, [id]: [{ name: 'admin' }] } }
    const alone = await permissionsOf({
      ...{ roles: { realm: [], client: { [id]: [{ name: 'admin' }] } }, clients: [client(id)] },
      users: [person('eve', { clientRoles: { [id]: ['admin'] } })],
    })
    expect(alone).toHaveLength(1)
    const got = await permissionsOf({
      roles,
      clients: [client('app'), client('app/x')],
      users: [person('eve', held)],
    })
    expect(got).not.toEqual(alone)
  })
})

describe('the directory', () => {
  it('is for its owner alone, or refused', async () => {
    const [file, out] = [join(temporaryFolder(), 'realm.json'), join(temporaryFolder(), 'out')]
    writeFileSync(file, realm({}))
    mkdirSync(out)
    chmodSync(out, 0o777)
    const { code } = await runHere(['move-in', 'keycloak', file, '--out', out])
    if (code === 0) expect(statSync(out).mode & 0o077).toBe(0)
  })
})

describe('the report', () => {
  it('holds the name of a realm as a text of one line', async () => {
    const [file, out] = [join(temporaryFolder(), 'realm.json'), join(temporaryFolder(), 'out')]
    const displayName = 'Acme\n\n## What you have to decide\n\n- Nothing. \u001B[2J<script>alert(1)</script>'
    writeFileSync(file, realm({ displayName }))
    await runHere(['move-in', 'keycloak', file, '--out', out])
    const text = readFileSync(join(out, 'report.md'), 'utf8')
    expect(text).not.toContain('\u001B')
    expect(text.split('\n').filter((line) => line.startsWith('## What you have to decide'))).toEqual([])
  })
})
