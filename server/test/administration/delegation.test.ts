/** Whoever administers an organisation, or a unit of it, and wants into another. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  startAdministered,
  users,
} from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { machineToken } from '../harness/program.ts'
import { everythingIn } from '../harness/states.ts'

const nowhere = '99999999-9999-4999-8999-999999999999'
const unitHeadUser = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0006'
const headProfile = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0501'

onEachDatabase('delegated administration', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  let machine: Administrator
  let head: Administrator
  let unitHead: Administrator
  /** A unit of the other organisation, and a profile at it of somebody whom acme knows nothing of. */
  let abroad: { unit: string; user: string; profile: string; email: string }
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
    machine = await Administrator.machine(tessera.url, 'acme-cli')
    head = await Administrator.person(tessera.url, heads.head)
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
    const unit = await admin.post('/units', { organisation_uuid: globex, code: 'works', name: 'Works' })
    const made = await admin.post('/users', {
      email: 'abroad@globex.example',
      name: 'Somebody Abroad',
      profiles: [
        { role_code: 'importer', organisation_uuid: globex, organisation_unit_uuid: unit.json.uuid },
      ],
    })
    const [profile] = made.json.profiles as { uuid: string }[]
    abroad = {
      unit: String(unit.json.uuid),
      user: String(made.json.uuid),
      profile: profile?.uuid ?? '',
      email: 'abroad@globex.example',
    }
  })
  afterAll(() => tessera.close())

  describe('of an organisation', () => {
    const both = () => [['a machine', machine] as const, ['a person', head] as const]
    /** What is of others, by path. */
    const others = () => [
      `/users/${users.nobody}`,
      `/users/${users.admin}`,
      `/users/${abroad.user}`,
      `/profiles/${profiles.bothBookkeeper}`,
      `/profiles/${profiles.admin}`,
      `/profiles/${abroad.profile}`,
      `/organisations/${globex}`,
      `/units/${abroad.unit}`,
    ]

    it('knows nothing of others: the answers are those for what is not there', async () => {
      for (const [name, one] of both()) {
        for (const path of others()) {
          const [, kind] = path.split('/')
          const asked = async (method: string, at: string) => {
            const body = method === 'PATCH' ? { active: false } : undefined
            const answer = await one.ask(method, at, { match: '*', ...(body !== undefined && { body }) })
            return [answer.status, answer.text]
          }
          for (const method of ['GET', 'PATCH', 'DELETE']) {
            const answer = await asked(method, path)
            expect(answer[0], `${name}: ${method} ${path}`).toBe(404)
            expect(answer).toEqual(await asked(method, `/${kind}/${nowhere}`))
          }
        }
      }
    })

    it('changed nothing by asking', async () => {
      const before = await everythingIn(tessera)
      for (const path of others()) {
        await machine.ask('PATCH', path, { body: { name: 'x' }, match: '*' })
        await machine.delete(path)
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('lists its own alone', async () => {
      for (const [, one] of both()) {
        const people = (await one.all('/users', 1)).map((row) => row.email)
        expect(people).toEqual([
          'both@acme.example',
          'head@acme.example',
          'importer@acme.example',
          'unit-head@acme.example',
        ])
        const held = await one.all('/profiles', 1)
        expect(held.map((row) => row.organisation_uuid)).toEqual(held.map(() => acme))
        expect(held).toHaveLength(4)
        expect((await one.all('/organisations')).map((row) => row.uuid)).toEqual([acme])
        expect((await one.all('/units')).map((row) => String(row.uuid)).sort()).toEqual([intake, finance])
      }
    })

    it('finds its own alone, by search and by filter', async () => {
      for (const [, one] of both()) {
        expect(await one.all('/users?q=nobody')).toEqual([])
        expect(await one.all('/users?q=abroad')).toEqual([])
        expect(await one.all('/users?q=somebody')).toEqual([])
        expect(await one.all('/users?q=admin')).toEqual([])
        expect(await one.all('/users?q=both')).toHaveLength(1)
        expect(await one.all(`/users?organisation_uuid=${globex}`)).toEqual([])
        expect(await one.all(`/users?organisation_unit_uuid=${abroad.unit}`)).toEqual([])
        expect(await one.all(`/profiles?organisation_uuid=${globex}`)).toEqual([])
        expect(await one.all(`/profiles?user_uuid=${abroad.user}`)).toEqual([])
        expect(await one.all(`/profiles?user_uuid=${users.both}`)).toMatchObject([
          { uuid: profiles.bothReader },
        ])
        expect(await one.all(`/profiles?organisation_unit_uuid=${abroad.unit}`)).toEqual([])
        expect(await one.all('/organisations?q=globex')).toEqual([])
        expect(await one.all(`/units?organisation_uuid=${globex}`)).toEqual([])
        expect(await one.all(`/units?q=works`)).toEqual([])
      }
    })

    it('is not carried over by a cursor of somebody else', async () => {
      const page = await admin.get('/users?limit=1')
      const cursor = String(page.json.next_cursor)
      const next = await machine.get(`/users?limit=200&cursor=${cursor}`)
      const items = next.json.items as { email: string }[]
      expect(items.length).toBeGreaterThan(0)
      for (const row of items) expect(row.email).toContain('@acme.example')
    })

    it('refers to its own alone', async () => {
      const before = await everythingIn(tessera)
      const person = { email: 'new@acme.example', name: 'New' }
      const give = { role_code: 'importer', organisation_uuid: acme }
      const refused: [string, object, string][] = [
        ['/profiles', { ...give, user_uuid: users.nobody }, '400 invalid_request user_uuid'],
        ['/profiles', { ...give, user_uuid: abroad.user }, '400 invalid_request user_uuid'],
        ['/profiles', { ...give, user_uuid: nowhere }, '400 invalid_request user_uuid'],
        [
          '/profiles',
          { ...give, user_uuid: users.importer, organisation_uuid: globex },
          '400 invalid_request organisation_uuid',
        ],
        [
          '/profiles',
          { ...give, user_uuid: users.importer, organisation_unit_uuid: abroad.unit },
          '400 invalid_request organisation_unit_uuid',
        ],
        [
          '/users',
          { ...person, profiles: [{ ...give, organisation_uuid: globex }] },
          '400 invalid_request profiles.0.organisation_uuid',
        ],
        ['/users', person, '400 invalid_request profiles'],
        [
          '/users',
          { ...person, profiles: [{ role_code: 'importer' }] },
          '403 forbidden profiles.0.organisation_uuid',
        ],
        [
          '/profiles',
          { role_code: 'importer', user_uuid: users.importer },
          '403 forbidden organisation_uuid',
        ],
        [
          '/units',
          { organisation_uuid: globex, code: 'x', name: 'x' },
          '400 invalid_request organisation_uuid',
        ],
        [
          '/units',
          { organisation_uuid: acme, parent_uuid: abroad.unit, code: 'x', name: 'x' },
          '400 invalid_request parent_uuid',
        ],
      ]
      for (const [path, body, problem] of refused) {
        for (const [name, one] of both()) {
          expect(problemOf(await one.post(path, body)), `${name}: ${path} ${JSON.stringify(body)}`).toBe(
            problem,
          )
        }
      }
      const moved = await machine.ask('PATCH', `/units/${intake}`, {
        body: { parent_uuid: abroad.unit },
        match: '*',
      })
      expect(problemOf(moved)).toBe('400 invalid_request parent_uuid')
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('gives no role that gives more than it holds, and is not told what that is', async () => {
      const before = await everythingIn(tessera)
      const give = { user_uuid: users.importer, organisation_uuid: acme }
      for (const [, one] of both()) {
        for (const role_code of ['reader', 'administrator']) {
          const answer = await one.post('/profiles', { ...give, role_code })
          expect(problemOf(answer)).toBe('403 forbidden role_code')
          expect(answer.json.detail).toMatch(/ GET \/admin\/v1\/roles lists those that you can give\.$/)
          expect(answer.text).not.toMatch(/ledger|iam\./)
        }
        const within = {
          email: 'new@acme.example',
          name: 'New',
          profiles: [{ ...give, role_code: 'administrator' }],
        }
        delete (within.profiles[0] as { user_uuid?: string }).user_uuid
        expect(problemOf(await one.post('/users', within))).toBe('403 forbidden profiles.0.role_code')
        const own = await one.ask('PATCH', `/profiles/${headProfile}`, {
          body: { role_code: 'administrator' },
          match: '*',
        })
        expect(problemOf(own)).toBe('403 forbidden role_code')
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('gives nothing of other services with all of iam either, which is everything over the installation alone', async () => {
      const client = {
        type: 'machine',
        client_name: 'All of iam',
        scope: 'service.api',
        organisation_uuid: acme,
      }
      const all = { ...client, client_id: 'acme-iam', services: ['iam'], permissions: ['iam.*'] }
      const made = await admin.post('/clients', all)
      const form = { client_id: 'acme-iam', client_secret: String(made.json.client_secret) }
      const one = new Administrator(tessera.url, await machineToken(tessera.url, form))
      const give = { user_uuid: users.importer, organisation_uuid: acme }
      expect(problemOf(await one.post('/profiles', { ...give, role_code: 'bookkeeper' }))).toBe(
        '403 forbidden role_code',
      )
      const ledger = { client_id: 'acme-ledger', services: ['ledger'], permissions: ['ledger.entry.read'] }
      expect((await one.post('/clients', { ...client, ...ledger })).status).toBe(403)
      expect((await one.all('/roles')).map((role) => role.code)).toEqual(['administrator'])
      expect((await admin.delete('/clients/acme-iam')).status).toBe(204)
    })

    it('weakens no client that carries more than it holds, and gives it no keys or secrets', async () => {
      const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
      const client_id = 'acme-portal'
      await admin.post('/clients', {
        client_id,
        client_name: 'Portal',
        type: 'web',
        organisation_uuid: acme,
        redirect_uris: ['https://portal.example/callback'],
        scope: 'openid service.api',
        services: ['submissions-tool'],
      })
      const path = `/clients/${client_id}`
      const changes = [
        { require_nonce: false },
        { require_state: false },
        { require_pkce: false },
        { jwks: { keys: [key] } },
        { jwks_uri: 'https://portal.example/jwks' },
        { redirect_uris: ['https://elsewhere.example/callback'] },
        { scope: 'openid groups service.api' },
        { groups: { from: 'role' } },
        { claims: [{ name: 'tenant', value: 'x' }] },
        { require_pushed_authorization_requests: true },
        { dpop_bound_access_tokens: true },
        { id_token_signed_response_alg: 'ES256' },
      ]
      const before = await everythingIn(tessera)
      for (const [, one] of both()) {
        for (const body of changes) expect(problemOf(await one.patch(path, body))).toBe('403 forbidden')
        expect(problemOf(await one.post(`${path}/secrets`, {}))).toBe('403 forbidden')
      }
      expect(await everythingIn(tessera)).toEqual(before)
      // Of one that carries what they hold, the same is theirs to change.
      await admin.patch(path, { permissions: ['submissions-tool.vista-import.read'] })
      for (const body of changes.slice(2, 4)) expect((await head.patch(path, body)).status).toBe(200)
      // One with keys has no secret that counts.
      const bySecret = { jwks: null, jwks_uri: null, token_endpoint_auth_method: 'client_secret_basic' }
      expect((await head.patch(path, bySecret)).status).toBe(200)
      expect((await head.post(`${path}/secrets`, {})).status).toBe(201)
      await admin.delete(path)
    })

    it('changes nobody who holds more, here or elsewhere', async () => {
      const before = await everythingIn(tessera)
      for (const [, one] of both()) {
        // A profile at Globex, of which acme hears nothing.
        for (const body of [
          { active: false },
          { email: 'taken@over.example' },
          { password: 'a new passphrase' },
        ]) {
          expect(problemOf(await one.patch(`/users/${users.both}`, body))).toBe('403 forbidden')
        }
        const refused = await one.delete(`/users/${users.both}`)
        expect(problemOf(refused)).toBe('403 forbidden')
        expect(refused.text).not.toMatch(/globex|ledger|bookkeeper/i)
        // A role that holds more than acme's administrators do.
        expect(problemOf(await one.patch(`/profiles/${profiles.bothReader}`, { active: false }))).toBe(
          '403 forbidden',
        )
        expect(problemOf(await one.delete(`/profiles/${profiles.bothReader}`))).toBe('403 forbidden')
        expect(problemOf(await one.patch(`/units/${finance}`, { active: false }))).toBe('403 forbidden')
        expect(problemOf(await one.delete(`/units/${finance}`))).toBe('403 forbidden')
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('changes nobody who belongs elsewhere too, although they hold no more there than here', async () => {
      const made = await admin.post('/users', {
        email: 'twofold@acme.example',
        name: 'Somebody Twofold',
        profiles: [
          { role_code: 'importer', organisation_uuid: acme },
          { role_code: 'importer', organisation_uuid: globex },
        ],
      })
      const path = `/users/${String(made.json.uuid)}`
      const before = await everythingIn(tessera)
      for (const [, one] of both()) {
        expect((await one.get(path)).status).toBe(200)
        for (const body of [
          { active: false },
          { email: 'taken@over.example' },
          { password: 'a new passphrase' },
        ])
          expect(problemOf(await one.patch(path, body))).toBe('403 forbidden')
        for (const end of [path, `${path}/sessions`])
          expect(problemOf(await one.delete(end))).toBe('403 forbidden')
      }
      expect(await everythingIn(tessera)).toEqual(before)
      const abroadToo = (made.json.profiles as { uuid: string; organisation_uuid: string }[]).find(
        (one) => one.organisation_uuid === globex,
      )
      expect((await admin.delete(`/profiles/${String(abroadToo?.uuid)}`)).status).toBe(204)
      expect((await head.patch(path, { active: false })).status).toBe(200)
      expect((await admin.delete(path)).status).toBe(204)
    })

    it('does no more than the client allows that it comes through, whatever its token says', async () => {
      expect((await head.get('/audit')).status).toBe(200)
      const allow = async (permissions: string[] | null) =>
        expect((await admin.patch('/clients/admin-web', { permissions })).status).toBe(200)
      await allow(['iam.users.read'])
      expect(problemOf(await head.get('/audit'))).toBe('403 insufficient_scope')
      expect((await head.get('/users')).status).toBe(200)
      await allow(null)
      expect((await head.get('/audit')).status).toBe(200)
    })

    it('changes nothing that belongs to the whole installation, and is told why', async () => {
      const before = await everythingIn(tessera)
      const refused: [string, string, object | undefined][] = [
        ['POST', '/organisations', { code: 'new', name: 'New' }],
        ['PATCH', `/organisations/${acme}`, { active: false }],
        ['DELETE', `/organisations/${acme}`, undefined],
        ['POST', '/roles', { code: 'new', name: 'New', permissions: [] }],
        ['PATCH', '/roles/importer', { permissions: ['iam.*'] }],
        ['PATCH', '/roles/acme-administrator', { permissions: ['iam.*'] }],
        ['DELETE', '/roles/importer', undefined],
        ['POST', '/permissions', { code: 'ledger.entry.delete' }],
        ['PATCH', '/permissions/submissions-tool.vista-import.read', { description: 'x' }],
        ['DELETE', '/permissions/submissions-tool.vista-import.read', undefined],
        ['POST', '/services', { code: 'new', name: 'New', audience: 'https://new.example/api' }],
        ['PATCH', '/services/submissions-tool', { name: 'x' }],
        ['DELETE', '/services/submissions-tool', undefined],
      ]
      for (const [method, path, body] of refused) {
        for (const [name, one] of both()) {
          const answer = await one.ask(method, path, { match: '*', ...(body !== undefined && { body }) })
          expect(problemOf(answer), `${name}: ${method} ${path}`).toBe('403 forbidden')
          expect(answer.json.detail).toContain('whole installation')
        }
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('sees the roles that it may give, and the permissions and services of what it holds', async () => {
      for (const [, one] of both()) {
        expect((await one.all('/roles', 1)).map((row) => row.code)).toEqual([
          'acme-administrator',
          'importer',
        ])
        expect(problemOf(await one.get('/roles/administrator'))).toBe('404 not_found')
        expect(problemOf(await one.get('/roles/reader'))).toBe('404 not_found')
        expect((await one.get('/roles/importer')).status).toBe(200)
        const permissions = (await one.all('/permissions', 7)).map((row) => String(row.code))
        expect(permissions).toContain('submissions-tool.vista-import.read')
        expect(permissions).toContain('iam.users.read')
        expect(
          permissions.filter((code) => /^ledger|^iam\.keys\.(update|delete)|approve/.test(code)),
        ).toEqual([])
        expect(problemOf(await one.get('/permissions/ledger.entry.read'))).toBe('404 not_found')
        expect((await one.all('/services', 1)).map((row) => row.code)).toEqual(['iam', 'submissions-tool'])
        expect(problemOf(await one.get('/services/ledger'))).toBe('404 not_found')
      }
    })

    it('learns of an address that is taken elsewhere no more than of one that is taken here', async () => {
      const give = { role_code: 'importer', organisation_uuid: acme }
      const add = async (email: string) =>
        await machine.post('/users', { email, name: 'x', profiles: [give] })
      const [elsewhere, here] = [await add(abroad.email), await add('both@acme.example')]
      expect(problemOf(elsewhere)).toBe('409 conflict email')
      expect(elsewhere.text).toBe(here.text)
    })

    it('learns of a client_id that is taken elsewhere no more than of one that is taken here', async () => {
      const add = async (client_id: string) =>
        await machine.post('/clients', {
          client_id,
          client_name: 'x',
          type: 'machine',
          organisation_uuid: acme,
        })
      const [elsewhere, here] = [await add('ledger-report'), await add('acme-cli')]
      expect(problemOf(elsewhere)).toBe('409 conflict client_id')
      expect(elsewhere.text).toBe(here.text)
    })

    it('does its own work: people, profiles, units and its name', async () => {
      for (const [index, [, one]] of both().entries()) {
        const unit = await one.post('/units', {
          organisation_uuid: acme,
          parent_uuid: intake,
          code: `desk-${index}`,
          name: 'Desk',
        })
        expect(unit.status).toBe(201)
        const give = { role_code: 'importer', organisation_uuid: acme }
        const made = await one.post('/users', {
          email: `own-${index}@acme.example`,
          name: 'Own',
          profiles: [{ ...give, organisation_unit_uuid: unit.json.uuid }],
        })
        expect(made.status).toBe(201)
        const path = `/users/${String(made.json.uuid)}`
        expect((await one.patch(path, { name: 'Renamed', active: false })).status).toBe(200)
        const second = await one.post('/profiles', { ...give, user_uuid: made.json.uuid })
        expect(second.status).toBe(201)
        expect((await one.delete(`/profiles/${String(second.json.uuid)}`)).status).toBe(204)
        expect((await one.delete(path)).status).toBe(204)
        expect((await one.delete(`/units/${String(unit.json.uuid)}`)).status).toBe(204)
        expect((await one.patch(`/organisations/${acme}`, { name: `Acme ${index}` })).json.name).toBe(
          `Acme ${index}`,
        )
      }
    })

    it('that takes the last profile of somebody here knows them no more', async () => {
      const give = { role_code: 'importer', organisation_uuid: acme }
      const made = await machine.post('/users', {
        email: 'leaves@acme.example',
        name: 'Leaves',
        profiles: [give],
      })
      const [profile] = made.json.profiles as { uuid: string }[]
      expect((await machine.delete(`/profiles/${profile?.uuid}`)).status).toBe(204)
      expect(problemOf(await machine.get(`/users/${String(made.json.uuid)}`))).toBe('404 not_found')
      expect(await machine.all('/users?q=leaves')).toEqual([])
      expect((await admin.get(`/users/${String(made.json.uuid)}`)).status).toBe(200)
    })
  })

  describe('of a unit', () => {
    it('reaches that unit and those below it', async () => {
      const seen = async () => (await unitHead.all('/users', 1)).map((row) => row.email)
      expect(await seen()).toEqual(['importer@acme.example', 'unit-head@acme.example'])
      const below = await unitHead.post('/units', {
        organisation_uuid: acme,
        parent_uuid: intake,
        code: 'below',
        name: 'Below',
      })
      expect(below.status).toBe(201)
      const uuid = String(below.json.uuid)
      const give = { role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: uuid }
      const made = await unitHead.post('/users', {
        email: 'below@acme.example',
        name: 'Below',
        profiles: [give],
      })
      expect(made.status).toBe(201)
      expect(await seen()).toContain('below@acme.example')
      expect((await unitHead.all('/units')).map((row) => String(row.uuid)).sort()).toEqual(
        [intake, uuid].sort(),
      )
      expect(await unitHead.all(`/users?organisation_unit_uuid=${intake}`)).toHaveLength(3)
      expect(await unitHead.all(`/users?organisation_unit_uuid=${uuid}`)).toHaveLength(1)
      // Moved elsewhere by who may, it is out of reach at once, with its people.
      expect((await head.patch(`/units/${uuid}`, { parent_uuid: finance })).status).toBe(200)
      expect(await seen()).not.toContain('below@acme.example')
      expect(problemOf(await unitHead.get(`/users/${String(made.json.uuid)}`))).toBe('404 not_found')
      expect(problemOf(await unitHead.get(`/units/${uuid}`))).toBe('404 not_found')
      expect((await head.patch(`/units/${uuid}`, { parent_uuid: intake })).status).toBe(200)
      expect(await seen()).toContain('below@acme.example')
    })

    it('knows nothing beside or above it', async () => {
      for (const path of [
        `/units/${finance}`,
        `/profiles/${profiles.bothReader}`,
        `/profiles/${headProfile}`,
        `/users/${users.both}`,
        '/users/0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005',
      ]) {
        expect(problemOf(await unitHead.get(path)), path).toBe('404 not_found')
        expect(problemOf(await unitHead.delete(path)), path).toBe('404 not_found')
      }
      expect(await unitHead.all(`/users?organisation_unit_uuid=${finance}`)).toEqual([])
      expect(await unitHead.all(`/profiles?organisation_unit_uuid=${finance}`)).toEqual([])
      expect(await unitHead.all('/users?q=both')).toEqual([])
      const own = await unitHead.all(`/users?organisation_uuid=${acme}`)
      expect(own.map((row) => row.email)).not.toContain('both@acme.example')
    })

    it('does not learn which codes other units have: its own begin with that of its unit', async () => {
      const create = async (who: Administrator, code: string, parent: string) =>
        await who.post('/units', { organisation_uuid: acme, parent_uuid: parent, code, name: 'Same' })
      const { json: beside } = await create(head, 'beside', finance)
      const made: string[] = []
      // `finance` and `beside` are taken where it does not reach, `unheard-of` is not.
      for (const code of ['finance', 'beside', 'unheard-of', 'intake', 'intake-desk']) {
        const answer = await create(unitHead, code, intake)
        expect([answer.status, answer.json.code]).toEqual([201, `intake--${code}`])
        made.push(String(answer.json.uuid))
        expect(problemOf(await create(unitHead, code, intake))).toBe('409 conflict code')
        expect(problemOf(await create(unitHead, `intake--${code}`, intake))).toBe('409 conflict code')
      }
      const whole = await create(unitHead, 'intake--whole', made[0] ?? '')
      expect([whole.status, whole.json.code]).toEqual([201, 'intake--whole'])
      expect(problemOf(await create(unitHead, 'x'.repeat(53), intake))).toBe('400 invalid_request code')
      expect(problemOf(await create(head, 'intake--whole', finance))).toBe('409 conflict code')
      for (const uuid of [whole.json.uuid, ...made.toReversed(), beside.uuid])
        expect((await head.delete(`/units/${String(uuid)}`)).status).toBe(204)
    })

    it('gets not out of it', async () => {
      const before = await everythingIn(tessera)
      const give = { role_code: 'importer', organisation_uuid: acme }
      const at = (organisation_unit_uuid?: string) => ({
        ...give,
        user_uuid: users.importer,
        organisation_unit_uuid,
      })
      const unit = { organisation_uuid: acme, code: 'out', name: 'Out' }
      const refused: [string, string, object, string][] = [
        ['POST', '/profiles', at(), '400 invalid_request organisation_unit_uuid'],
        ['POST', '/profiles', at(finance), '400 invalid_request organisation_unit_uuid'],
        ['POST', '/units', unit, '400 invalid_request parent_uuid'],
        ['POST', '/units', { ...unit, parent_uuid: finance }, '400 invalid_request parent_uuid'],
        ['PATCH', `/units/${intake}`, { parent_uuid: finance }, '400 invalid_request parent_uuid'],
        [
          'PATCH',
          `/profiles/${profiles.importer}`,
          { organisation_unit_uuid: null },
          '400 invalid_request organisation_unit_uuid',
        ],
        [
          'PATCH',
          `/profiles/${profiles.importer}`,
          { organisation_unit_uuid: finance },
          '400 invalid_request organisation_unit_uuid',
        ],
        ['PATCH', `/organisations/${acme}`, { name: 'x' }, '403 forbidden'],
        ['DELETE', `/organisations/${acme}`, {}, '403 forbidden'],
        ['DELETE', `/units/${intake}`, {}, '403 forbidden'],
      ]
      for (const [method, path, body, problem] of refused) {
        const sent = method === 'DELETE' ? {} : { body }
        const answer = await unitHead.ask(method, path, { match: '*', ...sent })
        expect(problemOf(answer), `${method} ${path} ${JSON.stringify(body)}`).toBe(problem)
      }
      expect(await everythingIn(tessera)).toEqual(before)
    })

    it('stays in the organisation that it belongs to, which it may see', async () => {
      expect((await unitHead.get(`/organisations/${acme}`)).status).toBe(200)
      expect(problemOf(await unitHead.get(`/organisations/${globex}`))).toBe('404 not_found')
    })
  })

  describe('of the whole installation, with less than all of iam', () => {
    let keeper: Administrator
    beforeAll(async () => {
      keeper = await Administrator.machine(tessera.url, 'roles-cli')
    })

    it('puts nothing into a role that it does not hold', async () => {
      const role = { code: 'auditor', name: 'Auditor' }
      const wild = await keeper.post('/roles', { ...role, permissions: ['iam.*'] })
      expect(problemOf(wild)).toBe('403 forbidden')
      const foreign = await keeper.post('/roles', { ...role, permissions: ['ledger.entry.create'] })
      expect(foreign.json.permissions).toEqual(['ledger.entry.create'])
      expect((await keeper.post('/roles', { ...role, permissions: ['ledger.entry.read'] })).status).toBe(201)
      expect(problemOf(await keeper.patch('/roles/auditor', { permissions: ['iam.*'] }))).toBe(
        '403 forbidden',
      )
      expect((await keeper.patch('/roles/auditor', { permissions: ['iam.users.read'] })).status).toBe(200)
    })

    it('ends no client that holds more with the organisation that it belongs to', async () => {
      const keeps = ['organisations', 'clients'].flatMap((one) =>
        ['read', 'update', 'delete'].map((action) => `iam.${one}.${action}`),
      )
      const made = await admin.post('/clients', {
        client_id: 'organisations-cli',
        client_name: 'Who keeps organisations',
        type: 'machine',
        services: ['iam'],
        permissions: keeps,
      })
      const secret = { client_id: 'organisations-cli', client_secret: String(made.json.client_secret) }
      const clerk = new Administrator(tessera.url, await machineToken(tessera.url, secret))
      const { json } = await admin.post('/organisations', { code: 'initech', name: 'Initech' })
      const path = `/organisations/${String(json.uuid)}`
      const client = { client_id: 'initech-cli', client_name: 'Initech', organisation_uuid: json.uuid }
      const may = { services: ['ledger'], permissions: ['ledger.entry.create'] }
      expect((await admin.post('/clients', { ...client, type: 'machine', ...may })).status).toBe(201)
      expect(problemOf(await clerk.delete('/clients/initech-cli'))).toBe('403 forbidden')
      expect(problemOf(await clerk.patch(path, { active: false }))).toBe('403 forbidden')
      expect(problemOf(await clerk.delete(path))).toBe('403 forbidden')
      expect((await clerk.patch(path, { name: 'Initech Institute' })).status).toBe(200)
      expect((await admin.get('/clients/initech-cli')).json.active).toBe(true)
      expect((await admin.patch('/clients/initech-cli', { permissions: [], services: [] })).status).toBe(200)
      expect((await clerk.delete(path)).status).toBe(204)
    })

    it('changes no role and nobody above it', async () => {
      for (const body of [{ active: false }, { name: 'x' }, { permissions: [] }]) {
        expect(problemOf(await keeper.patch('/roles/administrator', body))).toBe('403 forbidden')
      }
      expect(problemOf(await keeper.delete('/roles/administrator'))).toBe('403 forbidden')
      expect(problemOf(await keeper.patch(`/users/${users.admin}`, { active: false }))).toBe('403 forbidden')
      expect(problemOf(await keeper.patch(`/users/${users.admin}`, { password: 'a new passphrase' }))).toBe(
        '403 forbidden',
      )
      expect(problemOf(await keeper.delete(`/profiles/${profiles.admin}`))).toBe('403 forbidden')
      const give = { user_uuid: unitHeadUser, role_code: 'administrator' }
      expect(problemOf(await keeper.post('/profiles', give))).toBe('403 forbidden')
      expect((await keeper.patch(`/users/${users.nobody}`, { name: 'Renamed' })).status).toBe(200)
    })
  })
})
