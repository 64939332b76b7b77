import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Store } from '../../dist/database/store.js'
import { presentRefreshToken, rotate } from '../../dist/store/refresh-tokens.js'
import { Unanswered } from '../../dist/store/unanswered.js'
import { onEachDatabase } from '../harness/databases.ts'
import { tesseraOn } from '../harness/harness.ts'
import { pause } from '../harness/process.ts'
import { refresh, refusalOf, tokensOf, userinfo, Visitor, withStore } from '../harness/program.ts'
import { auditOf } from '../harness/states.ts'

/** It commits, and the connection breaks before it says so. */
const breaking = (store: Store): Store => ({
  ...store,
  writeOne: async (steps) => {
    await store.writeOne(steps)
    throw new Error('Connection terminated unexpectedly')
  },
})

onEachDatabase('a refresh that was committed and could not be answered', (dialect) => {
  const tessera = tesseraOn(dialect)
  let visitor: Visitor
  beforeAll(() => {
    tessera.clock.stop()
    visitor = new Visitor(tessera.url)
  })

  /** Another process refreshes this token, and notes what it could not answer when the database is back. */
  const lost = async (token: string | undefined, { noted = true } = {}) =>
    await withStore(tessera, async (store) => {
      const now = tessera.clock.now()
      const presented = await presentRefreshToken(store, token ?? '', now)
      if (presented.state !== 'current' && presented.state !== 'unanswered') throw new Error(presented.state)
      const unanswered = new Unanswered(store, () => tessera.clock.now())
      const change = { profile_uuid: undefined, now, idle: 3_600_000, unanswered }
      const current = { ...presented, state: presented.state }
      await expect(rotate(breaking(store), current, change)).rejects.toThrow('terminated')
      if (noted) await unanswered.note()
    })
  /** The family of a token that nobody got the successor of, eleven seconds ago. */
  const unansweredToken = async () => {
    const { refresh_token: token, access_token: access } = await visitor.tokens()
    await lost(token)
    tessera.clock.advance(11_000)
    return { token, access }
  }
  const replays = async () => (await auditOf(tessera, { kind: 'refresh_token.replayed' })).length
  const next = async (token: string | undefined) => tokensOf(await refresh(tessera.url, token)).refresh_token
  const expectReplay = async (token: string | undefined) => {
    const before = await replays()
    expect(refusalOf(await refresh(tessera.url, token))).toBe('400 invalid_grant')
    expect(await replays()).toBe(before + 1)
  }

  it('is given to another client never, and its family lives on', async () => {
    const { token } = await unansweredToken()
    const thief = await refresh(tessera.url, token, { client_id: 'partner-portal' })
    expect(refusalOf(thief)).toBe('400 invalid_grant')
    expect(await next(token)).toBeDefined()
  })

  it('is a replay when its successor was used', async () => {
    const { token } = await unansweredToken()
    const successor = await next(token)
    const third = await next(successor)
    tessera.clock.advance(11_000)
    await expectReplay(token)
    expect(refusalOf(await refresh(tessera.url, third))).toBe('400 invalid_grant')
  })

  it('is a replay the second time, after ten seconds more', async () => {
    const { token, access } = await unansweredToken()
    const successor = await next(token)
    tessera.clock.advance(9000)
    expect(await next(token)).toBe(successor)
    tessera.clock.advance(1000)
    await expectReplay(token)
    expect((await userinfo(tessera.url, access)).status).toBe(401)
  })

  it('is a replay ten minutes after the outage', async () => {
    const { token } = await unansweredToken()
    tessera.clock.advance(600_000 - 11_000)
    await expectReplay(token)
  })

  it('is a replay where there was no outage', async () => {
    const { refresh_token: token } = await visitor.tokens()
    await next(token)
    tessera.clock.advance(11_000)
    await expectReplay(token)
  })

  it('is a replay when somebody got the successor within the ten seconds', async () => {
    const { refresh_token: token } = await visitor.tokens()
    await withStore(tessera, async (store) => {
      const presented = await presentRefreshToken(store, token ?? '', tessera.clock.now())
      if (presented.state !== 'current') throw new Error(presented.state)
      const unanswered = new Unanswered(store, () => tessera.clock.now())
      const change = { profile_uuid: undefined, now: tessera.clock.now(), idle: 3_600_000, unanswered }
      await expect(rotate(breaking(store), { ...presented, state: 'current' }, change)).rejects.toThrow()
      // A second tab asks another process, before the first one has noted anything.
      await next(token)
      await unanswered.note()
    })
    tessera.clock.advance(11_000)
    await expectReplay(token)
  })

  it('is a replay when the family was revoked, and nothing comes alive', async () => {
    const { token, access } = await unansweredToken()
    await visitor.tokens()
    await withStore(tessera, async ({ db }) => {
      const id = token?.split('.')[0] ?? ''
      await db.updateTable('token_families').set({ revoked_at: 1 }).where('id', '=', id).execute()
    })
    expect(refusalOf(await refresh(tessera.url, token))).toBe('400 invalid_grant')
    expect((await userinfo(tessera.url, access)).status).toBe(401)
  })

  it('is given once more, as the current token, and is no replay', async () => {
    const before = await replays()
    const { token } = await unansweredToken()
    tessera.clock.advance(500_000)
    const successor = await next(token)
    tessera.clock.advance(60_000)
    const third = await next(successor)
    expect(new Set([token, successor, third]).size).toBe(3)
    expect(await replays()).toBe(before)
  })

  it('is given to parallel retries alike', async () => {
    const { token } = await unansweredToken()
    const all = await Promise.all(Array.from({ length: 20 }, () => next(token)))
    expect(new Set(all).size).toBe(1)
  })

  it('is given again when the outage went on', async () => {
    const { token } = await unansweredToken()
    await lost(token)
    tessera.clock.advance(11_000)
    expect(await next(token)).toBeDefined()
  })
})

