/** Who may subscribe to what, and where nothing is ever sent. */
import dns, { type LookupAddress } from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { send } from '../../dist/webhooks/send.js'
import { iamPermissions } from '../../dist/protocol/permission.js'
import {
  acme,
  Administrator,
  globex,
  heads,
  problemOf,
  startAdministered,
} from '../administration/support.ts'
import { onEachDatabase, oneDatabase } from '../harness/databases.ts'
import type { Tessera } from '../harness/harness.ts'
import { shortenTimers } from '../harness/timers.ts'
import { changeWebhook, everythingIn, keptOfWebhook } from '../harness/states.ts'
import { becomes, happen, Receiver, type Received } from './support.ts'
import { read } from '../house/support.ts'

// The look for what is due, and the end of an attempt.
shortenTimers({ 500: 50, 10_000: 1500 })

const nowhere = '99999999-9999-4999-8999-999999999999'
const url = 'https://hooks.example.com/tessera'
const kinds = ['unit.*']
const right = { url, kinds }

const wrongBodies: [wrong: object, field: string][] = [
  [{ url: 'http://hooks.example.com/' }, 'url'],
  [{ url: 'https://localhost/x' }, 'url'],
  [{ url: 'https://db.internal/x' }, 'url'],
  [{ url: 'https://printer.local/x' }, 'url'],
  [{ url: 'https://127.0.0.1/x' }, 'url'],
  [{ url: 'https://127.1/x' }, 'url'],
  [{ url: 'https://2130706433/x' }, 'url'],
  [{ url: 'https://0x7f.0.0.1/x' }, 'url'],
  [{ url: 'https://10.1.2.3/x' }, 'url'],
  [{ url: 'https://172.16.0.1/x' }, 'url'],
  [{ url: 'https://192.168.1.1/x' }, 'url'],
  [{ url: 'https://100.64.0.1/x' }, 'url'],
  [{ url: 'https://169.254.169.254/latest/meta-data' }, 'url'],
  [{ url: 'https://0.0.0.0/x' }, 'url'],
  [{ url: 'https://224.0.0.1/x' }, 'url'],
  [{ url: 'https://255.255.255.255/x' }, 'url'],
  [{ url: 'https://[::1]/x' }, 'url'],
  [{ url: 'https://[::]/x' }, 'url'],
  [{ url: 'https://[::ffff:127.0.0.1]/x' }, 'url'],
  [{ url: 'https://[::ffff:a9fe:a9fe]/x' }, 'url'],
  [{ url: 'https://[fc00::1]/x' }, 'url'],
  [{ url: 'https://[fd12:3456::1]/x' }, 'url'],
  [{ url: 'https://[fe80::1]/x' }, 'url'],
  [{ url: 'https://[ff02::1]/x' }, 'url'],
  [{ url: 'https://[64:ff9b::7f00:1]/x' }, 'url'],
  [{ url: 'https://[2002:7f00:1::]/x' }, 'url'],
  [{ url: 'https://hooks.home.arpa/x' }, 'url'],
  [{ url: 'https://hooks.internal./x' }, 'url'],
  [{ url: 'https://user:password@hooks.example.com/' }, 'url'],
  [{ url: 'https://:password@hooks.example.com/' }, 'url'],
  [{ url: 'https://hooks.example.com/#part' }, 'url'],
  [{ url: 'https://hooks.example.com/a b' }, 'url'],
  [{ url: 'ftp://hooks.example.com/' }, 'url'],
  [{ url: '/hooks' }, 'url'],
  [{ url: `https://hooks.example.com/${'x'.repeat(2000)}` }, 'url'],
  [{ kinds: ['user.invented'] }, 'kinds.0'],
  [{ kinds: ['user.*', 'nothing.*'] }, 'kinds.1'],
  [{ kinds: ['user*'] }, 'kinds.0'],
  [{ kinds: ['*.created'] }, 'kinds.0'],
  [{ kinds: ['__proto__'] }, 'kinds.0'],
  [{ kinds: [] }, 'kinds'],
  [{ kinds: ['*', '*'] }, 'kinds'],
  [{ kinds: undefined }, 'kinds'],
  [{ organisation_uuid: nowhere }, 'organisation_uuid'],
  [{ secret: 'whsec_bWluZQ==' }, 'secret'],
  [{ since: 0 }, 'since'],
  [{ uuid: nowhere }, 'uuid'],
]

