import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from '../../dist/database/store.js'
import { rememberDevice } from '../../dist/store/devices.js'
import { checkLdap, ldapAssertion } from '../../dist/upstream/ldap.js'
import { deviceAt } from '../../dist/upstream/ldap-tries.js'
import type { Upstream } from '../../dist/upstream/upstream.js'
import { createDatabase, onEachDatabase, type TestDatabase, oneDatabase } from '../harness/databases.ts'
import { type DirectoryEntry, LdapServer, trustDirectories } from '../harness/ldap-server.ts'
import { linkUpstream, makeUpstream } from '../harness/states.ts'
import { openStore } from '../harness/stores.ts'
import { shortenTimers } from '../harness/timers.ts'

const minute = 60_000
const now = Date.UTC(2030, 0, 1)
const base = 'ou=people,dc=acme,dc=example'
const service = { dn: 'cn=service,dc=acme,dc=example', password: 'a password of the service' }
const ann: DirectoryEntry = {
  dn: `uid=ann,${base}`,
  password: 'right',
  entryUUID: '0d1e2f30-0000-4000-8000-00000000a001',
  uid: 'ann',
  mail: 'ann@acme.example',
  cn: 'Ann Archer',
  sn: 'Archer',
  memberOf: ['cn=staff,dc=acme,dc=example', 'cn=editors,dc=acme,dc=example'],
  departmentNumber: '7',
}
const withGuid: DirectoryEntry = {
  dn: `cn=Bea,${base}`,
  password: 'right',
  objectGUID: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
  sAMAccountName: 'bea',
  userPrincipalName: 'bea@corp.example',
  userAccountControl: '512',
}
const entries: DirectoryEntry[] = [
  { dn: base },
  service,
  ann,
  withGuid,
  {
    ...withGuid,
    dn: `cn=Off,${base}`,
    sAMAccountName: 'off',
    userPrincipalName: 'off',
    userAccountControl: '514',
  },
  { ...ann, dn: `uid=locked,${base}`, uid: 'locked', mail: '', pwdAccountLockedTime: '000001010000Z' },
  { ...ann, dn: `uid=twin,${base}`, uid: 'twin', mail: 'twins@acme.example' },
  { ...ann, dn: `uid=twin,ou=other,${base}`, uid: 'twin2', mail: 'twins@acme.example' },
  { dn: `uid=bare,${base}`, password: 'right', uid: 'bare' },
]

shortenTimers({ 10_000: 2500 })

