/** PostgreSQL with locks held: by somebody who forgot to end a transaction, or by two verbs that need the same rows. */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStore } from '../harness/stores.ts'
import { sessionOf } from '../../dist/store/sessions.js'
import { Administrator, administrators, startAdministered, users } from '../administration/support.ts'
import { post } from '../harness/browser.ts'
import { expectUnavailable } from './fails.ts'
import { applyChanged } from '../declared/change.ts'
import type { Tessera } from '../harness/harness.ts'
import { cleanUp, freePort, pause, Serving } from '../harness/process.ts'
import { refresh, refusalOf, token, userinfo, Visitor } from '../harness/program.ts'

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
afterAll(cleanUp)
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
    const ask = async (cookie: number) => await store.read(sessionOf(String(cookie), { now: 2, idle: 1 }))
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

/** Of this database, ever. */
async function deadlocks(): Promise<number> {
  await database.query('select pg_stat_force_next_flush()')
  const { rows } = await database.query<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.deadlocks)
}

const gate = 4711
/** What is done to a table waits for the gate. */
async function closeGate(table: string) {
  await database.query(`
    create or replace function wait_at_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${gate}); return null; end $$;
    create trigger gated after insert or update on ${table} for each row execute function wait_at_gate()`)
  await database.query(`select pg_advisory_lock(${gate})`)
}
const isAtGate = async () =>
  (await database.query(`select from pg_locks where not granted and objid = ${gate}`)).rowCount
const openGate = () => database.query(`select pg_advisory_unlock(${gate})`)

describe('a transaction that PostgreSQL ends in favour of another', () => {
  /** Takes what the service waits for, then waits for what the service has: never the one that is ended. */
  let other: pg.Client
  beforeEach(async () => {
    other = new pg.Client({ connectionString: tessera.databaseUrl })
    await other.connect()
    await other.query("set deadlock_timeout = '10min'")
    return () => other.end()
  })

  const isOtherWaiting = async (pid: unknown) =>
    (await database.query('select from pg_locks where not granted and pid = $1', [pid])).rowCount

  /** Runs it into a deadlock: it has written to a table, and needs what the other one has. */
  async function intoDeadlock<T>(table: string, needs: string, work: () => Promise<T>): Promise<T> {
    const before = await deadlocks()
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    const pid = rows[0]?.pid
    await other.query(`begin; ${needs}`)
    await closeGate(table)
    const working = work()
    await vi.waitFor(async () => expect(await isAtGate()).toBe(1), { timeout: 20_000 })
    const locking = other.query(`lock table ${table} in share mode`)
    await vi.waitFor(async () => expect(await isOtherWaiting(pid)).toBe(1), { timeout: 20_000 })
    await openGate()
    await locking
    await other.query('rollback')
    const done = await working
    await vi.waitFor(async () => expect(await deadlocks()).toBe(before + 1), { timeout: 30_000 })
    await database.query(`drop trigger gated on ${table}`)
    return done
  }

  it('is done once more, whole: an exchange gives its tokens, once', async () => {
    const code = await new Visitor(tessera.url).code()
    const exchanged = await intoDeadlock('authorization_codes', 'select from sessions for update', () =>
      token(tessera.url, code),
    )
    expect(exchanged.status).toBe(200)
    expect((await userinfo(tessera.url, String(exchanged.json.access_token))).status).toBe(200)
    expect(refusalOf(await token(tessera.url, code))).toBe('400 invalid_grant')
  })

  it('is done once more, whole: a revocation counts, and is recorded once', async () => {
    const { access_token: accessToken = '' } = await new Visitor(tessera.url).tokens()
    const revoked = await intoDeadlock('revoked_tokens', 'lock table audit_waiting in share mode', () =>
      post(`${tessera.url}/oauth2/revoke`, { client_id: 'submissions-web', token: accessToken }),
    )
    expect(revoked.status).toBe(200)
    expect((await userinfo(tessera.url, accessToken)).status).toBe(401)
    const records = "select from audit_records where kind = 'access_token.revoked'"
    await vi.waitFor(async () => expect((await database.query(records)).rowCount).toBe(1), 60_000)
  })

  it.each([
    [2, 'goes on'],
    [100, 'answers 503'],
  ])('%i times in a row: %s', async (times) => {
    const code = await new Visitor(tessera.url).code()
    await database.query(`
      create sequence tries;
      create or replace function refuse() returns trigger language plpgsql as $$ begin
        if nextval('tries') <= ${times} then raise exception using errcode = 'serialization_failure'; end if;
        return null;
      end $$;
      create trigger refused after insert on token_families for each row execute function refuse()`)
    const exchanged = await token(tessera.url, code)
    const { rows } = await database.query<{ tries: number }>('select last_value as tries from tries')
    await database.query('drop trigger refused on token_families; drop sequence tries')
    expect(Number(rows[0]?.tries)).toBe(3)
    if (times === 2) expect(exchanged.status).toBe(200)
    else {
      expectUnavailable(exchanged)
      // It was not used up.
      expect((await token(tessera.url, code)).status).toBe(200)
    }
  })
})

describe('a process that is frozen in a transaction', () => {
  it('holds others up for no longer than their own limits say, and for no longer than its own in all', async () => {
    const serving = (limit: number) =>
      Serving.start({
        TESSERA_ISSUER: tessera.url,
        TESSERA_DATABASE_URL: tessera.databaseUrl,
        TESSERA_DATABASE_STATEMENT_TIMEOUT: String(limit),
        TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
        TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
      })
    const [frozen, other] = await Promise.all([serving(6), serving(1)])
    const { access_token: accessToken = '' } = await new Visitor(tessera.url).tokens()
    const revocation = { client_id: 'submissions-web', token: accessToken }
    const revoke = (at: Serving) => post(`${at.url}/oauth2/revoke`, revocation)
    await closeGate('revoked_tokens')
    const lost = revoke(frozen)
    await vi.waitFor(async () => expect(await isAtGate()).toBe(1), { timeout: 20_000 })
    // It has revoked the token, and goes no further.
    frozen.signal('SIGSTOP')
    await openGate()
    const began = performance.now()
    expectUnavailable(await revoke(other))
    expect(performance.now() - began).toBeLessThan(5000)
    await vi.waitFor(async () => expect((await revoke(other)).status).toBe(200), { timeout: 25_000 })
    frozen.signal('SIGCONT')
    expectUnavailable(await lost)
    await Promise.all([frozen.stop('SIGKILL'), other.stop('SIGKILL')])
    await database.query('drop trigger gated on revoked_tokens')
  })
})

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

  let before: number
  beforeEach(async () => {
    before = await deadlocks()
  })
  afterEach(async () => {
    expect(await deadlocks()).toBe(before)
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
