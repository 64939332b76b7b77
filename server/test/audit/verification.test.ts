/** What `tessera audit verify` found last, as the API, the command and what needs attention tell it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditRecordRow } from '../../dist/database/schema-audit.js'
import type { Store } from '../../dist/database/store.js'
import { acme, Administrator, administeredOn, heads, problemOf } from '../administration/support.ts'
import { Intruder, writeRecords } from './support.ts'
import { runHere, ways } from '../cli/command-support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, secret, temporaryFolder } from '../harness/process.ts'
import { withStore } from '../harness/program.ts'
import { openStore } from '../harness/stores.ts'

interface Verification {
  at: string
  by: string
  sequence: number
  hash: string
  records: number
  problems: number
}
interface Verified {
  state: string
  last: Verification | null
  whole: Verification | null
  unverified: { records: number; since: string | null }
}

const another = { TESSERA_SECRET: 'another-secret-of-the-tests-0123456789' }

afterAll(cleanUp)

onEachDatabase('what the audit was last verified to be', (dialect) => {
  const tessera = administeredOn(dialect)
  let all: Administrator
  beforeAll(async () => {
    all = await Administrator.machine(tessera.url)
  })
  async function told(): Promise<Verified> {
    const { status, json, text } = await all.get('/audit/verification')
    expect(status, text).toBe(200)
    return json as unknown as Verified
  }
  /** Of the command, whose clock stands. */
  const time = '2026-11-24T03:00:00.000Z'
  const command = (commandLine: string[], environment: Record<string, string> = {}) =>
    runHere(commandLine, {
      environment: { ...ways.database(tessera), ...environment },
      now: Date.parse(time),
    })
  const verify = async (...more: string[]) => (await command(['audit', 'verify', ...more])).code
  const attention = async (who: Administrator) =>
    ((await who.get('/attention')).json.items as { kind: string; since: string; target: object }[]).filter(
      ({ kind }) => kind === 'audit_broken',
    )
  const rename = async (name: string) =>
    expect((await all.ask('PATCH', `/organisations/${acme}`, { body: { name }, match: '*' })).status).toBe(
      200,
    )
  const inside = <T>(work: (store: Store) => Promise<T>): Promise<T> => withStore(tessera, work)
  const noHead = `1:${'0'.repeat(64)}`

  it('is never at first, and of the whole installation alone', async () => {
    const { unverified, ...rest } = await told()
    expect(rest).toEqual({ state: 'never', last: null, whole: null })
    expect(unverified).toEqual({ records: expect.any(Number), since: expect.any(String) })
    expect(unverified.records).toBeGreaterThan(0)
    expect(await attention(all)).toEqual([])
    for (const who of [
      await Administrator.machine(tessera.url, 'acme-cli'),
      await Administrator.person(tessera.url, heads.unitHead),
    ])
      expect(problemOf(await who.get('/audit/verification'))).toBe('403 forbidden')
    const roles = await Administrator.machine(tessera.url, 'roles-cli')
    expect((await roles.get('/audit/verification')).json.permission).toBe('iam.audit.read')
    expect(problemOf(await all.get('/audit/verification?sequence=1'))).toBe('400 invalid_request sequence')
    expect((await all.post('/audit/verification', {})).status).toBe(405)
    // Nothing is kept that would have to be opened.
    const asked = await command(['audit', 'verification', '--json'], another)
    expect(JSON.parse(asked.stdout)).toMatchObject({ state: 'never' })
  })

  it('is whole up to where the chain ended, and tells what came after', async () => {
    expect(await verify()).toBe(0)
    const { state, last, whole, unverified } = await told()
    expect(state).toBe('whole')
    expect(last).toEqual({
      at: time,
      by: expect.stringMatching(/.@./),
      sequence: last?.records,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      records: expect.any(Number),
      problems: 0,
    })
    expect(whole).toEqual(last)
    expect(unverified).toEqual({ records: 0, since: null })
    await rename('Once')
    await rename('Twice')
    const { json: first } = await all.get(`/audit/${Number(last?.sequence) + 1}`)
    expect(first.after).toEqual({ name: 'Once' })
    expect(await told()).toMatchObject({ state: 'whole', last, unverified: { records: 2, since: first.at } })
    const { stdout } = await runHere(['audit', 'verification'], { environment: ways.http(tessera) })
    expect(stdout).toContain(`verified until record\t${last?.sequence}\n`)
    expect(stdout).toContain('records since\t2\n')
    const elsewhere = await command(['audit', 'verification'], another)
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('another secret') })
  })

  it('stays as it was after a check of a file, or one that could not be made or kept', async () => {
    const before = await told()
    const file = join(temporaryFolder(), 'audit.jsonl')
    writeFileSync(file, (await command(['audit', 'export'])).stdout)
    expect(await verify('--file', file)).toBe(0)
    expect(await verify('--expect', 'nonsense')).toBe(3)
    expect((await command(['audit', 'verify'], another)).code).toBe(3)
    const rename = (from: string, to: string) =>
      inside(({ db }) => sql.raw(`alter table ${from} rename to ${to}`).execute(db))
    await rename('audit_verifications', 'elsewhere')
    const unkept = await command(['audit', 'verify'])
    expect(unkept).toMatchObject({ code: 0, stderr: expect.stringContaining('could not be kept') })
    await rename('elsewhere', 'audit_verifications')
    expect(await told()).toMatchObject({ state: 'whole', last: before.last })
  })

  it('is broken until it is found whole again, and needs attention of who may read it', async () => {
    const { whole } = await told()
    expect(await verify('--expect', noHead)).toBe(1)
    const { last, ...rest } = await told()
    expect(rest).toMatchObject({ state: 'broken', whole })
    expect(last).toMatchObject({ at: time, problems: 1 })
    const { stdout } = await command(['audit', 'verification'])
    expect(stdout).toContain('state\tbroken\n')
    expect(stdout).toContain(`last whole until record\t${whole?.sequence}\n`)

    const found = { since: time, target: { kind: 'audit', id: 'chain' } }
    expect(await attention(all)).toMatchObject([found])
    const onlooker = await Administrator.machine(tessera.url, 'onlooker-cli')
    expect(await attention(onlooker)).toMatchObject([found])
    for (const who of [
      await Administrator.machine(tessera.url, 'acme-cli'),
      await Administrator.machine(tessera.url, 'roles-cli'),
      await Administrator.person(tessera.url, heads.unitHead),
    ])
      expect(await attention(who)).toEqual([])
    expect(await verify()).toBe(0)
    expect((await told()).state).toBe('whole')
    expect(await attention(all)).toEqual([])
  })

  it('counts for nothing where somebody without the secret wrote, altered or removed it', async () => {
    const broken = async (state: string, work: (store: Store) => Promise<unknown>) => {
      await inside(work)
      expect((await told()).state).toBe(state)
      expect(await attention(all)).toHaveLength(1)
    }
    expect(await verify('--expect', noHead)).toBe(1)
    await broken('not_marked', ({ db }) =>
      db.updateTable('audit_verifications').set({ problems: 0 }).execute(),
    )
    expect((await told()).last).toBeNull()

    expect(await verify()).toBe(0)
    expect(await verify('--expect', noHead)).toBe(1)
    // What was whole takes the place of what is broken.
    await broken('not_marked', ({ db }) =>
      sql`update audit_verifications set (at, sequence, hash, records, problems, mac) =
        (select at, sequence, hash, records, problems, mac from audit_verifications where name = 'whole')`.execute(
        db,
      ),
    )
    expect(await verify('--expect', noHead)).toBe(1)
    await broken('not_marked', ({ db }) =>
      db.deleteFrom('audit_verifications').where('name', '=', 'last').execute(),
    )
    expect(await verify()).toBe(0)
    await broken('not_marked', ({ db }) =>
      db
        .updateTable('audit_verifications')
        .set({ at: Date.parse(time) + 1 })
        .execute(),
    )
    expect(await verify()).toBe(0)
    expect((await told()).state).toBe('whole')
  })
})

