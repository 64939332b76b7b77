/** What each way to ask for a token asks of the database: the cost of decisions 30 to 32. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ofBackground } from '../../../bench/speed/wire.ts'
import { PatientDriver } from '../../dist/database/sqlite-driver.js'
import { SqliteStatements } from '../../dist/database/sqlite-statements.js'
import { administeredOn } from '../administration/support.ts'
import { authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { onOneDatabase } from '../harness/databases.ts'
import { machineToken, refresh, token, tokensOf, Visitor } from '../harness/program.ts'
import { askersOf } from './asked-support.ts'
import { pushed } from './par-support.ts'

let asked: string[] = []

beforeAll(() => {
  const { acquireConnection } = PatientDriver.prototype
  vi.spyOn(PatientDriver.prototype, 'acquireConnection').mockImplementation(async function (
    this: PatientDriver,
  ) {
    const connection = await acquireConnection.apply(this)
    const executeQuery: typeof connection.executeQuery = (query) => {
      asked.push(query.sql)
      return connection.executeQuery(query)
    }
    return { ...connection, executeQuery }
  })
  const { answer } = SqliteStatements.prototype
  vi.spyOn(SqliteStatements.prototype, 'answer').mockImplementation(function (this: SqliteStatements, one) {
    asked.push(one.query.for('sqlite').sql)
    return answer.call(this, one)
  })
})
afterAll(() => vi.restoreAllMocks())

// The texts are the same on both.
onOneDatabase('a request asks', (dialect) => {
  const tessera = administeredOn(dialect, { TESSERA_LIMIT_AUTHORIZE: '0' })
  const asks = askersOf(tessera)
  beforeAll(asks.prepare)

  /** The fewest of several times: the background asks something of its own now and then. */
  async function statements(make: () => Promise<() => Promise<unknown>>): Promise<string[]> {
    const all: string[][] = []
    for (let tries = 0; tries < 6; tries++) {
      const ask = await make()
      asked = []
      await ask()
      all.push(asked.filter((one) => !ofBackground(one)).map(tableOf))
    }
    return all.toSorted((one, other) => one.length - other.length)[0] ?? []
  }
  const tableOf = (text: string) => {
    const [, one, update, table] = /^(?:(\w+) .*?(?:into|from)|(update)) "(\w+)"/s.exec(text) ?? []
    return `${update ?? one} ${table}`
  }
  const revision = 'select revisions'

  it('for a secret nothing but whether anything has changed', async () => {
    expect(await statements(async () => async () => await machineToken(tessera.url))).toEqual([revision])
  })

  it('for an own key one insertion more', async () => {
    expect(await statements(asks.assertion)).toEqual([revision, 'insert client_assertions'])
  })

  it('for a token of a platform nothing more, once it was recorded', async () => {
    const ask = await asks.workload()
    tokensOf(await ask())
    expect(await statements(async () => ask)).toEqual([revision])
  })

  it('to exchange a token one row, once it was recorded', async () => {
    const ask = await asks.exchange()
    tokensOf(await ask())
    expect(await statements(async () => ask)).toEqual(['select token_families'])
  })

  it('to push a request one insertion', async () => {
    expect(await statements(asks.push)).toEqual([revision, 'insert pushed_requests'])
  })

  it('for a code what it did before, and to open and use up what was pushed a statement each', async () => {
    const browser = new TestBrowser(tessera.url)
    await signIn(browser, authorizeRequest().path, people.importer)
    const plain = await statements(async () => async () => await browser.open(authorizeRequest().path))
    expect(plain).toEqual(['select sessions', 'insert authorization_codes'])
    const opened = async () => {
      const { path } = await pushed(tessera.url)
      return async () => await browser.open(path)
    }
    expect(await statements(opened)).toEqual([
      'select sessions',
      'update pushed_requests',
      'insert authorization_codes',
      'delete pushed_requests',
    ])
  })

  it('for a code exchange and a refresh what it did before', async () => {
    const visitor = new Visitor(tessera.url)
    const exchanged = async () => {
      const form = await visitor.code()
      return async () => await token(tessera.url, form)
    }
    expect(await statements(exchanged)).toEqual([
      'select authorization_codes',
      'update authorization_codes',
      'insert token_families',
    ])
    const refreshed = async () => {
      const { refresh_token } = await visitor.tokens()
      return async () => await refresh(tessera.url, refresh_token)
    }
    expect(await statements(refreshed)).toEqual(['select token_families', 'update token_families'])
  })
})
