/** Clients and their secrets: who may register what, and that changes bite at once. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  globex,
  heads,
  problemOf,
  recordsWith,
  users,
  administeredOn,
} from './support.ts'
import { post } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { machineToken, refresh, token, userinfo, Visitor } from '../harness/program.ts'
import { everythingKept } from '../harness/states.ts'

const web = {
  client_id: 'portal',
  client_name: 'Portal',
  type: 'public',
  first_party: true,
  redirect_uris: ['https://portal.example/callback'],
  scope: 'openid service.api',
  services: ['submissions-tool'],
}
const robot = {
  client_id: 'robot',
  client_name: 'Robot',
  type: 'machine',
  services: ['submissions-tool'],
  permissions: ['submissions-tool.vista-import.read'],
}
const read = 'submissions-tool.vista-import.read'

onEachDatabase('clients', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const tokenStatus = async (client_id: string, client_secret: unknown) =>
    (
      await token(tessera.url, {
        grant_type: 'client_credentials',
        client_id,
        client_secret: String(client_secret),
      })
    ).status

  it('are added, read, listed, changed and removed', async () => {
    const made = await admin.post('/clients', web)
    expect([made.status, made.headers.get('location')]).toEqual([201, '/admin/v1/clients/portal'])
    expect(made.json).toMatchObject({
      ...web,
      active: true,
      application_type: 'web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      allowed_origins: ['https://portal.example'],
      permissions: null,
      organisation_uuid: null,
      secrets: [],
    })
    const names = Object.keys(made.json)
    expect(names.slice(0, 4)).toEqual(['client_id', 'type', 'token_endpoint_auth_method', 'client_name'])
    expect(names.slice(-3)).toEqual(['secrets', 'created_at', 'updated_at'])
    expect(made.json).not.toHaveProperty('client_secret')
    expect((await admin.get('/clients/portal')).json).toEqual(made.json)
    const cors = { origin: 'https://portal.example' }
    const preflight = async (origin: string) =>
      (await fetch(`${tessera.url}/oauth2/userinfo`, { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      )
    expect(await preflight(cors.origin)).toBe(cors.origin)

    const changed = await admin.patch('/clients/portal', {
      client_name: 'The portal',
      allowed_origins: ['https://other.example'],
      backchannel_logout_uri: 'https://portal.example/logout',
      permissions: [read],
    })
    expect(changed.status).toBe(200)
    expect(changed.json).toMatchObject({ client_name: 'The portal', permissions: [read] })
    expect(await preflight(cors.origin)).toBeNull()
    expect(await preflight('https://other.example')).toBe('https://other.example')

    const listed = await admin.all('/clients', 2)
    expect(listed.map((one) => one.client_id)).toEqual(
      expect.arrayContaining(['portal', 'admin-cli', 'retired-app']),
    )
    expect((await admin.all('/clients?q=PORT')).map((one) => one.client_id)).toEqual([
      'partner-portal',
      'portal',
    ])
    expect(await admin.all('/clients?q=p_rtal')).toEqual([])
    expect((await admin.all('/clients?active=false')).map((one) => one.client_id)).toEqual(['retired-app'])
    expect((await admin.all('/clients?type=machine')).every((one) => one.type === 'machine')).toBe(true)

    expect((await admin.delete('/clients/portal')).status).toBe(204)
    expect(problemOf(await admin.get('/clients/portal'))).toBe('404 not_found')
    const told = await recordsWith(admin, 'portal')
    expect(told.map((one) => one.kind)).toEqual(['client.created', 'client.changed', 'client.removed'])
  })

  describe.each<[string, object, string]>([
    ['no type', { client_id: 'x', client_name: 'X' }, '400 invalid_request type'],
    ['an unknown field', { ...web, secret_hash: 'x' }, '400 invalid_request secret_hash'],
    ['a secret of their own', { ...robot, client_secret: 'mine' }, '400 invalid_request client_secret'],
    ['a taken id', { ...web, client_id: 'submissions-web' }, '409 conflict client_id'],
    ['a uuid as id', { ...robot, client_id: acme }, '400 invalid_request client_id'],
    ['no redirect_uris', { ...web, redirect_uris: [] }, '400 invalid_request redirect_uris'],
    ['http', { ...web, redirect_uris: ['http://portal.example/'] }, '400 invalid_request redirect_uris.0'],
    ['a wildcard', { ...web, redirect_uris: ['https://*.example/'] }, '400 invalid_request redirect_uris.0'],
    [
      'a fragment',
      { ...web, post_logout_redirect_uris: ['https://p.example/#x'] },
      '400 invalid_request post_logout_redirect_uris.0',
    ],
    [
      'a scheme that runs',
      { ...web, redirect_uris: ['javascript:alert(1)'] },
      '400 invalid_request redirect_uris.0',
    ],
    [
      'a private scheme',
      { ...web, redirect_uris: ['com.example.app:/cb'] },
      '400 invalid_request redirect_uris.0',
    ],
    [
      'the same address twice',
      { ...web, redirect_uris: [web.redirect_uris[0], web.redirect_uris[0]] },
      '400 invalid_request redirect_uris',
    ],
    ['no openid', { ...web, scope: 'email' }, '400 invalid_request scope'],
    ['an unknown scope', { ...web, scope: 'openid admin' }, '400 invalid_request scope'],
    [
      'client_credentials for people',
      { ...web, grant_types: ['client_credentials'] },
      '400 invalid_request grant_types',
    ],
    [
      'a secret for people',
      { ...web, token_endpoint_auth_method: 'client_secret_post' },
      '400 invalid_request token_endpoint_auth_method',
    ],
    ['an unknown service', { ...web, services: ['nothing'] }, '400 invalid_request services'],
    [
      'an unknown permission',
      { ...robot, permissions: ['submissions-tool.x.y'] },
      '400 invalid_request permissions',
    ],
    [
      'a permission of another service',
      { ...robot, permissions: ['ledger.entry.read'] },
      '400 invalid_request permissions',
    ],
    [
      'addresses of a machine',
      { ...robot, redirect_uris: web.redirect_uris },
      '400 invalid_request redirect_uris',
    ],
    ['a machine that signs in', { ...robot, scope: 'openid' }, '400 invalid_request scope'],
    ['a machine without a list', { ...robot, permissions: null }, '400 invalid_request permissions'],
    [
      'an unknown organisation',
      { ...robot, organisation_uuid: acme.replace(/.$/, 'f') },
      '400 invalid_request organisation_uuid',
    ],
    [
      'tokens that live too long',
      { ...robot, access_token_lifetime: 86_401 },
      '400 invalid_request access_token_lifetime',
    ],
    [
      'lifetimes that contradict',
      { ...web, refresh_idle_lifetime: 9, refresh_absolute_lifetime: 5 },
      '400 invalid_request refresh_idle_lifetime',
    ],
  ])('with %s', (_name, body, problem) => {
    it('are refused, and nothing is written', async () => {
      const before = await admin.all('/clients')
      expect(problemOf(await admin.post('/clients', body))).toBe(problem)
      expect(await admin.all('/clients')).toEqual(before)
    })
  })

  it.each<[object, string]>([
    [{ redirect_uris: [] }, '400 invalid_request redirect_uris'],
    [{ redirect_uris: ['http://evil.example/'] }, '400 invalid_request redirect_uris.0'],
    [{ type: 'machine' }, '400 invalid_request type'],
    [{ client_id: 'other' }, '400 invalid_request client_id'],
    [{ secrets: [] }, '400 invalid_request secrets'],
    [{ scope: 'email' }, '400 invalid_request scope'],
    [{ client_name: null }, '400 invalid_request client_name'],
  ])('can not be changed to %j', async (body, problem) => {
    expect(problemOf(await admin.patch('/clients/submissions-web', body))).toBe(problem)
  })

  it('are changed in the version that was read alone', async () => {
    expect(problemOf(await admin.ask('PATCH', '/clients/partner-portal', { body: {} }))).toBe(
      '428 precondition_required',
    )
    const { etag } = await admin.get('/clients/partner-portal')
    const ask = (client_name: string) =>
      admin.ask('PATCH', '/clients/partner-portal', { body: { client_name }, match: etag })
    const answers = await Promise.all([ask('One'), ask('Two')])
    expect(answers.map((one) => one.status).sort((a, b) => a - b)).toEqual([200, 412])
  })

  describe('secrets', () => {
    it('are shown once, two at a time, and replaced without an outage', async () => {
      const made = await admin.post('/clients', robot)
      const first = made.json.client_secret
      expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(await tokenStatus('robot', first)).toBe(200)
      const second = await admin.post('/clients/robot/secrets', {})
      expect(second.status).toBe(201)
      expect(second.json.client_secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(await tokenStatus('robot', first)).toBe(200)
      expect(await tokenStatus('robot', second.json.client_secret)).toBe(200)
      expect(problemOf(await admin.post('/clients/robot/secrets', {}))).toBe('409 conflict')

      const shown = await admin.get('/clients/robot')
      const secrets = shown.json.secrets as { id: string }[]
      expect(secrets.map((one) => Object.keys(one))).toEqual([
        ['id', 'created_at', 'expires_at'],
        ['id', 'created_at', 'expires_at'],
      ])
      for (const secret of [first, second.json.client_secret]) {
        expect(shown.text + (await admin.get('/clients?q=robot')).text).not.toContain(String(secret))
      }
      expect((await admin.delete(`/clients/robot/secrets/${secrets[0]?.id}`)).status).toBe(204)
      expect(await tokenStatus('robot', first)).toBe(401)
      expect(await tokenStatus('robot', second.json.client_secret)).toBe(200)
      expect(problemOf(await admin.delete(`/clients/robot/secrets/${secrets[0]?.id}`))).toBe('404 not_found')
    })

    it('of parallel requests no third is added', async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => admin.post('/clients/robot/secrets', {})))
      expect(answers.map((one) => one.status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409])
    })

    it('run out, and make room for another', async () => {
      const expires_at = new Date(tessera.clock.now() + 60_000).toISOString()
      await admin.post('/clients', { ...robot, client_id: 'brief' })
      const made = await admin.post('/clients/brief/secrets', { expires_at })
      expect(made.json.expires_at).toBe(expires_at)
      expect(await tokenStatus('brief', made.json.client_secret)).toBe(200)
      tessera.clock.advance(61_000)
      expect(await tokenStatus('brief', made.json.client_secret)).toBe(401)
      expect((await admin.post('/clients/brief/secrets', {})).status).toBe(201)
      expect(((await admin.get('/clients/brief')).json.secrets as unknown[]).length).toBe(2)
    })

    it('stand neither in what is repeated nor in the audit nor in the database', async () => {
      const key = { 'idempotency-key': 'once' }
      const first = await admin.post('/clients', { ...robot, client_id: 'repeated' }, key)
      const again = await admin.post('/clients', { ...robot, client_id: 'repeated' }, key)
      expect([first.status, again.status]).toEqual([201, 201])
      expect(again.json).not.toHaveProperty('client_secret')
      expect(((await admin.get('/clients/repeated')).json.secrets as unknown[]).length).toBe(1)
      const stored = await everythingKept(tessera)
      expect(stored).not.toContain(first.json.client_secret)
      expect(stored).toContain('(changed)')
    })

    it.each<[string, object, string]>([
      ['submissions-web', {}, '409 conflict'],
      ['nobody', {}, '404 not_found'],
      ['robot', { expires_at: '2001-01-01' }, '400 invalid_request expires_at'],
      ['robot', { client_secret: 'mine' }, '400 invalid_request client_secret'],
    ])('are refused: %s %j', async (id, body, problem) => {
      expect(problemOf(await admin.post(`/clients/${id}/secrets`, body))).toBe(problem)
    })
  })

  describe('when one is disabled or removed', () => {
    it.each(['its organisation is', 'it moves to an organisation that is'])(
      'its tokens and codes end for good when %s disabled',
      async (how) => {
        const client_id = `web-of-${how.length}`
        const organisation = await admin.post('/organisations', { code: client_id, name: 'Its own' })
        const organisation_uuid = String(organisation.json.uuid)
        const redirect_uris = ['http://127.0.0.1:4001/callback']
        const belongs = how.startsWith('its') ? { organisation_uuid } : {}
        const made = await admin.post('/clients', { ...web, client_id, redirect_uris, ...belongs })
        expect(made.status).toBe(201)
        const visitor = new Visitor(tessera.url)
        const profile = { user_uuid: users.importer, role_code: 'importer', organisation_uuid }
        const { uuid } = (await admin.post('/profiles', profile)).json
        const asked = { client_id, scope: 'openid service.api', profile_uuid: String(uuid) }
        const tokens = await visitor.tokens(asked)
        const code = await visitor.code(asked)
        const set = async (path: string, body: object) =>
          expect((await admin.patch(path, body)).status).toBe(200)
        await set(`/organisations/${organisation_uuid}`, { active: false })
        if (!how.startsWith('its')) await set(`/clients/${client_id}`, { organisation_uuid })
        expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
        expect((await refresh(tessera.url, tokens.refresh_token, { client_id })).status).toBe(401)
        await set(`/organisations/${organisation_uuid}`, { active: true })
        expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(401)
        expect((await refresh(tessera.url, tokens.refresh_token, { client_id })).status).toBe(400)
        expect((await token(tessera.url, code)).json.error).toBe('invalid_grant')
        expect((await token(tessera.url, await visitor.code(asked))).status).toBe(200)
      },
    )

    it('a machine gets no more tokens', async () => {
      const made = await admin.post('/clients', { ...robot, client_id: 'stopped' })
      await admin.patch('/clients/stopped', { active: false })
      expect(await tokenStatus('stopped', made.json.client_secret)).toBe(401)
    })

    it.each([
      'it is disabled',
      'its organisation is disabled',
      'it moves to an organisation that is disabled',
    ])('the tokens of a machine end for good when %s', async (how) => {
      const client_id = `machine-${how.length}`
      const organisation = await admin.post('/organisations', { code: client_id, name: 'Its own' })
      const place = `/organisations/${String(organisation.json.uuid)}`
      const itself = `/clients/${client_id}`
      const body = { ...robot, client_id, services: ['iam'], permissions: ['iam.roles.read'] }
      const belongs = how.startsWith('its') ? { organisation_uuid: organisation.json.uuid } : {}
      const { client_secret } = (await admin.post('/clients', { ...body, ...belongs })).json
      const form = { client_id, client_secret: String(client_secret) }
      const set = async (path: string, change: object) =>
        expect((await admin.patch(path, change)).status).toBe(200)
      const stands = async (subject: string) =>
        (await post(`${tessera.url}/oauth2/introspect`, { ...form, token: subject })).json.active
      const old = [await machineToken(tessera.url, form), await machineToken(tessera.url, form)]
      for (const subject of old) expect(await stands(subject)).toBe(true)
      // Twice: the generation after the first counts no more either.
      for (let time = 0; time < 2; time++) {
        if (how === 'it is disabled') await set(itself, { active: false })
        else await set(place, { active: false })
        if (how.startsWith('it moves')) await set(itself, { organisation_uuid: organisation.json.uuid })
        expect((await new Administrator(tessera.url, old.at(-1) ?? '').get('/roles')).status).toBe(401)
        if (how === 'it is disabled') await set(itself, { active: true })
        else await set(place, { active: true })
        for (const subject of old) {
          expect(await stands(subject)).toBe(false)
          expect((await new Administrator(tessera.url, subject).get('/roles')).status).toBe(401)
        }
        const next = await machineToken(tessera.url, form)
        expect(await stands(next)).toBe(true)
        old.push(next)
        if (how.startsWith('it moves')) await set(itself, { organisation_uuid: null })
      }
    })

    it.each([1, 7000, -60_000])(
      'one has nothing of a removed one’s tokens that is made anew %d ms later',
      async (later) => {
        const client_id = `renewed${later}`
        const client = { ...robot, client_id, services: ['iam'], permissions: ['iam.roles.read'] }
        const tokenNow = async () => {
          const { client_secret } = (await admin.post('/clients', client)).json
          const form = { client_id, client_secret: String(client_secret) }
          return [form, await machineToken(tessera.url, form)] as const
        }
        const [, former] = await tokenNow()
        expect((await new Administrator(tessera.url, former).get('/roles')).status).toBe(200)
        expect((await admin.delete(`/clients/${client_id}`)).status).toBe(204)
        tessera.clock.advance(later)
        const [form, next] = await tokenNow()
        const about = async (subject: string) =>
          (await post(`${tessera.url}/oauth2/introspect`, { ...form, token: subject })).json
        expect(await about(former)).toEqual({ active: false })
        expect(problemOf(await new Administrator(tessera.url, former).get('/roles'))).toBe(
          '401 invalid_token',
        )
        expect(await about(next)).toMatchObject({ active: true })
        expect((await new Administrator(tessera.url, next).get('/roles')).status).toBe(200)
      },
    )

    it.each([5000, 3_600_000])('one has its tokens by a clock that is %d ms behind', async (behind) => {
      const client_id = `behind-${behind}`
      const { client_secret } = (await admin.post('/clients', { ...robot, client_id })).json
      const form = { client_id, client_secret: String(client_secret) }
      tessera.clock.advance(-behind)
      const subject = await machineToken(tessera.url, form)
      const { json } = await post(`${tessera.url}/oauth2/introspect`, { ...form, token: subject })
      expect(json).toMatchObject({ active: true })
      tessera.clock.advance(behind)
    })
  })

  describe('administered from within an organisation', () => {
    it('are those of it', async () => {
      const seen = (await own.all('/clients')).map((one) => one.client_id)
      expect(seen).toEqual(['acme-cli', 'nightly-import'])
      expect(await own.all(`/clients?organisation_uuid=${globex}`)).toEqual([])
      for (const id of ['submissions-web', 'ledger-report', 'admin-cli', 'nobody']) {
        expect(problemOf(await own.get(`/clients/${id}`))).toBe('404 not_found')
        expect(
          problemOf(await own.ask('PATCH', `/clients/${id}`, { body: { active: false }, match: '*' })),
        ).toBe('404 not_found')
        expect(problemOf(await own.delete(`/clients/${id}`))).toBe('404 not_found')
        expect(problemOf(await own.post(`/clients/${id}/secrets`, {}))).toBe('404 not_found')
      }
    })

    it('may do what who adds them holds', async () => {
      const made = await own.post('/clients', { ...robot, client_id: 'acme-robot', organisation_uuid: acme })
      expect(made.status).toBe(201)
      expect(await tokenStatus('acme-robot', made.json.client_secret)).toBe(200)
      expect((await own.delete('/clients/acme-robot')).status).toBe(204)
    })

    const inAcme = { ...robot, client_id: 'acme-more', organisation_uuid: acme }
    it.each<[string, object, string]>([
      ['no organisation', robot, '403 forbidden organisation_uuid'],
      [
        'another organisation',
        { ...robot, organisation_uuid: globex },
        '400 invalid_request organisation_uuid',
      ],
      [
        'more than they hold',
        { ...inAcme, services: ['ledger'], permissions: ['ledger.entry.read'] },
        '403 forbidden',
      ],
      ['all of iam', { ...inAcme, services: ['iam'], permissions: ['iam.*'] }, '403 forbidden'],
      ['no consent', { ...web, organisation_uuid: acme, permissions: [read] }, '403 forbidden'],
      [
        'a service without a list',
        { ...web, first_party: false, organisation_uuid: acme },
        '403 forbidden permissions',
      ],
    ])('are not added with %s', async (_name, body, problem) => {
      expect(problemOf(await own.post('/clients', { ...body, client_id: 'acme-more' }))).toBe(problem)
      expect(problemOf(await admin.get('/clients/acme-more'))).toBe('404 not_found')
    })

    it('that hold more give nobody a secret', async () => {
      const more = {
        ...inAcme,
        client_id: 'acme-stronger',
        services: ['ledger'],
        permissions: ['ledger.entry.read'],
      }
      expect((await admin.post('/clients', more)).status).toBe(201)
      expect((await own.get('/clients/acme-stronger')).status).toBe(200)
      expect(problemOf(await own.post('/clients/acme-stronger/secrets', {}))).toBe('403 forbidden')
      expect(problemOf(await own.patch('/clients/acme-stronger', { client_name: 'Mine' }))).toBe(
        '403 forbidden',
      )
      expect(
        problemOf(
          await own.patch('/clients/nightly-import', {
            permissions: ['submissions-tool.submission.approve'],
          }),
        ),
      ).toBe('403 forbidden')
      expect(problemOf(await own.patch('/clients/nightly-import', { organisation_uuid: null }))).toBe(
        '403 forbidden organisation_uuid',
      )
      expect(problemOf(await own.patch('/clients/nightly-import', { organisation_uuid: globex }))).toBe(
        '400 invalid_request organisation_uuid',
      )
    })

    it('are none of a unit', async () => {
      const unitHead = await Administrator.person(tessera.url, heads.unitHead)
      expect(await unitHead.all('/clients')).toEqual([])
      expect(problemOf(await unitHead.get('/clients/nightly-import'))).toBe('404 not_found')
      expect(problemOf(await unitHead.post('/clients', inAcme))).toBe('403 forbidden')
    })
  })
})