/** No service runs, which would notice the loss by itself. */
onEachDatabase('a verification of the audit', (dialect) => {
  let database: TestDatabase
  let store: Store
  let intruder: Intruder
  let rows: AuditRecordRow[]
  beforeAll(async () => {
    database = await createDatabase(dialect, 'tables')
    store = await openStore(database.url)
    intruder = new Intruder(store)
    rows = await writeRecords(store, 4)
    return async () => {
      await store.close()
      await database.remove()
    }
  })
  const command = (...commandLine: string[]) =>
    runHere(commandLine, { environment: { TESSERA_DATABASE_URL: database.url, TESSERA_MODE: 'development' } })
  const verify = async () => (await command('audit', 'verify')).code
  const told = async () => JSON.parse((await command('audit', 'verification', '--json')).stdout) as Verified
  const rowAt = (sequence: number): AuditRecordRow => {
    const row = rows[sequence - 1]
    if (row === undefined) throw new Error(`There is no record ${sequence}.`)
    return row
  }

  it('is not kept by a chain that was cut off, or written anew, since', async () => {
    expect(await verify()).toBe(0)
    await intruder.dropTriggers()
    const states = async (work: () => Promise<unknown>) => {
      await work()
      const { state } = await told()
      await intruder.moveHead(rowAt(4))
      return state
    }
    expect(await states(() => intruder.moveHead(rowAt(3)))).toBe('not_kept')
    expect(await states(() => intruder.rewrite(rows, 4, { address: 'x' }))).toBe('not_kept')
    await intruder.set(4, rowAt(4))
    expect(await states(() => intruder.remove(4))).toBe('not_kept')
    const { items } = JSON.parse((await command('attention', '--json')).stdout) as {
      items: { kind: string }[]
    }
    expect(items.map(({ kind }) => kind)).toContain('audit_broken')
    await intruder.insert(rowAt(4))
    expect((await told()).state).toBe('whole')
  })

  it('is answered beside numbers and times that no record can have', async () => {
    const beyond = { ...rowAt(4), sequence: 2 ** 52 }
    await intruder.insert(beyond)
    expect(await told()).toMatchObject({ state: 'whole', unverified: { records: 0, since: null } })
    await intruder.remove(beyond.sequence)
    await store.db.deleteFrom('audit_verifications').execute()
    for (const at of ['9223372036854775807', '8640000000000001']) {
      await sql`update audit_records set at = ${sql.lit(at)} where sequence = 1`.execute(store.db)
      expect(await told()).toMatchObject({ state: 'never', unverified: { records: 4, since: null } })
    }
    await intruder.set(1, rowAt(1))
    await intruder.makeTriggers()
    expect(await verify()).toBe(0)
  })

  it('is forgotten with the key that marked it', async () => {
    expect((await told()).state).toBe('whole')
    expect((await command('audit', 'rekey', '--yes')).code).toBe(0)
    expect(await told()).toMatchObject({ state: 'never', last: null })
    expect(await verify()).toBe(0)
    expect((await told()).state).toBe('whole')
  })
})