onEachDatabase('sign-in by LDAP', (dialect) => {
  const onOne = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  const server = new LdapServer()
  beforeAll(async () => {
    trustDirectories()
    database = await createDatabase(dialect, 'acme')
    store = await openStore(database.url)
    await server.listen('ldaps')
  })
  beforeEach(() => {
    server.entries = [...entries]
    server.behaviour = {}
    server.seen = []
  })
  const others: LdapServer[] = []
  afterEach(async () => {
    for (const one of others.splice(0)) await one.close()
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await server.close()
    await store.close()
    await database.remove()
  })

  const other = async (...how: Parameters<LdapServer['listen']>) => {
    const one = new LdapServer()
    others.push(one)
    await one.listen(...how)
    one.entries = entries
    return one
  }
  const directory = (set: Partial<Upstream> = {}) =>
    makeUpstream(store, { url: server.url(), base, bind_dn: service.dn, secret: service.password, ...set })
  const reaching = { toPrivateAddresses: true, refusal: 'Its address is private.' }
  const signIn = (
    upstream: Upstream,
    name: string,
    password = 'right',
    { at = now, device = undefined as string | undefined } = {},
  ) => ldapAssertion({ ...reaching, store }, upstream, { name, password, device }, at)
  const refusedAs = async (signingIn: Promise<unknown>) => {
    const error: unknown = await signingIn.then(
      () => 'let in',
      (reason: unknown) => reason,
    )
    return error instanceof Error && 'code' in error ? error.code : error
  }

  it('tells who somebody is, with their fields, groups and what rules look at', async () => {
    const mapping = [{ role: 'editor', claim: 'departmentNumber', equals: '7' }]
    const upstream = await directory({ mapping })
    const told = await signIn(upstream, 'ANN@acme.example')
    expect(told).toMatchObject({
      upstream_uuid: upstream.uuid,
      subject: '0d1e2f30-0000-4000-8000-00000000a001',
      fields: {
        email: 'ann@acme.example',
        name: 'Ann Archer',
        family_name: 'Archer',
        preferred_username: 'ann',
      },
      groups: ['cn=staff,dc=acme,dc=example', 'cn=editors,dc=acme,dc=example'],
      auth_time: now,
      amr: [],
    })
    expect(told.claims.get('departmentNumber')).toEqual(['7'])
    expect(server.seen).toEqual([`bind ${service.dn}`, 'search', `bind ${ann.dn}`])
  })

  onOne.it('knows a person of Active Directory by the text of the objectGUID', async () => {
    const upstream = await directory()
    const subject = '33221100-5544-7766-8899-aabbccddeeff'
    for (const name of ['bea', 'bea@corp.example'])
      expect(await signIn(upstream, name)).toMatchObject({ subject, groups: [] })
  })

  onOne.it('takes groups that come in ranges for unknown', async () => {
    server.entries = [...entries, { ...ann, dn: `uid=many,${base}`, uid: 'many', mail: 'm', memberOf: [] }]
    server.entries[server.entries.length - 1] = {
      ...server.entries.at(-1),
      dn: `uid=many,${base}`,
      'memberOf;range=0-1499': ['cn=staff'],
    }
    expect(await signIn(await directory(), 'many')).toMatchObject({ groups: 'unknown' })
  })

  onOne.it.each([
    ['an empty password', 'ann', ''],
    ['a password that begins with NUL', 'ann', '\0right'],
    ['an empty name', '', 'right'],
    ['a name with NUL', 'ann\0', 'right'],
  ])('shows the directory nothing of %s', async (_what, name, password) => {
    server.behaviour = { anonymous: true }
    expect(await refusedAs(signIn(await directory(), name, password))).toBe('wrong_credentials')
    expect(server.seen).toEqual([])
  })

  onOne.it.each([
    ['a wrong password', 'ann', 'wrong'],
    ['a name that is unknown', 'nobody', 'right'],
    ['the signs of a filter', '*)(uid=*', 'right'],
    ['a star', '*', 'right'],
    ['signs that close a filter', 'ann)(|(uid=*', 'right'],
    ['a DN', String(ann.dn), 'right'],
    ['a name of two entries', 'twins@acme.example', 'right'],
    ['a disabled entry of Active Directory', 'off', 'right'],
    ['a locked entry', 'locked', 'right'],
  ])('refuses %s, with as many messages as any other', async (_what, name, password) => {
    expect(await refusedAs(signIn(await directory(), name, password))).toBe('wrong_credentials')
    const [first, second, third, ...more] = server.seen
    expect([first, second, more]).toEqual([`bind ${service.dn}`, 'search', []])
    expect(third).toMatch(/^bind (uid|cn)=.+,ou=people,dc=acme,dc=example$/)
  })

  onOne.it('lets nobody in by an answer that is none of success', async () => {
    for (const binds of [8, 10, 19, 32, 48, 50, 53]) {
      server.behaviour = { binds }
      expect(await refusedAs(signIn(await directory(), 'ann'))).toBe('wrong_credentials')
    }
    server.behaviour = { binds: 51 }
    expect(await refusedAs(signIn(await directory(), 'ann'))).toBe('unreachable')
  })

  onOne.it('follows no referral', async () => {
    const upstream = await directory()
    server.behaviour = { refers: 'beside' }
    expect(await signIn(upstream, 'ann')).toMatchObject({ groups: ann.memberOf })
    server.behaviour = { refers: 'instead' }
    expect(await refusedAs(signIn(upstream, 'ann'))).toBe('response')
    server.behaviour = { sizeLimit: 1 }
    expect(await refusedAs(signIn(upstream, 'twins@acme.example'))).toBe('response')
  })

  onOne.it.each(['mail', 'cn', 'DN', 'userPrincipalName', 'uid', '2.5.4.3', 'cn;lang-en', '*'])(
    'takes no %s for a subject',
    async (subject) => {
      expect(await refusedAs(signIn(await directory({ subject }), 'ann'))).toBe('no_subject')
    },
  )

  onOne.it('signs nobody in who has no subject, and tells that to the right password alone', async () => {
    const upstream = await directory({ subject: 'employeeNumber' })
    expect(await refusedAs(signIn(upstream, 'bare'))).toBe('no_subject')
    expect(await refusedAs(signIn(upstream, 'bare', 'wrong'))).toBe('wrong_credentials')
  })

  onOne.it('shows no password to a server that is not the one of the address', async () => {
    for (const certificate of ['stranger', 'another host'] as const)
      for (const how of ['ldaps', 'starttls'] as const) {
        const one = await other(how, certificate)
        expect(await refusedAs(signIn(await directory({ url: one.url() }), 'ann'))).toBe('unreachable')
        expect(one.seen.filter((message) => message !== 'starttls')).toEqual([])
      }
  })

  onOne.it('upgrades by StartTLS, and takes nothing that came before for a part of it', async () => {
    const one = await other('starttls')
    const upstream = await directory({ url: one.url() })
    expect(await signIn(upstream, 'ann')).toMatchObject({ fields: { name: 'Ann Archer' } })
    expect(one.seen.filter((message) => message === 'starttls')).toHaveLength(2)
    // The beginning of a success, whose text the next bytes would be.
    one.behaviour = { injects: Buffer.from('300c0201026107 0a0100 0400 0420'.replaceAll(' ', ''), 'hex') }
    expect(await refusedAs(signIn(upstream, 'ann', 'wrong'))).toBe('response')
    one.behaviour = { drops: 'starttls' }
    expect(await refusedAs(signIn(upstream, 'ann'))).toBe('unreachable')
  })

  onOne.it(
    'goes in plain text on this machine alone, and to private addresses where that is allowed',
    async () => {
      const one = await other('plain')
      const upstream = await directory({ url: one.url() })
      expect(await signIn(upstream, 'ann')).toMatchObject({ fields: { name: 'Ann Archer' } })
      // The address is one that nobody takes for this machine.
      const elsewhere = await directory({ url: one.url('[::ffff:127.0.0.1]') })
      one.seen = []
      expect(await refusedAs(signIn(elsewhere, 'ann'))).toBe('unreachable')
      expect(one.seen).toEqual([])
      const asking = { store, ...reaching, toPrivateAddresses: false }
      const attempt = { name: 'ann', password: 'right' }
      expect(await refusedAs(ldapAssertion(asking, upstream, attempt, now))).toBe('unreachable')
      expect(await refusedAs(signIn(await directory({ url: 'http://localhost' }), 'ann'))).toBe('documents')
    },
  )

  onOne.it('gives up a directory that is slow or goes away', async () => {
    const upstream = await directory()
    for (const behaviour of [{ slow: 1000 }, { drops: 'search' }, { drops: 'bind' }] as const) {
      server.behaviour = behaviour
      expect(await refusedAs(signIn(upstream, 'ann'))).toBe('unreachable')
    }
  })

  onOne.it('searches by its own account alone', async () => {
    for (const set of [
      { secret: 'wrong' },
      { secret: undefined },
      { bind_dn: null },
      { bind_dn: 'EXTERNAL' },
    ])
      expect(await refusedAs(signIn(await directory(set), 'ann'))).toBe('client_refused')
    expect(await refusedAs(checkLdap(reaching, await directory({ base: 'ou=none' })))).toBe('documents')
    expect(await refusedAs(checkLdap(reaching, await directory()))).toBe('let in')
  })

  it('shows the directory four wrong passwords in 15 minutes, by whichever name', async () => {
    const upstream = await directory()
    const wrong = async (name: string, at = now) => await refusedAs(signIn(upstream, name, 'wrong', { at }))
    const binds = () => server.seen.filter((message) => message === `bind ${ann.dn}`).length
    await Promise.all(['ann', 'ann', 'ann', 'ann', 'ann', 'ann@acme.example'].map((name) => wrong(name)))
    expect(binds()).toBe(4)
    expect(await refusedAs(signIn(upstream, 'ann'))).toBe('throttled')
    // Another name of the same entry is told no more than an unknown one.
    expect(await refusedAs(signIn(upstream, 'ann@acme.example'))).toBe('wrong_credentials')
    expect(binds()).toBe(4)
    expect(await refusedAs(signIn(upstream, 'ann', 'right', { at: now + 15 * minute - 1 }))).toBe('throttled')
    expect(await refusedAs(signIn(upstream, 'ann', 'right', { at: now + 15 * minute }))).toBe('let in')
    for (let count = 0; count < 4; count++) expect(await wrong('nobody', now)).toBe('wrong_credentials')
    expect(await wrong('Nobody', now)).toBe('throttled')
  })

  it('forgets wrong passwords by a right one, and counts none that the directory did not see', async () => {
    const upstream = await directory()
    for (let count = 0; count < 3; count++) await refusedAs(signIn(upstream, 'ann', 'wrong'))
    expect(await refusedAs(signIn(upstream, 'ann'))).toBe('let in')
    for (let count = 0; count < 3; count++) await refusedAs(signIn(upstream, 'ann', 'wrong'))
    server.behaviour = { binds: 51 }
    for (let count = 0; count < 3; count++)
      expect(await refusedAs(signIn(upstream, 'ann', 'wrong'))).toBe('unreachable')
    server.behaviour = {}
    expect(await refusedAs(signIn(upstream, 'ann'))).toBe('let in')
  })

  it('leaves a known browser its tries when a stranger has used up theirs', async () => {
    const upstream = await directory()
    const user = await linkUpstream(store, upstream.uuid, String(ann.entryUUID), 'importer@acme.example')
    await store.writeOne(() => rememberDevice(deviceAt(upstream, 'a browser'), user, now))
    for (let count = 0; count < 4; count++) await refusedAs(signIn(upstream, 'ann', 'wrong'))
    expect(await refusedAs(signIn(upstream, 'ann', 'right', { device: 'a strange one' }))).toBe('throttled')
    const own = (password: string) => refusedAs(signIn(upstream, 'ann', password, { device: 'a browser' }))
    expect(await own('right')).toBe('let in')
    for (let count = 0; count < 4; count++) expect(await own('wrong')).toBe('wrong_credentials')
    expect(await own('right')).toBe('throttled')
  })
})
