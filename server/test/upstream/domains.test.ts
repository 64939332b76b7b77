import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Store } from '../../dist/database/store.js'
import { listAudit } from '../../dist/audit/read.js'
import { isDnsServer } from '../../dist/protocol/networks.js'
import { dueDomains, lookAtDomain, proveDomain } from '../../dist/upstream/domains.js'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { DnsServer } from '../harness/dns-server.ts'
import { allLinked, openStore } from '../harness/stores.ts'
import { claimDomain, claimsOfDomain, switchAlone } from '../harness/states.ts'

const now = Date.UTC(2030, 0, 1)
const day = 24 * 3_600_000

onEachDatabase('domains', (dialect) => {
  let database: TestDatabase
  let stores: [Store, Store]
  const dns = new DnsServer()
  beforeAll(async () => {
    database = await createDatabase(dialect, 'acme')
    stores = [await openStore(database.url), await openStore(database.url)]
    await dns.listen()
  })
  beforeEach(() => {
    dns.names = {}
    dns.behaviour = 'usual'
    dns.asked = []
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await dns.close()
    await database.remove()
  })

  const claim = (code: string, name: string, set = {}) => claimDomain(stores[0], code, name, set)
  const service = (by = 0) => ({
    store: stores[by] ?? stores[0],
    settings: { dnsServers: [dns.address] },
  })
  const prove = (uuid: string, { at = now, by = 0 } = {}) => proveDomain(service(by), uuid, { now: at })
  const look = (name: string, at: number) => lookAtDomain(service(), name, { now: at })
  const publish = (name: string, ...TXT: string[]) => (dns.names[`_tessera.${name}`] = { TXT })
  const holder = async (name: string) => {
    const all = [...(await claimsOfDomain(stores[0], name)).values()]
    const holding = all.filter(({ holds }) => holds === 1)
    expect(holding.length).toBeLessThan(2)
    return holding[0]?.uuid
  }

  it('are proved by the record, by itself, at the name itself', async () => {
    const one = await claim('acme', 'one.example')
    expect(await prove(one.uuid)).toBe('no_record')
    for (const near of [
      `${one.token}0`,
      one.token.slice(0, -1),
      `v=1 ${one.token}`,
      one.token.toUpperCase(),
    ]) {
      publish('one.example', near)
      expect(await prove(one.uuid)).toBe('no_record')
    }
    dns.names = { 'one.example': { TXT: [one.token] }, '_tessera.www.one.example': { TXT: [one.token] } }
    expect(await prove(one.uuid)).toBe('no_record')
    publish('one.example', 'v=spf1 -all', one.token)
    expect(await prove(one.uuid)).toBe('holds')
    expect(await holder('one.example')).toBe(one.uuid)
    await allLinked(stores[0])
    const records = await listAudit(stores[0], { target: one.uuid }, { limit: 10 })
    expect(records.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['domain.changed', { name: 'one.example', reason: 'proved' }],
    ])
  })

  it('are proved by no alias and no wildcard', async () => {
    const one = await claim('acme', 'alias.example')
    dns.names = {
      '_tessera.alias.example': { CNAME: 'elsewhere.example' },
      'elsewhere.example': { TXT: [one.token] },
    }
    expect(await prove(one.uuid)).toBe('alias')
    for (const everywhere of [{ TXT: [one.token] }, { CNAME: 'elsewhere.example' }]) {
      dns.names = {
        '*.alias.example': everywhere,
        '_tessera.alias.example': { TXT: [one.token] },
        'elsewhere.example': { TXT: [one.token] },
      }
      expect(await prove(one.uuid)).toBe('wildcard')
    }
    dns.names = { '*.alias.example': { TXT: ['another'] }, '_tessera.alias.example': { TXT: [one.token] } }
    expect(await prove(one.uuid)).toBe('holds')
  })

  it('are held by one, who keeps them while both records are there', async () => {
    const name = 'both.example'
    const [one, other] = [await claim('acme', name), await claim('other', name)]
    publish(name, one.token)
    expect([await prove(one.uuid), await prove(other.uuid)]).toEqual(['holds', 'no_record'])
    publish(name, one.token, other.token)
    expect([await prove(other.uuid), await prove(one.uuid)]).toEqual(['held', 'holds'])
    // The holder's record is gone: it moves at once, and back no sooner than that of the other is gone.
    publish(name, other.token)
    expect(await prove(other.uuid, { at: now + 1 })).toBe('holds')
    publish(name, one.token, other.token)
    expect(await prove(one.uuid, { at: now + 2 })).toBe('held')
    expect(await holder(name)).toBe(other.uuid)
  })

  it('are given to one of two that prove them at the same time', async () => {
    const name = 'raced.example'
    const both = [await claim('acme', name), await claim('other', name)]
    publish(name, ...both.map(({ token }) => token))
    const proofs = await Promise.all([0, 1, 0, 1].map((by) => prove(both[by]?.uuid ?? '', { by })))
    expect(proofs.filter((one) => one === 'holds').length).toBeGreaterThan(0)
    expect(new Set(proofs)).toEqual(new Set(['holds', 'held']))
    expect(both.map(({ uuid }) => uuid)).toContain(await holder(name))
  })

  it('lapse when the record is gone for seven days, and not because servers do not answer', async () => {
    const name = 'lapsing.example'
    const { uuid, token } = await claim('acme', name)
    publish(name, token)
    await prove(uuid)
    dns.behaviour = 'fails'
    expect(await prove(uuid, { at: now + 30 * day })).toBe('no_answer')
    dns.behaviour = 'usual'
    dns.names = {}
    await look(name, now + day)
    await look(name, now + 8 * day - 1)
    expect(await holder(name)).toBe(uuid)
    publish(name, token)
    await look(name, now + 8 * day - 1)
    dns.names = {}
    for (const days of [9, 10, 15]) await look(name, now + days * day)
    expect(await holder(name)).toBe(uuid)
    await look(name, now + 16 * day)
    expect(await holder(name)).toBeUndefined()
    publish(name, token)
    await look(name, now + 17 * day)
    expect(await holder(name)).toBe(uuid)
  })

  it('are looked at once a day', async () => {
    const { uuid } = await claim('acme', 'daily.example')
    const due = async (at: number) => (await dueDomains(stores[0], at)).includes('daily.example')
    expect(await due(now)).toBe(true)
    await prove(uuid)
    expect([await due(now + day - 1), await due(now + day)]).toEqual([false, true])
  })

  it('are moved by the installation alone where it gave them', async () => {
    const name = 'given.example'
    const given = await claim('acme', name, { given: 1, holds: 1 })
    const other = await claim('other', name)
    publish(name, other.token)
    expect(await prove(other.uuid)).toBe('held')
    await look(name, now + 30 * day)
    expect(await holder(name)).toBe(given.uuid)
  })

  it('belong to no organisation that is disabled', async () => {
    const name = 'disabled.example'
    const one = await claim('closing', name)
    const other = await claim('other', name)
    publish(name, one.token, other.token)
    await prove(one.uuid)
    const { organisation_uuid = '' } = (await claimsOfDomain(stores[0], name)).get(one.uuid) ?? {}
    const tessera = { databaseUrl: database.url }
    await switchAlone(tessera, ['organisation', organisation_uuid], 0)
    expect([await prove(one.uuid), await prove(other.uuid)]).toEqual(['organisation_disabled', 'holds'])
    await switchAlone(tessera, ['organisation', organisation_uuid], 1)
    expect(await prove(one.uuid)).toBe('held')
  })

  it('are asked for by their ASCII form', async () => {
    const one = await claim('acme', 'bücher.example')
    publish('xn--bcher-kva.example', one.token)
    expect(await prove(one.uuid)).toBe('holds')
    expect(await prove('no such claim')).toBeUndefined()
  })
})

it('are asked of servers by their address', () => {
  const good = ['10.0.0.53', '10.0.0.53:5353', '2001:db8::53', '[2001:db8::53]', '[2001:db8::53]:53']
  const bad = ['dns.example', '10.0.0.53:', '10.0.0.53:65536', '10.0.0', '[10.0.0.53]:53', ':53', '']
  expect(good.map(isDnsServer)).toEqual(good.map(() => true))
  expect(bad.map(isDnsServer)).toEqual(bad.map(() => false))
})
