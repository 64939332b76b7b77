import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { authorizeRequest, type Visit } from '../harness/browser.ts'
import {
  askForMachine,
  expectDiscovery,
  expectUnavailable,
  readiness,
  readyAgain,
  saysFull,
} from './fails.ts'
import { laterVersion } from './later-version.ts'
import { startFilledPostgres } from '../harness/filled-postgres.ts'
import type { OwnServer } from '../harness/postgres.ts'
import { cleanUp, isRunning, run, Serving } from '../harness/process.ts'
import { refresh, token, tokensOf, userinfo, Visitor } from '../harness/program.ts'

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname

/** PostgreSQL writes its log into files of this size, the smallest that it takes: they never grow beyond it. */
const logFile = 1024 * 1024

afterAll(cleanUp)

describe('while the disk under PostgreSQL is full', () => {
  let server: OwnServer
  let service: Serving
  beforeAll(async () => {
    // Without autovacuum: it would make room while there should be none.
    server = await startFilledPostgres(() => ['autovacuum=off'], ['--wal-segsize=1'])
    service = await Serving.start({
      TESSERA_DATABASE_URL: `${server.url}/postgres`,
      TESSERA_DATABASE_CONNECT_TIMEOUT: '1',
      TESSERA_DATABASE_STATEMENT_TIMEOUT: '2',
      TESSERA_DATABASE_POOL: '4',
      TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
      TESSERA_DECLARED: acme,
      TESSERA_LIMIT_GRANTS: '0',
      TESSERA_LIMIT_AUTHORIZE: '0',
      TESSERA_LOG_LEVEL: process.env.TESSERA_TEST_LOG ?? 'fatal',
    })
  })
  afterEach(() => server.limitFiles('unlimited'))
  afterAll(async () => {
    // At once: who was asked lately whether it is ready waits four seconds to be asked again.
    await service.stop('SIGKILL')
    await server.stop()
  })

  /** Codes that were not exchanged yet. From here on a test has a minute to exchange them. */
  async function codesOf(visitor: Visitor, codes: number) {
    const exchanges: Record<string, string>[] = []
    while (exchanges.length < codes) exchanges.push(await visitor.code())
    return exchanges
  }

  /** Asks again and again, as long as there is room in the last page of a table. */
  async function untilFull(ask: () => Promise<Visit>): Promise<Visit> {
    for (let asked = 0; asked < 100; asked++) {
      const visit = await ask()
      if (visit.status === 503 && saysFull(visit)) return visit
    }
    throw new Error('There is still room.')
  }

  it('answers 503 where something has to be written, goes on where nothing has, and recovers by itself', async () => {
    const visitor = new Visitor(service.url)
    const before = await visitor.tokens()
    await new Visitor(service.url).browser.open(authorizeRequest().path)
    for (const table of ['authorization_requests', 'token_families']) await fillBeyond(server, table, logFile)
    const exchanges = await codesOf(visitor, 40)
    server.limitFiles(logFile)

    const written: { exchange: Record<string, string>; accessToken: string | undefined }[] = []
    let refused = exchanges
    for (let round = 0; round < 3; round++) {
      const asked = refused
      refused = []
      const answers = await Promise.all(asked.map((exchange) => token(service.url, exchange)))
      for (const [index, exchange] of asked.entries()) {
        const answer = answers[index]
        // There is room for some in the last page of the table.
        if (answer?.status === 200) written.push({ exchange, accessToken: tokensOf(answer).access_token })
        else refused.push(exchange)
        if (answer !== undefined && answer.status !== 200) expectUnavailable(answer)
      }
      // A busy machine lets some wait for a connection for too long.
      expect(answers.some(saysFull)).toBe(true)
    }
    expect(refused.length).toBeGreaterThan(5)
    // A refresh may find the room that its page leaves for it.
    const refreshed = await refresh(service.url, before.refresh_token)
    if (refreshed.status !== 200) expectUnavailable(refreshed)
    const page = await untilFull(() => new Visitor(service.url).browser.request(authorizeRequest().path))
    expect(page.headers.get('retry-after')).toBe('5')
    expect(page.body).not.toMatch(/extend|\bfile|postgres/i)

    // What needs no write goes on.
    for (let asked = 0; asked < 5; asked++) {
      expect((await askForMachine(service.url)).status).toBe(200)
      expect((await userinfo(service.url, before.access_token)).status).toBe(200)
      await expectDiscovery(service.url)
    }
    expect((await readiness(service.url)).status).toBe(200)

    server.limitFiles('unlimited')
    // Nothing was used up by what was answered 503.
    for (const exchange of refused) {
      const tokens = tokensOf(await token(service.url, exchange))
      expect((await userinfo(service.url, tokens.access_token)).status).toBe(200)
    }
    // No token without its record, and no code for two.
    for (const { exchange, accessToken } of written) {
      expect((await userinfo(service.url, accessToken)).status).toBe(200)
      expect((await token(service.url, exchange)).json.error).toBe('invalid_grant')
    }
    const latest = refreshed.status === 200 ? tokensOf(refreshed) : before
    expect((await refresh(service.url, latest.refresh_token)).status).toBe(200)
    expect((await new Visitor(service.url).browser.open(authorizeRequest().path)).status).toBe(200)
  })

  it('answers 503 when PostgreSQL can’t write even its log and ends itself, and goes on when it is back', async () => {
    const visitor = new Visitor(service.url)
    const before = await visitor.tokens()
    const exchanges = await codesOf(visitor, 10)
    // What it starts afterwards, to recover, has room again.
    const limited = server.limitFiles(0, 'children')
    const answers = await Promise.all([
      ...exchanges.map((exchange) => token(service.url, exchange)),
      refresh(service.url, before.refresh_token),
    ])
    // A connection that was made after the limit has room: on a busy machine all may be answered.
    for (const answer of answers) if (answer.status !== 200) expectUnavailable(answer)
    await expectDiscovery(service.url)

    // What was refused first may have been a page of a table; the end of all comes with the first page of the log.
    await vi.waitFor(
      async () => {
        await new Visitor(service.url).browser.request(authorizeRequest().path)
        expect(limited.filter(isRunning)).toEqual([])
      },
      { timeout: 60_000 },
    )
    await readyAgain(service.url)
    for (const [index, exchange] of exchanges.entries()) {
      const answer = answers[index]
      // No token without its record, no code for two, and none used up by what was answered 503.
      if (answer?.status === 200)
        expect((await userinfo(service.url, tokensOf(answer).access_token)).status).toBe(200)
      expect((await token(service.url, exchange)).status).toBe(answer?.status === 200 ? 400 : 200)
    }
  })
})

