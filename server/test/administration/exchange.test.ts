/** Administrators who let a service act for the people who call it, and what becomes of that (decisions 10 and 31). */
import { beforeAll, expect, it } from 'vitest'
import { applyChanged } from '../declared/change.ts'
import { acme as acmeFile, edited } from '../declared/support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { addServices, exchangeGrant, exchangerBody, must } from '../oauth2/exchange-support.ts'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  heads,
  intake,
  ownerOf,
  problemOf,
  profiles,
  users,
} from './support.ts'

const reading = ['ledger.entry.read']

onEachDatabase('a client that acts for people', (dialect) => {
  const tessera = administeredOn(dialect)
  let admin: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    await addServices(admin)
  })
  const body = (changes: Record<string, unknown> = {}) => ({
    ...exchangerBody('submissions-tool', ['ledger'], reading),
    ...changes,
  })

  it.each<[string, Record<string, unknown>, string]>([
    [
      'a public client',
      {
        type: 'public',
        redirect_uris: ['https://a.example/cb'],
        scope: 'openid',
        grant_types: ['authorization_code', exchangeGrant],
        permissions: null,
      },
      'grant_types acts_as exchange',
    ],
    ['neither service nor exchange', { acts_as: null, exchange: null }, 'acts_as exchange'],
    ['no service', { acts_as: null }, 'acts_as'],
    ['no exchange', { exchange: null }, 'exchange'],
    ['no grant', { grant_types: ['client_credentials'] }, 'grant_types'],
    ['the administration as its service', { acts_as: 'iam' }, 'acts_as'],
    ['an exchange for the administration', { exchange: { services: ['iam'], permissions: [] } }, 'exchange'],
    [
      'a permission of the administration',
      { exchange: { services: ['iam'], permissions: ['iam.users.read'] } },
      'exchange',
    ],
    ['an exchange for itself', { exchange: { services: ['submissions-tool'], permissions: [] } }, 'exchange'],
    [
      'a permission of another service',
      { exchange: { services: ['ledger'], permissions: ['archive.files.read'] } },
      'exchange',
    ],
    [
      'a wildcard',
      { exchange: { services: ['ledger'], permissions: ['ledger.*'] } },
      'exchange.permissions.0',
    ],
    [
      'the wildcard',
      { exchange: { services: ['ledger'], permissions: ['iam.*'] } },
      'exchange.permissions.0',
    ],
    ['an exchange without permissions', { exchange: { services: ['ledger'] } }, 'exchange.permissions'],
    ['a service that is not there', { acts_as: 'nothing' }, 'acts_as'],
    ['a target that is not there', { exchange: { services: ['nothing'], permissions: [] } }, 'exchange'],
    [
      'a permission that is not there',
      { exchange: { services: ['ledger'], permissions: ['ledger.entry.shred'] } },
      'exchange',
    ],
  ])('has not %s', async (_, changes, fields) => {
    expect(problemOf(await admin.post('/clients', body(changes)))).toMatch(
      new RegExp(`^4\\d\\d [a-z_]+ ${fields}$`),
    )
  })

  it('is no document, which may come to prove nothing', async () => {
    const { client_id, type, permissions, ...acting } = body()
    const document = {
      client_id: 'https://agent.example/client',
      type: 'public',
      metadata: 'document',
      scope: 'openid service.api',
      services: ['ledger'],
      permissions: reading,
    }
    for (const kind of ['public', 'web'])
      expect(
        problemOf(await admin.post('/clients', { ...acting, ...document, type: kind })),
        client_id,
      ).toMatch(/^400 invalid_request .*acts_as/)
    expect([type, permissions]).toEqual(['machine', []])
  })

  it('is made and changed, and told so', async () => {
    const { json } = must(await admin.post('/clients', body()), 201)
    expect(json).toMatchObject({
      acts_as: 'submissions-tool',
      exchange: { services: ['ledger'], permissions: reading },
    })
    const exchange = { services: ['ledger', 'archive'], permissions: ['archive.files.read', ...reading] }
    const changed = must(await admin.patch('/clients/submissions-tool-service', { exchange }), 200)
    expect(changed.json.exchange).toEqual({
      services: ['archive', 'ledger'],
      permissions: exchange.permissions,
    })
    must(await admin.delete('/clients/submissions-tool-service', changed.etag), 204)
  })

  it('is a service by who reaches the whole installation alone', async () => {
    const owner = await ownerOf(tessera.url, admin)
    const own = { organisation_uuid: acme, client_id: 'acme-acting' }
    expect(problemOf(await owner.post('/clients', body(own)))).toBe('403 forbidden')
    const head = await Administrator.person(tessera.url, heads.head)
    expect(problemOf(await head.post('/clients', body(own)))).toMatch(/^403 forbidden/)
    must(
      await admin.post('/clients', body({ ...own, exchange: { services: ['ledger'], permissions: [] } })),
      201,
    )
    const path = '/clients/acme-acting'
    expect(problemOf(await owner.patch(path, { acts_as: 'vault' }))).toMatch(/^403 forbidden/)
    const off = { acts_as: null, exchange: null, grant_types: [] }
    expect(problemOf(await owner.patch(path, off))).toMatch(/^403 forbidden/)
    // The head holds nothing of the ledger, and its owner reading alone.
    const wider = { exchange: { services: ['ledger'], permissions: ['ledger.entry.create'] } }
    expect(problemOf(await head.patch(path, wider))).toMatch(/^40[34] /)
    expect(problemOf(await owner.patch(path, wider))).toMatch(/^403 /)
    const hidden = { exchange: { services: ['ledger', 'vault'], permissions: [] } }
    expect(problemOf(await owner.patch(path, hidden))).toBe('400 invalid_request exchange')
    must(await owner.patch(path, { exchange: { services: ['ledger'], permissions: reading } }), 200)
    // The client carries from now on what the head does not hold.
    for (const change of [{ client_name: 'Mine' }, { active: false }])
      expect(problemOf(await head.patch(path, change))).toBe('403 forbidden')
    expect(problemOf(await head.post(`${path}/secrets`, {}))).toBe('403 forbidden')
  })

  it('loses what is removed, and is no service any more when that one is', async () => {
    const acting = {
      client_id: 'drops',
      acts_as: 'depot',
      exchange: {
        services: ['archive', 'vault'],
        permissions: ['archive.files.read', 'vault.files.read', 'vault.files.write'],
      },
    }
    must(await admin.post('/clients', body(acting)), 201)
    const remove = async (path: string) => must(await admin.delete(path, (await admin.get(path)).etag), 204)
    const shown = async () => (await admin.get('/clients/drops')).json
    await remove('/permissions/vault.files.write')
    expect(await shown()).toMatchObject({
      exchange: { services: ['archive', 'vault'], permissions: ['archive.files.read', 'vault.files.read'] },
    })
    await remove('/services/vault')
    expect(await shown()).toMatchObject({
      exchange: { services: ['archive'], permissions: ['archive.files.read'] },
    })
    await remove('/services/archive')
    expect(await shown()).toMatchObject({ acts_as: 'depot', exchange: { services: [], permissions: [] } })
    await remove('/services/depot')
    expect(await shown()).toMatchObject({ acts_as: null, exchange: null, grant_types: [] })
    const again = { code: 'depot', name: 'Depot', audience: 'https://other-depot.example' }
    must(await admin.post('/services', again), 201)
    expect(await shown()).toMatchObject({ acts_as: null, exchange: null, grant_types: [] })
  })

  it('is told of before it is made, and explained', async () => {
    const acting = body({ client_id: 'told-acting' })
    const tried = must(await admin.post('/clients?dry_run=true', acting), 200)
    const access = (tried.json as { access: { clients: object[] } }).access
    expect(access.clients).toEqual([
      expect.objectContaining({
        client_id: 'told-acting',
        acting_for: 'submissions-tool',
        gains: reading,
        loses: [],
      }),
    ])
    must(await admin.post('/clients', acting), 201)
    const explained = async (permission: string) => {
      const who = `user_uuid=${users.both}&profile_uuid=${profiles.bothReader}&client_id=told-acting`
      return (await admin.get(`/access/explain?permission=${permission}&${who}`)).json
    }
    expect(await explained('ledger.entry.read')).toMatchObject({ allowed: true, would_grant: [] })
    expect(JSON.stringify(await explained('ledger.entry.read'))).toContain(
      'told-acting acting for whoever calls submissions-tool',
    )
    const refused = await explained('archive.files.read')
    expect(refused).toMatchObject({ allowed: false })
    expect(refused.would_grant).toEqual(
      expect.arrayContaining([
        'Add the service archive to exchange of the client told-acting.',
        'Add archive.files.read to exchange of the client told-acting.',
      ]),
    )
  })

  it('is among those who hold a permission, as acting for others, after people and machines', async () => {
    const permission = 'ledger.entry.create'
    const exchange = { services: ['ledger'], permissions: [permission] }
    const acting = async (client_id: string, changes: Record<string, unknown> = {}) =>
      must(await admin.post('/clients', body({ client_id, exchange, ...changes })), 201)
    const holding = { grant_types: ['client_credentials', exchangeGrant], services: ['ledger'] }
    await acting('acts-2', { organisation_uuid: acme })
    await acting('acts-1', { ...holding, permissions: [permission] })
    await acting('acts-3', { organisation_uuid: globex })
    await acting('acts-off', { active: false })
    await acting('acts-less', { exchange: { services: ['ledger'], permissions: reading } })
    const listed = async (by: Administrator, query: string, limit = 200) =>
      (await by.all(`/access?permission=${permission}${query}`, limit)).filter((one) =>
        String(one['client_id']).startsWith('acts-'),
      )
    const held = async (...asked: Parameters<typeof listed>) =>
      (await listed(...asked)).map(
        (one) => `${String(one['client_id'])} ${String(one['acting_for'] ?? 'itself')}`,
      )
    const [itself, ...acts] = ['acts-1 itself', ...[1, 2, 3].map((at) => `acts-${at} submissions-tool`)]
    for (const limit of [1, 2, 200]) expect(await held(admin, '', limit)).toEqual([itself, ...acts])
    for (const place of [`&organisation=${acme}`, `&organisation_unit_uuid=${intake}`])
      expect(await held(admin, place)).toEqual([itself, acts[0], acts[1]])
    const unitHead = await Administrator.person(tessera.url, heads.unitHead)
    expect(problemOf(await unitHead.get(`/access?permission=${permission}`))).toMatch(/^40[03] /)
    const own = await Administrator.machine(tessera.url, 'acme-cli')
    expect(problemOf(await own.get(`/access?permission=${permission}`))).toBe(
      '400 invalid_request permission',
    )
    await admin.patch('/clients/acme-cli', {
      services: ['iam', 'ledger'],
      permissions: ['iam.*', ...reading],
    })
    const seen = (await own.all(`/access?permission=${reading[0]}`)).filter((one) => one['acting_for'])
    expect(seen.map((one) => one['client_id'])).toEqual(['acme-acting'])
    const [, first] = await listed(admin, '&include=chain')
    expect(first?.['chain']).toMatchObject([
      { check: 'permission_exists', holds: true },
      { check: 'client_active', holds: true },
      {
        check: 'client_grant',
        holds: true,
        detail: expect.stringContaining('acting for whoever calls submissions-tool'),
      },
      { check: 'exchange_service', holds: true },
      { check: 'exchange_allows_permission', holds: true },
    ])
  })

  it('is declared, exported and taken from by a file', async () => {
    const declared = `
  - client_id: ledger-mcp
    client_name: Ledger for agents
    type: machine
    grant_types: ["${exchangeGrant}"]
    acts_as: submissions-tool
    exchange: {services: [ledger], permissions: [ledger.entry.read]}`
    await applyChanged(tessera, ['\nclients:', `\nclients:${declared}`])
    expect((await admin.get('/clients/ledger-mcp')).json).toMatchObject({
      acts_as: 'submissions-tool',
      exchange: { services: ['ledger'], permissions: reading },
    })
    const file = edited(acmeFile, [
      '\nclients:',
      `\nclients:${declared.replace('ledger.entry.read', 'ledger.entry.create')}`,
    ])
    const plan = await admin.post('/declared/plan', { text: file, file: 'acme.yaml' })
    expect(plan.json, plan.text).toMatchObject({
      access: {
        clients: [
          {
            client_id: 'ledger-mcp',
            acting_for: 'submissions-tool',
            gains: ['ledger.entry.create'],
            loses: reading,
          },
        ],
      },
    })
    const exported = await admin.get('/declared/export')
    expect(exported.text).toContain('acts_as: submissions-tool')
  })

  it('loses what a file takes away that does not name it', async () => {
    const exchange = { services: ['ledger'], permissions: ['ledger.entry.create', ...reading] }
    must(await admin.post('/clients', body({ client_id: 'unnamed', exchange })), 201)
    await applyChanged(
      tessera,
      ['      - code: ledger.entry.create\n        description: Book an entry\n', ''],
      ['permissions: [ledger.entry.read, ledger.entry.create]', 'permissions: [ledger.entry.read]'],
    )
    expect((await admin.get('/clients/unnamed')).json).toMatchObject({
      acts_as: 'submissions-tool',
      exchange: { services: ['ledger'], permissions: reading },
    })
  })
})
