import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { post } from '../harness/browser.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import {
  introspect,
  machine,
  refresh,
  refusalOf,
  token,
  tokensOf,
  userinfo,
  Visitor,
} from '../harness/program.ts'

const grant = { grant_type: 'client_credentials', ...machine }

/** Nothing but 503 with Retry-After, and no word of the database. */
function unavailable(answer: Awaited<ReturnType<typeof post>>) {
  expect(refusalOf(answer)).toBe('503 temporarily_unavailable')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(answer.headers.get('x-request-id')).toBeTruthy()
  expect(answer.text).not.toMatch(/sql|postgres|pg_|connect|terminat|lock|\bt_[0-9a-f]/i)
}

async function publicDocumentsGoOn(url: string) {
  for (const path of ['/oauth2/jwks', '/.well-known/openid-configuration']) {
    expect((await fetch(`${url}${path}`)).status).toBe(200)
  }
}

describe('without its PostgreSQL the service', () => {
  let tessera: Tessera
  let admin: pg.Client
  let name: string
  beforeEach(async () => {
    tessera = await startTessera('postgres')
    const url = new URL(tessera.databaseUrl)
    name = url.pathname.slice(1)
    url.pathname = '/postgres'
    admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
  })
  afterEach(async () => {
    await admin.end()
    await tessera.close()
  })
  const terminate = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])

  it('answers 503 everywhere, goes on with its public documents, and recovers by itself', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const form = await visitor.code()
    await admin.query(`alter database ${name} allow_connections false`)
    await terminate()

    unavailable(await token(tessera.url, grant))
    unavailable(await token(tessera.url, form))
    unavailable(await refresh(tessera.url, tokens.refresh_token))
    const revoking = { client_id: 'submissions-web', token: tokens.refresh_token ?? '' }
    unavailable(await post(`${tessera.url}/oauth2/revoke`, revoking))
    expect(await introspect(tessera.url, tokens.access_token)).not.toHaveProperty('active')
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(503)
    // A wrong secret is not told from a right one meanwhile.
    unavailable(await token(tessera.url, { ...grant, client_secret: 'wrong' }))
    await publicDocumentsGoOn(tessera.url)

    await admin.query(`alter database ${name} allow_connections true`)
    tokensOf(await token(tessera.url, grant))
    tokensOf(await token(tessera.url, form))
    tokensOf(await refresh(tessera.url, tokens.refresh_token))
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(200)
  })

  it('answers requests in flight 503 or rightly when its connections are cut', async () => {
    const asked = Array.from({ length: 40 }, () => token(tessera.url, grant))
    await terminate()
    for (const answer of await Promise.all(asked)) {
      if (answer.status === 200) expect(answer.json).toHaveProperty('access_token')
      else unavailable(answer)
    }
    await vi.waitFor(async () => tokensOf(await token(tessera.url, grant)), 10_000)
  })

  it('answers 503 to what must be written while it may only read, and recovers by itself', async () => {
    let { refresh_token: refreshToken } = await new Visitor(tessera.url).tokens()
    const reader = `reader_of_${name}`
    const own = new pg.Client({ connectionString: tessera.databaseUrl })
    await own.connect()
    await own.query(`create role ${reader}; grant usage on schema public to ${reader};
      grant select on all tables in schema public to ${reader}`)
    await own.end()
    // As a replica or a missing right, for connections that are made from then on.
    for (const [limit, value] of Object.entries({ default_transaction_read_only: 'on', role: reader })) {
      await admin.query(`alter database ${name} set ${limit} = ${value}`)
      await terminate()
      unavailable(await refresh(tessera.url, refreshToken))
      // One of the connections that were cut may still be taken for a live one.
      await vi.waitFor(async () => tokensOf(await token(tessera.url, grant)), 10_000)
      await admin.query(`alter database ${name} reset ${limit}`)
      if (limit === 'role') await terminate()
      // Those that may only read stay so; each is given up when it is asked for more.
      let answer = await refresh(tessera.url, refreshToken)
      for (let more = 0; answer.status === 503 && more < 10; more++)
        answer = await refresh(tessera.url, refreshToken)
      refreshToken = tokensOf(answer).refresh_token
    }
    await admin.query(`drop database ${name} with (force)`)
    await admin.query(`drop role ${reader}`)
  })

  it('answers 503 while a table is gone, as in the middle of a restore, and recovers by itself', async () => {
    const form = await new Visitor(tessera.url).code()
    const own = new pg.Client({ connectionString: tessera.databaseUrl })
    await own.connect()
    await own.query('alter table token_families rename to away')
    unavailable(await token(tessera.url, form))
    await own.query('alter table away rename to token_families')
    tokensOf(await token(tessera.url, form))
    await own.end()
  })

  it('answers 503 when the database is dropped', async () => {
    await admin.query(`drop database ${name} with (force)`)
    unavailable(await token(tessera.url, grant))
    await publicDocumentsGoOn(tessera.url)
  })
})

describe('while another process holds its SQLite file the service', () => {
  let tessera: Tessera
  let holder: ChildProcess | undefined
  beforeEach(async () => {
    tessera = await startTessera('sqlite')
  })
  afterEach(async () => {
    holder?.kill('SIGKILL')
    await tessera.close()
  })

  /** Another process in the middle of a write that does not end. */
  async function hold(): Promise<ChildProcess> {
    const sqlite = createRequire(new URL('../../dist/database/open.js', import.meta.url)).resolve(
      '@photostructure/sqlite',
    )
    const path = tessera.databaseUrl.slice('sqlite:'.length)
    const script = `const { DatabaseSync } = require(${JSON.stringify(sqlite)})
      const database = new DatabaseSync(${JSON.stringify(path)})
      database.exec('begin exclusive')
      console.log('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    return child
  }

  it('answers what it can read, and 503 to what must be written, burning nothing', async () => {
    const visitor = new Visitor(tessera.url)
    const form = await visitor.code()
    holder = await hold()
    tokensOf(await token(tessera.url, grant))
    const exchange = token(tessera.url, form)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const asked = performance.now()
    await publicDocumentsGoOn(tessera.url)
    // The exchange waits for the file meanwhile, five seconds, and must not hold up what needs no database.
    expect(performance.now() - asked).toBeLessThan(4000)
    unavailable(await exchange)

    holder.kill('SIGKILL')
    await new Promise((resolve) => holder?.once('exit', resolve))
    tokensOf(await token(tessera.url, form))
  })
})
