/** `tessera move-in keycloak`: what comes of the export of a real realm, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runHere } from '../cli/command-support.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'

afterAll(cleanUp)

/** Written by Keycloak 26.7.3 (`kc.sh export --users same_file`), without its own clients and the keys of the realm. */
const hafen = fileURLToPath(new URL('exports/keycloak-hafen.json', import.meta.url))

type Entry = Record<string, unknown>
type Realm = Record<string, Entry[]> & { users: Entry[]; clients: Entry[] }
const realm = () => JSON.parse(readFileSync(hafen, 'utf8')) as Realm

const moved = (out: string) => {
  const text = (name: string) => readFileSync(join(out, name), 'utf8')
  const lines = text('people.jsonl')
    .split('\n')
    .filter((one) => one !== '')
  return {
    people: lines.map((one) => JSON.parse(one) as Entry & { profiles: Entry[] }),
    declared: parse(text('declared.yaml')) as Record<string, Entry[]>,
    mapping: text('mapping.yaml'),
    report: text('report.md'),
    files: readdirSync(out).sort(),
  }
}

async function moveIn(files: readonly string[], out = join(temporaryFolder(), 'out'), ...options: string[]) {
  return { out, ended: await runHere(['move-in', 'keycloak', ...files, '--out', out, ...options]) }
}

/** What comes of a realm that was changed. */
async function ofChanged(change: (realm: Realm) => void) {
  const changed = realm()
  change(changed)
  const { out, ended } = await moveIn([written(JSON.stringify(changed))])
  expect(ended.stderr).toBe('')
  return moved(out)
}

function written(text: string | Buffer, name = 'realm.json'): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

