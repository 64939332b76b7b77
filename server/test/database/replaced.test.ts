/** The file of the embedded database is moved, or another one is put in its place, under a service. */
import { copyFileSync, existsSync, renameSync, statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askForMachine, expectDiscovery, expectUnavailable, readiness, readyAgain } from './fails.ts'
import { startTessera, type Tessera } from '../harness/harness.ts'
import { refresh, token, userinfo, Visitor } from '../harness/program.ts'

describe('while another file stands where that of SQLite was opened', () => {
  let tessera: Tessera
  let path: string
  beforeEach(async () => {
    tessera = await startTessera('sqlite')
    path = tessera.databaseUrl.slice('sqlite:'.length)
  })
  afterEach(() => tessera.close())

  /** It is looked at now and then. */
  const noticed = () =>
    vi.waitFor(async () => expect((await askForMachine(tessera.url)).status).toBe(503), 10_000)

  async function expectNothingServed(exchange: Record<string, string>, tokens: Record<string, string>) {
    expectUnavailable(await token(tessera.url, exchange))
    expectUnavailable(await refresh(tessera.url, tokens.refresh_token))
    expectUnavailable(await askForMachine(tessera.url))
    expect((await userinfo(tessera.url, tokens.access_token)).status).toBe(503)
    expect(await readiness(tessera.url)).toMatchObject({ status: 503 })
    await expectDiscovery(tessera.url)
  }

  it('acknowledges nothing that only the file that is gone would hold, and goes on when it is put back', async () => {
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const exchange = await visitor.code()
    renameSync(path, `${path}.away`)
    await noticed()
    await expectNothingServed(exchange, tokens)
    // Nor does it make a new one.
    expect(existsSync(path)).toBe(false)
    renameSync(`${path}.away`, path)
    await readyAgain(tessera.url)
    expect((await token(tessera.url, exchange)).status).toBe(200)
    expect((await refresh(tessera.url, tokens.refresh_token)).status).toBe(200)
  })

  it('leaves the other file whole: nothing of its log gets into that', async () => {
    const other = `${path}.other`
    inFile(path, (file) => file.exec(`vacuum into '${other}'`))
    const visitor = new Visitor(tessera.url)
    const tokens = await visitor.tokens()
    const exchange = await visitor.code()
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    renameSync(path, `${path}.away`)
    renameSync(other, path)
    await noticed()
    await expectNothingServed(exchange, tokens)
    // As whoever starts on it next finds it, when this process is killed.
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${path}.found${end}`)
    inFile(`${path}.found`, (file) => {
      expect(file.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
      expect(file.prepare('select count(*) as families from token_families').get()).toEqual({ families: 0 })
    })
    // And what was acknowledged before is in the file that it was acknowledged for.
    inFile(`${path}.away`, (file) => {
      expect(file.prepare('select count(*) as families from token_families').get()).toEqual({ families: 1 })
    })
  })
})

function inFile(path: string, work: (file: InstanceType<typeof DatabaseSync>) => void): void {
  const file = new DatabaseSync(path)
  try {
    work(file)
  } finally {
    file.close()
  }
}
