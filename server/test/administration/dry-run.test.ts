/** A change that is tried out: it tells what it would do, is refused as the change is, and leaves nothing. */
import { beforeAll, expect, it } from 'vitest'
import { adminRoutes } from '../../dist/administration/routes.js'
import {
  acme,
  Administrator,
  administeredOn,
  finance,
  globex,
  heads,
  intake,
  problemOf,
  profiles,
  recordsWith,
  users,
} from './support.ts'
import { people, tokensFor } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { changeClient, everythingWritten, giveProfiles } from '../harness/states.ts'

type Change = [method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: object]

const importer = 'submissions-tool.vista-import.create'
/** They end or send one thing that only a person or a receiver makes, by the same verbs; a preview, a trial or a foreseen visit changes nothing; a file is tried by its plan, and one of people and its undoing by the same lines, as a bulk change and invitations of several are. */
const untried = [
  'DELETE /directories/:uuid/tokens/:id',
  'DELETE /sessions/:sid',
  'DELETE /token-families/:id',
  'DELETE /upstream-invitations/:uuid',
  'DELETE /users/:uuid/consents/:client_id',
  'DELETE /users/:uuid/factors/:id',
  'DELETE /users/:uuid/links/:upstream_uuid',
  'DELETE /webhooks/:uuid/secrets/:secret_id',
  'POST /access/what-if',
  'POST /clients/:client_id/preview',
  'POST /clients/:client_id/trials',
  'POST /clients/:client_id/visit',
  'POST /declared/apply',
  'POST /declared/plan',
  'POST /domains/:uuid/check',
  'POST /imports',
  'POST /imports/:uuid/undo',
  'POST /invitations/bulk',
  'POST /mails/:id/replay',
  'POST /mails/test',
  'POST /move-in',
  'POST /upstream-invitations',
  'POST /upstream-invitations/:uuid/confirm',
  'POST /upstreams/:uuid/check',
  'POST /upstreams/:uuid/test',
  'POST /users/bulk',
  'POST /webhooks/:uuid/deliveries/:delivery/replay',
]
const robot = { client_id: 'tried', client_name: 'Tried', type: 'machine' }

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