describe('a whole realm', () => {
  let out: string
  let result: ReturnType<typeof moved>
  beforeAll(async () => {
    const first = await moveIn([hafen])
    expect([first.ended.code, first.ended.stderr]).toEqual([0, ''])
    out = first.out
    result = moved(out)
  })
  const person = (name: string) => result.people.find((one) => one.preferred_username === name)
  const client = (id: string) => result.declared.clients?.find((one) => one.client_id === id)

  it('gives four files, for their owner alone', () => {
    expect(result.files).toEqual(['declared.yaml', 'mapping.yaml', 'people.jsonl', 'report.md'])
    expect(statSync(out).mode & 0o777).toBe(0o700)
    for (const name of result.files) expect(statSync(join(out, name)).mode & 0o777).toBe(0o600)
  })

  it('gives the same files again', async () => {
    const again = await moveIn([hafen])
    expect(moved(again.out)).toEqual(result)
  })

  it('keeps everybody but the machines and whoever has no address', () => {
    const names = result.people.map((one) => one.preferred_username)
    expect(names).toHaveLength(19)
    expect(names.filter((one) => String(one).startsWith('service-account'))).toEqual([])
    expect(names).not.toContain('quirin')
    expect(result.report).toMatch(/has no e-mail address.*`quirin`/)
  })

  it('keeps the subject, and what says who somebody is', () => {
    expect(person('anna.bauer')).toMatchObject({
      uuid: '97af7a27-c312-47a1-a3e0-3968756d0d11',
      email: 'anna.bauer@hafen.test',
      email_verified: true,
      name: 'Anna Bauer',
      given_name: 'Anna',
      family_name: 'Bauer',
      locale: 'de',
    })
    expect(person('paula.aus')).toMatchObject({ active: false })
    expect(person('sven.leer')).not.toHaveProperty('password_hash')
  })

  it.each([
    ['lena.frist', { password_temporary: true, email_verified: false }],
    ['otto.soll', { enrolment_required: true }],
    // Their second factor stays behind.
    ['heinz', { enrolment_required: true }],
  ])('says what %s has to do', (name, demands) => {
    expect(person(name)).toMatchObject(demands)
  })

  it('takes along passkeys with the handle of their person, and no second factor twice', () => {
    expect(person('mira.pass')).toMatchObject({
      user_handle: 'ZDg3YTVjMmItOGU0ZS00NmQwLWE5NzItNjEzNjkwNzVhNDQ0',
      passkeys: [{ type: 'webauthn-passwordless', rp_id: 'localhost', userLabel: 'Miras Laptop' }],
    })
    expect(person('heinz')).not.toHaveProperty('totp_secret')
    expect(person('gerda')).toHaveProperty('totp_secret.credentialData')
    expect(person('kurt')?.password_hash).toEqual(
      expect.objectContaining({ secretData: expect.stringContaining('B+ncUxIe30iFzLzelS5sS44lH13') }),
    )
  })

  it('gives a profile at each organisation, and at the realm to whoever is of none', () => {
    expect(person('anna.bauer')?.profiles.map((one) => one.organisation)).toEqual([
      'reederei-nord',
      'spedition-sued',
    ])
    expect(person('erika')?.profiles).toEqual([{ role: 'gast', organisation: 'hafen' }])
  })

  it('dissolves composites and groups: one role gives all that somebody held', () => {
    const role = result.declared.roles?.find((one) => one.code === 'lesen-schreiben')
    expect(person('dieter')?.profiles).toEqual([{ role: 'lesen-schreiben', organisation: 'spedition-sued' }])
    expect(role?.permissions).toEqual(['hafen.role.gast', 'hafen.role.lesen', 'hafen.role.schreiben'])
    const anna = result.declared.roles?.find((one) => one.code === person('anna.bauer')?.profiles[0]?.role)
    expect(anna?.permissions).toEqual(
      expect.arrayContaining(['hafen.role.freigabe', 'kantine-web.role.kueche', 'zeit-portal.role.stempeln']),
    )
  })

  it('gives nothing of this service, whatever somebody administered there', () => {
    expect(JSON.stringify(result.declared)).not.toContain('iam')
    expect(result.report).toMatch(/administered the other system.*`anna.bauer`/)
  })

  it('keeps ids and secrets of clients, hashed', () => {
    const zeit = 'lager-Geheim-1a2b3c4d5e6f'
    expect(client('lager-sync')).toMatchObject({
      type: 'machine',
      client_secret_hash: 'sha256:AX3UpfSLxwkUr3RzxfF1Kwa_AHKYZGnHzAfZhRvVy2Y',
      permissions: ['hafen.role.gast', 'hafen.role.schreiben', 'zeit-portal.role.auswerten'],
    })
    expect(JSON.stringify(result)).not.toContain(zeit)
    expect(client('rechnung-jwt')).toMatchObject({ token_endpoint_auth_method: 'private_key_jwt' })
    expect(client('machine-rechnung-jwt')).toMatchObject({ type: 'machine' })
    expect(result.report).toContain('`rechnung-jwt: machine-rechnung-jwt`')
    expect(result.report).toMatch(/less than 128 bits.*`enge-app`/)
  })

  it('keeps a client within the roles that it had', () => {
    expect(client('enge-app')).toMatchObject({
      services: ['hafen', 'zeit-portal'],
      permissions: ['hafen.role.lesen', 'zeit-portal.role.stempeln'],
    })
    expect(client('alte-app')).toMatchObject({ active: false })
    expect(client('kantine-web')).toMatchObject({ type: 'public', first_party: true })
  })

  it('guesses no address for a wildcard', () => {
    expect(client('zeit-portal')).toBeUndefined()
    expect(result.report).toMatch(
      /wildcard.*`zeit-portal: https:\/\/zeit\.hafen\.test\/\* \(none was seen\)`/,
    )
    expect(result.mapping).toContain('zeit-portal: []')
  })

  it('holds no secret and no hash in the report and the mapping', () => {
    const secrets = [/geheim/i, /OJ76jCcVHvkMBxS7hFgA6J44MKZX/, /nT0VMimWKDAmUi538In3/, /smtp-/, /sha256:/]
    for (const one of secrets) expect(result.report + result.mapping).not.toMatch(one)
  })

  it('is taken by apply and import', async () => {
    const folder = temporaryFolder()
    const environment = {
      TESSERA_DATABASE_URL: `sqlite:${join(folder, 'a.sqlite')}`,
      TESSERA_WEBAUTHN_RP_ID: 'localhost',
    }
    const applied = await runHere(['apply', join(out, 'declared.yaml'), '--yes'], { environment })
    expect([applied.code, applied.stderr]).toEqual([0, ''])
    const imported = await run(['import', join(out, 'people.jsonl')], { environment })
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    expect(imported.stdout).toContain('19 imported')
  })
})