onEachDatabase('administering webhooks', (dialect) => {
  const onOne = oneDatabase(dialect)
  let tessera: Tessera
  let admin: Administrator
  let machine: Administrator
  let unitHead: Administrator
  const receiver = new Receiver()
  beforeAll(async () => {
    tessera = await startAdministered(dialect)
    admin = await Administrator.machine(tessera.url)
    machine = await Administrator.machine(tessera.url, 'acme-cli')
    unitHead = await Administrator.person(tessera.url, heads.unitHead)
    await receiver.listen()
  })
  afterAll(async () => {
    await tessera.close()
    receiver.close()
  })

  const made = async (by: Administrator, more: object = {}) => {
    const answer = await by.post('/webhooks', { ...right, ...more })
    expect(answer.status).toBe(201)
    return { uuid: String(answer.json.uuid), at: `/webhooks/${String(answer.json.uuid)}`, ...answer }
  }

  it('makes, shows, changes and removes, and tells the audit', async () => {
    const { uuid, at, json, etag, headers } = await made(admin, { description: 'Sorting' })
    const { secret, ...shown } = json
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(headers.get('location')).toBe(`/admin/v1${at}`)
    const [documented = ''] = /^\{"uuid":.*"secret":.*\}$/m.exec(read('docs/webhooks.md')) ?? []
    expect(Object.keys(json)).toEqual(Object.keys(JSON.parse(documented) as object))
    expect(shown).toMatchObject({ ...right, description: 'Sorting', active: true, organisation_uuid: null })
    const seen = await admin.get(at)
    expect({ body: seen.json, etag: seen.etag }).toEqual({ body: shown, etag })
    expect(await admin.all('/webhooks')).toContainEqual(shown)
    const changed = await admin.patch(at, { kinds: ['user.created', '*'] })
    expect(changed.json).toMatchObject({ kinds: ['user.created', '*'], url })
    expect(problemOf(await admin.ask('PATCH', at, { body: { active: false }, match: etag }))).toBe(
      '412 precondition_failed',
    )
    expect(problemOf(await admin.ask('PATCH', at, { body: { active: false } }))).toBe(
      '428 precondition_required',
    )
    expect(problemOf(await admin.delete(at, etag))).toBe('412 precondition_failed')
    expect((await admin.delete(at, changed.etag)).status).toBe(204)
    expect(problemOf(await admin.get(at))).toBe('404 not_found')
    const told = (await admin.all(`/audit?target=${uuid}`)) as { kind: string; after?: object }[]
    expect(told.map(({ kind }) => kind)).toEqual(['webhook.removed', 'webhook.changed', 'webhook.created'])
    expect(JSON.stringify(told)).not.toContain(String(secret).slice(6))
    expect(told[2]?.after).toMatchObject({ url, secret: '(changed)' })
  })

  it('is repeated without its secret for an Idempotency-Key', async () => {
    const key = { 'idempotency-key': `webhook-${dialect}` }
    const first = await admin.post('/webhooks', right, key)
    const again = await admin.post('/webhooks', right, key)
    const { secret, ...shown } = first.json
    expect(secret).toBeDefined()
    expect([again.status, again.json]).toEqual([201, shown])
    expect(problemOf(await admin.post('/webhooks', { ...right, kinds: ['*'] }, key))).toBe(
      '422 idempotency_key_reused',
    )
  })

  // The words alone decide, before a database is asked: one on PostgreSQL stands for all.
  it.each(dialect === 'sqlite' ? wrongBodies : wrongBodies.slice(0, 1))(
    'refuses %j by name, and writes nothing',
    async (wrong, field) => {
      const before = await everythingIn(tessera)
      expect(problemOf(await admin.post('/webhooks', { ...right, ...wrong }))).toBe(
        `400 invalid_request ${field}`,
      )
      expect(await everythingIn(tessera)).toEqual(before)
    },
  )

  onOne.it('refuses the same in a change, and another organisation', async () => {
    const { at } = await made(admin)
    const before = await everythingIn(tessera)
    const changes = [{ url: 'https://10.0.0.1/' }, { kinds: ['user.invented'] }, { organisation_uuid: acme }]
    for (const change of changes) {
      const [field] = Object.keys(change)
      expect(problemOf(await admin.patch(at, change))).toMatch(`400 invalid_request ${field}`)
    }
    const over = { previous_expires_at: '2020-01-01' }
    expect(problemOf(await admin.post(`${at}/secrets`, over))).toBe('400 invalid_request previous_expires_at')
    expect(problemOf(await admin.get(`${at}/deliveries?state=lost`))).toBe('400 invalid_request state')
    expect(await everythingIn(tessera)).toEqual(before)
  })

  onOne.it('sends nothing to a private address that got into it otherwise', async () => {
    const { uuid, at } = await made(admin)
    for (const hidden of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
      await changeWebhook(tessera, uuid, { url: `${hidden}/x` })
      await admin.post(`${at}/test`, {})
      const last_error = expect.stringMatching(
        /address is private.*TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES/,
      ) as string
      await becomes(admin, at, { attempts: 1, last_status: null, last_error })
    }
    expect(receiver.at('/x')).toEqual([] satisfies Received[])
    // It would be tried again amid a later test, which says that nothing changed.
    expect((await admin.delete(at)).status).toBe(204)
  })

  onOne.describe('to a name', () => {
    const name = 'hooks.rebound.example'
    /** Of a network that is public and nobody's: whoever connects there reaches no one. */
    const nobodys = '2dff:ffff::1'
    const real = dns.promises.lookup
    let looked = 0
    let connected = 0
    const listening = createServer((socket) => {
      connected++
      socket.destroy()
    })
    beforeAll(async () => {
      await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done))
    })
    afterAll(() => listening.close())
    afterEach(() => resolveWith(real))

    /** What the resolver of the machine says from now on. */
    const resolveWith = (lookup: typeof real) => {
      dns.promises.lookup = lookup
      syncBuiltinESMExports()
    }
    /** It says these addresses of the name, one after the other, and the last one from then on. */
    const rebind = (...addresses: string[]) => {
      looked = 0
      const fake = async (host: string, ...more: []): Promise<LookupAddress> => {
        if (host !== name) return await real(host, ...more)
        const address = addresses[Math.min(looked++, addresses.length - 1)] ?? ''
        return { address, family: address.includes(':') ? 6 : 4 }
      }
      resolveWith(fake as typeof real)
    }
    const tested = async () => {
      const { port } = listening.address() as AddressInfo
      const { at } = await made(admin, { url: `https://${name}:${port}/x` })
      expect((await admin.post(`${at}/test`, {})).status).toBe(201)
      const refused = expect.stringMatching(
        /address is private.*TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES/,
      ) as string
      await becomes(admin, at, { attempts: 1, last_status: null, last_error: refused })
      expect((await admin.delete(at)).status).toBe(204)
    }

    it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::7', '0.0.0.0'])(
      'that was public when it was given sends nothing once it means %s',
      async (address) => {
        rebind(address)
        await tested()
        expect([looked, connected]).toEqual([1, 0])
      },
    )

    it('is told in the same words whether it is private, nobody knows it, or nobody says so in time', async () => {
      const unknown = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
      const told: unknown[] = []
      const answers: (typeof real)[] = [
        (async () => ({ address: '10.0.0.7', family: 4 })) as unknown as typeof real,
        (() => Promise.reject(unknown)) as unknown as typeof real,
        (() =>
          Promise.reject(
            Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }),
          )) as unknown as typeof real,
        (() => new Promise(() => undefined)) as unknown as typeof real,
      ]
      for (const answer of answers) {
        resolveWith(((host: string, ...more: []) =>
          host === name ? (answer as typeof real)(host, ...more) : real(host, ...more)) as typeof real)
        const { at } = await made(machine, { url: `https://${name}/x`, organisation_uuid: acme })
        expect((await machine.post(`${at}/test`, {})).status).toBe(201)
        const { last_error } = await becomes(machine, at, {
          attempts: 1,
          last_status: null,
          last_error: expect.any(String) as string,
        })
        told.push(last_error)
        expect((await machine.delete(at)).status).toBe(204)
      }
      expect(new Set(told).size).toBe(1)
      expect(told[0]).not.toContain(name)
    })

    it('connects to the address that was checked, whatever the name means by then', async () => {
      const { port } = listening.address() as AddressInfo
      const sent = (toPrivateAddresses: boolean) =>
        send({
          url: `https://${name}:${port}/x`,
          headers: {},
          body: '{}',
          toPrivateAddresses,
          refusal: 'private',
          signal: AbortSignal.timeout(500),
        })
      rebind(nobodys, '127.0.0.1')
      await expect(sent(false)).rejects.toThrow()
      expect([looked, connected]).toEqual([1, 0])
      // The next attempt asks again.
      await expect(sent(false)).rejects.toThrow('private')
      expect([looked, connected]).toEqual([2, 0])
      await expect(sent(true)).rejects.toThrow()
      expect([looked, connected]).toEqual([3, 1])
    })
  })

  describe('within an organisation', () => {
    const path = '/webhooks'
    it('is done for that one alone', async () => {
      const own = await made(machine, { organisation_uuid: acme })
      const others = [await made(admin), await made(admin, { organisation_uuid: globex })]
      expect((await machine.all(path)).map(({ uuid }) => uuid)).toEqual([own.uuid])
      expect(await machine.all(`${path}?organisation_uuid=${globex}`)).toEqual([])
      expect(problemOf(await machine.post(path, right))).toBe('403 forbidden organisation_uuid')
      expect(problemOf(await machine.post(path, { ...right, organisation_uuid: globex }))).toBe(
        '400 invalid_request organisation_uuid',
      )
      const unknown = await machine.post(path, { ...right, organisation_uuid: nowhere })
      const foreign = await machine.post(path, { ...right, organisation_uuid: globex })
      expect(foreign.json).toEqual(unknown.json)
      const before = await everythingIn(tessera)
      for (const { at } of others) {
        const { json } = await admin.get(at)
        const [{ id } = { id: '' }] = json.secrets as { id: string }[]
        const tries = [
          machine.get(at),
          machine.ask('PATCH', at, { body: { active: false }, match: '*' }),
          machine.delete(at),
          machine.get(`${at}/deliveries`),
          machine.post(`${at}/test`, {}),
          machine.post(`${at}/secrets`, {}),
          machine.delete(`${at}/secrets/${id}`),
          machine.post(`${at}/deliveries/${nowhere}/replay`, {}),
        ]
        for (const answer of await Promise.all(tries)) expect(problemOf(answer)).toBe('404 not_found')
      }
      expect(await everythingIn(tessera)).toEqual(before)
      expect((await machine.patch(own.at, { active: false })).status).toBe(200)
      expect((await machine.delete(own.at)).status).toBe(204)
    })

    onOne.it('is not done by whoever administers a unit', async () => {
      const own = await made(machine, { organisation_uuid: acme })
      expect(await unitHead.all(path)).toEqual([])
      expect(problemOf(await unitHead.get(own.at))).toBe('404 not_found')
      expect(problemOf(await unitHead.post(path, { ...right, organisation_uuid: acme }))).toBe(
        '403 forbidden',
      )
    })

    it.each(['%00', 'x', nowhere, '0'.repeat(32)])('has no delivery %s put in line', async (id) => {
      const { at } = await made(machine, { organisation_uuid: acme })
      expect(problemOf(await machine.post(`${at}/deliveries/${id}/replay`, {}))).toBe('404 not_found')
    })

    it('has only what belongs to it put in line, and replays only its own', async () => {
      const own = await made(machine, { organisation_uuid: acme, kinds: ['*'] })
      const abroad = await made(admin, { organisation_uuid: globex, kinds: ['*'] })
      const all = await made(admin, { kinds: ['unit.*', 'role.*'] })
      await happen(admin, acme)
      await happen(admin, globex)
      await admin.post('/roles', { code: `role-${dialect}`, name: 'Role', permissions: [] })
      const kindsOf = async (at: string) => {
        const items = (await admin.all(`${at}/deliveries`)) as { kind: string }[]
        return items.map(({ kind }) => kind).filter((kind) => !kind.startsWith('webhook'))
      }
      await becomes(admin, all.at, { kind: 'role.created' })
      expect(await kindsOf(all.at)).toEqual(['role.created', 'unit.created', 'unit.created'])
      expect(await kindsOf(own.at)).toEqual(['unit.created'])
      expect(await kindsOf(abroad.at)).toEqual(['unit.created'])
      const [foreign] = (await admin.all(`${abroad.at}/deliveries`)) as { id: string }[]
      for (const by of [machine, admin]) {
        expect(problemOf(await by.post(`${own.at}/deliveries/${foreign?.id}/replay`, {}))).toBe(
          '404 not_found',
        )
      }
      expect(problemOf(await machine.post(`${abroad.at}/deliveries/${foreign?.id}/replay`, {}))).toBe(
        '404 not_found',
      )
      // What becomes of them goes on meanwhile.
      const sequences = async (limit: number) =>
        (await admin.all(`${all.at}/deliveries`, limit)).map(({ sequence }) => sequence)
      expect(await sequences(1)).toEqual(await sequences(200))

      // With the organisation go its webhooks.
      expect(await keptOfWebhook(tessera, abroad.uuid)).toBeGreaterThan(0)
      expect((await admin.delete(`/organisations/${globex}`)).status).toBe(204)
      expect((await admin.all(path)).filter((one) => one.organisation_uuid === globex)).toEqual([])
      expect(await keptOfWebhook(tessera, abroad.uuid)).toBe(0)
    })
  })

  onOne.it('is for those alone who may read the audit', async () => {
    const clientId = 'hooks-cli'
    const permissions = iamPermissions.filter((one) => one.startsWith('iam.webhooks.'))
    expect(permissions).toHaveLength(4)
    const client = { client_id: clientId, client_name: 'Hooks', type: 'machine', services: ['iam'] }
    const { client_secret } = (await admin.post('/clients', { ...client, permissions })).json
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: String(client_secret),
    })
    const answer = await fetch(`${tessera.url}/oauth2/token`, { method: 'POST', body })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    const hooks = new Administrator(tessera.url, token)
    const refused = await hooks.post('/webhooks', right)
    expect(problemOf(refused)).toBe('403 insufficient_scope')
    expect(refused.json.permissions).toEqual(['iam.audit.read'])
    const { at } = await made(admin)
    expect(problemOf(await hooks.patch(at, { kinds: ['*'] }))).toBe('403 insufficient_scope')
    expect((await hooks.get(at)).status).toBe(200)
  })
})
