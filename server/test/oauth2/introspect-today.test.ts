import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Administrator, profiles, startAdministered, users } from '../administration/support.ts'
import { claimsOf, people, profilesOfBoth } from '../harness/browser.ts'
import { onEachDatabase, sampleOn } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { audiences, introspect, machineToken, otherMachine, userinfo, Visitor } from '../harness/program.ts'

/** A change, what it makes of what introspection tells, and the change that takes it back. */
interface Case {
  name: string
  path: string
  body: object
  back: object
  /** Undefined: the token is not active. */
  told: Record<string, unknown> | undefined
}

const inactive = { active: false }
const web = '/clients/submissions-web'
const webServices = ['ledger', 'submissions-tool']
const webScope = 'openid email profile service.api'
const reader = ['ledger.entry.read', 'submissions-tool.vista-import.read']
const ofReader = `/profiles/${profiles.bothReader}`

const ofPeople: Case[] = [
  {
    name: 'a permission is taken from the role',
    path: '/roles/reader',
    body: { permissions: ['submissions-tool.vista-import.read'] },
    back: { permissions: reader },
    told: { permissions: ['submissions-tool.vista-import.read'] },
  },
  {
    name: 'one is given to the role, which the token does not hold',
    path: '/roles/reader',
    body: { permissions: [...reader, 'ledger.entry.create'] },
    back: { permissions: reader },
    told: {},
  },
  {
    name: 'all are taken from the role',
    path: '/roles/reader',
    body: { permissions: [] },
    back: { permissions: reader },
    told: { permissions: [] },
  },
  {
    name: 'the client gets a list of what may be done through it',
    path: web,
    body: { permissions: ['ledger.entry.read', 'ledger.entry.create'] },
    back: { permissions: null },
    told: { permissions: ['ledger.entry.read'] },
  },
  {
    name: 'that list is emptied',
    path: web,
    body: { permissions: [] },
    back: { permissions: null },
    told: { permissions: [] },
  },
  {
    name: 'a service is taken from the client',
    path: web,
    body: { services: ['submissions-tool'] },
    back: { services: webServices },
    told: { aud: audiences.submissions, permissions: ['submissions-tool.vista-import.read'] },
  },
  {
    name: 'all services are taken from the client',
    path: web,
    body: { services: [] },
    back: { services: webServices },
    told: undefined,
  },
  {
    name: 'the administration is assigned to the client',
    path: web,
    body: { services: [...webServices, 'iam'] },
    back: { services: webServices },
    told: {},
  },
  {
    name: 'a service gets another audience',
    path: '/services/ledger',
    body: { audience: 'https://elsewhere.acme.example' },
    back: { audience: audiences.ledger },
    told: { aud: audiences.submissions, permissions: ['submissions-tool.vista-import.read'] },
  },
  {
    name: 'the profile is given another role',
    path: ofReader,
    body: { role_code: 'importer' },
    back: { role_code: 'reader' },
    told: { role_code: 'importer', permissions: ['submissions-tool.vista-import.read'] },
  },
  {
    name: 'the profile holds for the organisation instead of a unit',
    path: ofReader,
    body: { organisation_unit_uuid: null },
    back: { organisation_unit_uuid: '5b0c4f0e-6a53-4d0c-9b3e-0f3a0d5b1a03' },
    told: { organisation_unit_uuid: undefined },
  },
  {
    name: 'the person has another address',
    path: `/users/${users.both}`,
    body: { email: 'married@acme.example' },
    back: { email: 'both@acme.example' },
    told: { email: 'married@acme.example' },
  },
  {
    name: 'the scope email is taken from the client',
    path: web,
    body: { scope: 'openid profile service.api' },
    back: { scope: webScope },
    told: { scope: 'openid profile service.api', email: undefined },
  },
  {
    name: 'the scope service.api is taken from the client',
    path: web,
    body: { scope: 'openid email profile' },
    back: { scope: webScope },
    told: undefined,
  },
]

const submission = ['submissions-tool.vista-import.create', 'submissions-tool.vista-import.read']
const importer = '/clients/nightly-import'

const ofMachines: Case[] = [
  {
    name: 'a permission is taken from it',
    path: importer,
    body: { permissions: ['submissions-tool.vista-import.read'] },
    back: { permissions: submission },
    told: { permissions: ['submissions-tool.vista-import.read'] },
  },
  {
    name: 'all its permissions are',
    path: importer,
    body: { permissions: [] },
    back: { permissions: submission },
    told: { permissions: [] },
  },
  {
    name: 'the service is',
    path: importer,
    body: { services: ['ledger'], permissions: [] },
    back: { services: ['submissions-tool'], permissions: submission },
    told: undefined,
  },
  {
    name: 'the service gets another audience',
    path: '/services/submissions-tool',
    body: { audience: 'https://elsewhere.acme.example' },
    back: { audience: audiences.submissions },
    told: undefined,
  },
]