describe('a mapping that was edited', () => {
  it('is kept, and says what people get', async () => {
    const { out } = await moveIn([hafen])
    const file = join(out, 'mapping.yaml')
    const edited = readFileSync(file, 'utf8')
      .replace('  zeit-portal: []', '  zeit-portal: [https://zeit.hafen.test/callback]')
      .replace(
        '  /Betrieb/Lager: null',
        '  /Betrieb/Lager: {organisation: hafen, unit: lager, role: lagerist}',
      )
      .replace('  lesen: hafen.role.lesen', '  lesen: null')
      .replace('  spedition-sued: spedition-sued', '  spedition-sued: null')
    writeFileSync(file, edited)
    expect((await moveIn([hafen], out)).ended.code).toBe(0)
    const { people, declared, mapping } = moved(out)
    const dieter = people.find((one) => one.preferred_username === 'dieter')
    expect(dieter?.profiles).toEqual([
      { role: 'lagerist', organisation: 'hafen', unit: 'lager' },
      { role: 'lesen-schreiben', organisation: 'hafen' },
    ])
    expect(declared.roles?.find((one) => one.code === 'lesen-schreiben')?.permissions).toEqual([
      'hafen.role.gast',
      'hafen.role.schreiben',
    ])
    const zeit = declared.clients?.find((one) => one.client_id === 'zeit-portal')
    expect(zeit).toMatchObject({
      redirect_uris: ['https://zeit.hafen.test/callback'],
      post_logout_redirect_uris: ['https://zeit.hafen.test/callback'],
      // The names of its roles, as a mapper told them.
      claims: expect.arrayContaining([{ name: 'rollen', source: 'groups', in: ['id_token', 'userinfo'] }]),
    })
    expect(mapping).toContain('lesen: null')
  })

  it.each([
    ['permissions:\n  lesen: not-a-permission\n', /mapping\.yaml:2: permissions\.lesen: .*no permission/],
    ['roles: 7\n', /mapping\.yaml:1: roles/],
    ['nothing: {}\n', /mapping\.yaml:1: nothing: It is not known here/],
    ['groups: {/Betrieb: {unit: lager}}\n', /needs its organisation/],
    ['attributes: {x: {editable_by_people: yes, profiles: {"1": {role: reader}}}}\n', /people can edit it/],
    ['a: &a [1]\nb: [*a, *a]\n', /mapping\.yaml:2:/],
    ['roles: [\n', /mapping\.yaml:\d+:/],
  ])('is refused where it is wrong: %j', async (text, reason) => {
    const out = temporaryFolder()
    writeFileSync(join(out, 'mapping.yaml'), text)
    const { ended } = await moveIn([hafen], out)
    expect([ended.code, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr).toMatch(reason)
    expect(readdirSync(out)).toEqual(['mapping.yaml'])
  })
})

it('reads a directory, people in files of their own, one a line too, and the addresses that events saw', async () => {
  const folder = temporaryFolder()
  const { users, ...rest } = realm()
  const lines = users.slice(10).map((one) => JSON.stringify(one))
  writeFileSync(join(folder, 'hafen-realm.json'), JSON.stringify(rest, null, 2))
  writeFileSync(
    join(folder, 'hafen-users-0.json'),
    JSON.stringify({ realm: 'hafen', users: users.slice(0, 10) }),
  )
  writeFileSync(join(folder, 'more.jsonl'), lines.join('\n'))
  const seen = (uri: string) => ({ type: 'LOGIN', clientId: 'zeit-portal', details: { redirect_uri: uri } })
  const events = [
    seen('https://zeit.hafen.test/auth/cb'),
    seen('https://elsewhere.test/cb'),
    seen('https://zeit.hafen.test.evil.test/cb'),
    { type: 'LOGOUT' },
  ]
  writeFileSync(join(folder, 'events.json'), JSON.stringify(events))
  const { out, ended } = await moveIn([folder])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(moved(out).people).toHaveLength(19)
  const ofZeit = () => moved(out).declared.clients?.find((one) => one.client_id === 'zeit-portal')
  // Somebody looks at them first.
  expect(ofZeit()).toBeUndefined()
  expect(moved(out).report).toContain('(seen https://zeit.hafen.test/auth/cb)')
  await moveIn([folder], out)
  expect(ofZeit()).toMatchObject({
    redirect_uris: ['https://zeit.hafen.test/auth/cb'],
  })
})

it('keeps that a client has to push its requests, which a machine never does', async () => {
  const { declared } = await ofChanged((one) => {
    for (const client of one.clients as { attributes?: Entry }[])
      client.attributes = { ...client.attributes, 'require.pushed.authorization.requests': 'true' }
  })
  const field = 'require_pushed_authorization_requests'
  const told = (declared.clients ?? []).map((one) => [one.type === 'machine', one[field]])
  expect(told).toEqual(
    expect.arrayContaining([
      [false, true],
      [true, undefined],
    ]),
  )
  expect(told).not.toContainEqual([true, true])
  expect(told).not.toContainEqual([false, undefined])
})

it('keeps that a client gets bound tokens alone, and that ES256 signs what people’s clients get', async () => {
  const { declared } = await ofChanged((one) => {
    const set = { 'dpop.bound.access.tokens': 'true', 'id.token.signed.response.alg': 'ES256' }
    for (const client of one.clients as { attributes?: Entry }[])
      client.attributes = { ...client.attributes, ...set }
  })
  const clients = declared.clients ?? []
  expect(new Set(clients.map((one) => one['dpop_bound_access_tokens']))).toEqual(new Set([true]))
  const signed = clients.map(
    (one) => `${one.type === 'machine'} ${String(one['id_token_signed_response_alg'])}`,
  )
  expect(new Set(signed)).toEqual(new Set(['false ES256', 'true undefined']))
})

describe('hostile exports', () => {
  const script = '<script>alert(1)</script>`\n# Heading\u001b[31m'
  it('are dissolved where they can be: circles, doubles, names that are code', async () => {
    const { people, declared, report } = await ofChanged((one) => {
      const roles = one.roles as unknown as { realm: Entry[] }
      roles.realm.push(
        { name: 'a', composite: true, composites: { realm: ['b'] } },
        { name: 'b', composite: true, composites: { realm: ['a'] } },
        { name: script, composite: false },
      )
      const anna = one.users.find((user) => user.username === 'anna.bauer')
      one.users.push(
        {
          ...anna,
          id: 'f:1:anna',
          username: 'zweite',
          email: 'zweite@hafen.test',
          realmRoles: ['a', 'b'],
          firstName: script,
        },
        { ...anna, username: 'doppelt', email: 'ANNA.BAUER@hafen.test' },
        JSON.parse(
          '{"username":"proto","email":"p@hafen.test","__proto__":{"enabled":false},"realmRoles":["constructor"]}',
        ) as Entry,
      )
    })
    const second = people.find((one) => one.preferred_username === 'zweite')
    expect(second).toMatchObject({ former_sub: 'f:1:anna' })
    expect(second).not.toHaveProperty('uuid')
    const role = declared.roles?.find((one) => one.code === second?.profiles[0]?.role)
    expect(role?.permissions).toEqual(expect.arrayContaining(['hafen.role.a', 'hafen.role.b']))
    expect(people.some((one) => one.preferred_username === 'doppelt')).toBe(false)
    expect(report).toMatch(/address is of several people.*`doppelt`/)
    expect(report).toMatch(/not in the export.*`proto: constructor`/)
    // oxlint-disable-next-line no-control-regex -- That none is there.
    expect(report).not.toMatch(/\u001b|^# Heading/m)
  })

  it('give nobody the role of the administrators here, nor a permission of iam', async () => {
    const { people, declared, mapping } = await ofChanged((one) => {
      const roles = one.roles as unknown as { realm: Entry[] }
      const names = ['administrator', 'iam.*', 'iam.users.create']
      roles.realm.push(...names.map((name) => ({ name, composite: false })))
      for (const name of names)
        one.users.push({ username: `u-${name}`, email: `${name.length}@hafen.test`, realmRoles: [name] })
      one.clients.push({
        clientId: 'iam',
        publicClient: true,
        standardFlowEnabled: true,
        redirectUris: ['https://a.test/cb'],
      })
    })
    const roles = people.flatMap((one) => one.profiles.map((profile) => profile.role))
    expect(roles).toEqual(expect.arrayContaining(['administrator-2', 'iam', 'iam-users-create']))
    expect(roles).not.toContain('administrator')
    expect(mapping).toContain('iam.users.create: hafen.role.iam-users-create')
    const given = [...(declared.roles ?? []), ...(declared.clients ?? [])].flatMap(
      (one) => one.permissions ?? [],
    )
    expect(given.filter((one) => String(one).startsWith('iam.'))).toEqual([])
  })

  it('give a machine no role of another whose id is alike', async () => {
    const { declared } = await ofChanged((one) => {
      const machine = (clientId: string, more: object = {}) => ({
        clientId,
        serviceAccountsEnabled: true,
        secret: clientId,
        ...more,
      })
      one.clients.push(
        machine('foo/bar'),
        machine('foo:bar'),
        machine('machine-foo-bar'),
        machine('lager-sync', { secret: 'of another' }),
      )
      one.users.push({
        username: 'service-account-x',
        serviceAccountClientId: 'foo:bar',
        realmRoles: ['freigabe'],
      })
    })
    const machines = declared.clients?.filter((one) => /^machine-foo|^lager-sync/.test(String(one.client_id)))
    expect(machines?.map((one) => [one.client_id, one.permissions])).toEqual([
      ['lager-sync', ['hafen.role.gast', 'hafen.role.schreiben', 'zeit-portal.role.auswerten']],
      ['machine-foo-bar-2', []],
      ['machine-foo-bar-3', ['hafen.role.freigabe']],
      ['machine-foo-bar', []],
    ])
    expect(machines?.[0]?.client_secret_hash).toBe('sha256:AX3UpfSLxwkUr3RzxfF1Kwa_AHKYZGnHzAfZhRvVy2Y')
  })

  it('give no more than 500 roles for as many sets of roles', async () => {
    const { people, declared, report } = await ofChanged((one) => {
      const roles = one.roles as unknown as { realm: Entry[] }
      const names = Array.from({ length: 12 }, (_, index) => `n${index}`)
      roles.realm.push(...names.map((name) => ({ name, composite: false })))
      for (let bits = 1; bits < 600; bits++) {
        const held = names.filter((_, index) => (bits >> index) % 2 === 1)
        one.users.push({ id: '', username: `u${bits}`, email: `u${bits}@hafen.test`, realmRoles: held })
      }
    })
    expect(declared.roles?.length).toBeLessThan(40)
    expect(people.find((one) => one.preferred_username === 'u3')?.profiles.map((one) => one.role)).toEqual([
      'n0',
      'n1',
    ])
    expect(report).toMatch(/more than 500 different sets/)
  })

  it.each([
    ['an empty file', '', /It is empty/],
    ['no JSON', 'hello', /empty|no JSON|no "realm"/],
    ['an export that is cut off', readFileSync(hafen, 'utf8').slice(0, 30_000), /ends in the middle/],
    ['depths', `{"realm":"x","clients":[${'['.repeat(200)}`, /nested deeper/],
    ['two documents', '{"realm":"a"}{"realm":"a"}', /more than one document/],
    ['another system', '{"users":[{"localId":"x"}]}', /no "realm"/],
    ['a name twice', '{"realm":"x","clients":[{"clientId":"a","clientId":"b"}]}', /"clientId".*twice/],
    [
      'a client that is none',
      '{"realm":"x","clients":[{"clientId":7}]}',
      /"clients" is not as Keycloak writes it/,
    ],
    ['what is no UTF-8', Buffer.from('{"realm":"\xff"}', 'latin1'), /not UTF-8|not valid|encoded/i],
  ])('are refused: %s', async (_, text, reason) => {
    const { out, ended } = await moveIn([written(text)])
    expect([ended.code, ended.stdout]).toEqual([1, ''])
    expect(ended.stderr).toMatch(reason)
    expect(readdirSync(out)).toEqual([])
  })

  it('are refused where two realms meet', async () => {
    const { ended } = await moveIn([hafen, written('{"realm":"other"}')])
    expect(ended.stderr).toMatch(/of two realms, hafen and other/)
  })

  it('and other directories are left alone', async () => {
    const out = temporaryFolder()
    mkdirSync(join(out, 'mine'))
    const { ended } = await moveIn([hafen], out)
    expect([ended.code, readdirSync(out)]).toEqual([1, ['mine']])
    expect((await moveIn([join(out, 'nothing.json')])).ended.stderr).toMatch(/There is no/)
    expect((await moveIn([out], join(out, 'x'))).ended.stderr).toMatch(/holds no file of an export/)
  })
})

it('tells two systems apart by a prefix: codes are their own, and applications are for their own people', async () => {
  const { out, ended } = await moveIn([hafen], join(temporaryFolder(), 'out'), '--prefix', 'nord')
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  const { people, declared } = moved(out)
  const codes = [...(declared.services ?? []), ...(declared.roles ?? []), ...(declared.organisations ?? [])]
  expect(codes.map((one) => String(one.code)).filter((one) => !one.startsWith('nord-'))).toEqual([])
  expect(people.find((one) => one.preferred_username === 'erika')?.profiles).toEqual([
    { role: 'nord-gast', organisation: 'nord-hafen' },
  ])
  expect(declared.clients?.find((one) => one.client_id === 'kantine-web')).toMatchObject({
    allowed: { organisations: ['nord-hafen', 'nord-reederei-nord', 'nord-spedition-sued'] },
  })
  const wrong = await moveIn([hafen], join(temporaryFolder(), 'out'), '--prefix', 'Nord/')
  expect(wrong.ended.stderr).toMatch(/The prefix is no code/)
})
