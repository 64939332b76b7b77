/** Which machines hold a permission is kept beside the clients themselves, whoever writes them. */
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backUp, restore } from '../../dist/backup/backup.js'
import { testKeeper } from '../harness/stores.ts'
import { acme, Administrator, globex, startAdministered } from './support.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { applyChanged } from '../declared/change.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, temporaryFolder } from '../harness/process.ts'

const vistaImport = 'submissions-tool.vista-import.create'
const vistaRead = 'submissions-tool.vista-import.read'
const entryRead = 'ledger.entry.read'
const usersRead = 'iam.users.read'
const asked = [vistaRead, entryRead, usersRead]

/** What one writes of a client, as the table has it. */
const written = fc.record({
  type: fc.constantFrom('machine', 'machine', 'machine', 'public'),
  active: fc.constantFrom(1, 1, 1, 0),
  organisation_uuid: fc.constantFrom(null, acme, globex),
  services: fc.subarray(['submissions-tool', 'ledger', 'iam'], { minLength: 1 }),
  permissions: fc.oneof(
    { weight: 6, arbitrary: fc.subarray([vistaImport, vistaRead, entryRead, usersRead, 'iam.*']) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
})
/** As the API shows it. */
interface ShownClient {
  client_id: string
  client_name: string
  type: string
  active: boolean
  organisation_uuid: string | null
  services: string[]
  permissions: string[] | null
}
type Written = typeof written extends fc.Arbitrary<infer T> ? T : never
const ids = ['Upper', 'b-1', 'b.1', 'b_1', 'a~z', 'zz', '0-first', 'B-1']
const step = fc.record({
  id: fc.constantFrom(...ids),
  how: fc.constantFrom('api', 'api', 'api', 'remove', 'organisation'),
  written,
})

afterAll(cleanUp)

onEachDatabase('machines that hold a permission', (dialect) => {
  let tessera: Tessera
  let admin: Administrator
  let own: Administrator
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
    own = await Administrator.machine(tessera.url, 'acme-cli')
  })
  afterAll(() => tessera.close())

  const found = async (who: Administrator, query: string, limit = 200) =>
    (await who.all(`/access?${query}`, limit)).filter((one) => one.kind === 'client')

  /** Found by looking at all clients, one after the other; of these organisations, where they are named. */
  async function expected(permission: string, places?: readonly (string | null)[]) {
    const clients = (await admin.all('/clients')) as unknown as ShownClient[]
    const organisations = await admin.all('/organisations')
    const isActive = new Map(organisations.map((one) => [one.uuid, one.active]))
    const [service = ''] = permission.split('.')
    const holds = clients.filter(({ organisation_uuid: place, permissions, ...one }) => {
      const listed = permissions ?? []
      return (
        one.type === 'machine' &&
        one.active &&
        (place === null || isActive.get(place)) &&
        (places?.includes(place) ?? true) &&
        one.services.includes(service) &&
        (listed.includes(permission) || (service === 'iam' && listed.includes('iam.*')))
      )
    })
    return holds
      .map(({ client_id, client_name, organisation_uuid }) => ({
        kind: 'client',
        client_id,
        client_name,
        organisation_uuid,
      }))
      .toSorted((a, b) => (a.client_id < b.client_id ? -1 : 1))
  }

  async function expectAnswers(limit = 200) {
    for (const permission of asked) {
      const query = `permission=${permission}`
      expect(await found(admin, query, limit), query).toEqual(await expected(permission))
      // Those of none hold it there too.
      expect(await found(admin, `${query}&organisation=acme`, limit)).toEqual(
        await expected(permission, [acme, null]),
      )
    }
    // Whoever administers one organisation sees the machines of it alone.
    for (const permission of [vistaRead, usersRead])
      expect(await found(own, `permission=${permission}`, limit)).toEqual(await expected(permission, [acme]))
  }

  describe('are those that a look at every client finds', () => {
    it('whatever is written of the clients', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 9 }),
          fc.constantFrom(3, 200),
          async (steps, limit) => {
            for (const one of steps) await take(one)
            await expectAnswers(limit)
          },
        ),
        { numRuns: 3, endOnFailure: true },
      )
      await admin.patch(`/organisations/${globex}`, { active: true })
    })

    it('after a file is applied that says something else of one', async () => {
      const before = await found(admin, `permission=${vistaRead}`)
      const line = `permissions: [${vistaImport}]\n    organisation: acme`
      await applyChanged(tessera, [line, `permissions: [${vistaRead}]\n    organisation: globex`])
      const one = { kind: 'client', client_id: 'nightly-import', client_name: 'Nightly import' }
      const after = await found(admin, `permission=${vistaRead}`)
      expect(before).not.toContainEqual(expect.objectContaining(one))
      expect(after).toContainEqual({ ...one, organisation_uuid: globex })
      await expectAnswers()
    })

    it('after a permission or a service is removed from all that list it', async () => {
      const service = { code: 'gone', name: 'Gone', audience: 'https://gone.example' }
      await admin.post('/services', service)
      await admin.post('/permissions', { code: 'gone.thing.read', description: 'Goes' })
      await admin.post('/clients', {
        ...machine('loses'),
        services: ['gone'],
        permissions: ['gone.thing.read'],
      })
      const holders = async () =>
        (await found(admin, 'permission=gone.thing.read')).map((one) => one.client_id)
      expect(await holders()).toEqual(['loses'])
      const { etag } = await admin.get('/permissions/gone.thing.read')
      expect((await admin.delete('/permissions/gone.thing.read', etag)).status).toBe(204)
      // Nobody holds the next one of the same code.
      await admin.post('/permissions', { code: 'gone.thing.read', description: 'Comes again' })
      expect(await holders()).toEqual([])
    })
  })

  it('are compared exactly: a name that looks like a pattern finds nobody', async () => {
    const service = { code: 'pattern', name: 'Pattern', audience: 'https://pattern.example' }
    await admin.post('/services', service)
    for (const code of ['pattern.a-b.read', 'pattern.axb.read'])
      await admin.post('/permissions', { code, description: code })
    const body = { ...machine('exact'), services: ['pattern'], permissions: ['pattern.axb.read'] }
    expect((await admin.post('/clients', body)).status).toBe(201)
    expect(await found(admin, 'permission=pattern.a-b.read')).toEqual([])
    expect(await found(admin, 'permission=pattern.axb.read')).toHaveLength(1)
  })

  /** One change by one of those who write clients. */
  async function take({ id, how, written: columns }: { id: string; how: string; written: Written }) {
    if (how === 'api') await byAdministrator(id, columns)
    else if (how === 'remove') await admin.delete(`/clients/${id}`, (await admin.get(`/clients/${id}`)).etag)
    else await admin.patch(`/organisations/${globex}`, { active: columns.active === 1 })
  }

  async function byAdministrator(
    id: string,
    { type: drawn, active, services, permissions, ...rest }: Written,
  ) {
    const { status, json } = await admin.get(`/clients/${id}`)
    const type = status === 404 ? drawn : json.type
    const allowed = permissions?.filter((one) => services.some((service) => one.startsWith(`${service}.`)))
    const set = {
      client_name: `${id} by API`,
      active: active === 1,
      services,
      permissions: allowed ?? (type === 'machine' ? [] : null),
      ...rest,
    }
    const like = type === 'machine' ? machine(id) : application(id)
    const answer =
      status === 404
        ? await admin.post('/clients', { ...like, ...set })
        : await admin.patch(`/clients/${id}`, set)
    expect(answer.status, answer.text).toBeLessThan(300)
  }
})

