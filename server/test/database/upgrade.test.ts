/** What 0.1.0 made by its own code, opened by this version; fixtures/0.1.0 says how it was made. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { start } from '../../dist/server.js'
import { Administrator } from '../administration/support.ts'
import { runHere } from '../cli/command-support.ts'
import { administered } from '../fixtures/administrators.ts'
import { createDatabase, type Dialect, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { Clock } from '../harness/harness.ts'
import { cleanUp, run, temporaryFolder } from '../harness/process.ts'
import { testSettings } from '../harness/settings.ts'
import { Receiver, verified } from '../webhooks/support.ts'
import type { Begun, Life, Place } from './lived.ts'
import { asked, begunChecks, type Check, keptChecks, refusedChecks } from './lived-kept.ts'

interface Left {
  issuer: string
  begunAt: number
  life: Life
  begun: Begun
  exported: string
}

const minute = 60_000
const missing = '0048-additive-bound-tokens'
const content = (name: string) =>
  gunzipSync(readFileSync(new URL(`../fixtures/0.1.0/${name}.gz`, import.meta.url)))

/** The database as it was when 0.1.0 was stopped. */
async function databaseOf(dialect: Dialect): Promise<TestDatabase> {
  const database = await createDatabase(dialect, 'empty')
  if (dialect === 'sqlite') {
    writeFileSync(database.url.slice('sqlite:'.length), content('tessera.sqlite'))
    return database
  }
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(content('postgres.sql').toString())
  await client.end()
  return database
}

afterAll(cleanUp)

onEachDatabase('what 0.1.0 made', (dialect) => {
  const left = JSON.parse(content(`${dialect}.json`).toString()) as Left
  const { life, begun, issuer } = left
  const clock = new Clock()
  let database: TestDatabase
  let place: Place
  let files: { exported: string; applied: string }
  let close = async () => {}
  beforeAll(async () => {
    database = await databaseOf(dialect)
    const folder = temporaryFolder()
    files = { exported: join(folder, 'exported.yaml'), applied: join(folder, 'applied.yaml') }
    writeFileSync(files.exported, left.exported)
    writeFileSync(files.applied, administered)
    clock.stop()
    clock.advance(left.begunAt - clock.now())
  })
  afterAll(async () => {
    await close()
    await database.remove()
  })

  const environment = (more: Record<string, string> = {}) => ({
    environment: {
      TESSERA_DATABASE_URL: database.url,
      TESSERA_MODE: 'development',
      TESSERA_ISSUER: issuer,
      ...more,
    },
    now: clock.now(),
  })
  const command: Place['command'] = async (...line) => {
    const { code, stdout, stderr } = await runHere(line, environment())
    if (code !== 0) throw new Error(`tessera ${line.join(' ')} ended with ${code}: ${stderr}`)
    return stdout
  }
  const plan = (file: string) => runHere(['plan', file], environment())
  const expectAll = async (checks: readonly Check[]) => {
    const { answers, expected } = await asked(checks)
    expect(answers).toEqual(expected)
  }

  it('is refused with another secret, and stays as it was', async () => {
    const another = { TESSERA_SECRET: 'another-secret-of-the-tests-0123456789', TESSERA_PORT: '0' }
    for (const line of [['serve'], ['migrate']]) {
      const refused = await run(line, environment(another))
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.complaints).toEqual([expect.stringMatching(/another secret.*TESSERA_SECRET/)])
    }
    const { code, stderr } = await plan(files.exported)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${missing} is missing`)])
  })

  it('is migrated, and once', async () => {
    const { made } = JSON.parse(await command('migrate', '--json')) as { made: string[] }
    expect(made[0]).toBe(missing)
    expect(JSON.parse(await command('migrate', '--json'))).toEqual({ made: [] })
  })

  it('is exported as that version did, and neither that file nor the one it began with changes anything', async () => {
    expect(await command('export')).toBe(left.exported)
    for (const file of Object.values(files))
      expect(await plan(file)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Nothing to change') as string,
      })
  })

  it('goes on where it was: what was begun is finished, once', async () => {
    const settings = testSettings({
      TESSERA_DATABASE_URL: database.url,
      TESSERA_ISSUER: issuer,
      TESSERA_WEBHOOKS_TO_PRIVATE_ADDRESSES: 'true',
    })
    const running = await start({ ...settings, host: 'localhost' }, { now: clock.now })
    close = running.close
    place = { url: running.url, now: clock.now, command }
    await expectAll(begunChecks(place, life, begun))
  })

  it('lets in nobody whom it let in no more', async () => {
    clock.advance(minute)
    await expectAll(refusedChecks(place, life))
  })

  it('keeps whom it let in, what they allowed and what waits for them', async () => {
    await expectAll(keptChecks(place, life))
  })

  it('signs webhooks with the secret that it gave', async () => {
    // Receivers take what is of now alone.
    clock.advance(Date.now() - clock.now())
    const receiver = new Receiver()
    await receiver.listen()
    const admin = await Administrator.machine(place.url)
    const path = `/webhooks/${life.webhook.uuid}`
    expect((await admin.patch(path, { url: `${receiver.url}/kept` })).status).toBe(200)
    expect((await admin.post(`${path}/test`, {})).status).toBeLessThan(300)
    const [received] = await receiver.got('/kept', 1)
    receiver.close()
    if (received === undefined) return expect.unreachable()
    expect(verified(life.webhook.secret, received)).toMatchObject({ data: expect.any(Object) as object })
  })

  it('ends what its time is over', async () => {
    clock.advance(15 * minute)
    expect(
      (
        await fetch(`${place.url}/oauth2/userinfo`, {
          headers: { authorization: `Bearer ${life.ann.access}` },
        })
      ).status,
    ).toBe(401)
  })
})