it('what the audit was last verified to be goes with a backup that brings the key, and stays otherwise', async () => {
  const [here, there] = [await createDatabase('sqlite'), await createDatabase('sqlite', 'tables')]
  const ask = async (commandLine: string[], url = here.url) => {
    const environment = { TESSERA_DATABASE_URL: url, TESSERA_SECRET: secret, TESSERA_MODE: 'development' }
    const { code, stdout, stderr } = await runHere(commandLine, { environment })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    return stdout
  }
  const told = async (url: string) =>
    JSON.parse(await ask(['audit', 'verification', '--json'], url)) as Verified
  await ask(['role', 'create', 'new', '--name', 'New'])
  await ask(['audit', 'verify'])
  const taken = (await told(here.url)).last
  await ask(['audit', 'verify'], there.url)
  const file = join(temporaryFolder(), 'backup.sqlite')
  await ask(['backup', file])
  await ask(['role', 'create', 'newer', '--name', 'Newer'])
  await ask(['audit', 'verify'])
  const verified = (await told(here.url)).last
  await ask(['restore', file, '--yes'])
  expect(await told(here.url)).toMatchObject({ state: 'whole', last: verified, unverified: { records: 1 } })
  await ask(['restore', file, '--yes'], there.url)
  expect(await told(there.url)).toMatchObject({ state: 'whole', last: taken })
  await here.remove()
  await there.remove()
})
