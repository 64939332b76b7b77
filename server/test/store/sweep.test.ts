import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { newId } from '../../dist/protocol/identifier.js'
import { sweep, sweepInTurn } from '../../dist/store/sweep.js'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { introspect, refresh, refusalOf, token, tokensOf, Visitor, withStore } from '../harness/program.ts'

const hour = 3_600_000
const day = 24 * hour
const now = Date.UTC(2030, 0, 1)
/** More than any step looks at. */
const many = 1300

const tables = [
  'authorization_requests',
  'pushed_requests',
  'authorization_codes',
  'device_codes',
  'token_families',
  'revoked_tokens',
  'client_assertions',
  'throttles',
  'limits',
  'repeatable_answers',
  'setup_links',
  'devices',
  'sessions',
  'webhook_deliveries',
  'links',
  'mails',
] as const

onEachDatabase('the sweep', (dialect) => {
  let database: TestDatabase
  let stores: Store[]
  beforeEach(async () => {
    database = await createDatabase(dialect, 'tables')
    stores = [await openStore(database.url), await openStore(database.url)]
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
    await database.remove()
  })
  const storeAt = (index: number) => {
    const store = stores[index]
    if (store === undefined) throw new Error('There are two stores.')
    return store
  }

  /** A row of each table that ended, or will end, at this time. */
  async function addRows(name: string, ends: number, sid = name): Promise<void> {
    const { db } = storeAt(0)
    const authentication = { auth_time: 1, acr: '1', proofs: '[]', amr: '[]' }
    const grant = { ...authentication, client_id: 'c', user_uuid: 'u', sid, profile_uuid: 'p', scope: '' }
    const at = { created_at: 1, expires_at: ends }
    const request = { client_id: 'c', redirect_uri: 'r', parameters: '{}', consented: 0 as const }
    // Such ids say when they were made.
    const id = newId(ends - 60_000)
    await db
      .insertInto('authorization_requests')
      .values({ id, browser_hash: 'b', ...request, ...at })
      .execute()
    const pushed = { client_id: 'c', redirect_uri: 'r', parameters: '{}' }
    await db
      .insertInto('pushed_requests')
      .values({ hash: name, ...pushed, ...at })
      .execute()
    const code = { secret_hash: 'h', redirect_uri: 'r', code_challenge: 'c', nonce: 'n' }
    await db
      .insertInto('authorization_codes')
      .values({ id, ...grant, ...code, ...at })
      .execute()
    const device = { client_id: 'c', scope: '', state: 'pending', poll_interval: 1, next_poll_at: 1 } as const
    await db
      .insertInto('device_codes')
      .values({ id, secret_hash: 'h', user_code: name, ...device, ...at })
      .execute()
    const family = { family_hash: 'h', current_hash: 'h', predecessors: '[]', last_used_at: 1 }
    await db
      .insertInto('token_families')
      .values({ id: name, ...grant, ...family, ...at, idle_expires_at: ends })
      .execute()
    await db.insertInto('revoked_tokens').values({ jti: name, expires_at: ends }).execute()
    await db.insertInto('client_assertions').values({ key: name, expires_at: ends }).execute()
    await db
      .insertInto('throttles')
      .values({ key: name, failures: 1, next_at: 1, expires_at: ends })
      .execute()
    await db.insertInto('limits').values({ key: name, count: 1, expires_at: ends }).execute()
    await db
      .insertInto('repeatable_answers')
      .values({ key_hash: name, request_hash: 'h', answer: '{}', expires_at: ends })
      .execute()
    await db
      .insertInto('setup_links')
      .values({ id: name, secret_hash: 'h', created_at: 1, expires_at: ends, used_at: null })
      .execute()
    await db
      .insertInto('links')
      .values({ hash: name, purpose: 'p', subject: name, data: '{}', ...at })
      .execute()
    const mail = { kind: 'k', recipient: 'r', recipient_key: 'r', state: 'sent', next_at: 1 } as const
    await db
      .insertInto('mails')
      .values({ id, ...mail, ...at, expires_at: now, forgotten_at: ends })
      .execute()
    await db
      .insertInto('devices')
      .values({ id_hash: name, user_uuid: 'u', created_at: 1, last_used_at: ends })
      .execute()
    await db
      .insertInto('sessions')
      .values({ sid: name, cookie_hash: name, user_uuid: 'u', ...authentication, last_seen_at: 1, ...at })
      .execute()
  }
  /** Of one webhook: one that arrived, one that was given up, and one that still waits. */
  async function addDeliveries(ended: number): Promise<void> {
    const { db } = storeAt(0)
    const webhook = { uuid: 'w', url: 'u', description: '', kinds: '["*"]', organisation_uuid: null }
    const times = { since: 0, created_at: 1, updated_at: 1 }
    await db
      .insertInto('webhooks')
      .values({ ...webhook, active: 1, ...times })
      .execute()
    const ends = { delivered: ended + 7 * day, dead: ended + 90 * day, pending: null }
    for (const [index, state] of (['delivered', 'dead', 'pending'] as const).entries()) {
      const about = {
        id: state,
        webhook_uuid: 'w',
        sequence: index,
        kind: 'k',
        state,
        expires_at: ends[state],
      }
      await db
        .insertInto('webhook_deliveries')
        .values({ ...about, attempts: 1, next_at: 1, created_at: 1 })
        .execute()
    }
  }
  const counts = async () => {
    const { db } = storeAt(0)
    const count = async (table: (typeof tables)[number]) => {
      const row = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow()
      return [table, Number(row.n)] as const
    }
    return Object.fromEntries(await Promise.all(tables.map(count)))
  }
  const addTokens = async (count: number, ends: number, prefix: string) => {
    for (let from = 0; from < count; from += 100) {
      const rows = Array.from({ length: Math.min(100, count - from) }, (_, n) => ({
        jti: `${prefix}${String(from + n).padStart(5, '0')}`,
        expires_at: ends,
      }))
      await storeAt(0).db.insertInto('revoked_tokens').values(rows).execute()
    }
  }

  it('leaves what has not run out, and what is still asked for a day after its end', async () => {
    await addRows('lives', now + 1)
    await addRows('ended', now - 1)
    await sweep(storeAt(0), now)
    expect(await counts()).toEqual({
      authorization_requests: 2,
      pushed_requests: 2,
      authorization_codes: 2,
      device_codes: 2,
      token_families: 2,
      revoked_tokens: 1,
      client_assertions: 1,
      throttles: 1,
      limits: 1,
      repeatable_answers: 1,
      setup_links: 1,
      devices: 2,
      sessions: 2,
      webhook_deliveries: 0,
      links: 1,
      mails: 1,
    })
  })

  it('leaves deliveries to webhooks for as long as they are listed, and what waits for good', async () => {
    await addDeliveries(now)
    for (const [after, left] of [
      [7 * day, 3],
      [7 * day + 1, 2],
      [90 * day, 2],
      [90 * day + 1, 1],
      [1000 * day, 1],
    ] as const) {
      await sweep(storeAt(0), now + after)
      expect(await counts()).toMatchObject({ webhook_deliveries: left })
    }
  })

  it('removes everything in the end, a browser after a year, a session after the last family of it', async () => {
    await addRows('ended', now - day - 1)
    await addRows('family', now + 1, 'ended')
    await sweep(storeAt(0), now)
    expect(await counts()).toMatchObject({
      authorization_codes: 1,
      token_families: 1,
      devices: 2,
      sessions: 2,
    })
    await sweep(storeAt(0), now + day + 10)
    expect(await counts()).toMatchObject({
      authorization_codes: 0,
      token_families: 0,
      devices: 2,
      sessions: 0,
    })
    await sweep(storeAt(0), now + 366 * day)
    expect(await counts()).toEqual(Object.fromEntries(tables.map((table) => [table, 0])))
  })

  it('leaves the families of a session as long as somebody may be signed in by it', async () => {
    const { db } = storeAt(0)
    await addRows('lives', now + 1)
    await addRows('ended', now + 1)
    await db.updateTable('sessions').set({ ended_at: now }).where('sid', '=', 'ended').execute()
    await addRows('family-of-lives', now - day - 1, 'lives')
    await addRows('family-of-ended', now - day - 1, 'ended')
    await addRows('family-elsewhere', now - day - 1, 'gone')
    const familiesAt = async (time: number) => {
      await sweep(storeAt(0), time)
      const rows = await db.selectFrom('token_families').select('id').orderBy('id').execute()
      return rows.map(({ id }) => id)
    }
    expect(await familiesAt(now)).toEqual(['ended', 'family-of-lives', 'lives'])
    expect(await familiesAt(now + day)).toEqual(['ended', 'family-of-lives', 'lives'])
    expect(await familiesAt(now + day + 2)).toEqual([])
  })

  it('leaves a family that is refreshed after it was seen, and its session, until their end has moved no more', async () => {
    const { db } = storeAt(0)
    await addRows('used', now + 1)
    const left = async (time: number) => {
      await sweep(storeAt(0), time)
      const { token_families: families, sessions } = await counts()
      return [families, sessions]
    }
    expect(await left(now)).toEqual([1, 1])
    await db
      .updateTable('token_families')
      .set({ idle_expires_at: now + 10 * day })
      .execute()
    for (const days of [2, 5, 11]) expect(await left(now + days * day)).toEqual([1, 1])
    expect(await left(now + 11 * day + 1)).toEqual([0, 0])
  })

  it('finds what is over among much that is not, in steps between which others go', async () => {
    await addTokens(100, now + 1, 'lives-')
    await addTokens(many, now - 1, 'ended-')
    let turns = 0
    let sweeping = true
    const others = (async () => {
      for (; sweeping; turns++) await new Promise((resolve) => setImmediate(resolve))
    })()
    await sweep(storeAt(0), now)
    sweeping = false
    await others
    expect((await counts()).revoked_tokens).toBe(100)
    // Once at least for each table and for each step in it.
    expect(turns).toBeGreaterThanOrEqual(tables.length + 2)
  })

  it('is done by one of several processes in a minute, which goes on until nothing is left', async () => {
    await addTokens(many, now - 1, 'ended-')
    const inTurn = (at: number) =>
      Promise.all(
        [...stores, ...stores].map((store) =>
          sweepInTurn(
            store,
            () => at,
            () => false,
          ),
        ),
      )
    const ended = async () => (await counts()).revoked_tokens
    await storeAt(1)
      .db.insertInto('limits')
      .values({ key: 'sweep', count: 1, expires_at: now + 1 })
      .execute()
    await inTurn(now)
    expect(await ended()).toBe(many)
    await inTurn(now + 1)
    expect(await ended()).toBe(0)
    await addTokens(1, now - 1, 'later-')
    await inTurn(now + 60_000)
    expect(await ended()).toBe(1)
    await inTurn(now + 60_001)
    expect(await ended()).toBe(0)
  })

  it('leaves the rest to the next one when its minute is over', async () => {
    await addTokens(many, now - 1, 'ended-')
    let asked = 0
    const clock = () => now + 10_000 * asked++
    await sweepInTurn(storeAt(0), clock, () => false)
    const { revoked_tokens: left = 0 } = await counts()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(many)
  })

  it('may run in several processes at once', async () => {
    await addTokens(many, now - 1, 'ended-')
    await addTokens(10, now + 1, 'lives-')
    await Promise.all([...stores, ...stores].map((store) => sweep(store, now)))
    expect((await counts()).revoked_tokens).toBe(10)
  })

  it('stops between two steps when the process is stopping', async () => {
    await addTokens(many, now - 1, 'ended-')
    let asked = 0
    await sweep(storeAt(0), now, () => ++asked > 4)
    const { revoked_tokens: left = 0 } = await counts()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(many)
  })
})

