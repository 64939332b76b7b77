/** What lists are narrowed by, for who administers everything, an organisation or a unit. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  administeredOn,
  Administrator,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  users,
} from './support.ts'
import { profilesOfBoth } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken } from '../harness/program.ts'

onEachDatabase('a filter', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  let ofUnit: Administrator
  let file: string
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
    ofUnit = await Administrator.person(tessera.url, heads.unitHead)
    file = String((await admin.get(`/users/${users.both}`)).json.managed_by)
    const made = await admin.post('/users', {
      email: 'written@acme.example',
      name: 'Written By Hand',
      profiles: [{ role_code: 'reader', organisation_uuid: acme }],
    })
    expect(made.status, made.text).toBe(201)
  })

  const found = async (path: string, who = admin, limit = 200) =>
    (await who.all(path, limit)).map((one) => String(one.email ?? one.client_id ?? one.uuid))

  it('by a role finds who has it, with all else that narrows', async () => {
    const both = 'both@acme.example'
    const written = 'written@acme.example'
    for (const limit of [1, 200]) {
      const reads = async (query: string, who = admin) =>
        await found(`/users?role_code=reader${query}`, who, limit)
      expect(await reads('')).toEqual([both, written])
      expect(await reads('', own)).toEqual([both, written])
      expect(await reads('', ofUnit)).toEqual([])
      expect(await reads(`&organisation_uuid=${acme}&active=true`)).toEqual([both, written])
      expect(await reads(`&organisation_unit_uuid=${intake}`)).toEqual([])
      for (const q of ['wri', 'HAND', 'by h']) expect(await reads(`&q=${q}`), q).toEqual([written])
      expect(await reads(`&q=acme`, own)).toEqual([both])
      expect(await reads(`&q=${users.both}`)).toEqual([both])
      expect(await reads(`&uuid=${users.both},${users.admin}`)).toEqual([both])
      for (const none of ['&q=admin', '&active=false', `&q=${users.admin}`])
        expect(await reads(none)).toEqual([])
      expect(await reads(`&managed_by=${file}`)).toEqual([both])
      expect(await reads(`&managed_by=${file}&q=acme`)).toEqual([both])
      expect(await reads('&managed_by=other.yaml')).toEqual([])
    }
  })

  it('by a role finds who has it at the place that is listed', async () => {
    // A book-keeper of Globex alone: whom Acme has as a reader.
    expect(await found('/users?role_code=bookkeeper')).toEqual(['both@acme.example'])
    expect(await found('/users?role_code=bookkeeper', own)).toEqual([])
    expect(await found(`/users?role_code=bookkeeper&organisation_uuid=${globex}`, own)).toEqual([])
    expect(await found('/users?role_code=administrator', own)).toEqual([])
    expect(await found('/users?role_code=no-such-role')).toEqual([])
    const administrators = ['head@acme.example', 'unit-head@acme.example']
    expect(await found('/users?role_code=acme-administrator', own, 1)).toEqual(administrators)
    for (const who of [ofUnit, admin])
      expect(
        await found(`/users?role_code=acme-administrator&organisation_unit_uuid=${intake}`, who),
      ).toEqual(['unit-head@acme.example'])
  })

  it('by a role is for who may read profiles', async () => {
    const permissions = ['iam.users.read']
    const client = { type: 'machine', client_name: 'People', scope: 'service.api', services: ['iam'] }
    const made = await admin.post('/clients', { client_id: 'people-cli', ...client, permissions })
    expect(made.status, made.text).toBe(201)
    const client_secret = String(made.json.client_secret)
    const token = await machineToken(tessera.url, { client_id: 'people-cli', client_secret })
    const onlyPeople = new Administrator(tessera.url, token)
    expect((await onlyPeople.get('/users?managed_by=x')).status).toBe(200)
    const refused = await onlyPeople.get('/users?role_code=reader')
    expect(problemOf(refused)).toBe('403 insufficient_scope')
    expect(refused.json.permissions).toEqual(['iam.profiles.read'])
  })

  it('by a declared file finds what it manages', async () => {
    const all = await admin.all('/users')
    const managed = all.filter((one) => one.managed_by === file).map((one) => one.email)
    expect(managed.length).toBeGreaterThan(3)
    expect(await found(`/users?managed_by=${file}`, admin, 2)).toEqual(managed)
    expect(await found(`/users?managed_by=${file}&q=acme%20b`)).toEqual(['both@acme.example'])
    expect(await found(`/users?managed_by=${file}`, ofUnit)).toEqual([
      'importer@acme.example',
      'unit-head@acme.example',
    ])
    expect(await found('/users?managed_by=other.yaml')).toEqual([])
    const clients = await admin.all('/clients')
    const own_ = clients.filter((one) => one.managed_by === file && one.organisation_uuid === acme)
    expect(await found(`/clients?managed_by=${file}`, own, 1)).toEqual(own_.map((one) => one.client_id))
    expect(await found(`/clients?managed_by=${file}`)).not.toContain('people-cli')
    expect(await found(`/clients?managed_by=${file}&q=nightly`)).toEqual(['nightly-import'])
    expect(await found('/clients?managed_by=other.yaml&q=nightly')).toEqual([])
  })

  it('of clients by a service or a redirect URI finds what has exactly that', async () => {
    const ledger = ['ledger-report', 'roles-cli']
    expect(await found('/clients?service=ledger', admin, 1)).toEqual(ledger)
    expect(await found('/clients?service=ledger', own)).toEqual([])
    expect(await found('/clients?service=ledger', ofUnit)).toEqual([])
    expect(await found('/clients?service=ledge')).toEqual([])
    expect(await found('/clients?service=ledger&q=LEDGER')).toEqual(['ledger-report'])
    expect(await found('/clients?service=submissions-tool&type=machine')).toEqual([
      'acme-cli',
      'nightly-import',
    ])
    const at = async (uri: string, more = '', who = admin) =>
      await found(`/clients?redirect_uri=${encodeURIComponent(uri)}${more}`, who)
    expect(await at('http://127.0.0.1:4001/callback')).toEqual(['admin-web', 'submissions-web'])
    expect(await at('http://127.0.0.1:4001/callback', '&q=sub&service=submissions-tool')).toEqual([
      'submissions-web',
    ])
    expect(await at('https://partner.example/callback?tenant=1')).toEqual(['partner-portal'])
    expect(await at('https://partner.example/callback?tenant=1', '', own)).toEqual([])
    for (const uri of [
      'https://partner.example/callback',
      'https://PARTNER.example/callback?tenant=1',
      '"',
      '%',
    ])
      expect(await at(uri), uri).toEqual([])
  })

  it('of profiles by their end and by whether they are active', async () => {
    const ends = async (moment: string, more = '', who = admin) =>
      await found(`/profiles?expires_before=${encodeURIComponent(moment)}${more}`, who, 1)
    expect(await ends('2100-01-01T00:00:00Z')).toEqual([])
    // The later uuid ends first; both are over.
    const over: [profile: string, end: string][] = [
      [profilesOfBoth.bookkeeper, '2020-01-01T00:00:00Z'],
      [profilesOfBoth.reader, '2020-02-01T00:00:00Z'],
    ]
    for (const [profile, expires_at] of over)
      expect((await admin.patch(`/profiles/${profile}`, { expires_at })).status).toBe(200)
    expect(await ends('2100-01-01T00:00:00Z')).toEqual([profilesOfBoth.bookkeeper, profilesOfBoth.reader])
    expect(await ends('2020-02-01T00:00:00Z')).toEqual([profilesOfBoth.bookkeeper])
    expect(await ends('2020-01-15T00:00:00+01:00')).toEqual([profilesOfBoth.bookkeeper])
    expect(await ends('2100-01-01T00:00:00Z', '', own)).toEqual([profilesOfBoth.reader])
    expect(await ends('2100-01-01T00:00:00Z', '', ofUnit)).toEqual([])
    expect(await ends('2100-01-01T00:00:00Z', `&role_code=reader&user_uuid=${users.both}`)).toEqual([
      profilesOfBoth.reader,
    ])
    for (const [profile] of over)
      expect((await admin.patch(`/profiles/${profile}`, { expires_at: null })).status).toBe(200)

    expect((await admin.patch(`/profiles/${profiles.importer}`, { active: false })).status).toBe(200)
    for (const who of [admin, own, ofUnit])
      expect(await found('/profiles?active=false', who, 1)).toEqual([profiles.importer])
    expect(await found(`/profiles?active=false&organisation_uuid=${globex}`)).toEqual([])
    expect(await found('/profiles?active=true')).not.toContain(profiles.importer)
    expect(await found('/profiles?active=true', ofUnit)).toHaveLength(1)
    expect((await admin.patch(`/profiles/${profiles.importer}`, { active: true })).status).toBe(200)
  })

  it.each([
    ['/users?role_code=Reader', 'role_code'],
    ['/users?role_code=', 'role_code'],
    ['/users?managed_by=', 'managed_by'],
    ['/users?managed_by=%00', 'managed_by'],
    ['/clients?service=a%20b', 'service'],
    ['/clients?redirect_uri=', 'redirect_uri'],
    [`/clients?redirect_uri=${'a'.repeat(2001)}`, 'redirect_uri'],
    ['/clients?managed_by=a&managed_by=b', 'managed_by'],
    ['/profiles?active=yes', 'active'],
    ['/profiles?expires_before=tomorrow', 'expires_before'],
    ['/profiles?expires_before=2026-11-20&cursor=WyJhIl0', 'cursor'],
  ])('that is malformed is refused, and named: %s', async (path, field) => {
    expect(problemOf(await own.get(path))).toBe(`400 invalid_request ${field}`)
  })
})