const machine = (client_id: string) => ({
  client_id,
  client_name: client_id,
  type: 'machine',
  services: ['submissions-tool'],
})
const application = (client_id: string) => ({
  client_id,
  client_name: client_id,
  type: 'public',
  redirect_uris: ['https://app.example/callback'],
  scope: 'openid',
})

it('a restored backup brings back who held a permission then', async () => {
  const tessera = await startAdministered('sqlite')
  const origin = { now: tessera.clock.now(), by: {}, keeper: testKeeper }
  try {
    // A restore ends the tokens of machines.
    const holders = async () => {
      const admin = await Administrator.machine(tessera.url)
      const all = asked.map((permission) => admin.all(`/access?permission=${permission}`))
      return (await Promise.all(all)).map((some) => some.filter(({ kind }) => kind === 'client'))
    }
    const before = await holders()
    expect(before.flat().length).toBeGreaterThan(2)
    const file = join(temporaryFolder(), 'before.sqlite')
    backUp(tessera.databaseUrl, file, origin)
    const line = `permissions: [${vistaImport}]\n    organisation: acme`
    await applyChanged(tessera, [line, `permissions: [${vistaRead}]\n    organisation: globex`])
    expect(await holders()).not.toEqual(before)
    restore(tessera.databaseUrl, file, origin)
    expect(await holders()).toEqual(before)
  } finally {
    await tessera.close()
  }
})
