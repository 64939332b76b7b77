import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { listAudit } from '../../dist/audit/read.js'
import type { Store } from '../../dist/database/store.js'
import { type Linked, type LookState, lookDecision } from '../../dist/upstream/ldap-look.js'
import { dueLooks, lookAtDirectory } from '../../dist/upstream/look.js'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { type DirectoryEntry, LdapServer, trustDirectories } from '../harness/ldap-server.ts'
import { testSettings } from '../harness/settings.ts'
import { linkUpstream, makeUpstream } from '../harness/states.ts'
import { allLinked, openStore } from '../harness/stores.ts'

const base = 'dc=acme,dc=example'
const service = { dn: `cn=service,${base}`, password: 'a password', mail: 'service@acme.example' }
const entry = (name: string, set: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  dn: `uid=${name},${base}`,
  uid: name,
  entryUUID: `entry of ${name}`,
  ...set,
})
const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')

onEachDatabase('the look at a directory', (dialect) => {
  let database: TestDatabase
  let store: Store
  let upstream: string
  const people: Record<string, string> = {}
  const server = new LdapServer()
  const settings = testSettings({})
  let now = Date.UTC(2030, 0, 1)
  beforeAll(async () => {
    trustDirectories()
    database = await createDatabase(dialect, 'acme')
    store = await openStore(database.url)
    await server.listen('ldaps')
    const set = { url: server.url(), base, bind_dn: service.dn, secret: service.password }
    ;({ uuid: upstream } = await makeUpstream(store, set))
    people.ann = await linkUpstream(store, upstream, 'entry of ann', 'importer@acme.example')
    const bea = '33221100-5544-7766-8899-aabbccddeeff'
    people.bea = await linkUpstream(store, upstream, bea, 'both@acme.example')
  })
  const ann = entry('ann')
  const bea: DirectoryEntry = { dn: `cn=Bea,${base}`, sAMAccountName: 'bea', objectGUID: guid }
  const root = { dn: base }
  beforeEach(async () => {
    server.behaviour = {}
    // All are there and count.
    await looked([ann, bea])
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await server.close()
    await store.close()
    await database.remove()
  })

  /** What a look records that finds these entries, an hour after the last. */
  const looked = async (entries: readonly DirectoryEntry[]) => {
    server.entries = [root, service, ...entries]
    now += 3_600_000
    const reaching = { toPrivateAddresses: true, refusal: '' }
    const due = await dueLooks(store, now)
    for (const row of due)
      await lookAtDirectory({ store, settings, now: () => now }, reaching, row, new AbortController().signal)
    await allLinked(store)
    const records = await listAudit(store, { from: now }, { limit: 100 })
    return records
      .map(({ kind, target }) => [kind, target?.id])
      .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
  }

  it('suspends who is gone or disabled, and restores who is back', async () => {
    expect(await looked([ann, bea])).toEqual([])
    const off = { ...bea, userAccountControl: '514' }
    expect(await looked([ann, off])).toEqual([['person.suspended', people.bea]])
    expect(await looked([entry('carl')])).toEqual([['person.suspended', people.ann]])
    expect(await looked([{ ...ann, dn: `uid=other,ou=moved,${base}`, uid: 'other' }])).toEqual([
      ['person.restored', people.ann],
    ])
    expect(await looked([ann, bea])).toEqual([['person.restored', people.bea]])
  })

  it('ends nobody where the directory is emptied, fails or can not be asked, and records that once', async () => {
    expect(await looked([])).toEqual([['sync.stopped', upstream]])
    expect(await looked([])).toEqual([])
    expect(await looked([ann, bea])).toEqual([])
    for (const behaviour of [{ drops: 'search' }, { refers: 'instead' }, { sizeLimit: 1 }] as const) {
      server.behaviour = behaviour
      expect(await looked([ann, bea])).toEqual([['sync.stopped', upstream]])
      server.behaviour = {}
      expect(await looked([ann, bea])).toEqual([])
    }
  })

  it('is taken once an hour', async () => {
    expect(await dueLooks(store, now + 3_599_999)).toEqual([])
    server.seen = []
    const [row] = await dueLooks(store, now + 3_600_000)
    if (row === undefined) throw new Error('It is not due.')
    const at = { store, settings, now: () => now + 3_600_000 }
    const reaching = { toPrivateAddresses: true, refusal: '' }
    const { signal } = new AbortController()
    await Promise.all([1, 2, 3].map(() => lookAtDirectory(at, reaching, row, signal)))
    expect(server.seen).toEqual([`bind ${service.dn}`, 'search'])
    now += 3_600_000
  })
})

describe('who is suspended after a look', () => {
  const decided = (count: number, of: (index: number) => LookState, suspended = 0) => {
    const linked = Array.from(
      { length: count },
      (_, index): Linked => ({ subject: `${index}`, user_uuid: `${index}`, suspended: index < suspended }),
    )
    const decision = lookDecision(linked, new Map(linked.map((one, index) => [one.subject, of(index)])))
    return [decision.suspend.length, decision.restore.length, decision.tooMany]
  }
  const gone = (count: number) => (index: number) => (index < count ? 'gone' : 'active')

  it.each([
    ['five of six', 6, 5, 5, undefined],
    ['six of sixty', 60, 6, 6, undefined],
    ['six of fifty-nine', 59, 6, 0, 6],
    ['all of six', 6, 6, 0, 6],
    ['a tenth of a thousand', 1000, 100, 100, undefined],
    ['more than that', 1000, 101, 0, 101],
  ])('is nobody where too many are gone: %s', (_what, count, away, suspended, tooMany) => {
    expect(decided(count, gone(away))).toEqual([suspended, 0, tooMany])
  })

  it('is whoever is gone now: those who were before do not count as too many', () => {
    expect(decided(100, gone(52), 50)).toEqual([2, 0, undefined])
    expect(decided(100, gone(40), 50)).toEqual([0, 10, undefined])
    expect(decided(100, (index) => (index < 60 ? 'disabled' : 'active'))).toEqual([60, 0, undefined])
  })
})
