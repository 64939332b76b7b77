import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runHere } from './command-support.ts'
import { createDatabase, onEachDatabase } from '../harness/databases.ts'
import { cleanUp, secret, Serving, temporaryFolder } from '../harness/process.ts'
import { machineToken, userinfo, Visitor } from '../harness/program.ts'
import { RoundRobin } from '../harness/round-robin.ts'
import { migrationsOf } from '../harness/states.ts'

afterAll(cleanUp)

const acme = new URL('../fixtures/acme.yaml', import.meta.url).pathname
const many = 3

async function startTogether(environment: Record<string, string>, cwd?: string): Promise<Serving[]> {
  return await Promise.all(Array.from({ length: many }, () => Serving.start(environment, cwd)))
}

onEachDatabase('several processes that start at once on an empty database', (dialect) => {
  it('migrate it once, make one signing key of each algorithm, and apply the declared file once', async () => {
    const database = await createDatabase(dialect, 'empty')
    const proxy = await RoundRobin.start()
    const serving = await startTogether({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_ISSUER: proxy.url,
      TESSERA_SECRET: secret,
      TESSERA_DECLARED: acme,
      TESSERA_LOG_LEVEL: 'error',
    })
    proxy.balance(serving.map(({ url }) => url))

    const environment = { TESSERA_DATABASE_URL: database.url, TESSERA_SECRET: secret }
    const listed = async (...command: string[]) => {
      const { stdout } = await runHere([...command, '--json'], { environment })
      return (JSON.parse(stdout) as { items: { alg?: string }[] }).items
    }
    const migrations = await migrationsOf({ databaseUrl: database.url })
    expect(migrations.filter((one) => one === '0001-baseline')).toHaveLength(1)
    expect((await listed('keys', 'list')).map(({ alg = '' }) => alg).sort()).toEqual(['ES256', 'RS256'])
    expect(await listed('audit', 'list', '--kind', 'declared.applied')).toHaveLength(1)
    // They all mark what they record by the same key.
    expect(await runHere(['audit', 'verify'], { environment })).toMatchObject({ code: 0, stderr: '' })

    // Each of them is as good as the others: whose keys they loaded, and what was declared.
    const token = await machineToken(serving[0]?.url ?? '')
    expect(token.split('.')).toHaveLength(3)
    const tokens = await new Visitor(proxy.url).tokens()
    for (const { url } of serving) expect((await userinfo(url, tokens.access_token)).status).toBe(200)
    for (const ended of await Promise.all(serving.map((one) => one.stop()))) {
      expect([ended.code, ended.complaints]).toEqual([0, []])
    }
    await proxy.close()
    await database.remove()
  })
})

describe('several processes that start at once in an empty folder', () => {
  it('agree on one generated secret, and leave nothing else there', async () => {
    const folder = temporaryFolder()
    const serving = await startTogether({ TESSERA_LOG_LEVEL: 'error' }, folder)
    const sets = await Promise.all(
      serving.map(async ({ url }) => await (await fetch(`${url}/oauth2/jwks`)).text()),
    )
    expect(new Set(sets).size).toBe(1)
    for (const ended of await Promise.all(serving.map((one) => one.stop()))) expect(ended.code).toBe(0)
    const files = readdirSync(join(folder, 'data')).filter((name) => !/-(wal|shm)$/.test(name))
    expect(files.sort()).toEqual(['tessera.secret', 'tessera.sqlite'])
  })
})
