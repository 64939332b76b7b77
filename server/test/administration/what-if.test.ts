/** Several drafted changes: they tell what they do together, are refused as each of them is, and leave nothing. */
import { beforeAll, expect, it } from 'vitest'
import {
  acme,
  Administrator,
  administeredOn,
  globex,
  intake,
  problemOf,
  profiles,
  tokenOf,
  users,
} from './support.ts'
import { people, tokensFor } from '../harness/browser.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import { everythingWritten } from '../harness/states.ts'

type Drafted = [method: string, path: string, body?: object, if_match?: string]
interface Difference {
  user_uuid: string
  organisation_uuid: string | null
  organisation_unit_uuid: string | null
  gains: string[]
  loses: string[]
}
interface Effect {
  access: { users: Difference[]; clients: { client_id: string }[]; complete: boolean } | null
  ends: { sessions: number; token_families: number } | null
  sign_in_again: boolean
  weakens: object[]
  removed_with: Record<string, number>
  refused: { index: number; problem: Record<string, unknown> } | null
}

const give: Drafted = [
  'POST',
  '/profiles',
  { user_uuid: users.nobody, role_code: 'importer', organisation_uuid: acme },
]

onEachDatabase('drafted changes', (dialect) => {
  const once = oneDatabase(dialect)
  const tessera = administeredOn(dialect)
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })

  const draft = (changes: readonly Drafted[]) => ({
    changes: changes.map(([method, path, body, if_match]) => ({
      method,
      path,
      ...(body && { body }),
      ...(if_match !== undefined && { if_match }),
    })),
  })
  const ask = async (who: Administrator, ...changes: Drafted[]) =>
    await who.post('/access/what-if', draft(changes))
  async function told(who: Administrator, ...changes: Drafted[]): Promise<Effect> {
    const { status, json, text } = await ask(who, ...changes)
    expect(status, text).toBe(200)
    return json as unknown as Effect
  }
  async function make(...changes: Drafted[]): Promise<void> {
    for (const [method, path, body] of changes) {
      const answer = await admin.ask(method, path, { ...(body && { body }), match: '*' })
      expect(answer.status, answer.text).toBeLessThan(300)
    }
  }

  /** What everybody may do, by person and place. */
  async function held(): Promise<Map<string, Set<string>>> {
    const found = new Map<string, Set<string>>()
    for (const { uuid } of await admin.all('/users')) {
      const { json } = await admin.get(`/users/${String(uuid)}/access`)
      for (const one of json.profiles as (Difference & { usable: boolean; permissions: string[] })[]) {
        if (!one.usable) continue
        const key = `${String(uuid)} ${one.organisation_uuid} ${one.organisation_unit_uuid}`
        found.set(key, new Set([...(found.get(key) ?? []), ...one.permissions]))
      }
    }
    return found
  }
  const without = (all: Set<string> = new Set(), others: Set<string> = new Set()) =>
    [...all].filter((one) => !others.has(one)).sort()

  it('tell together what making them one after the other then does', async () => {
    await tokensFor(tessera.url, people.both, { profile: profiles.bothReader })
    const changes: Drafted[] = [
      give,
      ['PATCH', '/roles/importer', { permissions: ['submissions-tool.vista-import.create'] }],
      ['PATCH', `/users/${users.both}`, { active: false }],
      ['POST', '/roles', { code: 'drafted', name: 'Drafted', permissions: ['ledger.entry.read'] }],
      ['POST', '/profiles', { user_uuid: users.nobody, role_code: 'drafted', organisation_uuid: acme }],
      ['POST', '/profiles', { user_uuid: users.importer, role_code: 'drafted', organisation_uuid: globex }],
      ['DELETE', `/profiles/${profiles.importer}`],
      // What one gives and another takes away again changes nothing.
      ['PATCH', '/clients/onlooker-cli', { permissions: ['iam.users.read', 'iam.audit.read'] }],
      ['PATCH', '/clients/onlooker-cli', { active: false }],
      ['PATCH', `/organisations/${globex}`, { active: false }],
    ]
    const before = await held()
    const state = await everythingWritten(tessera)
    const effect = await told(admin, ...changes)
    expect(await everythingWritten(tessera)).toEqual(state)
    expect(effect.refused).toBeNull()
    expect(effect.ends).toEqual({ sessions: 1, token_families: 1 })
    await make(...changes)
    const after = await held()
    const differences = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
      const [gains, loses] = [
        without(after.get(key), before.get(key)),
        without(before.get(key), after.get(key)),
      ]
      return gains.length + loses.length === 0 ? [] : [{ key, gains, loses }]
    })
    const shown = effect.access?.users.map(({ gains, loses, ...one }) => ({
      key: `${one.user_uuid} ${one.organisation_uuid} ${one.organisation_unit_uuid}`,
      gains: gains.sort(),
      loses: loses.sort(),
    }))
    const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)
    expect(shown?.sort(byKey)).toEqual(differences.sort(byKey))
    expect(shown?.length).toBeGreaterThan(2)
    expect(effect.access?.clients.map((one) => one.client_id)).toEqual(['onlooker-cli'])
  })

  it('that take one another back do nothing', async () => {
    const { json } = await admin.get('/roles/reader')
    const effect = await told(
      admin,
      ['PATCH', '/roles/reader', { permissions: [] }],
      ['PATCH', '/roles/reader', { permissions: json.permissions }],
    )
    expect(effect.refused).toBeNull()
    expect(effect.access?.users).toEqual([])
  })

  it('end at the first that would be refused, and tell of those before it', async () => {
    const state = await everythingWritten(tessera)
    const refusedBy = async (who: Administrator, ...changes: Drafted[]) => {
      const { refused } = await told(who, ...changes)
      return `${refused?.index} ${String(refused?.problem.status)} ${String(refused?.problem.error)}`
    }
    const admins = users.admin
    expect(await refusedBy(admin, ['DELETE', `/users/${globex}`])).toBe('0 404 not_found')
    expect(await refusedBy(admin, ['DELETE', `/users/${admins}`])).toBe('0 409 last_administrator')
    expect(await refusedBy(admin, give, give)).toBe('0 409 conflict')
    expect(await refusedBy(admin, ['PATCH', `/users/${users.importer}`, { name: '' }])).toBe(
      '0 400 invalid_request',
    )
    expect(await refusedBy(admin, ['PATCH', `/users/${users.importer}`, { name: 'X' }, '"99"'])).toBe(
      '0 412 precondition_failed',
    )
    expect(await refusedBy(own, ['PATCH', '/roles/importer', { name: 'Mine' }])).toBe('0 403 forbidden')
    expect(await refusedBy(own, ['DELETE', `/users/${users.admin}`])).toBe('0 404 not_found')
    const more = { user_uuid: users.importer, role_code: 'administrator', organisation_uuid: acme }
    expect(await refusedBy(own, ['POST', '/profiles', more])).toMatch(
      /^0 (400 invalid_request|403 forbidden)$/,
    )
    admin.overridesFile = false
    expect(await refusedBy(admin, ['DELETE', `/users/${users.importer}`])).toBe('0 409 managed_by_file')
    admin.overridesFile = true

    const unit: Drafted = ['PATCH', `/units/${intake}`, { active: false }]
    const both = await told(admin, unit, ['DELETE', `/users/${globex}`])
    expect(both.refused?.index).toBe(1)
    expect(both.access).toEqual((await told(admin, unit)).access)
    expect(await everythingWritten(tessera)).toEqual(state)
  })

  it('are asked with what one may do by then', async () => {
    const disabled = await told(admin, ['PATCH', '/clients/admin-cli', { active: false }], give)
    expect([disabled.refused?.index, disabled.refused?.problem.error]).toEqual([1, 'invalid_token'])
    expect((await admin.get('/me')).status).toBe(200)
    const { json: mine } = await admin.get('/clients/acme-cli')
    const permissions = (mine.permissions as string[]).filter((one) => one !== 'iam.units.create')
    expect(permissions.length).toBeGreaterThan(0)
  })

  once.it('are refused whole where one of them is none that can be tried out', async () => {
    const wrong = async (...changes: Drafted[]) => problemOf(await ask(admin, ...changes))
    for (const path of [
      '/nothing',
      'profiles',
      '//profiles',
      '/profiles/',
      '/profiles?dry_run=true',
      `/users/${users.both}?dry_run=true`,
      `/users/${users.both}#x`,
      '/users/%',
      '/access/what-if',
      '/declared/apply',
      '/declared/plan',
      '/keys',
      '/invitations',
      '/upstreams',
      '/webhooks',
      '/admin/v1/profiles',
      'https://example.com/profiles',
      '/clients/acme-cli/preview',
      `/users/${users.both}/recovery`,
    ])
      for (const method of ['POST', 'PATCH', 'DELETE'])
        if (!(method === 'POST' && path === '/profiles'))
          expect(await wrong(give, [method, path, {}]), `${method} ${path}`).toBe(
            '400 invalid_request changes.1.path',
          )
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'post', ''])
      expect(await wrong([method, '/users'])).toBe('400 invalid_request changes.0.method')
    expect(await wrong()).toBe('400 invalid_request changes')
    expect(await wrong(...Array.from({ length: 21 }, () => give))).toBe('400 invalid_request changes')
    const nested = draft([['POST', '/access/what-if', draft([give])]])
    expect(problemOf(await admin.post('/access/what-if', nested))).toBe('400 invalid_request changes.0.path')
    const tried = await admin.post('/access/what-if?dry_run=true', draft([give]))
    expect(problemOf(tried)).toBe('400 invalid_request dry_run')
    const large = { changes: [{ method: 'POST', path: '/roles', body: { name: 'x'.repeat(2_000_000) } }] }
    expect((await admin.post('/access/what-if', large)).status).toBe(413)
    const onlooker = await fetch(`${tessera.url}/admin/v1/access/what-if`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenOf(tessera.url, 'roles-cli')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(draft([give])),
    })
    expect(onlooker.status).toBe(403)
  })

  once.it('tell no secret, and hash no password', async () => {
    const many = Array.from(
      { length: 20 },
      (_, index): Drafted => [
        'POST',
        '/users',
        { email: `drafted-${index}@acme.example`, name: 'Drafted', password: 'correct horse battery ten' },
      ],
    )
    const began = performance.now()
    const answer = await ask(admin, ...many)
    expect(answer.status, answer.text).toBe(200)
    expect(performance.now() - began).toBeLessThan(5000)
    const client = { client_id: 'drafted', client_name: 'Drafted', type: 'machine' }
    const secret = await ask(admin, ['POST', '/clients', client], ['POST', '/clients/drafted/secrets', {}])
    expect(secret.json.refused).toBeNull()
    expect(secret.text).not.toMatch(/client_secret|password/)
  })

  it('tell an administrator of an organisation no more than each of them alone', async () => {
    const unit: Drafted = ['PATCH', `/units/${intake}`, { active: false }]
    const alone = await own.ask('PATCH', `${unit[1]}?dry_run=true`, { body: unit[2], match: '*' })
    const together = await told(own, unit)
    const { refused, ...effect } = together
    const { would: _, dry_run: _is, ...single } = alone.json
    expect([refused, effect]).toEqual([null, single])
    for (const one of together.access?.users ?? []) expect(one.organisation_uuid).toBe(acme)
  })
})