describe('after a failure of the database', () => {
  const tessera = tesseraOn('postgres')
  let database: pg.Client
  beforeAll(async () => {
    database = new pg.Client({ connectionString: tessera.databaseUrl })
    await database.connect()
  })
  afterAll(() => database.end())

  it('a token whose successor was not used is refused for a moment: another process may have to note it', async () => {
    tessera.clock.stop()
    const visitor = new Visitor(tessera.url)
    const { refresh_token: token } = await visitor.tokens()
    const { refresh_token: successor } = tokensOf(await refresh(tessera.url, token))
    tessera.clock.advance(11_000)
    await database.query('alter table token_families rename to elsewhere')
    expect((await refresh(tessera.url, successor)).status).toBe(503)
    await database.query('alter table elsewhere rename to token_families')
    const early = await refresh(tessera.url, token)
    expect([early.status, early.json.error]).toEqual([503, 'temporarily_unavailable'])
    tessera.clock.advance(15_000)
    expect(refusalOf(await refresh(tessera.url, token))).toBe('400 invalid_grant')
    expect(refusalOf(await refresh(tessera.url, successor))).toBe('400 invalid_grant')
  })

  it('a client that was gone before its answer gets its successor later', async () => {
    tessera.clock.stop()
    const visitor = new Visitor(tessera.url)
    const { refresh_token: token = '' } = await visitor.tokens()
    const family = token.split('.')[0]
    await database.query('begin')
    await database.query('select from token_families where id = $1 for update', [family])
    const leaving = new AbortController()
    const left = fetch(`${tessera.url}/v1/iam/token/refresh`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'submissions-web', refresh_token: token }),
      signal: leaving.signal,
    })
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await vi.waitFor(
      async () => {
        // PostgreSQL keeps what it said first for as long as the transaction lasts.
        await database.query('select pg_stat_clear_snapshot()')
        expect((await database.query(waits)).rowCount).toBe(1)
      },
      { timeout: 20_000 },
    )
    leaving.abort()
    await expect(left).rejects.toThrow()
    // The service, in this process, hears that the connection is closed.
    await pause(200)
    await database.query('commit')
    const noted = `select from token_families where id = $1 and predecessors like '%unanswered%'`
    await vi.waitFor(async () => expect((await database.query(noted, [family])).rowCount).toBe(1), {
      timeout: 20_000,
    })
    tessera.clock.advance(60_000)
    expect((await refresh(tessera.url, token)).status).toBe(200)
  })
})