it('a command and a first start on a full disk of PostgreSQL say what to do, nothing is half done, and they go on with room', async () => {
  const server = await startFilledPostgres(() => ['autovacuum=off'], ['--wal-segsize=1'])
  const environment = {
    TESSERA_MODE: 'development',
    TESSERA_DATABASE_URL: `${server.url}/postgres`,
    TESSERA_SECRET: 'a-secret-of-the-tests-0123456789-abcdef',
    TESSERA_PORT: '0',
  }
  const client = new pg.Client({ connectionString: environment.TESSERA_DATABASE_URL })
  try {
    const peopleFrom = (first: number, last: number) =>
      `email,name\n${Array.from({ length: last - first }, (_, n) => `new${first + n}@acme.example,New ${n}\n`).join('')}`
    await fillBeyond(server, 'users', logFile)
    const later = laterVersion('additive')
    await client.connect()
    const count = async (what: string) =>
      Number((await client.query(`select count(*) as n from ${what}`)).rows[0].n)
    const people = await count('users')
    const migrations = await count('kysely_migration')
    server.limitFiles(logFile)
    const started = await run(['serve'], { environment, command: later })
    expect(started).toMatchObject({ code: 1, stdout: 'tessera makes 9001-additive-later\n' })
    expect(started.stderr).toMatch(
      /^tessera: The database's disk has no room, .*: make room, .* as they were \(.+\)\.\n$/,
    )
    expect(await count('kysely_migration')).toBe(migrations)
    server.limitFiles('unlimited')
    expect(await run(['migrate'], { environment, command: later })).toMatchObject({ code: 0, stderr: '' })
    server.limitFiles(logFile)
    const input = peopleFrom(0, 400)
    const full = await run(['import', '-'], { environment, input })
    expect(full).toMatchObject({ code: 1, stdout: '' })
    expect(full.stderr).toMatch(
      /^tessera: The disk has no room, or fails: make room, then run this again\. .*\n$/,
    )
    expect(((await count('users')) - people) % 200).toBe(0)
    server.limitFiles('unlimited')
    expect(await run(['import', '-'], { environment, input })).toMatchObject({ code: 0, stderr: '' })
    expect(await count('users')).toBe(people + 400)
  } finally {
    await client.end()
    await server.stop()
  }
})

/** Copies a row of a table, each with keys of its own, until its file is larger than this. */
async function fillBeyond(server: OwnServer, table: string, bytes: number): Promise<void> {
  const client = new pg.Client({ connectionString: `${server.url}/postgres` })
  await client.connect()
  try {
    const { rows: keys } = await client.query<{ name: string }>(
      `select distinct attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
       where indrelid = $1::regclass and indisunique`,
      [table],
    )
    const own = keys.map(({ name }) => `'${name}', 'filler-' || md5(random()::text)`).join(', ')
    for (;;) {
      const { rows } = await client.query<{ size: string }>('select pg_relation_size($1::regclass) as size', [
        table,
      ])
      if (Number(rows[0]?.size) > bytes) return
      const { rowCount } = await client.query(
        `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${own}))).*
         from (select * from ${table} limit 1) as one, generate_series(1, 500)`,
      )
      if (rowCount === 0) throw new Error(`There is no row in ${table} to copy.`)
    }
  } finally {
    await client.end()
  }
}
