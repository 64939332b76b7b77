/** Migrations beside requests: PostgreSQL lets whoever asks for a table wait behind who wants to change it. */
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { laterVersion } from './later-version.ts'
import { createDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, Serving, TesseraProcess } from '../harness/process.ts'
import { refresh, token, tokensOf, Visitor } from '../harness/program.ts'

afterAll(cleanUp)

describe('a migration, while somebody reads in a long transaction', () => {
  let database: TestDatabase
  let service: Serving
  let reader: pg.Client
  beforeEach(async () => {
    database = await createDatabase('postgres')
    service = await Serving.start({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_LIMIT_AUTHORIZE: '0',
      TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
    })
    reader = new pg.Client({ connectionString: database.url })
    await reader.connect()
  })
  afterEach(async () => {
    await reader.end()
    await service.stop('SIGKILL')
    await database.remove()
  })

  const begin = (kind: Parameters<typeof laterVersion>[0]) =>
    new TesseraProcess(['migrate'], {
      environment: { TESSERA_DATABASE_URL: database.url },
      command: laterVersion(kind),
    })
  /** As a backup does: nothing of it may change meanwhile. */
  const readOn = () =>
    reader.query('begin isolation level repeatable read; select count(*) from token_families')
  /** Sign-ins and refreshes, until `isOver` says so; none waits for long, and none fails. */
  async function works(isOver: () => boolean) {
    const visitor = new Visitor(service.url)
    do {
      const code = await visitor.code()
      const began = performance.now()
      const tokens = tokensOf(await token(service.url, code))
      expect((await refresh(service.url, tokens.refresh_token)).status).toBe(200)
      // Half a second each is what it may cost; a busy machine takes more.
      expect(performance.now() - began).toBeLessThan(8000)
    } while (!isOver())
  }
  const told = (migrating: TesseraProcess, text: RegExp) => migrating.stdout.match(text)?.length ?? 0

  it('waits, tries again and is made; requests go on all the time', async () => {
    await readOn()
    const migrating = begin('additive')
    await vi.waitFor(() => expect(told(migrating, /waits for its lock/g)).toBeGreaterThan(0), {
      timeout: 60_000,
    })
    await works(() => told(migrating, /waits for its lock/g) >= 3)
    expect(migrating.stdout).not.toContain('made')
    await reader.query('commit')
    const ended = await migrating.ended
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(
      /^makes 9001-additive-later\n(9001-additive-later waits for its lock: .*\n)+made 9001-additive-later\n/,
    )
    await works(() => true)
  }, 180_000)

  it('makes an index beside what is written, and anew where an earlier one was left half made', async () => {
    await reader.query(`create index later_index on token_families (scope)`)
    await reader.query(`update pg_index set indisvalid = false where indexrelid = 'later_index'::regclass`)
    const migrating = begin('index')
    await readOn()
    await vi.waitFor(() => expect(migrating.stdout).toContain('makes the index later_index'), {
      timeout: 60_000,
    })
    await works(() => true)
    await reader.query('commit')
    expect(await migrating.ended).toMatchObject({ code: 0, stderr: '' })
    const { rows } = await reader.query(
      `select indisvalid, pg_get_indexdef(indexrelid) as def from pg_index where indexrelid = 'later_index'::regclass`,
    )
    expect(rows).toEqual([{ indisvalid: true, def: expect.stringContaining('(scope, created_at)') }])
    await works(() => true)
  }, 180_000)
})
