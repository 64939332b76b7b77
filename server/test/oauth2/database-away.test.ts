/** The database goes away in the middle of an assertion, an exchange and a pushed request (decisions 30 to 32). */
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Wire } from '../../../bench/speed/wire.ts'
import { start } from '../../dist/server.js'
import { Administrator, profiles } from '../administration/support.ts'
import { type Asked, expectUnavailable, readyAgain } from '../database/fails.ts'
import { answerOf, authorizeRequest, people, signIn, TestBrowser } from '../harness/browser.ts'
import { createDatabase, type Dialect } from '../harness/databases.ts'
import { duringTests } from '../harness/harness.ts'
import { refusalOf, token, tokensOf, Visitor } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'
import { auditOf } from '../harness/states.ts'
import { addExchanger, type Caller, exchange, exchangerBody, must } from './exchange-support.ts'
import { intranet, push, pushed, refusedPage } from './par-support.ts'
import { assertionType, keyOf, ofKubernetes, type Signing, signed } from './workload-tokens.ts'

const read = 'ledger.entry.read'
const cluster = 'https://kubernetes.default.svc.cluster.local'

/** A service that reaches its database by what the test can cut. */
async function startBehind(dialect: Dialect) {
  const database = await createDatabase(dialect, 'administered')
  const address = new URL(database.url)
  const wire = dialect === 'postgres' ? new Wire(Number(address.port)) : undefined
  if (wire !== undefined) address.port = String(await wire.listen())
  const settings = testSettings({
    TESSERA_DATABASE_URL: dialect === 'postgres' ? address.href : database.url,
    TESSERA_DATABASE_CONNECT_TIMEOUT: '1',
    TESSERA_DATABASE_STATEMENT_TIMEOUT: '2',
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

/** What is asked in the middle of it, each made anew. */
function askersOf(tessera: { url: string }) {
  const keys = {} as Record<'own' | 'cluster', Signing>
  let caller: Caller
  let made = 0
  const now = () => Math.floor(Date.now() / 1000)
  const by = (client_assertion: string) => ({ client_assertion_type: assertionType, client_assertion })
  const ownProof = async (id: string) => {
    const claims = { iss: id, sub: id, aud: tessera.url, jti: `${++made}`, exp: now() + 120 }
    return by(await signed(claims, keys.own))
  }
  const asking = (form: Record<string, string>) => async () =>
    await token(tessera.url, { grant_type: 'client_credentials', ...form })
  return {
    async prepare() {
      keys.own = await keyOf('ES256', 'own')
      keys.cluster = await keyOf('ES256', 'cluster')
      const admin = await Administrator.machine(tessera.url)
      const machine = { type: 'machine', services: [], permissions: [] }
      const { etag } = await admin.get('/assertion-issuers')
      const body = { issuers: [{ issuer: cluster, jwks: { keys: [keys.cluster.jwk] } }] }
      must(await admin.ask('PUT', '/assertion-issuers', { body, match: etag }), 200)
      const uid = '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798'
      const federated = { issuer: cluster, claims: { 'kubernetes.io/serviceaccount/uid': uid } }
      const jwks = { keys: [keys.own.jwk] }
      for (const client of [
        { ...machine, client_id: 'robot', jwks },
        { ...machine, client_id: 'orders', federated },
        { ...intranet, jwks },
      ])
        must(await admin.post('/clients', { client_name: client.client_id, ...client }), 201)
      caller = await addExchanger(admin, exchangerBody('submissions-tool', ['ledger'], [read]))
    },
    assertion: async () => asking(await ownProof('robot')),
    /** Of somebody whom nobody has told of yet: the first one is recorded. */
    workload: async () => {
      const claims = ofKubernetes(now(), { iss: cluster, aud: [tessera.url], sub: `pod-${++made}` })
      return asking({ client_id: 'orders', ...by(await signed(claims, keys.cluster)) })
    },
    /** Of a new session: its first exchange is recorded. */
    exchange: async () => {
      const visitor = new Visitor(tessera.url, people.both)
      const { access_token } = await visitor.tokens({ profile_uuid: profiles.bothReader })
      return async () => await exchange(tessera.url, caller, access_token)
    },
    push: async (id = 'submissions-web') => {
      const proven = id === 'intranet' ? await ownProof(id) : {}
      const form = { ...Object.fromEntries(authorizeRequest({ client_id: id }).query), ...proven }
      return async () => await push(tessera.url, form)
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
