import { beforeAll, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  finance,
  globex,
  intake,
  problemOf,
  recordsWith,
  users,
  administeredOn,
} from './support.ts'
import { tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { consentsAndDevicesOf, everythingIn, giveConsents } from '../harness/states.ts'

const names = (items: readonly Record<string, unknown>[]) => items.map((one) => one.email)
const importer = { role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: intake }

onEachDatabase('users in the administration API', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let acmeAdmin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    acmeAdmin = await Administrator.machine(tessera.url, 'acme-cli')
  })

  let count = 0
  const address = () => `person-${++count}@new.example`
  const add = async (fields: object = {}) => {
    const body = { email: address(), name: 'New Person', profiles: [importer], ...fields }
    const made = await admin.post('/users', body)
    if (made.status !== 201) throw new Error(`Not made: ${made.status} ${made.text}`)
    return { uuid: String(made.json.uuid), email: body.email, path: `/users/${String(made.json.uuid)}` }
  }
  const recordsOf = (id: string) => recordsWith(admin, id)

  describe('read', () => {
    it('shows a user, never a password', async () => {
      const read = await admin.get(`/users/${users.both}`)
      expect(read.status).toBe(200)
      expect(read.etag).toMatch(/^"\d+"$/)
      expect(read.headers.get('cache-control')).toBe('no-store')
      expect(read.json).toEqual({
        uuid: users.both,
        email: 'both@acme.example',
        email_verified: true,
        name: 'Acme Both',
        given_name: 'Acme',
        family_name: 'Both',
        preferred_username: null,
        picture: null,
        last_sign_in_on: null,
        locale: 'en',
        zoneinfo: null,
        former_sub: null,
        has_password: true,
        password_temporary: false,
        enrolment_required: false,
        active: true,
        deletion_at: null,
        unproved_since: null,
        managed_by: 'acme.yaml',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      })
      expect(read.text).not.toContain('argon2')
    })

    once.it.each([acme, 'x', '%00', users.both.slice(1), `${users.both}%20`])(
      'knows no user %s',
      async (uuid) => {
        expect(problemOf(await admin.get(`/users/${uuid}`))).toBe('404 not_found')
      },
    )
  })

  describe('listed', () => {
    it('come by address, page by page, each once', async () => {
      const whole = names(await admin.all('/users'))
      expect(whole).toContain('both@acme.example')
      expect(whole).toEqual(whole.map(String).sort())
      expect(names(await admin.all('/users', 1))).toEqual(whole)
      expect(names(await admin.all('/users', 2))).toEqual(whole)
    })

    it('are found by the beginning of an address or a word of a name, whatever the case, each once', async () => {
      await add({ email: 'zoë.search@new.example', name: 'Émile Zola' })
      await add({ email: 'emil.search@new.example', name: 'Zoë_100% Émile' })
      expect(names(await admin.all('/users?q=ZOË', 1))).toEqual([
        'zoë.search@new.example',
        'emil.search@new.example',
      ])
      expect(names(await admin.all('/users?q=émile', 1))).toEqual([
        'zoë.search@new.example',
        'emil.search@new.example',
      ])
      expect(names(await admin.all('/users?q=zoë_100%25'))).toEqual(['emil.search@new.example'])
      expect(names(await admin.all('/users?q=%25'))).toEqual([])
      expect(names(await admin.all('/users?q=acme'))).toEqual(
        (await admin.all('/users?q=acme%20')).map((one) => one.email),
      )
    })

    it('are filtered by being active, by organisation and by unit', async () => {
      const off = await add({ active: false })
      expect(names(await admin.all('/users?active=false'))).toEqual([off.email])
      expect(names(await admin.all('/users?active=true'))).not.toContain(off.email)
      expect(names(await admin.all(`/users?organisation_uuid=${acme}&active=false`))).toEqual([off.email])
      expect(names(await admin.all(`/users?organisation_uuid=${globex}`))).toEqual(['both@acme.example'])
      expect(names(await admin.all(`/users?organisation_unit_uuid=${finance}`))).toEqual([
        'both@acme.example',
      ])
      const elsewhere = `/users?organisation_uuid=${globex}&organisation_unit_uuid=${finance}`
      expect(await admin.all(elsewhere)).toEqual([])
      expect(await admin.all(`/users?organisation_uuid=${users.both}`)).toEqual([])
    })

    once.it.each([
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=a', 'limit'],
      ['cursor=x', 'cursor'],
      [`cursor=${Buffer.from('["email","a\\u0000","b"]').toString('base64url')}`, 'cursor'],
      ['q=', 'q'],
      ['q=a&q=b', 'q'],
      ['q=%00', 'q'],
      ['active=1', 'active'],
      ['organisation_uuid=acme', 'organisation_uuid'],
      ['sort=name', 'sort'],
      ['__proto__=1', '__proto__'],
    ])('refuse the query %s, naming %s', async (query, field) => {
      expect(problemOf(await admin.get(`/users?${query}`))).toBe(`400 invalid_request ${field}`)
    })
  })

  describe('added', () => {
    it('with profiles can sign in', async () => {
      const email = address()
      const password = 'a passphrase of the new one'
      const made = await admin.post('/users', { email, name: 'New', password, profiles: [importer] })
      expect(made.status).toBe(201)
      expect(made.headers.get('location')).toBe(`/admin/v1/users/${String(made.json.uuid)}`)
      expect(made.json).toMatchObject({ email, has_password: true, active: true, email_verified: false })
      expect(made.json.profiles).toMatchObject([{ ...importer, user_uuid: made.json.uuid, active: true }])
      expect(made.text).not.toContain(password)
      const read = await admin.get(`/users/${String(made.json.uuid)}`)
      expect(read.etag).toBe(made.etag)
      expect((await tokensFor(tessera.url, { email, password })).access_token).toBeTypeOf('string')
    })

    it('are audited with who did it, and without a password', async () => {
      const { uuid, email } = await add({ password: 'a passphrase of the new one' })
      const [row] = await recordsOf(uuid)
      expect(row).toMatchObject({
        kind: 'user.created',
        actor: { kind: 'client', id: 'admin-cli' },
        client_id: 'admin-cli',
        target: { kind: 'user' },
      })
      expect(row).not.toHaveProperty('before')
      expect(row?.request_id).toMatch(/^[0-9a-f-]{36}$/)
      expect(row?.after).toMatchObject({ email, active: true, password: '(changed)' })
      expect(JSON.stringify(row)).not.toMatch(/passphrase|argon2/)
    })

    once.it.each([
      [{ name: 'x' }, 'email'],
      [{ email: 'x', name: 'x' }, 'email'],
      [{ email: 'a@b.example' }, 'name'],
      [{ email: 'a@b.example', name: '' }, 'name'],
      [{ email: 'a@b.example', name: 'a\u0000b' }, 'name'],
      [{ email: 'a@b.example', name: null }, 'name'],
      [{ email: 'a@b.example', name: 7 }, 'name'],
      [{ email: 'a@b.example', name: 'x'.repeat(201) }, 'name'],
      [{ email: 'a@b.example', name: 'x', picture: 'javascript:alert(1)' }, 'picture'],
      [{ email: 'a@b.example', name: 'x', zoneinfo: 'Mars/Olympus' }, 'zoneinfo'],
      [{ email: 'a@b.example', name: 'x', active: 'yes' }, 'active'],
      [{ email: 'a@b.example', name: 'x', password: 'short' }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: 'x'.repeat(129) }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: '🗝'.repeat(7) }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: 'password1' }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: ' QwertyUIOP ' }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: '\0'.repeat(9) }, 'password'],
      [{ email: 'a@b.example', name: 'x', password: 'half a pair: \ud800' }, 'password'],
      [{ email: 'a@b.example', name: 'x', profiles: [importer, { ...importer }] }, 'profiles'],
      [
        {
          email: 'a@b.example',
          name: 'x',
          profiles: [
            { role_code: 'reader', organisation_uuid: globex, organisation_unit_uuid: null },
            { role_code: 'reader', organisation_uuid: globex.toUpperCase(), active: false },
          ],
        },
        'profiles',
      ],
      [{ email: 'a@b.example', name: 'x', uuid: users.admin }, 'uuid'],
      [{ email: 'a@b.example', name: 'x', sub: users.admin }, 'sub'],
      [{ email: 'a@b.example', name: 'x', password_hash: '$argon2id$' }, 'password_hash'],
      [{ email: 'a@b.example', name: 'x', version: 7 }, 'version'],
      [{ email: 'a@b.example', name: 'x', permissions: ['iam.users.read'] }, 'permissions'],
      [{ email: 'a@b.example', name: 'x', profiles: [{ role_code: 'no-such' }] }, 'profiles.0.role_code'],
      [{ email: 'a@b.example', name: 'x', profiles: [{ ...importer, admin: true }] }, 'profiles.0.admin'],
      [
        { email: 'a@b.example', name: 'x', profiles: [{ ...importer, organisation_uuid: globex }] },
        'profiles.0.organisation_unit_uuid',
      ],
      [
        {
          email: 'a@b.example',
          name: 'x',
          profiles: [importer, { ...importer, organisation_uuid: users.both }],
        },
        'profiles.1.organisation_uuid',
      ],
      [
        { email: 'a@b.example', name: 'x', profiles: [{ ...importer, expires_at: '2031-02-30' }] },
        'profiles.0.expires_at',
      ],
    ])('refuse %j, naming %s, and write nothing', async (body, field) => {
      const before = await everythingIn(tessera)
      expect(problemOf(await admin.post('/users', body))).toBe(`400 invalid_request ${field}`)
      expect(await everythingIn(tessera)).toEqual(before)
    })

    once.it.each([
      ['{"email":', 'application/json', '400 invalid_request'],
      ['[]', 'application/json', '400 invalid_request'],
      ['"x"', 'application/json', '400 invalid_request'],
      ['null', 'application/json', '400 invalid_request'],
      ['', 'application/json', '400 invalid_request'],
      [
        '{"email":"a@b.example","name":"x","__proto__":{"active":false}}',
        'application/json',
        '400 invalid_request __proto__',
      ],
      [
        '{"email":"a@b.example","name":"x","constructor":{}}',
        'application/json',
        '400 invalid_request constructor',
      ],
      ['email=a@b.example&name=x', 'application/x-www-form-urlencoded', '415 unsupported_media_type'],
      ['{"email":"a@b.example","name":"x"}', 'text/plain', '415 unsupported_media_type'],
      [`{"email":"a@b.example","name":"${'x'.repeat(70_000)}"}`, 'application/json', '413 request_too_large'],
    ])('refuse a body %.20s as %s with %s', async (body, type, problem) => {
      const answer = await admin.ask('POST', '/users', { body, headers: { 'content-type': type } })
      expect(problemOf(answer)).toBe(problem)
    })

    it('refuse an address that is taken, whatever its case', async () => {
      const { email } = await add()
      const body = { email: email.toUpperCase(), name: 'Other' }
      expect(problemOf(await admin.post('/users', body))).toBe('409 conflict email')
    })

    it('of ten with the same address at once are one', async () => {
      const body = { email: address(), name: 'One' }
      const answers = await Promise.all(Array.from({ length: 10 }, () => admin.post('/users', body)))
      expect(answers.filter((one) => one.status === 201)).toHaveLength(1)
      expect(answers.filter((one) => one.status === 409)).toHaveLength(9)
    })
  })

  describe('with an Idempotency-Key', () => {
    it('are added once, and the answer is given again', async () => {
      const body = { email: address(), name: 'Once', password: 'a passphrase of the new one' }
      const headers = { 'idempotency-key': 'key-1' }
      const answers = await Promise.all([1, 2, 3].map(() => admin.post('/users', body, headers)))
      const again = await admin.post('/users', body, headers)
      for (const answer of answers) {
        expect([answer.status, answer.text, answer.etag]).toEqual([201, again.text, again.etag])
        expect(answer.headers.get('location')).toBe(again.headers.get('location'))
      }
      expect(again.headers.get('idempotency-replayed')).toBe('true')
      expect(await admin.all(`/users?q=${body.email}`)).toHaveLength(1)
    })

    it('refuse another body, and know nobody else’s key', async () => {
      const headers = { 'idempotency-key': 'key-2' }
      const body = { email: address(), name: 'Once', profiles: [importer] }
      expect((await admin.post('/users', body, headers)).status).toBe(201)
      const other = { ...body, name: 'Other' }
      expect(problemOf(await admin.post('/users', other, headers))).toBe('422 idempotency_key_reused')
      expect(problemOf(await acmeAdmin.post('/users', body, headers))).toBe('409 conflict email')
    })

    it('keep no key of what was refused, and none for longer than a day', async () => {
      const headers = { 'idempotency-key': 'key-3' }
      expect(problemOf(await admin.post('/users', { name: 'x' }, headers))).toBe('400 invalid_request email')
      expect((await admin.post('/users', { email: address(), name: 'x' }, headers)).status).toBe(201)
      tessera.clock.advance(25 * 3_600_000)
      admin = await Administrator.machine(tessera.url)
      acmeAdmin = await Administrator.machine(tessera.url, 'acme-cli')
      expect((await admin.post('/users', { email: address(), name: 'x' }, headers)).status).toBe(201)
      tessera.clock.advance(-25 * 3_600_000)
      admin = await Administrator.machine(tessera.url)
      acmeAdmin = await Administrator.machine(tessera.url, 'acme-cli')
    })

    once.it.each(['a b', 'x'.repeat(256)])('refuse the key %.10s', async (key) => {
      const answer = await admin.post('/users', { email: address(), name: 'x' }, { 'idempotency-key': key })
      expect(problemOf(answer)).toBe('400 invalid_request')
    })
  })

  describe('changed', () => {
    it('by a merge patch: what is left out stays, null removes', async () => {
      const { path, uuid } = await add({ given_name: 'Ada', locale: 'en' })
      const first = await admin.get(path)
      const second = await admin.patch(path, { name: 'Other', given_name: null, email_verified: true })
      expect(second.status).toBe(200)
      expect(second.json).toMatchObject({
        name: 'Other',
        given_name: null,
        locale: 'en',
        email_verified: true,
      })
      expect(second.etag).not.toBe(first.etag)
      expect((await admin.get(path)).json).toEqual(second.json)
      const [, row] = await recordsOf(uuid)
      expect(row).toMatchObject({ kind: 'user.changed', actor: { id: 'admin-cli' } })
      expect(row?.before).toMatchObject({ name: 'New Person', given_name: 'Ada' })
      expect(row?.after).toMatchObject({ name: 'Other', given_name: null })
      expect(row?.after).not.toHaveProperty('locale')
    })

    it('are found by the new address and name, everywhere', async () => {
      const { path, email } = await add()
      const changed = address()
      const answer = await admin.patch(path, { email: changed, name: `Renamed ${changed}` })
      expect(answer.json).toMatchObject({ email: changed, email_verified: false })
      for (const one of [admin, acmeAdmin]) {
        expect(names(await one.all(`/users?q=${changed}`))).toEqual([changed])
        expect(names(await one.all(`/users?q=renamed%20${changed}`))).toEqual([changed])
        expect(await one.all(`/users?q=${email}`)).toEqual([])
      }
    })

    it('only with If-Match, and only in the version that was read', async () => {
      const { path } = await add()
      const { etag } = await admin.get(path)
      const body = { name: 'Other' }
      expect(problemOf(await admin.ask('PATCH', path, { body }))).toBe('428 precondition_required')
      for (const match of ['"999"', 'x', '', `W/${etag}`, etag.replaceAll('"', '')]) {
        expect(problemOf(await admin.ask('PATCH', path, { body, match })), match).toBe(
          '412 precondition_failed',
        )
      }
      expect((await admin.ask('PATCH', path, { body, match: `"999", ${etag}` })).status).toBe(200)
      expect(problemOf(await admin.ask('PATCH', path, { body: { name: 'x' }, match: etag }))).toBe(
        '412 precondition_failed',
      )
      expect((await admin.ask('PATCH', path, { body: { name: 'Third' }, match: '*' })).json.name).toBe(
        'Third',
      )
    })

    it('by ten at once are changed by one', async () => {
      const { path } = await add()
      const { etag } = await admin.get(path)
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          admin.ask('PATCH', path, { body: { name: `Name ${index}` }, match: etag }),
        ),
      )
      expect(answers.filter((one) => one.status === 200)).toHaveLength(1)
      expect(answers.filter((one) => one.status === 412)).toHaveLength(9)
    })

    it('keep version and audit when nothing differs', async () => {
      const { path, uuid } = await add()
      const { etag } = await admin.get(path)
      expect((await admin.patch(path, { name: 'New Person' })).etag).toBe(etag)
      expect((await admin.patch(path, {})).etag).toBe(etag)
      expect(await recordsOf(uuid)).toHaveLength(1)
    })

    once.it.each([
      [{ uuid: acme }, 'uuid'],
      [{ created_at: '2020-01-01T00:00:00Z' }, 'created_at'],
      [{ profiles: [] }, 'profiles'],
      [{ has_password: false }, 'has_password'],
      [{ declared_password_hash: 'x' }, 'declared_password_hash'],
      [{ name: null }, 'name'],
      [{ email: null }, 'email'],
      [{ active: null }, 'active'],
      [{ name: 'Fine', locale: 'x'.repeat(61) }, 'locale'],
      [{ name: 'Fine', 'a.b': 1 }, 'a.b'],
    ])('refuse %j, naming %s, and write nothing', async (body, field) => {
      const { path } = await add()
      const before = await everythingIn(tessera)
      expect(problemOf(await admin.patch(path, body))).toBe(`400 invalid_request ${field}`)
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('refuse an address that is taken, and tell nobody what was changed of whom', async () => {
      const one = await add()
      const other = await add()
      expect(problemOf(await admin.patch(one.path, { email: other.email }))).toBe('409 conflict email')
      expect((await admin.patch(one.path, { email: one.email.toUpperCase() })).status).toBe(200)
      expect(problemOf(await admin.ask('PATCH', `/users/${acme}`, { body: {}, match: '*' }))).toBe(
        '404 not_found',
      )
    })
  })

  describe('who sign in', () => {
    const password = 'a passphrase of the new one'
    const signedIn = async () => {
      const made = await add({ password })
      await tokensFor(tessera.url, { email: made.email, password })
      return made
    }
    it('are gone when they are removed, with all that was theirs', async () => {
      const { path, uuid, email } = await signedIn()
      const kept = () => consentsAndDevicesOf(tessera, uuid)
      await giveConsents(tessera, { user_uuid: uuid, client_id: 'partner-portal', scope: 'openid' })
      expect(await kept()).toHaveLength(2)
      expect(problemOf(await admin.delete(path, '"999"'))).toBe('412 precondition_failed')
      expect((await admin.delete(path)).status).toBe(204)
      for (const one of [admin, acmeAdmin]) {
        expect(problemOf(await one.get(path))).toBe('404 not_found')
        expect(await one.all(`/users?q=${email}`)).toEqual([])
      }
      expect(problemOf(await admin.delete(path))).toBe('404 not_found')
      expect(await kept()).toEqual([])
      expect(await admin.all(`/profiles?user_uuid=${uuid}`)).toEqual([])
      const kinds = (await recordsOf(uuid)).map((row) => row.kind)
      expect(kinds).toEqual(['user.created', 'user.removed'])
    })
  })
})
