import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { onEachDatabase } from '../harness/databases.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { testSettings } from '../harness/settings.ts'
import { noteMigration, renameMigrations } from '../harness/states.ts'

async function ask(url: string, path: string) {
  const answer = await fetch(`${url}${path}`)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  return { status: answer.status, headers: answer.headers, json: await answer.json() }
}
const ready = (url: string) => ask(url, '/health/ready')
const live = async (url: string) => (await ask(url, '/health/live')).status

onEachDatabase('health', (dialect) => {
  let tessera: Tessera
  beforeEach(async () => {
    tessera = await startTessera(dialect)
    return () => tessera.close()
  })

  it('is live and ready when there are keys, a database and its tables', async () => {
    expect(await live(tessera.url)).toBe(200)
    expect(await ready(tessera.url)).toMatchObject({ status: 200, json: { status: 'ready' } })
  })

  it('is not ready while migrations of this version are missing, and alive all the same', async () => {
    await renameMigrations(tessera)
    const { status, headers, json } = await ready(tessera.url)
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(json).toEqual({ status: 'not ready', problem: 'the database has migrations of another version' })
    expect(await live(tessera.url)).toBe(200)
  })

  it('stays ready, and starts, beside a newer version’s additive migration', async () => {
    await noteMigration(tessera, '9998-additive-later')
    expect((await ready(tessera.url)).status).toBe(200)
    const another = await start(testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl }))
    expect((await ready(another.url)).status).toBe(200)
    await another.close()
  })

  it('is ready no longer after a newer version’s breaking migration, and no process of this one starts', async () => {
    await noteMigration(tessera, '9999-breaking-later')
    expect(await ready(tessera.url)).toMatchObject({
      status: 503,
      json: { problem: 'the database has migrations of another version' },
    })
    await expect(start(testSettings({ TESSERA_DATABASE_URL: tessera.databaseUrl }))).rejects.toThrow(
      /newer version of Tessera has changed its tables \(9999-breaking-later\); start that version/,
    )
  })
})

describe('without its database the service', () => {
  let tessera: Tessera
  beforeEach(async () => {
    tessera = await startTessera('postgres', { settings: { TESSERA_DATABASE_CONNECT_TIMEOUT: '1' } })
  })
  afterEach(() => tessera.close())

  it('is alive and not ready, and ready again when the database is back', async () => {
    const url = new URL(tessera.databaseUrl)
    const name = url.pathname.slice(1)
    url.pathname = '/postgres'
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    await admin.query(`alter database ${name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    const { status, json } = await ready(tessera.url)
    expect([status, json]).toEqual([503, { status: 'not ready', problem: 'the database does not answer' }])
    expect(await live(tessera.url)).toBe(200)
    await admin.query(`alter database ${name} allow_connections true`)
    expect((await ready(tessera.url)).status).toBe(200)
    await admin.end()
  })
})