onEachDatabase('what introspection tells of a token today', (dialect) => {
  let tessera: Tessera
  let administrator: Administrator
  let caller: Record<string, string>
  const change = async (path: string, body: object) => {
    const { status, text } = await administrator.patch(path, body)
    if (status !== 200) throw new Error(`Not changed but ${status}: ${text}`)
  }
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    administrator = await Administrator.machine(tessera.url)
    await change(web, { services: webServices })
    await change(importer, { permissions: submission })
    const body = { client_name: 'Both', type: 'machine', services: webServices, permissions: [] }
    const client_id = 'both-services'
    const made = await administrator.post('/clients', { ...body, client_id })
    caller = { client_id, client_secret: String(made.json.client_secret) }
  })
  afterAll(() => tessera.close())
  const tellBoth = async (token: string) => await introspect(tessera.url, token, caller)

  it.each(sampleOn(dialect, 3, ofPeople))('when $name', async ({ path, body, back, told }) => {
    const visitor = new Visitor(tessera.url, people.both)
    const token = (await visitor.tokens({ profile_uuid: profilesOfBoth.reader })).access_token ?? ''
    const before = { active: true, token_type: 'Bearer', ...claimsOf(token) }
    expect(before).toMatchObject({ permissions: reader, aud: [audiences.ledger, audiences.submissions] })
    expect(await tellBoth(token)).toEqual(before)
    await change(path, body)
    const after = await tellBoth(token)
    await change(path, back)
    expect(after).toEqual(told === undefined ? inactive : { ...before, ...told })
    // Nothing of the token has ended, so what is given back counts again.
    expect(await tellBoth(token)).toEqual(before)
  })

  it.each(ofMachines)('of a machine when $name', async ({ path, body, back, told }) => {
    const token = await machineToken(tessera.url)
    const before = { active: true, token_type: 'Bearer', ...claimsOf(token) }
    expect(before).toMatchObject({ permissions: submission })
    expect(await introspect(tessera.url, token)).toEqual(before)
    await change(path, body)
    const after = await introspect(tessera.url, token)
    await change(path, back)
    expect(after).toEqual(told === undefined ? inactive : { ...before, ...told })
    expect(await introspect(tessera.url, token)).toEqual(before)
  })

  describe('to those for whom it is no more', () => {
    it('tells nothing to the service that was taken from its client', async () => {
      const visitor = new Visitor(tessera.url, people.both)
      const token = (await visitor.tokens({ profile_uuid: profilesOfBoth.reader })).access_token
      const ledger = async () => await introspect(tessera.url, token, otherMachine)
      expect(await ledger()).toMatchObject({ active: true })
      await change(web, { services: ['submissions-tool'] })
      const after = [await ledger(), await introspect(tessera.url, token)]
      await change(web, { services: webServices })
      expect(after).toMatchObject([inactive, { active: true, aud: audiences.submissions }])
    })

    it('does not take the audience that another service has now for the one that it was issued for', async () => {
      const visitor = new Visitor(tessera.url, people.both)
      const changes = { profile_uuid: profilesOfBoth.reader, resource: audiences.ledger }
      const token = (await visitor.tokens(changes)).access_token ?? ''
      await change('/services/ledger', { audience: 'https://elsewhere.acme.example' })
      await change('/services/submissions-tool', { audience: audiences.ledger })
      const after = await tellBoth(token)
      await change('/services/submissions-tool', { audience: audiences.submissions })
      await change('/services/ledger', { audience: audiences.ledger })
      expect(after).toMatchObject({ active: true, aud: audiences.ledger, permissions: [] })
    })
  })

  it('is gone when the only service that it is for is removed', async () => {
    const audience = 'https://lunch.acme.example'
    const service = { code: 'lunch', name: 'Lunch', audience }
    expect((await administrator.post('/services', service)).status).toBe(201)
    await change(web, { services: [...webServices, 'lunch'] })
    const visitor = new Visitor(tessera.url, people.both)
    const changes = { profile_uuid: profilesOfBoth.reader }
    const lunch = (await visitor.tokens({ ...changes, resource: audience })).access_token
    const all = (await visitor.tokens(changes)).access_token ?? ''
    await change(web, { services: webServices })
    const { etag } = await administrator.get('/services/lunch')
    expect((await administrator.delete('/services/lunch', etag)).status).toBe(204)
    expect(await tellBoth(lunch ?? '')).toEqual(inactive)
    expect(await tellBoth(all)).toMatchObject({ aud: [audiences.ledger, audiences.submissions] })
  })

  it('is what userinfo tells as well: nothing by a scope that was taken from the client', async () => {
    const visitor = new Visitor(tessera.url, people.both)
    const token = (await visitor.tokens({ profile_uuid: profilesOfBoth.reader })).access_token
    expect((await userinfo(tessera.url, token)).json).toMatchObject({ email: 'both@acme.example' })
    await change(web, { scope: 'openid profile service.api' })
    const narrowed = await userinfo(tessera.url, token)
    await change(web, { scope: webScope })
    expect(narrowed.json).not.toHaveProperty('email')
    expect(narrowed.json).toMatchObject({ name: 'Acme Both' })
  })

  it('is what the administration asks as well: nothing by a client without service.api', async () => {
    const other = await Administrator.person(tessera.url, people.admin)
    expect((await other.get('/audit')).status).toBe(200)
    await change('/clients/admin-web', { scope: 'openid' })
    const refused = await other.get('/audit')
    await change('/clients/admin-web', { scope: 'openid service.api' })
    expect(refused).toMatchObject({ status: 401, json: { error: 'invalid_token' } })
    expect((await other.get('/audit')).status).toBe(200)
  })
})
