/** Who sets up a provider by which people sign in: whoever could give all that it opens. */
import { createPrivateKey } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { openedUpstream } from '../../dist/keys/upstream-secret.js'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { runHere } from '../cli/command-support.ts'
import { linkTo, upstreamRowsOf } from '../harness/states.ts'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  ownerOf,
  problemOf,
  recordsWith,
  users,
} from './support.ts'

const issuer = 'https://login.acme.example/tenant'
const oidc = {
  code: 'entra',
  name: 'Acme',
  kind: 'oidc',
  organisation_uuid: acme,
  issuer,
  client_id: 'tessera',
  client_secret: 'a-secret-that-is-never-shown',
}
const saml = {
  ...{ code: 'adfs', name: 'Acme', kind: 'saml', organisation_uuid: acme, issuer: 'urn:acme' },
  metadata_url: 'https://adfs.acme.example/metadata',
}
const ldap = {
  ...{ code: 'ad', name: 'Acme', kind: 'ldap', organisation_uuid: acme, url: 'ldaps://ad.acme.example' },
  ...{ bind_dn: 'cn=reader', base: 'dc=acme', bind_password: 'a-password-that-is-never-shown' },
}

onEachDatabase('upstreams', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let owner: Administrator
  let head: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    owner = await ownerOf(tessera.url, admin)
    head = await Administrator.machine(tessera.url, 'acme-cli')
  })
  const made = async (body: object, by = admin): Promise<string> => {
    const answer = await by.post('/upstreams', body)
    expect(answer.status, answer.text).toBe(201)
    return String(answer.json.uuid)
  }
  const refused = async (body: object, by = admin) => problemOf(await by.post('/upstreams', body))

  once.it('are fifty of one organisation at the most', async () => {
    const codes = Array.from({ length: 50 }, (_, n) => `many-${n}`)
    const of = (code: string) => admin.post('/upstreams', { ...ldap, organisation_uuid: globex, code })
    const uuids = []
    for (const code of codes) uuids.push((await of(code)).json.uuid)
    expect(problemOf(await of('one-more'))).toBe('409 conflict')
    await Promise.all(uuids.map((uuid) => admin.delete(`/upstreams/${String(uuid)}`)))
    expect(await admin.all(`/upstreams?organisation_uuid=${globex}`)).toEqual([])
  })

  it('are made with a key and a secret, which are encrypted and shown nowhere', async () => {
    const uuid = await made({ ...oidc, code: 'secret' }, owner)
    const [row] = (await upstreamRowsOf(tessera)).filter((one) => one.uuid === uuid)
    const secrets = ['a-secret-of-the-tests-0123456789-abcdef']
    const opened = (of: 'secret' | 'private_key') =>
      openedUpstream({ uuid, of, stored: row?.[of] ?? '' }, secrets)
    expect(opened('secret')).toBe(oidc.client_secret)
    expect(createPrivateKey(opened('private_key')).asymmetricKeyDetails?.modulusLength).toBe(2048)
    await owner.patch(`/upstreams/${uuid}`, { client_secret: 'another-that-is-never-shown' })
    const [read, list] = [await owner.get(`/upstreams/${uuid}`), await owner.get('/upstreams')]
    const audit = JSON.stringify(await recordsWith(admin, uuid))
    for (const text of [read.text, list.text, audit]) {
      expect(text).not.toMatch(/never-shown|PRIVATE KEY|v1\./)
      expect(text).toContain('client_secret')
    }
    expect(read.json).toMatchObject({ client_secret: true, active: true, mapping: [], provision: 'known' })
    // A secret under another upstream, or as another secret, opens nothing.
    expect(() => openedUpstream({ uuid: acme, of: 'secret', stored: row?.secret ?? '' }, secrets)).toThrow(
      acme,
    )
    expect(() => openedUpstream({ uuid, of: 'private_key', stored: row?.secret ?? '' }, secrets)).toThrow(
      uuid,
    )
  })

  once.it('have the fields of their kind, and no others', async () => {
    await made(saml)
    await made(ldap)
    const wrong: [object, string][] = [
      [{ ...oidc, issuer: undefined }, 'issuer'],
      [{ ...oidc, client_id: undefined }, 'client_id'],
      [{ ...oidc, bind_password: 'x' }, 'bind_password'],
      [{ ...oidc, metadata_url: 'https://x.example' }, 'metadata_url'],
      [{ ...oidc, issuer: 'http://login.acme.example' }, 'issuer'],
      [{ ...oidc, issuer: `${issuer}?tenant=1` }, 'issuer'],
      [{ ...oidc, issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer'],
      [{ ...oidc, issuer: 'https://login.microsoftonline.com/organizations/v2.0' }, 'issuer'],
      [{ ...oidc, recheck_days: 31 }, 'recheck_days'],
      [{ ...oidc, domains: ['acme.example'] }, 'domains'],
      [{ ...oidc, mapping: [{ role: 'importer' }] }, 'mapping.0'],
      [{ ...oidc, private_key: 'x' }, 'private_key'],
      [{ ...saml, metadata_url: undefined }, 'metadata_url'],
      [{ ...saml, metadata: '<x/>' }, 'metadata_url'],
      [{ ...saml, client_secret: 'x' }, 'client_secret'],
      [{ ...ldap, url: 'https://ad.acme.example' }, 'url'],
      [{ ...ldap, url: 'ldaps://ad.acme.example/dc=acme' }, 'url'],
      [{ ...ldap, issuer }, 'issuer'],
      [{ ...ldap, logout: 'both' }, 'logout'],
      [{ ...ldap, assurance: { mfa: '2' } }, 'assurance'],
    ]
    for (const [body, field] of wrong)
      expect(await refused({ ...body, code: 'wrong' }), JSON.stringify(body)).toBe(
        `400 invalid_request ${field}`,
      )
    expect(await refused(saml)).toBe('409 conflict code')
    const uuid = await made({ ...oidc, code: 'fixed', issuer: 'http://127.0.0.1:9/realm' })
    for (const fixed of [{ issuer }, { kind: 'saml' }, { subject: 'email' }, { organisation_uuid: globex }])
      expect(problemOf(await admin.patch(`/upstreams/${uuid}`, fixed))).toMatch(/^400 invalid_request/)
  })

  once.it('are of nobody who could not give all that they open', async () => {
    // Somebody of acme may read entries of the ledger, and this machine of it may not.
    expect(await refused({ ...oidc, code: 'theirs' }, head)).toBe('403 forbidden')
    const uuid = await made({ ...oidc, code: 'held' }, owner)
    const opening = [
      ...[{ active: false }, { client_secret: 'x' }, { client_id: 'x' }, { mapping: [] }],
      ...[{ attributes: { email: 'mail' } }, { attributes: { groups: 'roles' } }, { provision: 'create' }],
      ...[{ guests: true }, { recheck_days: 30 }, { assurance: { mfa: '2' } }],
    ]
    for (const body of opening) {
      const answer = await head.patch(`/upstreams/${uuid}`, body)
      const same = JSON.stringify(body) === '{"mapping":[]}'
      expect(same ? '' : problemOf(answer), JSON.stringify(body)).toBe(same ? '' : '403 forbidden')
    }
    expect((await head.patch(`/upstreams/${uuid}`, { name: 'Renamed' })).status).toBe(200)
    expect(problemOf(await head.delete(`/upstreams/${uuid}`))).toBe('403 forbidden')
    expect((await owner.patch(`/upstreams/${uuid}`, { active: false })).status).toBe(200)
  })

  it('of the whole installation are of whoever administers everything', async () => {
    const body = { ...oidc, code: 'all', organisation_uuid: undefined, domains: ['acme.example'] }
    expect(await refused(body, owner)).toBe('403 forbidden organisation_uuid')
    expect(await refused({ ...body, mapping: [{ group: 'a', role: 'importer' }] })).toBe(
      '400 invalid_request mapping',
    )
    const uuid = await made(body)
    for (const one of [owner, head]) {
      expect(problemOf(await one.get(`/upstreams/${uuid}`))).toBe('404 not_found')
      expect(
        problemOf(await one.ask('PATCH', `/upstreams/${uuid}`, { body: { name: 'x' }, match: '*' })),
      ).toBe('404 not_found')
      expect(JSON.stringify(await one.all('/upstreams'))).not.toContain(uuid)
    }
  })

  it('of another organisation are as if they were not there', async () => {
    const uuid = await made({ ...oidc, code: 'globex', organisation_uuid: globex })
    expect(await refused({ ...oidc, organisation_uuid: globex }, owner)).toBe(
      '400 invalid_request organisation_uuid',
    )
    expect(problemOf(await owner.get(`/upstreams/${uuid}`))).toBe('404 not_found')
    expect(problemOf(await owner.delete(`/upstreams/${uuid}`))).toBe('404 not_found')
    expect(await owner.all(`/upstreams?organisation_uuid=${globex}`)).toEqual([])
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(await unitHead.all('/upstreams')).toEqual([])
    expect(await refused({ ...oidc, code: 'unit' }, unitHead)).toBe('403 forbidden')
  })

  once.it('map to nothing beyond what who writes it could give', async () => {
    const rule = (role: string, unit?: string) => [{ group: 'g', role, ...(unit !== undefined && { unit }) }]
    const mapped = (mapping: object[]) => ({ ...oidc, code: 'mapped', mapping })
    expect(await refused(mapped(rule('administrator')), owner)).toBe('403 forbidden mapping.0.role_code')
    expect(await refused(mapped(rule('bookkeeper')), owner)).toBe('403 forbidden mapping.0.role_code')
    expect(await refused(mapped(rule('nobody-has-it')), owner)).toBe('403 forbidden mapping.0.role_code')
    expect(await refused(mapped(rule('importer', 'works')), owner)).toBe('400 invalid_request mapping.0.unit')
    const uuid = await made(mapped(rule('importer', 'intake')), owner)
    expect(problemOf(await owner.patch(`/upstreams/${uuid}`, { mapping: rule('administrator') }))).toBe(
      '403 forbidden mapping.0.role_code',
    )
    // Who could not write what is there gives it no new secret either.
    expect((await admin.patch(`/upstreams/${uuid}`, { mapping: rule('bookkeeper') })).status).toBe(200)
    expect(problemOf(await owner.patch(`/upstreams/${uuid}`, { client_secret: 'x' }))).toBe(
      '403 forbidden mapping.0.role_code',
    )
  })

  it('are trusted by the installation alone, until what they assure changes', async () => {
    const body = { ...oidc, code: 'assured', assurance: { mfa: '2' }, assurance_trusted: true }
    expect(await refused(body, owner)).toBe('403 forbidden')
    const uuid = await made({ ...body, assurance_trusted: false }, owner)
    expect(problemOf(await owner.patch(`/upstreams/${uuid}`, { assurance_trusted: true }))).toBe(
      '403 forbidden',
    )
    expect((await admin.patch(`/upstreams/${uuid}`, { assurance_trusted: true })).json).toMatchObject({
      assurance_trusted: true,
    })
    expect((await owner.patch(`/upstreams/${uuid}`, { assurance: { mfa: 'phr' } })).json).toMatchObject({
      assurance_trusted: false,
    })
  })

  it('give by a changed mapping at once, and take it with themselves', async () => {
    const uuid = await made({ ...oidc, code: 'linked' }, owner)
    const link = { upstream_uuid: uuid, user_uuid: users.importer, groups: ['staff'], at: Date.now() }
    await linkTo(tessera, link)
    const roles = async () =>
      (await admin.all(`/profiles?user_uuid=${users.importer}&organisation_unit_uuid=${finance}`)).length
    await owner.patch(`/upstreams/${uuid}`, {
      mapping: [{ group: 'staff', role: 'importer', unit: 'finance' }],
    })
    expect(await roles()).toBe(1)
    expect(await owner.all(`/users/${users.importer}/links`)).toMatchObject([
      { upstream_uuid: uuid, subject: users.importer, by_hand: false },
    ])
    expect((await owner.delete(`/upstreams/${uuid}`)).status).toBe(204)
    expect(await roles()).toBe(0)
    expect(await owner.all(`/users/${users.importer}/links`)).toEqual([])
    const told = (await recordsWith(admin))
      .map((one) => one.kind)
      .filter((kind) => /mapped|upstream/.test(kind))
    expect(told.slice(-4)).toEqual([
      'profile.mapped',
      'upstream.changed',
      'profile.unmapped',
      'upstream.removed',
    ])
  })

  it('lose a link by whoever could set the password, and never by its person', async () => {
    const uuid = await made({ ...oidc, code: 'unlinked', mapping: [{ group: 's', role: 'importer' }] }, owner)
    for (const user_uuid of [users.both, users.importer])
      await linkTo(tessera, { upstream_uuid: uuid, user_uuid, groups: [], at: Date.now() })
    const path = (user: string, upstream = uuid) => `/users/${user}/links/${upstream}`
    // They hold something in another organisation.
    expect(problemOf(await owner.delete(path(users.both)))).toBe('403 forbidden')
    expect(problemOf(await owner.delete(path(users.importer, acme)))).toBe('404 not_found')
    const self = await Administrator.person(tessera.url, heads.head)
    expect(problemOf(await self.delete(path('0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005')))).toBe('403 forbidden')
    expect((await owner.delete(path(users.importer))).status).toBe(204)
    expect(problemOf(await owner.delete(path(users.importer)))).toBe('404 not_found')
  })

  it('are encrypted anew with everything else', async () => {
    const next = 'another-secret-of-the-tests-9876543210'
    const environment = {
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_ISSUER: tessera.url,
      TESSERA_SECRET: next,
      TESSERA_SECRET_PREVIOUS: 'a-secret-of-the-tests-0123456789-abcdef',
    }
    const ran = await runHere(['keys', 'reencrypt'], { environment })
    expect([ran.code, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toMatch(/ secrets of upstreams/)
    for (const { uuid, private_key: stored, kind } of await upstreamRowsOf(tessera))
      if (kind !== 'ldap')
        expect(openedUpstream({ uuid, of: 'private_key', stored: stored ?? '' }, [next])).toContain(
          'PRIVATE KEY',
        )
  })
})
