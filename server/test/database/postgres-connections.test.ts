import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readRevision } from '../../dist/database/revision.js'
import { together } from '../../dist/database/steps.js'
import type { Store } from '../../dist/database/store.js'
import { countAttempt, uncountAttempt } from '../../dist/store/throttles.js'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import { openStore } from '../harness/stores.ts'

let database: TestDatabase
let store: Store
beforeAll(async () => {
  database = await createDatabase('postgres', 'tables')
  store = await openStore(database.url, { pool: 1, connectTimeout: 20_000, statementTimeout: 20_000 })
})
afterAll(async () => {
  await store.close()
  await database.remove()
})

const prepared = async (text: string) => {
  const { rows } = await sql`select from pg_prepared_statements where statement like ${text}`.execute(
    store.db,
  )
  return rows.length
}

/** Otherwise PostgreSQL plans everything anew from then on, as behind an old pooler. */
it('a statement that one message has twice is prepared once, and statements go on having names', async () => {
  const [counted] = await countAttempt(
    store,
    [
      { key: 'address', free: 10 },
      { key: 'account', free: 10 },
    ],
    Date.now(),
    () => together(),
  )
  if ('retryAfter' in counted) expect.unreachable()
  await uncountAttempt(store, counted)
  expect(await prepared('update "throttles" set %')).toBe(1)
  await readRevision(store)
  expect(await prepared('select "value" from "revisions" %')).toBe(1)
})

it('a connection that PostgreSQL ends is given to nobody who waits for one', async () => {
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  const ended = expect(sql`select pg_sleep(15)`.execute(store.db)).rejects.toMatchObject({ code: '57P01' })
  const waiting = readRevision(store)
  await vi.waitFor(
    async () => {
      const { rowCount } = await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`)
      expect(rowCount).toBe(1)
    },
    { timeout: 14_000, interval: 20 },
  )
  await ended
  await expect(waiting).resolves.toBeGreaterThanOrEqual(0)
  await other.end()
})
