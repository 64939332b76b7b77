import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import type { AuditRecord } from '../../dist/audit/read.js'
import type { Store } from '../../dist/database/store.js'
import { openStore } from '../harness/stores.ts'
import { authorizeRequest, people, post, signIn, TestBrowser } from '../harness/browser.ts'
import { runHere } from '../cli/command-support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { cleanUp, pause, secret } from '../harness/process.ts'
import { startTwoProcesses } from '../cli/two-processes.ts'
import { followAudit } from './support.ts'

/** Several processes that record at the same time make one chain without a gap, and who follows it misses nothing. */

afterAll(cleanUp)

const lanes = 5
const each = 12

/** Records in several lanes at once: alone, with a change of a row that all of them change, and then undone. */
const program = `
  const [, url, source, name, secret] = process.argv
  const { auditKeeper } = await import(source + 'keys/audit-key.js')
  const { openStore } = await import(source + 'database/open.js')
  const { record, recordAll } = await import(source + 'audit/record.js')
  // Patient: on SQLite all of them want the one lock all the time.
  const store = await openStore(url, auditKeeper(() => ({ secret })), { pool: 10, connectTimeout: 60_000, statementTimeout: 60_000 })
  const lane = async (number) => {
    for (let n = 0; n < ${each}; n++) {
      const event = { at: n, kind: 'user.changed', detail: { name, lane: number, n } }
      if (n % 3 === 0) await record(store, event)
      else await store.db.transaction().execute(async (trx) => {
        await trx.updateTable('organisations').set({ name: name + n }).where('code', '=', 'acme').execute()
        await recordAll(store, [event, { ...event, kind: 'role.changed' }], trx)
      })
      await store.db.transaction().execute(async (trx) => {
        await record(store, { ...event, kind: 'client.changed' }, trx)
        throw new Error('undone')
      }).catch((error) => { if (error.message !== 'undone') throw error })
    }
  }
  await Promise.all(Array.from({ length: ${lanes} }, (_, number) => lane(number)))
  await store.close()
`

onEachDatabase('processes that record at the same time', (dialect) => {
  let database: TestDatabase
  let store: Store
  beforeEach(async () => {
    database = await createDatabase(dialect)
    store = await openStore(database.url)
  })
  afterEach(async () => {
    await store.close()
    await database.remove()
  })
  const verify = () => runHere(['audit', 'verify'], { environment: { TESSERA_DATABASE_URL: database.url } })

  async function write(name: string): Promise<void> {
    const source = fileURLToPath(new URL('../../dist/', import.meta.url))
    const flags = ['--input-type=module', '--eval', program, database.url, source, name, secret]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'pipe'] })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => (complaints += part))
    const code = await new Promise((resolve) => child.once('close', resolve))
    expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  }

  it('make one chain, each record once, in the order of each writer', async () => {
    const { reached: start } = await followAudit(store, {}, { after: 0, limit: 10_000 })
    let writing = true
    const followed: AuditRecord[] = []
    const follow = async () => {
      for (let after = start, more = true; more; ) {
        more = writing
        const { records, reached } = await followAudit(store, {}, { after, limit: 50 })
        followed.push(...records)
        more ||= reached > after
        after = reached
        await pause(5)
      }
    }
    await Promise.all([
      follow(),
      Promise.all(['one', 'two'].map(write)).finally(() => {
        writing = false
      }),
    ])
    // Whoever follows sees each number in turn: none appears behind one that was seen.
    expect(followed.map(({ sequence }) => sequence)).toEqual(followed.map((_, index) => start + 1 + index))
    expect(followed.some(({ kind }) => kind === 'client.changed')).toBe(false)
    const written = followed.map(({ kind, detail }) => `${kind} ${JSON.stringify(detail)}`)
    expect(new Set(written).size).toBe(written.length)
    const alone = Math.ceil(each / 3)
    expect(written).toHaveLength(2 * lanes * (alone + 2 * (each - alone)))
    for (const name of ['one', 'two']) {
      for (let lane = 0; lane < lanes; lane++) {
        const ofLane = followed.filter(({ kind, detail }) => {
          return kind === 'user.changed' && detail?.name === name && detail.lane === lane
        })
        expect(ofLane.map(({ detail }) => detail?.n)).toEqual(Array.from({ length: each }, (_, n) => n))
      }
    }
    expect(await verify()).toMatchObject({ code: 0 })
  })
})

onEachDatabase('two services that people and clients use at the same time', (dialect) => {
  it('record every sign-in, failure and revocation in one chain', async () => {
    const both = await startTwoProcesses(dialect, {
      TESSERA_LIMIT_SIGN_IN_ADDRESS: '0',
      TESSERA_LIMIT_SIGN_IN_ACCOUNT: '0',
    })
    const visits = 12
    const visit = async (index: number) => {
      const right = index % 3 > 0
      const password = right ? people.importer.password : 'a wrong password'
      const browser = new TestBrowser(both.url)
      const answer = await signIn(browser, authorizeRequest().path, { ...people.importer, password })
      expect(answer.status).toBe(right ? 303 : 400)
      if (right) await browser.submit(await browser.open('/oauth2/logout'))
    }
    await Promise.all(Array.from({ length: visits }, (_, index) => visit(index)))
    await post(`${both.url}/oauth2/revoke`, { client_id: 'submissions-web', token: 'x' })
    const store = await openStore(both.databaseUrl)
    const count = async (kind: 'sign_in.succeeded' | 'sign_in.failed' | 'sign_out') =>
      (await followAudit(store, { kind }, { after: 0, limit: 10_000 })).records.length
    expect(await count('sign_in.succeeded')).toBe((visits * 2) / 3)
    expect(await count('sign_out')).toBe((visits * 2) / 3)
    expect(await count('sign_in.failed')).toBe(visits / 3)
    await store.close()
    const ended = await runHere(['audit', 'verify'], {
      environment: { TESSERA_DATABASE_URL: both.databaseUrl },
    })
    expect(ended).toMatchObject({ code: 0 })
    await both.close()
  })
})
