import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { KeyRing } from '../../dist/keys/key-ring.js'
import { keyTimes } from '../../dist/keys/key-times.js'
import type { Store } from '../../dist/database/store.js'
import { headerOf } from '../harness/browser.ts'
import { openStore } from '../harness/stores.ts'
import {
  createDatabase,
  onEachDatabase,
  type TestDatabase,
  oneDatabase,
  sampleOn,
} from '../harness/databases.ts'
import { changePrivateKey, replaceSigningKeys, signingKeysOf } from '../harness/states.ts'

const secret = 'a-secret-of-the-tests-0123456789-abcdef'
const hour = 3_600_000
const longestTokenLife = 24 * hour
const keyLead = 24 * hour

onEachDatabase('the key ring', (dialect) => {
  const onOne = oneDatabase(dialect)
  let database: TestDatabase
  let store: Store
  let now: number
  const at = () => ({ databaseUrl: database.url })
  const keys = () => signingKeysOf(at())
  let made: Awaited<ReturnType<typeof keys>>
  beforeAll(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
    made = await keys()
  })
  beforeEach(async () => {
    await replaceSigningKeys(at(), made)
    now = Date.now()
  })
  afterAll(async () => {
    await store.close()
    await database.remove()
  })

  const open = async (with_ = secret) =>
    await KeyRing.open({ store, secret: with_, now: () => now, keyLead, longestTokenLife })
  const kids = (ring: KeyRing) => ring.jwks().keys.map((one) => one.kid)
  const algs = ['RS256', 'ES256'] as const
  const sign = async (ring: KeyRing, alg: (typeof algs)[number] = 'RS256') =>
    await ring.sign('at+jwt', { sub: 'x' }, alg)
  /** The keys that sign, of each algorithm. */
  const signers = async (ring: KeyRing) =>
    await Promise.all(algs.map(async (alg) => headerOf(await sign(ring, alg)).kid))

  /** As a new database; the others have keys already, which saves the time to make them. */
  const empty = () => replaceSigningKeys(at(), [])
  /** Where somebody removed keys. */
  const withoutEs256 = async () =>
    await replaceSigningKeys(
      at(),
      (await keys()).filter(({ alg }) => alg !== 'ES256'),
    )

  it('makes one key of each algorithm in an empty database, both sign at once, and finds them again', async () => {
    await empty()
    const ring = await open()
    expect(ring.jwks().keys.map(({ alg }) => alg)).toEqual(['RS256', 'ES256'])
    const again = await open()
    expect(again.jwks()).toEqual(ring.jwks())
    for (const alg of algs) {
      const jwt = await sign(ring, alg)
      expect(headerOf(jwt).alg).toBe(alg)
      expect(again.verified(jwt, 'access token')).toEqual({ sub: 'x' })
    }
  })

  it('publishes new keys long before they sign even when the process stood still while it made them', async () => {
    const ring = await open()
    const first = await signers(ring)
    const rotating = ring.rotate()
    // As a stopped process, a suspended machine or somebody's lock on the table would have it.
    now += 2 * keyLead
    await rotating
    expect(kids(ring)).toHaveLength(4)
    expect(await signers(ring)).toEqual(first)
    now += keyTimes.jwksCache
    expect(await signers(ring)).toEqual(first)
    now += keyLead
    expect(new Set([...first, ...(await signers(ring))]).size).toBe(4)
  })

  it('publishes new keys before they sign, longer than any cache holds the old set', async () => {
    const ring = await open()
    const first = await signers(ring)
    const second = await ring.rotate()
    expect(kids(ring)).toEqual([first[0], second[0], first[1], second[1]])
    expect(await signers(ring)).toEqual(first)

    now += keyTimes.jwksCache
    expect(await signers(ring)).toEqual(first)
    now += keyLead - keyTimes.jwksCache - 2
    expect(await signers(ring)).toEqual(first)
    now += 2
    expect(await signers(ring)).toEqual(second)
  })

  it('keeps the old keys published until the last token that they signed has expired', async () => {
    const ring = await open()
    const second = await ring.rotate()
    now += keyLead - 2
    const last = await Promise.all(algs.map((alg) => sign(ring, alg)))
    now += longestTokenLife
    await ring.reload()
    for (const jwt of last) {
      expect(kids(ring)).toContain(headerOf(jwt).kid)
      expect(ring.verified(jwt, 'access token')).toEqual({ sub: 'x' })
    }
    now += keyTimes.clockSkew + 3
    await ring.reload()
    expect(kids(ring)).toEqual(second)
    for (const jwt of last) expect(ring.verified(jwt, 'access token')).toBeUndefined()
  })

  it('knows whom an ID token names for thirty days after the key that signed it was published', async () => {
    const ring = await open()
    const hint = await ring.sign('JWT', { sub: 'x' }, 'RS256')
    const token = await sign(ring)
    await ring.rotate()
    now += keyLead + longestTokenLife + keyTimes.clockSkew
    for (const [passed, known] of [
      [29 * 24 * hour, { sub: 'x' }],
      [2 * 24 * hour, undefined],
    ] as const) {
      now += passed
      await ring.reload()
      expect(kids(ring)).not.toContain(headerOf(hint).kid)
      expect(ring.verified(hint, 'ID token')).toEqual(known)
      expect(ring.verified(token, 'access token')).toBeUndefined()
    }
  })

  it('keeps them as long as tokens live here, also when somebody rotated who thinks that they live shorter', async () => {
    const life = 72 * hour
    const options = { store, secret, now: () => now, keyLead, longestTokenLife: life }
    const ring = await KeyRing.open(options)
    await (await open()).rotate()
    await ring.rotateIfDue(90 * 24 * hour)
    now += keyLead - 1000
    const last = await Promise.all(algs.map(async (alg) => await sign(ring, alg)))
    const old = last.map((jwt) => headerOf(jwt).kid)
    now += life
    await ring.reload()
    expect(kids(ring)).toEqual(expect.arrayContaining(old))
    for (const jwt of last) expect(ring.verified(jwt, 'access token')).toEqual({ sub: 'x' })
    now += hour
    await ring.rotateIfDue(90 * 24 * hour)
    for (const kid of old) expect(kids(ring)).not.toContain(kid)
  })

  it('makes a missing key beside a service that runs', async () => {
    const ring = await open()
    await withoutEs256()
    await ring.rotateIfDue(90 * 24 * hour)
    expect(ring.jwks().keys.map(({ alg }) => alg)).toEqual(['RS256', 'RS256', 'ES256'])
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(3)
  })

  onOne.it('takes each key for its algorithm alone', async () => {
    const ring = await open()
    for (const alg of algs) expect(ring.verified(await ring.sign('JWT', {}, alg), 'ID token')).toEqual({})
    const [rsa, ec] = await Promise.all(algs.map((alg) => sign(ring, alg)))
    const part = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
    for (const [jwt, other] of [
      [rsa, 'ES256'],
      [ec, 'RS256'],
      [ec, 'none'],
    ] as const) {
      const [header = '', ...rest] = (jwt ?? '').split('.')
      const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg: other }
      expect(ring.verified([part(changed), ...rest].join('.'), 'access token')).toBeUndefined()
    }
  })

  it.each(
    sampleOn(dialect, 1, [
      ['that caches as long as it may, with the least lead', keyTimes.leastLead, keyTimes.jwksCache, 9, 6],
      ['that caches for hours, as gateways do', keyLead, 12 * hour, 180, 60],
    ]),
  )('never fails a verifier %s, at any moment of three rotations', async (_who, lead, cache, step, every) => {
    const ring = await KeyRing.open({ store, secret, now: () => now, keyLead: lead, longestTokenLife })
    const made = (await keys()).length
    let cached = ring.jwks()
    let cachedAt = now
    let rotateAt = now + 3 * hour
    for (let turn = 0; turn < 150; turn++) {
      now += step * 60_000
      await ring.reload()
      if (now >= rotateAt) {
        await ring.rotate()
        rotateAt += every * hour
      }
      // A verifier that fetched just before it had to: the oldest set that it may still hold.
      for (const alg of algs) {
        const jwt = await sign(ring, alg)
        await jwtVerify(jwt, createLocalJWKSet(cached), { currentDate: new Date(now), algorithms: [alg] })
      }
      if (now - cachedAt >= cache) [cached, cachedAt] = [ring.jwks(), now]
    }
    expect((await keys()).length - made).toBeGreaterThanOrEqual(6)
  })

  it('rotates once when many processes do at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(database.url)))
    const options = { secret, now: () => now, keyLead, longestTokenLife }
    try {
      await open()
      const rings = await Promise.all(stores.map((one) => KeyRing.open({ ...options, store: one })))
      const rotated = await Promise.all(rings.map((ring) => ring.rotate()))
      expect(new Set(rotated.map(String)).size).toBe(1)
      const sets = await Promise.all(rings.map(async (ring) => (await ring.reload(), kids(ring))))
      expect(new Set(sets.map(String)).size).toBe(1)
      expect(sets[0]).toHaveLength(4)
    } finally {
      for (const one of stores) await one.close()
    }
  })

  it('starts with one key of each algorithm when many processes start on an empty database', async () => {
    await empty()
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(database.url)))
    try {
      const rings = await Promise.all(
        stores.map((one) => KeyRing.open({ store: one, secret, now: () => now, keyLead, longestTokenLife })),
      )
      expect(new Set(rings.map((ring) => String(kids(ring)))).size).toBe(1)
      expect(kids(rings[0] as KeyRing)).toHaveLength(2)
    } finally {
      for (const one of stores) await one.close()
    }
  })

  it('learns of a key that another process added long before that key signs', async () => {
    const [one, other] = [await open(), await open()]
    const added = await one.rotate()
    now += keyLead / 2
    await other.reload()
    expect(kids(other)).toEqual(expect.arrayContaining(added))
    now += keyLead
    expect(await signers(other)).toEqual(added)
    for (const alg of algs) expect(one.verified(await sign(other, alg), 'access token')).toBeDefined()
  })

  it('rotates by itself at the age it is given, and not before', async () => {
    const ring = await open()
    now = ring.signsSince() + 90 * 24 * hour - 1
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(2)
    now += 1
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(4)
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(4)
  })

  it('signs in half a minute when told to rotate at once, before keys that wait for their turn', async () => {
    const ring = await open()
    const other = await open()
    const first = await signers(ring)
    const waiting = [...(await ring.rotate()), ...(await ring.rotate())]
    await other.reload()
    const urgent = await other.rotate({}, 'once')
    await ring.reload()
    for (const kid of [...first, ...waiting, ...urgent]) expect(kids(ring)).toContain(kid)
    now += keyTimes.look
    expect(await signers(ring)).toEqual(first)
    now += keyTimes.leadNow
    for (const one of [ring, other, await open()]) expect(await signers(one)).toEqual(urgent)
    // Those that waited never sign.
    now += keyLead + hour
    await ring.rotateIfDue(90 * 24 * hour)
    expect(await signers(ring)).toEqual(urgent)
    now += keyLead
    expect(await signers(ring)).toEqual(urgent)
    now += longestTokenLife
    await ring.reload()
    expect(kids(ring)).toEqual(urgent)
  })

  onOne.it('rotates at once even when it takes long to make the keys', async () => {
    const ring = await open()
    const first = await signers(ring)
    const rotating = ring.rotate({}, 'once')
    now += keyTimes.leadNow
    const urgent = await rotating
    expect(await signers(ring)).toEqual(first)
    now += keyTimes.leadNow
    expect(await signers(ring)).toEqual(urgent)
  })

  onOne.it('keeps its word when the clock jumps', async () => {
    const ring = await open()
    const first = await signers(ring)
    const began = now
    // Back: no key signs earlier than the lead after the one before it.
    now = began - 7 * 24 * hour
    const second = await ring.rotate()
    expect(await signers(ring)).toEqual(first)
    now = began + keyLead - hour
    expect(await signers(ring)).toEqual(first)
    now = began + keyLead + 1000
    expect(await signers(ring)).toEqual(second)
    // Ahead, and back: what was made meanwhile waits, and nothing that signs is withdrawn.
    now = began + 200 * 24 * hour
    await ring.rotateIfDue(90 * 24 * hour)
    now = began + 2 * keyLead
    await ring.rotateIfDue(90 * 24 * hour)
    expect(await signers(ring)).toEqual(second)
    for (const alg of algs) expect(ring.verified(await sign(ring, alg), 'access token')).toBeDefined()
    expect(kids(ring)).toEqual(expect.arrayContaining(second))
    // Such a key waits for the time of the wrong clock; the emergency brings the next ones forward.
    const urgent = await ring.rotate({}, 'once')
    now += keyTimes.leadNow
    expect(await signers(ring)).toEqual(urgent)
    now = began + 201 * 24 * hour
    await ring.reload()
    expect(await signers(ring)).toEqual(urgent)
  })

  onOne.it('refuses another secret with a sentence that names the setting', async () => {
    await open()
    const refused = open('another-secret-0123456789-abcdefghij')
    await expect(refused).rejects.toThrow(/encrypted with another secret.*TESSERA_SECRET/)
  })

  it('keeps private keys encrypted, each bound to its id', async () => {
    const ring = await open()
    await ring.rotate()
    const rows = await keys()
    const [one, two] = rows
    for (const row of rows) {
      const [length, own] = row.alg === 'RS256' ? [2000, ['e', 'n']] : [300, ['crv', 'x', 'y']]
      expect(row.private_key).toMatch(new RegExp(`^v1\\.[\\w-]{16}\\.[\\w-]{${length},}$`))
      const members = Object.keys(JSON.parse(row.public_jwk))
      expect(members.sort()).toEqual(['alg', 'kid', 'kty', 'use', ...own].sort())
    }
    // Moved under the id of another key, or altered by one character, it does not open.
    const text = one?.private_key ?? ''
    const altered = `${text.slice(0, 100)}${text[100] === 'A' ? 'B' : 'A'}${text.slice(101)}`
    for (const encrypted of [two?.private_key ?? '', altered]) {
      await changePrivateKey(at(), one?.kid ?? '', encrypted)
      await expect(open()).rejects.toThrow(/TESSERA_SECRET/)
    }
  })
})
