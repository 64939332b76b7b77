/** docs/operations.md: its commands and metrics are those that there are. */
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { startTessera } from '../harness/harness.ts'
import { read } from '../house/support.ts'
import { cleanUp, run } from '../harness/process.ts'
import { machineToken } from '../harness/program.ts'
import { testSettings } from '../harness/settings.ts'

const operations = read('docs/operations.md')

async function execute(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

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
