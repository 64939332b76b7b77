import { beforeAll, describe, expect, it } from 'vitest'
import { runHere, ways } from '../cli/command-support.ts'
import { claimsOf, people, redirectUri } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { audiences, machineToken, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'
import { everythingIn } from '../harness/states.ts'
import { acme, Administrator, administeredOn, heads, problemOf, profiles, users } from './support.ts'

const wiki = {
  client_id: 'wiki',
  client_name: 'Wiki',
  type: 'public',
  first_party: true,
  organisation_uuid: acme,
  redirect_uris: [redirectUri],
  scope: 'openid email profile groups service.api',
  services: ['submissions-tool'],
  groups: { from: 'permissions', service: 'submissions-tool' },
  claims: [
    { name: 'org', source: 'organisation_code' },
    { name: 'nick', source: 'given_name', in: ['id_token'] },
    { name: 'tenant', value: 'blue', in: ['userinfo'] },
  ],
}
const importer = { user_uuid: users.importer, profile_uuid: profiles.importer }

interface Document {
  claims: { claim: string; value: unknown; source: string }[]
  absent: { claim: string; reason: string }[]
}
const documentOf = (json: Record<string, unknown>, name: string) => json[name] as Document
const valuesOf = ({ claims }: Document) => Object.fromEntries(claims.map((one) => [one.claim, one.value]))
/** What is made when a token is issued. */
const issued = ['iat', 'exp', 'auth_time', 'jti', 'sid', 'acr', 'amr', 'nonce', 'at_hash']
const lasting = (claims: object) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !issued.includes(name)))

