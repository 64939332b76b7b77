import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dialectOf } from '../../dist/database/dialect.js'
import { start } from '../../dist/server.js'
import { Secret } from 'otpauth'
import { authorizeRequest, formOn, people, TestBrowser } from '../harness/browser.ts'
import { onEachDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import {
  machine,
  machineToken,
  otherMachine,
  refresh,
  tokensOf,
  Visitor,
  withStore,
} from '../harness/program.ts'
import { pushed } from '../oauth2/par-support.ts'
import { testSettings } from '../harness/settings.ts'
import { setPolicy } from '../harness/states.ts'
import { atSecondFactor, codeOf, importEnrolled, personOf, totpSecret } from '../sign-in/factor-support.ts'

onEachDatabase('at rest', (dialect) => {
  let tessera: Tessera
  /** Everything that whoever holds it could use. */
  const secrets: Record<string, string> = {}
  beforeAll(async () => {
    tessera = await startTessera(dialect)
    const visitor = new Visitor(tessera.url, people.admin)
    const first = await visitor.tokens()
    const second = tokensOf(await refresh(tessera.url, first.refresh_token))
    const code = await visitor.code()
    // An authorization that waits for its sign-in.
    await new Visitor(tessera.url).browser.open(authorizeRequest().path)
    const { requestUri } = await pushed(tessera.url)
    Object.assign(secrets, {
      'the service’s secret': testSettings({}).secret,

      'a password': people.admin.password,
      'a client secret': machine.client_secret,
      'another client secret': otherMachine.client_secret,
      'an access token': first.access_token?.split('.')[2],
      'an ID token': first.id_token?.split('.')[2],
      'a machine’s token': (await machineToken(tessera.url)).split('.')[2],
      'a code': code.code?.split('.')[1],
      'a code verifier': code.code_verifier,
      'the name of a pushed request': requestUri.split(':').at(-1),
      'the secret of a family': first.refresh_token?.split('.')[1],
      'a replaced refresh token': first.refresh_token?.split('.')[2],
      'a current refresh token': second.refresh_token?.split('.')[2],
    })
    const auditKey = await withStore(tessera, async (store) => store.auditKey().key.export())
    for (const form of ['base64', 'base64url', 'hex', 'latin1'] as const)
      secrets[`the key of the audit in ${form}`] = auditKey.toString(form)
    for (const [name, value] of visitor.browser.cookies) secrets[`the cookie ${name}`] = value
    Object.assign(secrets, await secondFactors())
  })
  afterAll(() => tessera.close())

  /** Of somebody who trusts their browser. */
  async function secondFactors(): Promise<Record<string, string>> {
    await importEnrolled(tessera, ['enrolled'])
    await setPolicy(tessera, {}, { trusted_device_days: 30 })
    const browser = new TestBrowser(tessera.url)
    const page = await atSecondFactor(browser, personOf('enrolled'))
    await browser.submit(page, { code: codeOf(tessera), trust: '1' })
    const { csrf = '' } = formOn(await browser.open('/account/sign-in')).hidden
    const codes = await browser.request('/account/sign-in', { form: { csrf, do: 'codes' } })
    const [, recovery = ''] = /<li>1-([0-9A-Z-]{19})<\/li>/.exec(codes.body) ?? []
    return {
      'the secret of an authenticator app': totpSecret,
      'the same in bytes': Buffer.from(Secret.fromBase32(totpSecret).bytes).toString('latin1'),
      'a recovery code': recovery,
      'the same without dashes': recovery.replaceAll('-', ''),
      'the cookie of a trusted browser': browser.cookies.get('tessera-trusted') ?? '',
      'the cookie of a browser that is known': browser.cookies.get('tessera-device') ?? '',
    }
  }

  /** SQLite's files themselves: what was deleted is in freed pages and in the log. */
  function files(): string[] {
    if (!tessera.databaseUrl.startsWith('sqlite:')) return []
    const path = tessera.databaseUrl.slice('sqlite:'.length)
    return [path, `${path}-wal`].map((file) => readFileSync(file, 'latin1'))
  }

  async function everything(): Promise<string> {
    const tables = await withStore(tessera, async ({ db }) => {
      const query =
        dialectOf(db) === 'sqlite'
          ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
          : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`
      const names = (await query.execute(db)).rows.map((row) => row.name)
      expect(names).toEqual(expect.arrayContaining(['sessions', 'authorization_codes', 'token_families']))
      return await Promise.all(
        names.map(async (name) =>
          JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(db)).rows),
        ),
      )
    })
    return [...tables, ...files()].join('\n')
  }

  it('no table, and no file of the database, holds what one could use', async () => {
    const dump = await everything()
    expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(23)
    for (const [name, value] of Object.entries(secrets)) expect(value.length, name).toBeGreaterThan(15)
    const found = Object.entries(secrets).filter(([, value]) => {
      const bytes = Buffer.from(value)
      return [value, bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')].some(
        (one) => dump.includes(one),
      )
    })
    expect(found.map(([name]) => name)).toEqual([])
    expect(dump).not.toMatch(/PRIVATE KEY|"d"\s*:|"[pq]"\s*:|"dp"/)
    // The method works: what is kept of them is found.
    const family = secrets['the secret of a family'] ?? ''
    expect(dump).toContain(createHash('sha256').update(family).digest('base64url'))
  })

  it('with another secret the service does not start, and says what to set', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: tessera.databaseUrl,
      TESSERA_SECRET: 'another-secret-0123456789-abcdefghij',
    })
    await expect(start(settings)).rejects.toThrow(/another secret.*TESSERA_SECRET/)
    // The one that runs goes on.
    expect(await machineToken(tessera.url)).toMatch(/^ey/)
  })
})
