/** PostgreSQL with locks held: by somebody who forgot to end a transaction, or by two verbs that need the same rows. */
import { createServer } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../dist/store/open.js'
import { findSession } from '../dist/store/sessions.js'
import { Administrator, administrators, startAdministered, users } from './admin-support.ts'
import { applyChanged } from './declared-change.ts'
import type { Tessera } from './harness.ts'
import { pause } from './process.ts'
import { refresh, refusalOf, token, Visitor } from './program.ts'

let tessera: Tessera
let database: pg.Client
let administrator: Administrator
let metricsPort: number

beforeAll(async () => {
  metricsPort = await freePort()
  tessera = await startAdministered('postgres', { TESSERA_METRICS_PORT: String(metricsPort) })
  database = new pg.Client({ connectionString: tessera.databaseUrl })
  await database.connect()
  administrator = await Administrator.machine(tessera.url)
})
afterAll(async () => {
  await database.end()
  await tessera.close()
})

describe('a table that somebody has locked', () => {
  it('keeps nobody waiting longer than the limits say, however many ask', async () => {
    const store = await openStore(tessera.databaseUrl, {
      pool: 4,
      connectTimeout: 1000,
      statementTimeout: 1000,
    })
    const ask = async (cookie: number) => await findSession(store, String(cookie), { now: 2, idle: 1 })
    expect(await ask(0)).toBeUndefined()
    await database.query('begin; lock table sessions in access exclusive mode')
    try {
      const began = performance.now()
      const answers = await Promise.allSettled(Array.from({ length: 4000 }, (_, index) => ask(index)))
      expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(4000)
      // One statement after the other, each with a hundred of them, would take forty seconds.
      expect(performance.now() - began).toBeLessThan(20_000)
    } finally {
      await database.query('rollback')
    }
    // It goes on by itself.
    expect(await ask(0)).toBeUndefined()
    await store.close()
  })

  it('holds up the metrics for no longer than whoever collects them waits', async () => {
    await database.query('begin; lock table webhook_deliveries in access exclusive mode')
    try {
      const began = performance.now()
      const answer = await fetch(`http://localhost:${metricsPort}/metrics`)
      expect([answer.status, await answer.text()]).toEqual([
        200,
        expect.stringContaining('tessera_database_'),
      ])
      expect(performance.now() - began).toBeLessThan(10_000)
    } finally {
      await database.query('rollback')
    }
  })
})

async function freePort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer().listen(0, 'localhost', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

describe('an exchange under way', () => {
  /**
   * Between the code and the session, which another transaction may ask for in another order: waits there until that
   * one waits for a lock, or for ten seconds.
   */
  beforeAll(async () => {
    await database.query(`
      create function dawdle() returns trigger language plpgsql as $$
        begin
          for turn in 1..1000 loop
            exit when exists (select from pg_locks where not granted);
            perform pg_sleep(0.01);
          end loop;
          return null;
        end $$;
      create trigger dawdling after update on authorization_codes for each row execute function dawdle()`)
  })
  afterAll(() => database.query('drop trigger dawdling on authorization_codes'))

  const unrevoked = async () =>
    (await database.query('select id from token_families where revoked_at is null')).rowCount
  const deadlocks = async () =>
    (
      await database.query<{ deadlocks: number }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      )
    ).rows[0]?.deadlocks

  afterEach(async () => {
    await database.query('select pg_stat_force_next_flush()')
    expect(await deadlocks()).toBe(0)
  })

  /** An exchange that is halfway when the other begins; yields how each ended. */
  async function beside<T>(other: () => Promise<T>) {
    const visitor = new Visitor(tessera.url)
    const code = await visitor.code()
    const exchanging = token(tessera.url, code)
    const dawdling = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    while ((await database.query(dawdling)).rowCount === 0) await pause(5)
    const done = await other()
    return { exchanged: await exchanging, done }
  }

  it('is over before the sessions of its person end, and what it gave ends with them', async () => {
    const { exchanged, done } = await beside(() => administrator.delete(`/users/${users.importer}/sessions`))
    expect([exchanged.status, done.status]).toEqual([200, 204])
    expect(refusalOf(await refresh(tessera.url, String(exchanged.json.refresh_token)))).toBe(
      '400 invalid_grant',
    )
  })

  it('is over before its client is disabled, and what it gave ends with that', async () => {
    const client = '/clients/submissions-web'
    const { exchanged, done } = await beside(() => administrator.patch(client, { active: false }))
    expect([exchanged.status, done.status]).toEqual([200, 200])
    expect(await unrevoked()).toBe(0)
    expect((await administrator.patch(client, { active: true })).status).toBe(200)
    expect(refusalOf(await refresh(tessera.url, String(exchanged.json.refresh_token)))).toBe(
      '400 invalid_grant',
    )
  })

  it('is over before a declared file changes the password of its person', async () => {
    const changed: [string, string] = ['correct horse battery one ', 'another horse battery one ']
    const { exchanged } = await beside(() => applyChanged(tessera, ...administrators, changed))
    expect(exchanged.status).toBe(200)
    expect(await unrevoked()).toBe(0)
  })
})
