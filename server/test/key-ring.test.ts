import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KeyRing } from '../dist/keys/key-ring.js'
import { keyTimes } from '../dist/keys/key-times.js'
import { openStore, type Store } from '../dist/store/open.js'
import { createDatabase, onEachDatabase, type TestDatabase } from './databases.ts'

const secret = 'a-secret-of-the-tests-0123456789-abcdef'
const hour = 3_600_000
const longestTokenLife = 24 * hour

onEachDatabase('the key ring', (dialect) => {
  let database: TestDatabase
  let store: Store
  let now: number
  beforeEach(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
    now = Date.now()
  })
  afterEach(async () => {
    await store.close()
    await database.remove()
  })

  const open = async (with_ = secret) =>
    await KeyRing.open({ store, secret: with_, now: () => now, longestTokenLife })
  const kids = (ring: KeyRing) => ring.jwks().keys.map((one) => one.kid)
  const kidOf = (jwt: string) =>
    (JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
  const sign = async (ring: KeyRing) => await ring.sign('at+jwt', { sub: 'x' })

  /** A new database; the others have one key already, which saves the time to make it. */
  const empty = () => store.db.deleteFrom('signing_keys').execute()

  it('makes one key in an empty database, and finds it again', async () => {
    await empty()
    const ring = await open()
    expect(kids(ring)).toHaveLength(1)
    const again = await open()
    expect(again.jwks()).toEqual(ring.jwks())
    expect(again.verified(await sign(ring), 'at+jwt')).toEqual({ sub: 'x' })
  })

  it('publishes a new key before it signs, longer than any cache holds the old set', async () => {
    const ring = await open()
    const first = kidOf(await sign(ring))
    const second = await ring.rotate()
    expect(second).not.toBe(first)
    expect(kids(ring)).toEqual([first, second])
    expect(kidOf(await sign(ring))).toBe(first)

    now += keyTimes.jwksCache
    expect(kidOf(await sign(ring))).toBe(first)
    now += keyTimes.publishBeforeUse - keyTimes.jwksCache - 1
    expect(kidOf(await sign(ring))).toBe(first)
    now += 1
    expect(kidOf(await sign(ring))).toBe(second)
    expect(keyTimes.publishBeforeUse).toBeGreaterThan(keyTimes.jwksCache)
  })

  it('keeps the old key published until the last token that it signed has expired', async () => {
    const ring = await open()
    const second = await ring.rotate()
    now += keyTimes.publishBeforeUse - 1
    const last = await sign(ring)
    now += longestTokenLife
    await ring.reload()
    expect(kids(ring)).toContain(kidOf(last))
    expect(ring.verified(last, 'at+jwt')).toEqual({ sub: 'x' })
    now += keyTimes.clockSkew + 2
    await ring.reload()
    expect(kids(ring)).toEqual([second])
    expect(ring.verified(last, 'at+jwt')).toBeUndefined()
  })

  it('never fails a verifier that caches, at any moment of three rotations', async () => {
    const ring = await open()
    let cached = ring.jwks()
    let cachedAt = now
    let rotateAt = now + 3 * hour
    for (let step = 0; step < 150; step++) {
      now += 9 * 60_000
      await ring.reload()
      if (now >= rotateAt) {
        await ring.rotate()
        rotateAt += 6 * hour
      }
      // A verifier that fetched just before it had to: the oldest set that it may still hold.
      const jwt = await sign(ring)
      await jwtVerify(jwt, createLocalJWKSet(cached), { currentDate: new Date(now) })
      if (now - cachedAt >= keyTimes.jwksCache) [cached, cachedAt] = [ring.jwks(), now]
    }
    const all = await store.db.selectFrom('signing_keys').select('kid').execute()
    expect(all.length).toBeGreaterThanOrEqual(4)
  })

  it('rotates once when many processes do at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(database.url)))
    const options = { secret, now: () => now, longestTokenLife }
    try {
      await open()
      const rings = await Promise.all(stores.map((one) => KeyRing.open({ ...options, store: one })))
      const rotated = await Promise.all(rings.map((ring) => ring.rotate()))
      expect(new Set(rotated).size).toBe(1)
      const sets = await Promise.all(rings.map(async (ring) => (await ring.reload(), kids(ring))))
      expect(new Set(sets.map(String)).size).toBe(1)
      expect(sets[0]).toHaveLength(2)
    } finally {
      for (const one of stores) await one.close()
    }
  })

  it('starts with one key when many processes start on an empty database', async () => {
    await empty()
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(database.url)))
    try {
      const rings = await Promise.all(
        stores.map((one) => KeyRing.open({ store: one, secret, now: () => now, longestTokenLife })),
      )
      expect(new Set(rings.map((ring) => String(kids(ring)))).size).toBe(1)
      expect(kids(rings[0] as KeyRing)).toHaveLength(1)
    } finally {
      for (const one of stores) await one.close()
    }
  })

  it('learns of a key that another process added long before that key signs', async () => {
    const [one, other] = [await open(), await open()]
    const added = await one.rotate()
    now += keyTimes.publishBeforeUse / 2
    await other.reload()
    expect(kids(other)).toContain(added)
    now += keyTimes.publishBeforeUse
    expect(kidOf(await sign(other))).toBe(added)
    expect(one.verified(await sign(other), 'at+jwt')).toBeDefined()
  })

  it('rotates by itself at the age it is given, and not before', async () => {
    const ring = await open()
    now = ring.signsSince() + 90 * 24 * hour - 1
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(1)
    now += 1
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(2)
    await ring.rotateIfDue(90 * 24 * hour)
    expect(kids(ring)).toHaveLength(2)
  })

  it('refuses another secret with a sentence that names the setting', async () => {
    await open()
    const refused = open('another-secret-0123456789-abcdefghij')
    await expect(refused).rejects.toThrow(/encrypted with another secret.*TESSERA_SECRET/)
  })

  it('keeps private keys encrypted, each bound to its id', async () => {
    const ring = await open()
    await ring.rotate()
    const rows = await store.db.selectFrom('signing_keys').selectAll().orderBy('signs_from').execute()
    const [one, two] = rows
    for (const row of rows) {
      expect(row.private_key).toMatch(/^v1\.[\w-]{16}\.[\w-]{2000,}$/)
      expect(Object.keys(JSON.parse(row.public_jwk)).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    }
    // Moved under the id of another key, or altered by one character, it does not open.
    const text = one?.private_key ?? ''
    const altered = `${text.slice(0, 100)}${text[100] === 'A' ? 'B' : 'A'}${text.slice(101)}`
    for (const private_key of [two?.private_key ?? '', altered]) {
      await store.db
        .updateTable('signing_keys')
        .set({ private_key })
        .where('kid', '=', one?.kid ?? '')
        .execute()
      await expect(open()).rejects.toThrow(/TESSERA_SECRET/)
    }
  })
})
