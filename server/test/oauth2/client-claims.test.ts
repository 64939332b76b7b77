import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  heads,
  intake,
  problemOf,
  profiles,
  users,
} from '../administration/support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import {
  answerOf,
  authorizeRequest,
  claimsOf,
  people,
  redirectUri,
  signIn,
  TestBrowser,
} from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { forgeClaims } from '../harness/states.ts'
import { refreshAs, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const [read, create] = ['submissions-tool.vista-import.read', 'submissions-tool.vista-import.create']
const app = {
  client_name: 'Wiki',
  type: 'public',
  first_party: true,
  redirect_uris: [redirectUri],
  scope: 'openid email profile groups service.api',
  services: ['submissions-tool'],
}
const client_id = 'wiki'

onOneDatabase('the claims of a client', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let head: Administrator
  let visitor: Visitor
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    head = await Administrator.person(tessera.url, heads.head)
    visitor = new Visitor(tessera.url)
    expect((await admin.post('/clients', { ...app, client_id })).status).toBe(201)
  })

  const change = async (body: object) => {
    const answer = await admin.patch(`/clients/${client_id}`, body)
    expect([answer.status, answer.text]).toEqual([200, answer.text])
  }
  /** What the client gets, of each kind. */
  const got = async (scope = 'openid', who = visitor) => {
    const tokens = await who.tokens({ client_id, scope })
    return {
      id: claimsOf(tokens.id_token),
      info: (await userinfo(tessera.url, tokens.access_token)).json,
      access: claimsOf(tokens.access_token),
      tokens,
    }
  }

  it('has groups with that scope alone, of role codes where nothing is written', async () => {
    await change({ groups: null, claims: [] })
    const { id, info, access } = await got('openid groups')
    for (const claims of [id, info]) expect(claims.groups).toEqual(['importer'])
    expect(access).not.toHaveProperty('groups')
    const without = await got()
    for (const claims of [without.id, without.info]) expect(claims).not.toHaveProperty('groups')
  })

  it.each<[string, object, string[]]>([
    ['the organisation with the role', { from: 'organisation/role' }, ['acme/importer']],
    ['permissions of a service', { from: 'permissions', service: 'submissions-tool' }, [create, read]],
    [
      'a map',
      {
        from: 'map',
        map: { importer: ['Viewer', 'Both'], 'acme/importer': ['Both', 'Editor'], reader: ['No'] },
      },
      ['Viewer', 'Both', 'Editor'],
    ],
    ['a map of others', { from: 'map', map: { reader: ['Viewer'], 'globex/importer': ['Editor'] } }, []],
  ])('has groups of %s', async (_, groups, expected) => {
    await change({ groups, permissions: null })
    const { id, info, tokens } = await got('openid groups')
    expect([id.groups, info.groups]).toEqual([expected, expected])
    const form = { client_id, refresh_token: tokens.refresh_token ?? '' }
    const next = tokensOf(await refreshAs(tessera.url, form))
    expect(claimsOf(next.id_token).groups).toEqual(expected)
  })

  it('has groups of permissions within its allow-list alone, and none once the service is gone', async () => {
    await admin.post('/services', { code: 'wiki', name: 'Wiki', audience: 'https://wiki.example/api' })
    const groups = { from: 'permissions', service: 'submissions-tool' }
    await change({ groups, permissions: [read], services: ['submissions-tool', 'wiki'] })
    expect((await got('openid groups')).id.groups).toEqual([read])
    await change({ groups: { from: 'permissions', service: 'wiki' }, permissions: null })
    expect((await admin.delete('/services/wiki')).status).toBe(204)
    expect((await got('openid groups')).id.groups).toEqual([])
    expect((await admin.get('/clients/wiki')).json.groups).toEqual({ from: 'map', map: {} })
  })

  it('has claims of every source and constants, where they are asked for', async () => {
    const claims = [
      { name: 'uid', source: 'sub' },
      { name: 'mail', source: 'email', in: ['id_token'] },
      { name: 'display_name', source: 'name', in: ['userinfo'] },
      { name: 'name', source: 'name', in: ['id_token'] },
      { name: 'role', source: 'role_name' },
      { name: 'org', source: 'organisation_code' },
      { name: 'org_name', source: 'organisation_name' },
      { name: 'unit', source: 'organisation_unit_code' },
      { name: 'nick', source: 'given_name' },
      { name: 'https://wiki.example/tenant', value: 'blue' },
      { name: 'admin', value: false },
      { name: 'level', value: 3 },
      { name: 'roles', source: 'groups', in: ['id_token'] },
    ]
    await change({ claims, groups: null, permissions: null })
    const { id, info, access } = await got()
    const both = {
      uid: users.importer,
      role: 'Importer',
      org: 'acme',
      org_name: 'Acme Institute',
      unit: 'intake',
      'https://wiki.example/tenant': 'blue',
      admin: false,
      level: 3,
    }
    expect(id).toMatchObject({
      ...both,
      mail: people.importer.email,
      name: 'Acme Importer',
      roles: ['importer'],
    })
    expect(info).toMatchObject({ ...both, display_name: 'Acme Importer' })
    for (const absent of ['mail', 'name', 'roles', 'nick']) expect(info).not.toHaveProperty(absent)
    for (const absent of ['display_name', 'nick', 'email']) expect(id).not.toHaveProperty(absent)
    for (const { name } of claims) expect(access).not.toHaveProperty(name)
    expect(id.organisation_unit_uuid).toBe(intake)
  })

  describe('is refused', () => {
    const refusal = async (body: object) => problemOf(await admin.patch(`/clients/${client_id}`, body))
    const page = readFileSync(new URL('../../../docs/claims.md', import.meta.url), 'utf8')
    const documented = [...(page.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z_]+)` \|/gm)].map(
      ([, name = '']) => name,
    )

    it('with any name that tokens have, from another source or as a constant', async () => {
      const others = [
        'nbf',
        'azp',
        'c_hash',
        's_hash',
        'cnf',
        'act',
        'events',
        'toe',
        'token_use',
        'verified_claims',
      ]
      const names = [...documented, ...others]
      expect(names.length).toBeGreaterThan(35)
      for (const name of names)
        for (const rule of [{ value: 'x' }, { source: 'role_name' }])
          expect([name, await refusal({ claims: [{ name, ...rule }] })]).toEqual([
            name,
            '400 invalid_request claims.0.name',
          ])
      for (const name of ['client_id', 'sub', 'role_code', 'email_verified'])
        expect(await refusal({ claims: [{ name, source: name }] })).toMatch(/^400 invalid_request/)
    })

    it.each<[string, unknown, string]>([
      ['no name', [{ value: 'x' }], 'claims.0.name'],
      ['a name of every object', [{ name: 'constructor', value: 'x' }], 'claims.0.name'],
      ['an underscore first', [{ name: '_claim_names', value: 'x' }], 'claims.0.name'],
      ['a name with spaces', [{ name: 'a b', value: 'x' }], 'claims.0.name'],
      ['neither source nor value', [{ name: 'a' }], 'claims.0.source'],
      ['both', [{ name: 'a', source: 'name', value: 'x' }], 'claims.0.source'],
      ['an unknown source', [{ name: 'a', source: 'password_hash' }], 'claims.0.source'],
      ['the access token', [{ name: 'a', value: 'x', in: ['access_token'] }], 'claims.0.in.0'],
      ['no place', [{ name: 'a', value: 'x', in: [] }], 'claims.0.in'],
      ['something else', [{ name: 'a', value: 'x', script: '1' }], 'claims.0.script'],
      ['a list as its value', [{ name: 'a', value: ['x'] }], 'claims.0.value'],
      [
        'a claim twice',
        [
          { name: 'a', value: 'x' },
          { name: 'a', value: 'y' },
        ],
        'claims',
      ],
      ['too many', Array.from({ length: 51 }, (_, at) => ({ name: `a${at}`, value: 'x' })), 'claims'],
    ])('a claim with %s', async (_, claims, field) => {
      expect(await refusal({ claims })).toBe(`400 invalid_request ${field}`)
    })

    it.each<[string, object, string]>([
      ['nothing', {}, 'groups.from'],
      ['an unknown origin', { from: 'units' }, 'groups.from'],
      ['permissions of no service', { from: 'permissions' }, 'groups.service'],
      ['permissions of a service that is not its own', { from: 'permissions', service: 'ledger' }, 'groups'],
      ['a service and roles', { from: 'role', service: 'submissions-tool' }, 'groups.service'],
      ['no map', { from: 'map' }, 'groups.map'],
      ['a map beside', { from: 'role', map: {} }, 'groups.map'],
      ['a key that names nothing', { from: 'map', map: { 'a/b/c': ['x'] } }, 'groups.map.a/b/c'],
      ['a name that is none', { from: 'map', map: { a: [''] } }, 'groups.map.a.0'],
    ])('groups of %s', async (_, groups, field) => {
      expect(await refusal({ groups })).toBe(`400 invalid_request ${field}`)
    })

    it('to a machine', async () => {
      const machine = { client_id: 'robot', client_name: 'Robot', type: 'machine' }
      const claims = [{ name: 'a', value: 'x' }]
      expect(problemOf(await admin.post('/clients', { ...machine, claims }))).toBe(
        '400 invalid_request claims',
      )
      const groups = { from: 'role' }
      expect(problemOf(await admin.post('/clients', { ...machine, groups }))).toBe(
        '400 invalid_request groups',
      )
    })

    it('to an administrator of an organisation, where the client carries more than they hold', async () => {
      const more = { ...app, client_id: 'acme-wiki', organisation_uuid: acme, first_party: false }
      await admin.post('/clients', more)
      const claims = [{ name: 'department', source: 'organisation_unit_name' }]
      const map = { from: 'map', map: { 'acme-administrator': ['Admin'] } }
      for (const body of [{ claims }, { groups: map }])
        expect(problemOf(await head.patch('/clients/acme-wiki', body))).toBe('403 forbidden')
      await admin.patch('/clients/acme-wiki', { permissions: [read] })
      expect((await head.patch('/clients/acme-wiki', { claims, groups: map })).status).toBe(200)
      // What they see none of is answered as what is not there.
      const groups = { from: 'permissions', service: 'ledger' }
      const foreign = { groups, services: ['submissions-tool', 'ledger'] }
      expect(problemOf(await head.patch('/clients/acme-wiki', foreign))).toBe('400 invalid_request services')
      const others = await head.ask('PATCH', `/clients/${client_id}`, { body: { claims }, match: '*' })
      expect(problemOf(others)).toBe('404 not_found')
    })
  })

  it('never becomes a client_id in an ID token, whatever a row says', async () => {
    await change({ claims: [{ name: 'kept', value: 'x' }] })
    const forged = ['client_id', 'sub', 'events', 'kept'].map((name) => ({
      name,
      value: 'x',
      in: ['id_token'],
    }))
    await forgeClaims(tessera, client_id, forged)
    const { id } = await got()
    expect(id).toMatchObject({ sub: users.importer, kept: 'x' })
    for (const absent of ['client_id', 'events']) expect(id).not.toHaveProperty(absent)
    await change({ claims: [] })
  })

  it('tells a person who asks for consent what the scopes do not, and nothing before', async () => {
    const id = 'third'
    await admin.post('/clients', { ...app, client_id: id, first_party: false })
    const browser = new TestBrowser(tessera.url)
    const request = (scope = 'openid groups') => authorizeRequest({ client_id: id, scope })
    const exchanged = async ({ verifier: code_verifier }: ReturnType<typeof request>, code = '') =>
      tokensOf(
        await token(tessera.url, {
          grant_type: 'authorization_code',
          client_id: id,
          redirect_uri: redirectUri,
          code,
          code_verifier,
        }),
      )
    const first = request()
    const page = await signIn(browser, first.path, people.importer)
    const tokens = await exchanged(first, answerOf(await browser.submit(page, { choice: 'allow' })).code)
    expect(claimsOf(tokens.id_token).groups).toEqual(['importer'])

    const claims = [
      { name: 'mail', source: 'email' },
      { name: 'org', source: 'organisation_code' },
      { name: 'tenant', value: 'blue' },
    ]
    const groups = { from: 'permissions', service: 'submissions-tool' }
    expect((await admin.patch(`/clients/${id}`, { claims, groups })).status).toBe(200)
    const form = { client_id: id, refresh_token: tokens.refresh_token ?? '' }
    const next = tokensOf(await refreshAs(tessera.url, form))
    for (const one of [claimsOf(next.id_token), (await userinfo(tessera.url, next.access_token)).json]) {
      expect(one).toMatchObject({ org: 'acme', tenant: 'blue', groups: [] })
      expect(one).not.toHaveProperty('mail')
    }
    const silent = authorizeRequest({ client_id: id, scope: 'openid groups', prompt: 'none' })
    expect(answerOf(await browser.open(silent.path)).error).toBe('consent_required')

    const again = request()
    const asked = await browser.open(again.path)
    const fresh = [...asked.body.matchAll(/<li data-new[^>]*>([\s\S]*?)<\/li>/g)].map(([, item = '']) =>
      item
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    expect(fresh).toEqual([
      'New Your e-mail address',
      'New What the profile you are using permits at submissions-tool',
    ])
    const allowed = answerOf(await browser.submit(asked, { choice: 'allow' }))
    const later = await exchanged(again, allowed.code)
    expect(claimsOf(later.id_token)).toMatchObject({ mail: people.importer.email, groups: [create, read] })
    expect(answerOf(await browser.open(silent.path))).toHaveProperty('code')
    const [given] = await admin.all(`/consents?client_id=${id}`)
    expect(given?.claims).toEqual(['email', 'permissions:submissions-tool'])
  })

  it('is the same for a person with a profile elsewhere, or of no organisation', async () => {
    await change({
      groups: { from: 'organisation/role' },
      claims: [{ name: 'org', source: 'organisation_name' }],
    })
    const both = new Visitor(tessera.url, people.both)
    const changes = { client_id, scope: 'openid groups' }
    const at = await both.tokens({ ...changes, profile_uuid: profiles.bothBookkeeper })
    expect(claimsOf(at.id_token)).toMatchObject({ groups: ['globex/bookkeeper'] })
    const everywhere = await got('openid groups', new Visitor(tessera.url, people.admin))
    expect(everywhere.id).toMatchObject({ groups: ['administrator'] })
    expect(everywhere.id).not.toHaveProperty('org')
  })

  it('is written by command, shown and taken away again', async () => {
    const environment = ways.http(tessera)
    const run = async (...line: string[]) => await runHere(['client', ...line], { environment })
    const claims = [{ name: 'org', source: 'organisation_code', in: ['userinfo'] }]
    const groups = { from: 'map', map: { reader: ['Viewer'] } }
    const made = await run(
      ...[
        'create',
        'by-command',
        '--client-name',
        'By command',
        '--type',
        'public',
        '--scope',
        'openid groups',
      ],
      ...[
        '--redirect-uri',
        redirectUri,
        '--groups',
        JSON.stringify(groups),
        '--claims',
        JSON.stringify(claims),
      ],
      '--json',
    )
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(made.stdout)).toMatchObject({ claims, groups })
    expect((await run('show', 'by-command')).stdout).toContain('organisation_code')
    const changed = await run('change', 'by-command', '--claims', '[]', '--unset', 'groups', '--json')
    expect(JSON.parse(changed.stdout)).toMatchObject({ claims: [], groups: null })
    expect(await run('change', 'by-command', '--claims', '{"name":"a"}')).toMatchObject({ code: 1 })
    const twice = '[{"name":"org","name":"iss","source":"organisation_code"}]'
    const refused = await run('change', 'by-command', '--claims', twice)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('"0.name" is there twice')])
  })
})