onEachDatabase('a dry run', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const ask = async (who: Administrator, [method, path, body]: Change, query = '?dry_run=true') =>
    await who.ask(method, `${path}${query}`, {
      ...(body !== undefined && { body }),
      ...(method !== 'POST' && { match: '*' }),
    })
  /** What it tells. */
  async function tried(who: Administrator, ...change: Change) {
    const { status, json, text, headers } = await ask(who, change)
    expect(status, text).toBe(200)
    expect(headers.get('etag') ?? headers.get('location')).toBeNull()
    expect(json.dry_run).toBe(true)
    return json as {
      would: Record<string, unknown> | null
      access: { users: object[]; clients: object[]; complete: boolean } | null
      ends: { sessions: number; token_families: number } | null
      removed_with: Record<string, number>
    }
  }

  it('of every kind of change leaves nothing, and no secret opens anything', async () => {
    // What it wants never happens here, so that nothing is sent meanwhile.
    const webhook = await admin.post('/webhooks', { url: 'https://tried.example/', kinds: ['role.removed'] })
    const hook = `/webhooks/${String(webhook.json.uuid)}`
    const invited = await admin.post('/invitations', { email: 'tried@acme.example', profiles: [] })
    expect([webhook.status, invited.status], invited.text).toEqual([201, 201])
    const invitation = `/invitations/${String(invited.json.uuid)}`
    const secret = await admin.post('/clients/acme-cli/secrets', {})
    const upstream = {
      organisation_uuid: acme,
      code: 'tried',
      name: 'Tried',
      kind: 'oidc',
      client_id: 'tried',
    }
    const oidc = { ...upstream, issuer: 'https://tried.example' }
    const made = async (path: string, body: object) =>
      `${path}/${String((await admin.post(path, body)).json.uuid)}`
    const provider = await made('/upstreams', { ...oidc, code: 'there' })
    const domain = await made('/domains', { organisation_uuid: acme, name: 'there.example' })
    const directory = await made('/directories', { organisation_uuid: acme, code: 'there', name: 'There' })
    const changes: Change[] = [
      ['POST', '/users', { email: 'new@acme.example', name: 'New', password: 'correct horse battery ten' }],
      ['PATCH', `/users/${users.importer}`, { active: false }],
      ['PATCH', `/users/${users.importer}`, { password: 'correct horse battery ten' }],
      ['DELETE', `/users/${users.importer}`],
      ['DELETE', `/users/${users.importer}/sessions`],
      ['DELETE', `/users/${users.importer}/factors`],
      ['DELETE', `/users/${users.importer}/trusted-devices`],
      ['POST', `/users/${users.importer}/unlock`, {}],
      ['POST', `/users/${users.importer}/recovery`, {}],
      ['POST', '/profiles', { user_uuid: users.nobody, role_code: 'importer', organisation_uuid: acme }],
      ['PATCH', `/profiles/${profiles.importer}`, { active: false }],
      ['DELETE', `/profiles/${profiles.importer}`],
      ['POST', '/organisations', { code: 'tried', name: 'Tried' }],
      ['PATCH', `/organisations/${acme}`, { active: false }],
      ['DELETE', `/organisations/${acme}`],
      ['POST', '/units', { organisation_uuid: acme, code: 'tried', name: 'Tried' }],
      ['PATCH', `/units/${intake}`, { parent_uuid: finance }],
      ['DELETE', `/units/${finance}`],
      ['POST', '/roles', { code: 'tried', name: 'Tried', permissions: ['iam.users.read'] }],
      ['PATCH', '/roles/importer', { permissions: [] }],
      ['DELETE', '/roles/importer'],
      ['POST', '/permissions', { code: 'ledger.tried.read' }],
      ['PATCH', `/permissions/${importer}`, { description: 'Tried' }],
      ['DELETE', `/permissions/${importer}`],
      ['POST', '/services', { code: 'tried', name: 'Tried', audience: 'https://tried.example/' }],
      ['PATCH', '/services/ledger', { name: 'Tried' }],
      ['DELETE', '/services/submissions-tool'],
      ['POST', '/clients', robot],
      ['PATCH', '/clients/acme-cli', { active: false }],
      ['DELETE', '/clients/acme-cli'],
      ['POST', '/clients/onlooker-cli/secrets', {}],
      ['DELETE', String(secret.headers.get('location')).replace('/admin/v1', '')],
      ['POST', '/invitations', { email: 'other@acme.example', profiles: [] }],
      ['POST', `${invitation}/resend`, {}],
      ['DELETE', invitation],
      ['POST', '/webhooks', { url: 'https://tried.example/', kinds: ['*'] }],
      ['PATCH', hook, { active: false }],
      ['DELETE', hook],
      ['POST', `${hook}/secrets`, {}],
      ['POST', `${hook}/test`, {}],
      ['POST', '/upstreams', oidc],
      ['PATCH', provider, { name: 'Tried' }],
      ['DELETE', provider],
      ['POST', '/domains', { organisation_uuid: acme, name: 'tried.example' }],
      ['PATCH', domain, { given: true }],
      ['DELETE', domain],
      ['POST', '/directories', { organisation_uuid: acme, code: 'tried', name: 'Tried' }],
      ['POST', `${directory}/tokens`, { expires_at: tomorrow }],
      ['PATCH', directory, { active: false }],
      ['DELETE', directory],
      ['POST', '/keys', {}],
      ['PUT', '/policy', { password_length: 14 }],
      ['PUT', '/branding', { name: 'Tried' }],
      ['PUT', '/break-glass', { people: [] }],
      ['PUT', '/assertion-issuers', { issuers: [{ issuer: 'https://tried.example' }] }],
    ]
    const before = await everythingWritten(tessera)
    for (const change of changes) {
      const { would } = await tried(admin, ...change)
      expect(Object.keys(would ?? {}), change.join(' ')).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(client_secret|secret|link)$/)]),
      )
    }
    expect(await everythingWritten(tessera)).toEqual(before)

    const pattern = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
    const left = adminRoutes
      .filter(({ method, path }) => !changes.some(([m, p]) => m === method && pattern(path).test(p)))
      .filter(({ method }) => method !== 'GET')
    expect(left.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(untried)
  })

  it('tells what the change then answers, and whose access it touches', async () => {
    const given: Change = [
      'POST',
      '/profiles',
      { user_uuid: users.nobody, role_code: 'importer', organisation_uuid: acme },
    ]
    const { would, access } = await tried(admin, ...given)
    const { uuid: _, ...rest } = would ?? {}
    expect((await ask(admin, given, '')).json).toMatchObject(rest)
    const place = { organisation_uuid: acme, organisation_unit_uuid: null }
    expect(access).toMatchObject({
      users: [{ user_uuid: users.nobody, ...place, loses: [] }],
      clients: [],
      complete: true,
    })
    expect(access?.users[0]).toMatchObject({ gains: expect.arrayContaining([importer]) })

    const role = await tried(admin, 'PATCH', '/roles/importer', { permissions: [] })
    expect(role.would).toMatchObject({ code: 'importer', permissions: [] })
    const losing = role.access?.users as { user_uuid: string; gains: string[]; loses: string[] }[]
    expect(losing.map((one) => one.user_uuid)).toEqual(expect.arrayContaining([users.importer, users.nobody]))
    for (const one of losing) expect([one.gains, one.loses]).toEqual([[], expect.arrayContaining([importer])])

    const client = await tried(admin, 'PATCH', '/clients/onlooker-cli', { permissions: ['iam.users.read'] })
    expect(client.access?.clients).toEqual([
      {
        client_id: 'onlooker-cli',
        organisation_uuid: null,
        organisation_unit_uuid: null,
        gains: ['iam.users.read'],
        loses: ['iam.audit.read'],
      },
    ])
    const named = await tried(admin, 'PATCH', `/organisations/${acme}`, { name: 'Another name' })
    expect(named.access).toEqual({ users: [], clients: [], complete: true })
  })

  it('tells what ends, and what is removed along', async () => {
    await tokensFor(tessera.url, people.both, { profile: profiles.bothReader })
    const disabled = await tried(admin, 'PATCH', `/users/${users.both}`, { active: false })
    expect(disabled.ends).toEqual({ sessions: 1, token_families: 1 })
    const unit = await admin.post('/units', { organisation_uuid: globex, code: 'gone', name: 'Gone' })
    expect(unit.status).toBe(201)
    const { removed_with, would, access } = await tried(admin, 'DELETE', `/organisations/${globex}`)
    expect(would).toBeNull()
    expect(access?.users).toEqual([
      expect.objectContaining({ user_uuid: users.both, organisation_uuid: globex, gains: [] }),
    ])
    expect((await ask(admin, ['DELETE', `/organisations/${globex}`], '')).status).toBe(204)
    const told = (await recordsWith(admin, globex)).at(-1)?.detail?.removed_with
    expect(removed_with).toMatchObject({ profile: 1, unit: (told as { units: number }).units })
  })

  it('is refused as the change is', async () => {
    const refused = async (who: Administrator, ...change: Change) => problemOf(await ask(who, change))
    expect(await refused(admin, 'DELETE', `/users/${globex}`)).toBe('404 not_found')
    expect(await refused(admin, 'POST', '/roles', { code: 'importer', name: 'Again', permissions: [] })).toBe(
      '409 conflict code',
    )
    expect(await refused(admin, 'DELETE', `/users/${users.admin}`)).toBe('409 last_administrator')
    expect(await refused(own, 'PATCH', '/roles/importer', { name: 'Mine' })).toBe('403 forbidden')
    expect(await refused(own, 'POST', '/keys', {})).toBe('403 forbidden')
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    const lacking = await ask(onlooker, ['DELETE', `/users/${users.both}`])
    expect([lacking.status, lacking.json.error]).toEqual([403, 'insufficient_scope'])
    const path = `/users/${users.both}?dry_run=true`
    expect(problemOf(await admin.ask('PATCH', path, { body: { name: 'X' } }))).toBe(
      '428 precondition_required',
    )
    const stale = await admin.ask('PATCH', path, { body: { name: 'X' }, match: '"99"' })
    expect(problemOf(stale)).toBe('412 precondition_failed')
    admin.overridesFile = false
    expect(await refused(admin, 'DELETE', `/users/${users.both}`)).toBe('409 managed_by_file')
    admin.overridesFile = true
  })

  it('and the change itself are refused where too many profiles would be removed along', async () => {
    const place = { organisation_uuid: acme, name: 'Crowd', code: 'crowd' }
    const { json: unit, text } = await admin.post('/units', place)
    expect(unit.uuid, text).toBeTypeOf('string')
    const some = { user_uuid: users.importer, role_code: 'importer', organisation_uuid: acme }
    await tokensFor(tessera.url, people.importer)
    const endsWithRole = async () => (await tried(admin, 'PATCH', '/roles/importer', { active: false })).ends
    const ends = await endsWithRole()
    expect(ends?.token_families).toBeGreaterThan(0)
    const crowd = await giveProfiles(tessera, { ...some, unit_uuid: String(unit.uuid) }, 10_001)
    // It ends the same, however many hold it.
    expect(await endsWithRole()).toEqual(ends)
    const override = { match: '*' }
    const removals = [`/units/${String(unit.uuid)}`, `/organisations/${acme}`, '/roles/importer']
    for (const path of removals)
      for (const query of ['', '?dry_run=true']) {
        const refused = await admin.ask('DELETE', `${path}${query}`, override)
        expect([refused.status, refused.json.error], path).toEqual([409, 'conflict'])
        expect(refused.json.detail).toContain('Disable it')
      }
    expect((await admin.get(removals[0] ?? '')).status).toBe(200)
    expect((await admin.ask('DELETE', `/profiles/${crowd[0]}`, override)).status).toBe(204)
    const { json } = await admin.ask('DELETE', `${removals[0]}?dry_run=true`, override)
    expect(json.removed_with).toEqual({ profile: 10_000 })
    expect((await admin.ask('DELETE', removals[0] ?? '', override)).status).toBe(204)
  })

  it('is never missed by a misspelt parameter', async () => {
    const change: Change = ['DELETE', `/users/${users.both}`]
    for (const [query, field] of [
      ['?dryrun=true', 'dryrun'],
      ['?dry-run=true', 'dry-run'],
      ['?dry_run=1', 'dry_run'],
      ['?dry_run=', 'dry_run'],
      ['?dry_run=True', 'dry_run'],
      ['?dry_run=true&dry_run=false', 'dry_run'],
    ])
      expect(problemOf(await ask(admin, change, query)), query).toBe(`400 invalid_request ${field}`)
    expect((await admin.get(`/users/${users.both}`)).status).toBe(200)
    expect(problemOf(await admin.get(`/users/${users.both}?dry_run=true`))).toBe(
      '400 invalid_request dry_run',
    )
  })

  it('tells an administrator of a part no more than they may read', async () => {
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    const head = '0d9f1c52-2f0e-4c53-8d3a-6a1f2f6f0005'
    const given = { user_uuid: head, role_code: 'importer', organisation_uuid: acme }
    // It gives nothing that they do not hold, and tells of what they see.
    const own1 = await tried(own, 'POST', '/profiles', { ...given, organisation_unit_uuid: intake })
    for (const one of (own1.access?.users ?? []) as { organisation_uuid: string }[])
      expect(one.organisation_uuid).toBe(acme)
    expect(problemOf(await ask(unitHead, ['DELETE', `/users/${head}`]))).toBe('404 not_found')

    await changeClient(tessera, 'acme-cli', { permissions: '["iam.units.create"]' })
    const narrow = await tried(own, 'POST', '/units', { organisation_uuid: acme, code: 'b', name: 'B' })
    expect([narrow.access, narrow.ends, narrow.removed_with]).toEqual([null, null, {}])
  })
})
