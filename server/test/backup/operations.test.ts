/** docs/operations.md: its statements do what it says, and its commands and metrics are those that there are. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { read } from '../house/support.ts'
import { cleanUp, run } from '../harness/process.ts'
import { machineToken, refresh, userinfo, Visitor } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'

const operations = read('docs/operations.md')

function sqlThat(holds: string): string {
  const blocks = [...operations.matchAll(/^```sql\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)
  const [block, ...more] = blocks.filter((one) => one.includes(holds))
  if (block === undefined || more.length > 0) throw new Error(`Not one block holds ${holds}.`)
  return block
}

async function execute(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

describe('the statements for a restored PostgreSQL', () => {
  const statements = sqlThat('After restoring')
  let tessera: Tessera
  beforeAll(async () => {
    tessera = await startTessera('postgres')
  })
  afterAll(() => tessera.close())

  it('end every session, token family and token of a machine, under running services too', async () => {
    const visitor = new Visitor(tessera.url)
    const unused = await visitor.code()
    const { refresh_token: token, access_token: access } = await visitor.tokens()
    expect((await userinfo(tessera.url, access)).status).toBe(200)
    const machine = await machineToken(tessera.url)
    expect((await userinfo(tessera.url, machine)).status).toBe(403)
    await execute(tessera.databaseUrl, statements)
    expect((await userinfo(tessera.url, machine)).status).toBe(401)
    expect((await userinfo(tessera.url, await machineToken(tessera.url))).status).toBe(403)
    expect(await refresh(tessera.url, token)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    expect((await userinfo(tessera.url, access)).status).toBe(401)
    const exchange = await fetch(`${tessera.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(unused),
    })
    expect(await exchange.json()).toMatchObject({ error: 'invalid_grant' })
    // Who comes again is asked for the password.
    await expect(visitor.code()).rejects.toThrow('Sign in to')
  })

  it('do all that a restore of the embedded database does', () => {
    const [, code = ''] =
      /function endEverything[\s\S]*?\{\n([\s\S]*?)\n\}/.exec(read('server/src/backup/backup.ts')) ?? []
    const changed = code.match(/(?:update|delete from|insert into) main\.\w+/g) ?? []
    expect(changed.length).toBeGreaterThan(4)
    for (const change of changed) expect(statements).toContain(change.replace('main.', ''))
  })
})

describe('a signing key that has leaked', () => {
  it('is gone after its rows are deleted: others sign at once', async () => {
    expect(operations).toContain('`delete from signing_keys;`')
    const tessera = await startTessera('postgres')
    const settings = testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl, TESSERA_ISSUER: tessera.url })
    const kids = async (url: string) => {
      const { keys } = (await (await fetch(`${url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] }
      return keys.map(({ kid }) => kid)
    }
    const before = await kids(tessera.url)
    await execute(tessera.databaseUrl, 'delete from signing_keys;')
    const again = await start({ ...settings, host: 'localhost' })
    const after = await kids(again.url)
    expect(after).toHaveLength(2)
    for (const kid of after) expect(before).not.toContain(kid)
    const [header = ''] = (await machineToken(again.url)).split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ kid: after[0] })
    await again.close()
    await tessera.close()
  })
})

describe('docs/operations.md', () => {
  afterAll(cleanUp)

  it('has every metric there is, and no other', () => {
    const there = new Set(read('server/src/http/metrics.ts').match(/\btessera_\w+/g))
    const described = new Set([...operations.matchAll(/^\| `(tessera_\w+)`/gm)].map(([, name]) => name))
    expect([...described].sort()).toEqual([...there].sort())
  })

  it('names commands that exist', async () => {
    const { stdout } = await run(['--help'])
    const commands = [...stdout.matchAll(/^ {2}([a-z]+)\b/gm)].map(([, name]) => name)
    const named = [...operations.matchAll(/(?:`|^|\n)tessera ([a-z]+)\b/g)].map(([, name]) => name)
    expect(new Set(named).size).toBeGreaterThan(4)
    for (const name of named.filter((one) => one !== 'listens')) expect(commands).toContain(name)
  })
})