onOneDatabase('the preview of a client', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let head: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    expect((await admin.post('/clients', wiki)).status).toBe(201)
  })

  const preview = async (body: object, who = admin, client = 'wiki') =>
    await who.post(`/clients/${client}/preview`, body)

  it.each(['openid', 'openid email groups', wiki.scope])(
    'says what tokens and userinfo say, for the scope %s',
    async (scope) => {
      const tokens = await new Visitor(tessera.url).tokens({ client_id: 'wiki', scope })
      const { status, json } = await preview({ ...importer, scope })
      expect(status).toBe(200)
      expect(json).toMatchObject({ client_id: 'wiki', ...importer, scope, complete: true })
      const real = {
        access_token: claimsOf(tokens.access_token),
        id_token: claimsOf(tokens.id_token),
        userinfo: (await userinfo(tessera.url, tokens.access_token)).json,
      }
      for (const [name, claims] of Object.entries(real)) {
        const shown = documentOf(json, name)
        expect(lasting(valuesOf(shown))).toEqual(lasting(claims))
        expect(Object.keys(valuesOf(shown)).sort()).toEqual(Object.keys(claims).sort())
        for (const { claim, source } of shown.claims) expect([claim, source]).not.toEqual([claim, ''])
      }
    },
  )

  it('tells the source of each claim, and why another is absent', async () => {
    const { json } = await preview({ ...importer, scope: 'openid email' })
    const { claims, absent } = documentOf(json, 'id_token')
    expect(claims).toContainEqual({
      claim: 'org',
      value: 'acme',
      source: expect.stringMatching(/^claims of the client: /),
    })
    const reasons = Object.fromEntries(absent.map((one) => [one.claim, one.reason]))
    expect(reasons).toMatchObject({
      name: 'The scope profile is not granted.',
      groups: 'The scope groups is not granted.',
      nick: 'There is no given_name.',
    })
    expect(reasons).not.toHaveProperty('tenant')
    const all = await preview({ user_uuid: users.admin, profile_uuid: profiles.admin }, admin, 'admin-web')
    expect(documentOf(all.json, 'access_token').absent).toContainEqual({
      claim: 'organisation_uuid',
      reason: 'The profile is of no organisation.',
    })
  })

  it('of a machine is what its token says, without a person', async () => {
    const { json } = await preview({}, admin, 'nightly-import')
    expect(lasting(valuesOf(documentOf(json, 'access_token')))).toEqual(
      lasting(claimsOf(await machineToken(tessera.url))),
    )
    expect(json).toMatchObject({ user_uuid: null, id_token: null, userinfo: null })
    const refused = await preview(importer, admin, 'nightly-import')
    expect(problemOf(refused)).toBe('400 invalid_request user_uuid')
  })

  it('of a client of plain OAuth 2.0 is its access token alone: it is not told who signs in', async () => {
    const { groups: _, claims: __, ...told } = wiki
    const plain = {
      ...told,
      client_id: 'plain',
      type: 'web',
      scope: 'service.api email',
      require_nonce: false,
    }
    const { client_secret } = (await admin.post('/clients', plain)).json
    const form = await new Visitor(tessera.url).code({ client_id: 'plain', scope: 'service.api' })
    const { access_token, id_token } = tokensOf(
      await token(tessera.url, { ...form, client_secret: String(client_secret) }),
    )
    const { status, json } = await preview({ ...importer, scope: 'service.api' }, admin, 'plain')
    expect([status, id_token]).toEqual([200, undefined])
    expect(lasting(valuesOf(documentOf(json, 'access_token')))).toEqual(lasting(claimsOf(access_token)))
    expect(json).toMatchObject({ id_token: null, userinfo: null, complete: true })
    expect((await userinfo(tessera.url, access_token)).status).toBe(403)
    expect((await preview(importer, admin, 'plain')).json.scope).toBe('service.api email')
    for (const scope of ['email', 'openid service.api'])
      expect(problemOf(await preview({ ...importer, scope }, admin, 'plain'))).toBe(
        '400 invalid_request scope',
      )
  })

  it('keeps nothing and gives nothing', async () => {
    const before = await everythingIn(tessera)
    const { text } = await preview(importer)
    expect(text).not.toMatch(/eyJ[\w-]+\.eyJ/)
    expect(await everythingIn(tessera)).toEqual(before)
  })

  describe('is refused', () => {
    it.each<[string, object, string]>([
      ['without a person', {}, 'user_uuid'],
      ['without a profile', { user_uuid: users.importer }, 'profile_uuid'],
      [
        'with a profile elsewhere',
        { user_uuid: users.both, profile_uuid: profiles.bothBookkeeper },
        'profile_uuid',
      ],
      ['with a scope that it has not', { ...importer, scope: 'openid offline_access' }, 'scope'],
      ['without openid', { ...importer, scope: 'email' }, 'scope'],
      ['for another service', { ...importer, resource: audiences.ledger }, 'resource'],
    ])('%s', async (_, body, field) => {
      expect(problemOf(await preview(body))).toBe(`400 invalid_request ${field}`)
    })

    it('for what is not there, and for what others administer', async () => {
      const other = { user_uuid: users.importer, profile_uuid: profiles.bothReader }
      expect(problemOf(await preview(other))).toBe('404 not_found')
      expect(problemOf(await preview(importer, admin, 'nothing'))).toBe('404 not_found')
      expect(problemOf(await preview(importer, head, 'submissions-web'))).toBe('404 not_found')
      const abroad = { user_uuid: users.admin, profile_uuid: profiles.admin }
      expect(problemOf(await preview(abroad, head))).toBe('404 not_found')
      const elsewhere = { user_uuid: users.both, profile_uuid: profiles.bothBookkeeper }
      expect(problemOf(await preview(elsewhere, head))).toBe('404 not_found')
      const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
      expect((await preview(importer, onlooker)).status).toBe(403)
    })

    it.each<[string, string[], number]>([
      ['who may do what', ['iam.clients.read'], 403],
      ['people', ['iam.clients.read', 'iam.access.read'], 200],
    ])('to somebody who may read clients and not %s', async (_, permissions, ofMachine) => {
      const client_id = `reader-${permissions.length}`
      const reader = { client_id, client_name: 'Reader', type: 'machine', services: ['iam'] }
      const made = await admin.post('/clients', { ...reader, permissions })
      const form = { client_id, client_secret: String(made.json.client_secret) }
      const one = new Administrator(tessera.url, await machineToken(tessera.url, form))
      expect((await one.get('/clients/wiki')).status).toBe(200)
      expect(problemOf(await preview(importer, one))).toBe('403 insufficient_scope')
      expect((await preview({}, one, 'nightly-import')).status).toBe(ofMachine)
    })
  })

  it('tells an administrator of an organisation only permissions that they hold', async () => {
    const approve = 'submissions-tool.submission.approve'
    const code = 'approver'
    await admin.post('/roles', {
      code,
      name: 'Approver',
      permissions: [approve, 'submissions-tool.vista-import.read'],
    })
    const profile = { user_uuid: users.importer, role_code: code, organisation_uuid: acme }
    const { json: held } = await admin.post('/profiles', profile)
    const body = { user_uuid: users.importer, profile_uuid: held.uuid }
    expect((await preview(body)).text).toContain(approve)
    const { json, text } = await preview(body, head)
    expect(json.complete).toBe(false)
    expect(text).not.toContain(approve)
    expect(valuesOf(documentOf(json, 'access_token')).permissions).toEqual([
      'submissions-tool.vista-import.read',
    ])
    await admin.delete(`/profiles/${String(held.uuid)}`)
  })

  it.each(['http', 'database'] as const)('is shown by command, by %s', async (way) => {
    const environment = ways[way](tessera)
    const run = async (...line: string[]) => await runHere(['client', 'preview', ...line], { environment })
    const shown = await run('wiki', '--as', people.importer.email, '--scope', 'openid email')
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    for (const text of ['id_token', people.importer.email, 'The scope profile is not granted.'])
      expect(shown.stdout).toContain(text)
    const json = await run('wiki', '--as', users.both, '--profile', 'reader@acme/finance', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ profile_uuid: profiles.bothReader })
    expect((await run('nightly-import')).stdout).toContain('submissions-tool.vista-import.create')
    const plain = await run('plain', '--as', people.importer.email)
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('Without openid') })
    expect(plain.stdout).not.toContain('id_token')
    expect(await run('wiki')).toMatchObject({ code: 1, stderr: expect.stringContaining('--as') })
  })
})