onEachDatabase('the tables of a service', (dialect) => {
  let tessera: Tessera
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    tessera = await startTessera(dialect, { settings: { TESSERA_LIMIT_AUTHORIZE: '0' } })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await tessera.close()
  })
  const families = () =>
    withStore(tessera, ({ db }) => db.selectFrom('token_families').select('predecessors').execute())

  it('hold one row for a family however often it is refreshed, and little of what came before', async () => {
    let latest = (await new Visitor(tessera.url).tokens()).refresh_token
    for (let times = 0; times < 60; times++) {
      if (times % 6 === 0) tessera.clock.advance(11_000)
      latest = tokensOf(await refresh(tessera.url, latest)).refresh_token
    }
    const [row, ...more] = await families()
    expect(more).toEqual([])
    expect((JSON.parse(row?.predecessors ?? '') as unknown[]).length).toBeLessThanOrEqual(20)
  })

  it('are swept by the service itself, and what is gone is refused as before', async () => {
    const visitor = new Visitor(tessera.url)
    const code = await visitor.code()
    const tokens = tokensOf(await token(tessera.url, code))
    // Longer than any family lives, and a day more.
    tessera.clock.advance(32 * day)
    await vi.advanceTimersByTimeAsync(60_000)
    for (let waited = 0; (await families()).length > 0 && waited < 2000; waited++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    expect(await families()).toEqual([])
    expect(refusalOf(await token(tessera.url, code))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, tokens.refresh_token))).toBe('400 invalid_grant')
    expect(await introspect(tessera.url, tokens.access_token)).toEqual({ active: false })
  })
})
