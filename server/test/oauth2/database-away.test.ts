/** The database goes away in the middle of an assertion, an exchange and a pushed request (decisions 30 to 32). */
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Wire } from '../../../bench/speed/wire.ts'
import { start } from '../../dist/server.js'
import { type Asked, expectUnavailable, readyAgain } from '../database/fails.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { createDatabase, type Dialect } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { refusalOf, tokensOf } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { auditOf } from '../harness/states.ts'
import { must } from './exchange-support.ts'
import { askersOf } from './asked-support.ts'
import { pushed, refusedPage } from './par-support.ts'

/** A service that reaches its database by what the test can cut. */
async function startBehind(dialect: Dialect) {
  const database = await createDatabase(dialect, 'administered')
  const address = new URL(database.url)
  const wire = dialect === 'postgres' ? new Wire(Number(address.port)) : undefined
  if (wire !== undefined) address.port = String(await wire.listen())
  const settings = testSettings({
    TESSERA_DATABASE_URL: dialect === 'postgres' ? address.href : database.url,
    TESSERA_DATABASE_CONNECT_TIMEOUT: '1',
    TESSERA_DATABASE_STATEMENT_TIMEOUT: '1',
  })
  const running = await start({ ...settings, host: 'localhost' })
  return {
    url: running.issuer,
    databaseUrl: database.url,
    wire: wire as Wire,
    close: async () => {
      await running.close()
      wire?.close()
      await database.remove()
    },
  }
}

describe('PostgreSQL is cut off', () => {
  const tessera = duringTests(() => startBehind('postgres'))
  const asks = askersOf(tessera)
  beforeAll(asks.prepare)
  const mended = async () => {
    // Otherwise it was never in the middle of anything.
    expect(tessera.wire.mend()).toBe(true)
    await readyAgain(tessera.url)
  }
  /** What is answered while it is cut, which is nothing, and what the same request is answered afterwards. */
  async function around(when: 'before' | 'after', beginning: string, ask: () => Promise<Asked>) {
    tessera.wire.cutAt(when, beginning)
    expectUnavailable(await ask())
    await mended()
    return await ask()
  }
  const times = async (kind: 'token.exchanged' | 'client_authentication.federated') =>
    (await auditOf(tessera, { kind })).length

  const used = 'insert into "client_assertions"'
  it('before an assertion is used: it counts afterwards, once', async () => {
    const ask = await asks.assertion()
    tokensOf(await around('before', used, ask))
    expect(refusalOf(await ask())).toBe('401 invalid_client')
  })

  it('when an assertion is used and nobody was told: it is spent, and another one counts', async () => {
    const answer = await around('after', used, await asks.assertion())
    expect(refusalOf(answer)).toBe('401 invalid_client')
    expect(answer.json.error_description).toContain('was used before; make a new one')
    tokensOf(await (await asks.assertion())())
  })

  const recorded = 'insert into "audit_waiting"'
  it.each(['before', 'after'] as const)('%s a workload is recorded: its token counts', async (when) => {
    const before = await times('client_authentication.federated')
    tokensOf(await around(when, recorded, await asks.workload()))
    // None without a record; one that nobody heard of is recorded again.
    expect(await times('client_authentication.federated')).toBe(before + (when === 'before' ? 1 : 2))
  })

  it.each(['before', 'after'] as const)('%s an exchange is recorded: it is given', async (when) => {
    const before = await times('token.exchanged')
    tokensOf(await around(when, recorded, await asks.exchange()))
    expect(await times('token.exchanged')).toBe(before + (when === 'before' ? 1 : 2))
  })

  it.each(['before', 'after'] as const)(
    '%s it is read what a token to exchange rests on: it is given',
    async (when) => {
      tokensOf(await around(when, 'select "token_families"', await asks.exchange()))
    },
  )

  const kept = 'insert into "pushed_requests"'
  it.each(['before', 'after'] as const)('%s a request is kept: it is pushed again', async (when) => {
    must(await around(when, kept, await asks.push()), 201)
  })

  it.each(['before', 'after'] as const)(
    '%s a request is kept: the assertion beside it is spent, and is not asked for twice',
    async (when) => {
      expect(refusalOf(await around(when, kept, await asks.push('intranet')))).toBe('401 invalid_client')
      must(await (await asks.push('intranet'))(), 201)
    },
  )

  describe('while a browser brings a request', () => {
    let browser: TestBrowser
    beforeAll(async () => {
      browser = new TestBrowser(tessera.url)
      await signIn(browser, authorizeRequest().path, people.importer)
    })
    async function brought(when: 'before' | 'after', beginning: string) {
      const one = await pushed(tessera.url)
      tessera.wire.cutAt(when, beginning)
      const { status, location, headers } = await browser.open(one.path)
      expect([status, location, headers.get('retry-after')]).toEqual([503, undefined, '5'])
      await mended()
      return { one, again: await browser.open(one.path) }
    }

    it.each([
      ['before', 'update "pushed_requests"'],
      ['after', 'update "pushed_requests"'],
      ['before', 'insert into "authorization_codes"'],
    ] as const)('%s %s: it is answered when it is brought again', async (when, beginning) => {
      const { one, again } = await brought(when, beginning)
      tokensOf(await one.exchange(answerOf(again).code))
    })

    it('when its code is there and was given to nobody: it is used up', async () => {
      const { again } = await brought('after', 'insert into "authorization_codes"')
      expect(refusedPage(again)).toBe('400')
    })
  })
})

describe('another process holds SQLite', () => {
  const tessera = duringTests(() => startBehind('sqlite'))
  const asks = askersOf(tessera)
  let other: InstanceType<typeof DatabaseSync>
  beforeAll(async () => {
    await asks.prepare()
    other = new DatabaseSync(tessera.databaseUrl.slice('sqlite:'.length))
  })
  afterAll(() => other.close())
  async function around(ask: () => Promise<Asked>) {
    other.exec('begin immediate')
    expectUnavailable(await ask())
    other.exec('rollback')
    return await ask()
  }

  it('where an assertion is used: it counts afterwards, once', async () => {
    const ask = await asks.assertion()
    tokensOf(await around(ask))
    expect(refusalOf(await ask())).toBe('401 invalid_client')
  })

  it('where a workload or an exchange is recorded: it is given afterwards, and recorded once', async () => {
    tokensOf(await around(await asks.workload()))
    tokensOf(await around(await asks.exchange()))
    for (const kind of ['client_authentication.federated', 'token.exchanged'] as const)
      expect(await auditOf(tessera, { kind })).toHaveLength(1)
  })

  it('where a request is kept: it is pushed again, with the same assertion, which did not count either', async () => {
    must(await around(await asks.push()), 201)
    must(await around(await asks.push('intranet')), 201)
  })

  it('where a request is opened: it is answered when it is brought again', async () => {
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const one = await pushed(tessera.url)
    other.exec('begin immediate')
    const { status, location } = await browser.open(one.path)
    other.exec('rollback')
    expect([status, location]).toEqual([503, undefined])
    tokensOf(await one.exchange(answerOf(await browser.open(one.path)).code))
  })
})
