/** Profiles, organisations, units, roles, permissions and services, by whoever administers the whole installation. */
import { beforeAll, describe, expect, it } from 'vitest'
import { iamPermissions } from '../../dist/protocol/permission.js'
import {
  acme,
  Administrator,
  finance,
  globex,
  intake,
  problemOf,
  profiles,
  users,
  administeredOn,
  recordsWith,
} from './support.ts'
import { claimsOf, people, profilesOfBoth, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import {
  introspect,
  machineToken,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'
import { changeClient } from '../harness/states.ts'

onEachDatabase('the administration API', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
  })

  let count = 0
  const fresh = (name: string) => `${name}-${++count}`
  const recordsOf = (id: string) => recordsWith(admin, id)
  /** Somebody who has signed in under a profile of their own. */
  const signedIn = async (profile: object) => {
    const email = `${fresh('person')}@new.example`
    const password = 'a passphrase of the new one'
    const body = { email, name: 'New Person', password, profiles: [profile] }
    const made = await admin.post('/users', body)
    const [own] = made.json.profiles as { uuid: string }[]
    const tokens = await tokensFor(tessera.url, { email, password })
    return { tokens, email, password, profile: own?.uuid ?? '', user: String(made.json.uuid) }
  }
  const counts = async (tokens: Record<string, string>) =>
    (await userinfo(tessera.url, tokens.access_token)).status === 200
  const hasEnded = async (tokens: Record<string, string>) => {
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    expect(await introspect(tessera.url, tokens.access_token)).toEqual({ active: false })
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
  }
  const made = async (path: string, body: object) => {
    const answer = await admin.post(path, body)
    if (answer.status !== 201) throw new Error(`Not made: ${answer.status} ${answer.text}`)
    expect((await admin.get(answer.headers.get('location')?.slice('/admin/v1'.length) ?? '')).text).toBe(
      answer.text,
    )
    return answer.json
  }

  describe('profiles', () => {
    const importer = { role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: intake }

    it('are given, and can be acted under at once', async () => {
      const given = await made('/profiles', { user_uuid: users.nobody, ...importer })
      expect(given).toEqual({
        uuid: given.uuid,
        user_uuid: users.nobody,
        ...importer,
        active: true,
        expires_at: null,
      })
      const tokens = await tokensFor(tessera.url, people.nobody)
      expect(claimsOf(tokens.access_token).profile_uuid).toBe(given.uuid)
      const [row] = await recordsOf(String(given.uuid))
      expect(row).toMatchObject({ kind: 'profile.created', user_uuid: users.nobody, organisation_uuid: acme })
      expect((await admin.delete(`/profiles/${String(given.uuid)}`)).status).toBe(204)
      await hasEnded(tokens)
    })

    it.each([
      [{}, 'role_code', 'user_uuid'],
      [{ role_code: 'importer' }, 'user_uuid'],
      [{ role_code: 'no-such', user_uuid: users.nobody }, 'role_code'],
      [{ role_code: 'importer', user_uuid: acme }, 'user_uuid'],
      [{ role_code: 'importer', user_uuid: users.nobody, organisation_uuid: intake }, 'organisation_uuid'],
      [
        { role_code: 'importer', user_uuid: users.nobody, organisation_unit_uuid: intake },
        'organisation_uuid',
      ],
      [
        {
          role_code: 'importer',
          user_uuid: users.nobody,
          organisation_uuid: globex,
          organisation_unit_uuid: intake,
        },
        'organisation_unit_uuid',
      ],
      [{ ...importer, user_uuid: users.nobody, expires_at: 'tomorrow' }, 'expires_at'],
      // In UTC it is in the year 10000, which no export could say.
      [{ ...importer, user_uuid: users.nobody, expires_at: '9999-12-31T23:59:59-01:00' }, 'expires_at'],
      [{ ...importer, user_uuid: users.nobody, permissions: ['iam.*'] }, 'permissions'],
      [{ ...importer, user_uuid: users.nobody, uuid: profiles.admin }, 'uuid'],
    ])('refuse %j, naming %s', async (body, ...fields) => {
      expect(problemOf(await admin.post('/profiles', body))).toBe(`400 invalid_request ${fields.join(' ')}`)
    })

    it('are had once at a place', async () => {
      const same = await admin.post('/profiles', { user_uuid: users.importer, ...importer })
      expect(problemOf(same)).toBe('409 conflict role_code')
      const other = await admin.post('/profiles', {
        user_uuid: users.importer,
        ...importer,
        organisation_unit_uuid: finance,
      })
      expect(other.status).toBe(201)
      const path = `/profiles/${String(other.json.uuid)}`
      expect(problemOf(await admin.patch(path, { organisation_unit_uuid: intake }))).toBe(
        '409 conflict role_code',
      )
      expect((await admin.delete(path)).status).toBe(204)
    })

    it('are listed by user, role, organisation and unit', async () => {
      const uuids = async (query: string) => (await admin.all(`/profiles?${query}`, 1)).map((row) => row.uuid)
      expect(await uuids(`user_uuid=${users.both}`)).toEqual(Object.values(profilesOfBoth))
      expect(await uuids('role_code=bookkeeper')).toEqual([profilesOfBoth.bookkeeper])
      expect(await uuids(`organisation_uuid=${globex}`)).toEqual([profilesOfBoth.bookkeeper])
      expect(await uuids(`organisation_unit_uuid=${finance}&role_code=reader`)).toEqual([
        profilesOfBoth.reader,
      ])
      expect(await uuids(`organisation_uuid=${globex}&role_code=reader`)).toEqual([])
      const all = await uuids('limit=200'.replace('limit=200', ''))
      expect(all).toContain(profiles.admin)
    })

    it.each(['role', 'unit'] as const)('that move to a disabled %s end for good', async (thing) => {
      const code = fresh('moved')
      const to = await (thing === 'role'
        ? made('/roles', { code, name: 'Closed', permissions: [], active: false })
        : made('/units', { organisation_uuid: acme, code, name: 'Closed', active: false }))
      const person = await signedIn(importer)
      const set = thing === 'role' ? { role_code: code } : { organisation_unit_uuid: to.uuid }
      expect((await admin.patch(`/profiles/${person.profile}`, set)).status).toBe(200)
      await hasEnded(person.tokens)
      const path = thing === 'role' ? `/roles/${code}` : `/units/${String(to.uuid)}`
      expect((await admin.patch(path, { active: true })).status).toBe(200)
      await hasEnded(person.tokens)
      expect(await counts(await tokensFor(tessera.url, person))).toBe(true)
    })

    it('that end later count until then', async () => {
      const person = await signedIn(importer)
      const soon = new Date(tessera.clock.now() + 60_000).toISOString()
      expect((await admin.patch(`/profiles/${person.profile}`, { expires_at: soon })).json.expires_at).toBe(
        soon,
      )
      expect(await counts(person.tokens)).toBe(true)
      tessera.clock.advance(61_000)
      expect(await counts(person.tokens)).toBe(false)
      // For good, as one that was disabled.
      expect((await admin.patch(`/profiles/${person.profile}`, { expires_at: null })).status).toBe(200)
      await hasEnded(person.tokens)
      tessera.clock.advance(-61_000)
    })

    it('of another role give other permissions at the next refresh', async () => {
      const person = await signedIn(importer)
      await admin.patch(`/profiles/${person.profile}`, { role_code: 'reader', organisation_unit_uuid: null })
      const { access_token: next } = tokensOf(await refresh(tessera.url, person.tokens.refresh_token))
      expect(claimsOf(next)).toMatchObject({
        role_code: 'reader',
        organisation_uuid: acme,
        permissions: ['submissions-tool.vista-import.read'],
      })
      expect(claimsOf(next)).not.toHaveProperty('organisation_unit_uuid')
      expect(await admin.all(`/users?organisation_unit_uuid=${intake}&q=${person.email}`)).toEqual([])
    })

    it.each([
      [{ organisation_uuid: globex }, 'organisation_uuid'],
      [{ user_uuid: users.admin }, 'user_uuid'],
      [{ role_code: null }, 'role_code'],
      [{ role_code: 'no-such' }, 'role_code'],
      [{ active: 'no' }, 'active'],
    ])('refuse the change %j, naming %s', async (body, field) => {
      expect(problemOf(await admin.patch(`/profiles/${profiles.importer}`, body))).toBe(
        `400 invalid_request ${field}`,
      )
    })
  })

  describe('organisations', () => {
    it('are added, found and renamed', async () => {
      const code = fresh('org')
      const one = await made('/organisations', { code, name: 'Zürich Works' })
      expect(one).toEqual({
        uuid: one.uuid,
        code,
        name: 'Zürich Works',
        active: true,
        branding: null,
        policy: null,
        accepts: [],
        break_glass: [],
        managed_by: null,
      })
      const found = async (q: string) => (await admin.all(`/organisations?q=${q}`, 1)).map((row) => row.code)
      expect(await found('zÜRICH')).toEqual([code])
      expect(await found(code)).toEqual([code])
      expect(await found('works')).toEqual([code])
      expect(await found('orks')).toEqual([])
      const path = `/organisations/${String(one.uuid)}`
      expect((await admin.patch(path, { name: 'Basel Works' })).json.name).toBe('Basel Works')
      expect(await found('basel')).toEqual([code])
      expect(await found('zürich')).toEqual([])
      expect((await recordsOf(String(one.uuid))).map((row) => row.kind)).toEqual([
        'organisation.created',
        'organisation.changed',
      ])
    })

    it('are listed by code, page by page', async () => {
      const codes = (await admin.all('/organisations')).map((row) => String(row.code))
      expect(codes).toEqual(codes.toSorted((a, b) => (a < b ? -1 : 1)))
      expect((await admin.all('/organisations', 1)).map((row) => row.code)).toEqual(codes)
      expect(codes).toContain('globex')
    })

    it.each([
      [{ name: 'x' }, '400 invalid_request code'],
      [{ code: 'X', name: 'x' }, '400 invalid_request code'],
      [{ code: 'x', name: 'x', uuid: acme }, '400 invalid_request uuid'],
      [{ code: 'acme', name: 'x' }, '409 conflict code'],
    ])('refuse %j with %s', async (body, problem) => {
      expect(problemOf(await admin.post('/organisations', body))).toBe(problem)
    })

    it('keep their code', async () => {
      expect(problemOf(await admin.patch(`/organisations/${globex}`, { code: 'x' }))).toBe(
        '400 invalid_request code',
      )
    })

    it('are removed with what belongs to them; the people stay', async () => {
      const { uuid } = await made('/organisations', { code: fresh('org'), name: 'Org' })
      const unit = await made('/units', { organisation_uuid: uuid, code: 'top', name: 'Top' })
      const below = { organisation_uuid: uuid, code: 'below', name: 'Below', parent_uuid: unit.uuid }
      await made('/units', below)
      const person = await signedIn({
        role_code: 'importer',
        organisation_uuid: uuid,
        organisation_unit_uuid: unit.uuid,
      })
      expect((await admin.delete(`/organisations/${String(uuid)}`)).status).toBe(204)
      await hasEnded(person.tokens)
      expect(problemOf(await admin.get(`/organisations/${String(uuid)}`))).toBe('404 not_found')
      expect(problemOf(await admin.get(`/units/${String(unit.uuid)}`))).toBe('404 not_found')
      expect(problemOf(await admin.get(`/profiles/${person.profile}`))).toBe('404 not_found')
      expect((await admin.get(`/users/${person.user}`)).status).toBe(200)
      expect(await admin.all(`/users?organisation_uuid=${String(uuid)}`)).toEqual([])
    })
  })

  describe('units', () => {
    it('are a tree, whose people are found from above', async () => {
      const { uuid } = await made('/organisations', { code: fresh('org'), name: 'Org' })
      const unit = async (code: string, parent?: unknown) =>
        String(
          (
            await made('/units', {
              organisation_uuid: uuid,
              code,
              name: code,
              ...(parent !== undefined && { parent_uuid: parent }),
            })
          ).uuid,
        )
      const [a, b] = [await unit('a'), await unit('b')]
      const below = await unit('a-below', a)
      const deep = await unit('a-deep', below)
      const person = await signedIn({
        role_code: 'importer',
        organisation_uuid: uuid,
        organisation_unit_uuid: deep,
      })
      const at = async (one: string) =>
        (await admin.all(`/users?organisation_unit_uuid=${one}`)).map((row) => row.email)
      for (const one of [a, below, deep]) expect(await at(one)).toEqual([person.email])
      expect(await at(b)).toEqual([])
      expect((await admin.patch(`/units/${below}`, { parent_uuid: b })).json.parent_uuid).toBe(b)
      for (const one of [b, below, deep]) expect(await at(one)).toEqual([person.email])
      expect(await at(a)).toEqual([])
      expect((await admin.patch(`/units/${below}`, { parent_uuid: null })).json.parent_uuid).toBeNull()
      expect(await at(b)).toEqual([])
      const codes = (await admin.all(`/units?organisation_uuid=${String(uuid)}`, 1)).map((row) => row.code)
      expect(codes).toHaveLength(4)
      const listed = async (query: string) =>
        (await admin.all(`/units?organisation_uuid=${String(uuid)}&${query}`, 1)).map((row) => row.uuid)
      expect(await listed(`parent_uuid=${below}`)).toEqual([deep])
      expect(await listed(`parent_uuid=${[a, b, below].join(',')}`)).toEqual([deep])
      expect(await listed('top=true')).toEqual([a, below, b])
      expect(await listed('top=false')).toEqual([deep])
      const found = await admin.all(`/units?organisation_uuid=${String(uuid)}&q=A-`)
      expect(found.map((row) => String(row.code)).sort()).toEqual(['a-below', 'a-deep'])
      for (const target of [below, deep]) {
        const circle = await admin.patch(`/units/${below}`, { parent_uuid: target })
        expect(problemOf(circle)).toBe('409 conflict parent_uuid')
      }
    })

    it('of which two are moved below one another at once make no circle', async () => {
      const { uuid } = await made('/organisations', { code: fresh('org'), name: 'Org' })
      const unit = async (code: string) =>
        String((await made('/units', { organisation_uuid: uuid, code, name: code })).uuid)
      const [a, b] = [await unit('a'), await unit('b')]
      const answers = await Promise.all([
        admin.ask('PATCH', `/units/${a}`, { body: { parent_uuid: b }, match: '*' }),
        admin.ask('PATCH', `/units/${b}`, { body: { parent_uuid: a }, match: '*' }),
      ])
      expect(answers.map((one) => one.status).toSorted((x, y) => x - y)).toEqual([200, 409])
    })

    it.each([
      [{ code: 'x', name: 'x' }, '400 invalid_request organisation_uuid'],
      [{ organisation_uuid: intake, code: 'x', name: 'x' }, '400 invalid_request organisation_uuid'],
      [
        { organisation_uuid: globex, parent_uuid: intake, code: 'x', name: 'x' },
        '400 invalid_request parent_uuid',
      ],
      [{ organisation_uuid: acme, code: 'intake', name: 'x' }, '409 conflict code'],
    ])('refuse %j with %s', async (body, problem) => {
      expect(problemOf(await admin.post('/units', body))).toBe(problem)
    })

    it('are searched within an organisation', async () => {
      expect(problemOf(await admin.get('/units?q=x'))).toBe('400 invalid_request organisation_uuid')
      expect(await admin.all(`/units?organisation_uuid=${acme}&q=_`)).toEqual([])
      expect(await admin.all(`/units?organisation_uuid=${acme}&q=%25`)).toEqual([])
      await made('/units', { organisation_uuid: acme, code: fresh('unit'), name: 'Überlingen am See-Ufer' })
      expect(await admin.all(`/units?organisation_uuid=${acme}&q=berlingen`)).toEqual([])
      for (const q of ['über', 'ÜBER', 'Ü', 'see', 'UFER', 'am s']) {
        expect(await admin.all(`/units?organisation_uuid=${acme}&q=${q}`), q).toHaveLength(1)
      }
    })

    it('are not removed while there are units below', async () => {
      const unit = await made('/units', { organisation_uuid: acme, code: fresh('unit'), name: 'Unit' })
      const path = `/units/${String(unit.uuid)}`
      const profile = { role_code: 'importer', organisation_uuid: acme, organisation_unit_uuid: unit.uuid }
      const person = await signedIn(profile)
      const below = { organisation_uuid: acme, parent_uuid: unit.uuid, code: fresh('unit'), name: 'x' }
      const child = await made('/units', below)
      expect(problemOf(await admin.delete(path))).toBe('409 conflict')
      await admin.delete(`/units/${String(child.uuid)}`)
      expect((await admin.delete(path)).status).toBe(204)
      expect(await admin.all(`/users?organisation_uuid=${acme}&q=${person.email}`)).toEqual([])
    })
  })

  describe('roles', () => {
    it('are added, found, and give what they hold at the next refresh', async () => {
      const code = fresh('role')
      const role = await made('/roles', {
        code,
        name: 'Role',
        permissions: ['submissions-tool.vista-import.read', 'ledger.entry.read'],
      })
      expect(role).toEqual({
        code,
        name: 'Role',
        permissions: ['ledger.entry.read', 'submissions-tool.vista-import.read'],
        active: true,
        policy: null,
        managed_by: null,
      })
      expect((await admin.all(`/roles?q=${code}`)).map((row) => row.code)).toEqual([code])
      const person = await signedIn({ role_code: code, organisation_uuid: acme })
      const changed = await admin.patch(`/roles/${code}`, {
        permissions: ['submissions-tool.vista-import.create'],
      })
      expect(changed.json.permissions).toEqual(['submissions-tool.vista-import.create'])
      const { access_token: next } = tokensOf(await refresh(tessera.url, person.tokens.refresh_token))
      expect(claimsOf(next).permissions).toEqual(['submissions-tool.vista-import.create'])
      const [, row] = await recordsOf(code)
      expect(row?.after).toEqual({ permissions: ['submissions-tool.vista-import.create'] })
    })

    it.each([
      [{ name: 'x' }, '400 invalid_request code'],
      [{ code: 'x', name: 'x', permissions: ['no.such.one'] }, '400 invalid_request permissions.0'],
      [
        { code: 'x', name: 'x', permissions: ['iam.users.read', 'iam.users.*'] },
        '400 invalid_request permissions.1',
      ],
      [{ code: 'x', name: 'x', permissions: ['iam.no.read'] }, '400 invalid_request permissions.0'],
      [{ code: 'x', name: 'x', permissions: ['iam.*', 'iam.*'] }, '400 invalid_request permissions'],
      [{ code: 'x', name: 'x', permissions: 'iam.*' }, '400 invalid_request permissions'],
      [{ code: 'importer', name: 'x' }, '409 conflict code'],
    ])('refuse %j with %s', async (body, problem) => {
      expect(problemOf(await admin.post('/roles', body))).toBe(problem)
    })

    it('that are removed take their profiles along', async () => {
      const code = fresh('role')
      await made('/roles', { code, name: 'Role', permissions: ['submissions-tool.vista-import.read'] })
      const person = await signedIn({ role_code: code, organisation_uuid: acme })
      expect((await admin.delete(`/roles/${code}`)).status).toBe(204)
      expect(await admin.all(`/profiles?user_uuid=${person.user}`)).toEqual([])
      expect(await admin.all(`/users?organisation_uuid=${acme}&q=${person.email}`)).toEqual([])
      expect(problemOf(await admin.get(`/roles/${code}`))).toBe('404 not_found')
    })
  })

  describe('permissions and services', () => {
    it('are listed, the built-in ones first, page by page', async () => {
      const codes = (await admin.all('/permissions')).map((row) => String(row.code))
      expect(codes.slice(0, iamPermissions.length)).toEqual(
        iamPermissions.toSorted((a, b) => (a < b ? -1 : 1)),
      )
      expect(codes.slice(iamPermissions.length)).toContain('ledger.entry.read')
      for (const limit of [1, 7, iamPermissions.length, iamPermissions.length + 1]) {
        expect((await admin.all('/permissions', limit)).map((row) => row.code)).toEqual(codes)
      }
      expect((await admin.all('/permissions?service_code=ledger', 1)).map((row) => row.code)).toEqual([
        'ledger.entry.create',
        'ledger.entry.read',
      ])
      expect(await admin.all('/permissions?service_code=iam')).toHaveLength(iamPermissions.length)
      expect((await admin.all('/permissions?q=ledger.entry.r')).map((row) => row.code)).toEqual([
        'ledger.entry.read',
      ])
      const services = (await admin.all('/services')).map((row) => row.code)
      expect(services).toEqual(['iam', 'ledger', 'submissions-tool'])
      for (const limit of [1, 2]) {
        expect((await admin.all('/services', limit)).map((row) => row.code)).toEqual(services)
      }
      expect((await admin.get('/services/iam')).json).toMatchObject({
        audience: `${tessera.url}/admin`,
        access_token_alg: 'RS256',
        built_in: true,
      })
      expect((await admin.get('/permissions/iam.users.read')).json).toMatchObject({ built_in: true })
    })

    it('are added, given, and gone from roles, clients and tokens when they are removed', async () => {
      const code = fresh('tool')
      const audience = `https://${code}.example/api`
      await made('/services', { code, name: 'Tool', audience })
      const permission = `${code}.thing.read`
      await made('/permissions', { code: permission, description: 'See things' })
      await made('/permissions', { code: `${code}.thing.create` })
      await made('/roles', { code, name: 'Role', permissions: [permission, 'ledger.entry.read'] })
      await changeClient(tessera, 'ledger-report', {
        services: JSON.stringify(['ledger', code]),
        permissions: JSON.stringify([permission, 'ledger.entry.read']),
      })
      const form = { client_id: 'ledger-report', client_secret: 'ledger-report-development-secret' }
      const claims = async () => claimsOf(await machineToken(tessera.url, form))
      expect(await claims()).toMatchObject({ permissions: ['ledger.entry.read', permission] })
      const version = (await admin.get(`/roles/${code}`)).etag
      expect((await admin.delete(`/permissions/${permission}`)).status).toBe(204)
      expect(await claims()).toMatchObject({ permissions: ['ledger.entry.read'] })
      const role = await admin.get(`/roles/${code}`)
      expect(role.json.permissions).toEqual(['ledger.entry.read'])
      expect(role.etag).not.toBe(version)
      expect((await claims()).aud).toContain(audience)
      expect((await admin.delete(`/services/${code}`)).status).toBe(204)
      expect((await claims()).aud).toBe('https://ledger.acme.example/api')
      expect(problemOf(await admin.get(`/permissions/${code}.thing.create`))).toBe('404 not_found')
    })

    it('are described and addressed otherwise', async () => {
      const path = '/permissions/submissions-tool.submission.approve'
      expect((await admin.patch(path, { description: 'Say yes' })).json.description).toBe('Say yes')
      expect((await admin.patch(path, { description: null })).json.description).toBe('')
      const code = fresh('tool')
      await made('/services', { code, name: 'Tool', audience: `https://${code}.example/api` })
      const changed = await admin.patch(`/services/${code}`, {
        name: 'Other',
        audience: `https://${code}.example/v2`,
      })
      expect(changed.json).toMatchObject({
        name: 'Other',
        audience: `https://${code}.example/v2`,
        access_token_alg: 'RS256',
        description: null,
      })
      const description = 'Weighs what comes.\nAnd what goes.'
      expect((await admin.patch(`/services/${code}`, { description })).json).toMatchObject({ description })
      expect((await admin.get('/services/iam')).json.description).toBeNull()
      expect((await admin.patch(`/services/${code}`, { description: null })).json.description).toBeNull()
    })

    it('say what their access tokens are signed with, from the next one on', async () => {
      const form = { client_id: 'ledger-report', client_secret: 'ledger-report-development-secret' }
      const alg = async () => {
        const [header = ''] = (await machineToken(tessera.url, form)).split('.')
        return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string }).alg
      }
      expect(await alg()).toBe('RS256')
      const before = await admin.get('/services/ledger')
      const changed = await admin.patch('/services/ledger', { access_token_alg: 'ES256' })
      expect(changed.json).toEqual({ ...before.json, access_token_alg: 'ES256' })
      expect(changed.etag).not.toBe(before.etag)
      expect(await alg()).toBe('ES256')
      await admin.patch('/services/ledger', { access_token_alg: 'RS256' })
      expect(await alg()).toBe('RS256')
      const code = fresh('tool')
      const body = { code, name: 'Tool', audience: `https://${code}.example/api`, access_token_alg: 'ES256' }
      await made('/services', body)
      expect((await admin.get(`/services/${code}`)).json).toMatchObject(body)
    })

    it.each([
      [
        'POST',
        '/services',
        { code: 'iam', name: 'x', audience: 'https://x.example/api' },
        '409 conflict code',
      ],
      [
        'POST',
        '/services',
        { code: 'ledger', name: 'x', audience: 'https://x.example/api' },
        '409 conflict code',
      ],
      [
        'POST',
        '/services',
        { code: 'x', name: 'x', audience: 'https://ledger.acme.example/api' },
        '409 conflict audience',
      ],
      ['POST', '/services', { code: 'x', name: 'x', audience: 'x' }, '400 invalid_request audience'],
      [
        'PATCH',
        '/services/ledger',
        { audience: 'https://submissions.acme.example/api' },
        '409 conflict audience',
      ],
      ['PATCH', '/services/ledger', { code: 'x' }, '400 invalid_request code'],
      ['PATCH', '/services/ledger', { description: '' }, '400 invalid_request description'],
      ['PATCH', '/services/ledger', { description: 'x'.repeat(1001) }, '400 invalid_request description'],
      ['PATCH', '/services/ledger', { description: 'a\u0000b' }, '400 invalid_request description'],
      ['PATCH', '/services/ledger', { description: 'a\u202eb' }, '400 invalid_request description'],
      ['PATCH', '/services/iam', { description: 'x' }, '403 forbidden'],
      ['PATCH', '/services/ledger', { access_token_alg: 'HS256' }, '400 invalid_request access_token_alg'],
      ['PATCH', '/services/ledger', { access_token_alg: null }, '400 invalid_request access_token_alg'],
      [
        'POST',
        '/services',
        { code: 'x', name: 'x', audience: 'https://x.example/api', access_token_alg: 'none' },
        '400 invalid_request access_token_alg',
      ],
      ['PATCH', '/services/iam', { access_token_alg: 'ES256' }, '403 forbidden'],
      ['PATCH', '/services/iam', { name: 'x' }, '403 forbidden'],
      ['DELETE', '/services/iam', undefined, '403 forbidden'],
      ['POST', '/permissions', { code: 'iam.secrets.read' }, '403 forbidden'],
      ['POST', '/permissions', { code: 'no-such.thing.read' }, '400 invalid_request code'],
      ['POST', '/permissions', { code: 'ledger.entry' }, '400 invalid_request code'],
      ['POST', '/permissions', { code: 'ledger.*.read' }, '400 invalid_request code'],
      ['POST', '/permissions', { code: 'ledger.entry.read' }, '409 conflict code'],
      ['PATCH', '/permissions/iam.users.read', { description: 'x' }, '403 forbidden'],
      ['DELETE', '/permissions/iam.users.read', undefined, '403 forbidden'],
      ['DELETE', '/permissions/no-such.thing.read', undefined, '404 not_found'],
      ['DELETE', '/services/no-such', undefined, '404 not_found'],
    ])('refuse %s %s %j with %s', async (method, path, body, problem) => {
      const sent = body === undefined ? {} : { body }
      expect(problemOf(await admin.ask(method, path, { match: '*', ...sent }))).toBe(problem)
    })

    it('take no audience of Tessera itself', async () => {
      for (const audience of [tessera.url, `${tessera.url}/admin`]) {
        const body = { code: 'x', name: 'x', audience }
        expect(problemOf(await admin.post('/services', body))).toBe('409 conflict audience')
        expect(problemOf(await admin.patch('/services/ledger', { audience }))).toBe('409 conflict audience')
      }
    })
  })

  it.each([
    ['profile', `/profiles/${profiles.importer}`],
    ['role', '/roles/importer'],
    ['unit', `/units/${intake}`],
    ['user', `/users/${users.importer}`],
  ])('lets an exchange beside the disabling of a %s give nothing that works later', async (_name, path) => {
    const visitor = new Visitor(tessera.url)
    const forms: Record<string, string>[] = []
    for (let n = 0; n < 20; n++) forms.push(await visitor.code())
    const given: Record<string, string>[] = []
    const exchange = async (form: Record<string, string>) => {
      const answer = await token(tessera.url, form)
      if (answer.status === 200) given.push(tokensOf(answer))
    }
    // Some before, the others beside it.
    for (const form of forms.slice(0, 3)) await exchange(form)
    const disabling = admin.ask('PATCH', path, { body: { active: false }, match: '*' })
    await Promise.all([disabling, ...forms.slice(3).map(exchange)])
    expect((await disabling).status).toBe(200)
    expect((await admin.patch(path, { active: true })).status).toBe(200)
    expect(given.length).toBeGreaterThan(2)
    for (const tokens of given) {
      expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
      expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
    }
  })

  it.each([
    [`/organisations/${globex}`, { name: 'x' }],
    [`/units/${finance}`, { name: 'x' }],
    [`/profiles/${profiles.bothReader}`, { active: true }],
    ['/roles/reader', { name: 'x' }],
    ['/permissions/ledger.entry.read', { description: 'x' }],
    ['/services/ledger', { name: 'x' }],
  ])('changes %s only in the version that was read', async (path, body) => {
    expect(problemOf(await admin.ask('PATCH', path, { body }))).toBe('428 precondition_required')
    expect(problemOf(await admin.ask('PATCH', path, { body, match: '"77"' }))).toBe('412 precondition_failed')
    expect(problemOf(await admin.delete(path, '"77"'))).toBe('412 precondition_failed')
    const { etag } = await admin.get(path)
    expect((await admin.ask('PATCH', path, { body, match: etag })).status).toBe(200)
    expect((await admin.ask('PATCH', path, { body, match: (await admin.get(path)).etag })).status).toBe(200)
  })
})
