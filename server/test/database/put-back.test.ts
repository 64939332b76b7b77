/** A database that is put back to an earlier state under a service, as by a failover to a copy that lagged behind. */
import { describe, expect, it } from 'vitest'
import { contentColumns } from '../../dist/database/schema-audit.js'
import { record } from '../../dist/audit/record.js'
import { watchForLoss } from '../../dist/background/database-loss.js'
import type { Store } from '../../dist/database/store.js'
import { allLinked, openStore } from '../harness/stores.ts'
import { Intruder, recordsOf, writeRecords } from '../audit/support.ts'
import { createDatabase, onEachDatabase } from '../harness/databases.ts'
import { type Tessera, tesseraOn } from '../harness/harness.ts'
import { machine, otherMachine, refusalOf, token, withStore } from '../harness/program.ts'

onEachDatabase('a database that was put back', (dialect) => {
  const tessera = tesseraOn(dialect)

  const ask = (client: { client_id: string; client_secret: string }) =>
    token(tessera.url, { grant_type: 'client_credentials', ...client })
  const change = ({ client_id: id }: { client_id: string }, active: 0 | 1) =>
    withStore(tessera, ({ db }) => setActive(db, id, active))

  it('lets in nobody whom only the state that is gone let in, whatever changes next', async () => {
    await change(machine, 0)
    const before = await quietly(tessera, readRevision)
    await change(machine, 1)
    // From here on the process knows it as it is now.
    expect((await ask(machine)).status).toBe(200)
    await quietly(tessera, async ({ db }) => {
      await setActive(db, machine.client_id, 0)
      await db.updateTable('revisions').set({ value: before }).execute()
    })
    // Nobody asks meanwhile, and as many things change as had changed when it was put back.
    await change(otherMachine, 0)
    expect(refusalOf(await ask(machine))).toBe('401 invalid_client')
  })
})

onEachDatabase('an audit that lacks what was there', (dialect) => {
  it('is noticed by several processes, and answered by one: all from before ends, with a record and a word', async () => {
    const database = await createDatabase(dialect)
    const [store, another] = [await openStore(database.url), await openStore(database.url)]
    const told: unknown[] = []
    const watching = [store, another].map((one) => {
      const watch = watchForLoss()
      const service = {
        store: one,
        now: Date.now,
        observe: () => undefined,
        settings: { databaseLoss: 'end' },
      } as const
      return () => watch(service, { report: (failure) => told.push(failure) })
    })
    const look = async () => await Promise.all(watching.map((one) => one()))
    await look()
    await writeRecords(store, 3)
    await look()
    await look()
    // What is there is there, however much comes after it.
    expect(told).toEqual([])
    const [before, gone] = (await recordsOf(store)).slice(-2)
    if (before === undefined || gone === undefined) throw new Error('They were written above.')
    const failover = new Intruder(store)
    await failover.dropTriggers()
    await failover.remove(gone.sequence)
    await failover.moveHead(before)
    // As many happen after it as had happened before: their numbers are the same.
    await writeRecords(store, 2)
    await look()
    await look()
    const words = `The database has lost what was acknowledged (record ${gone.sequence} of the audit)`
    expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining(words) as string })])
    const records = (await recordsOf(store)).filter(({ kind }) => kind === 'database.lost')
    expect(records).toEqual([expect.objectContaining({ actor_kind: 'service' })])
    await store.close()
    await another.close()
    await database.remove()
  })
})

describe('an audit on postgres whose last record only has to be linked again', () => {
  /** A look after the record lost its place. Another process links it when this many reads are done. */
  async function lookWhileLinking(reads: number): Promise<void> {
    const database = await createDatabase('postgres')
    const store = await openStore(database.url)
    const told: unknown[] = []
    let [held, done] = [false, 0]
    const seen: Store = {
      ...store,
      write: async (...asked) => {
        if (held) throw new Error('Another process holds the chain.')
        return await store.write(...asked)
      },
      read: async (...asked) => {
        const found = await store.read(...asked)
        done += 1
        if (held && done === reads) {
          held = false
          await allLinked(store)
        }
        return found
      },
    }
    const service = {
      store: seen,
      now: Date.now,
      observe: () => undefined,
      settings: { databaseLoss: 'end' },
    } as const
    const watch = watchForLoss()
    const look = async () => await watch(service, { report: (failure) => told.push(failure) })
    const before = (await writeRecords(store, 3)).at(-1)
    await record(store, { at: Date.now(), kind: 'user.changed' })
    const waiting = await store.db
      .selectFrom('audit_waiting')
      .select(['mac', ...contentColumns])
      .execute()
    const last = (await recordsOf(store)).at(-1)
    if (before === undefined || last === undefined) throw new Error('They were written above.')
    await look()
    const failover = new Intruder(store)
    await failover.dropTriggers()
    await failover.remove(last.sequence)
    await failover.moveHead(before)
    await store.db.insertInto('audit_waiting').values(waiting).execute()
    ;[held, done] = [true, 0]
    for (let times = 0; times < 3; times++) await look()
    expect(told, `${reads} reads`).toEqual([])
    expect((await recordsOf(store)).at(-1)).toMatchObject({ sequence: last.sequence, hash: last.hash })
    await store.close()
    await database.remove()
  }

  it('is no loss, whenever another process links it', async () => {
    for (let reads = 1; reads <= 8; reads++) await lookWhileLinking(reads)
  })
})

/** Works on the rows without a word to processes that run. */
async function quietly<T>({ databaseUrl }: Tessera, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseUrl)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const setActive = (db: Store['db'], id: string, active: 0 | 1) =>
  db.updateTable('clients').set({ active }).where('client_id', '=', id).execute()

async function readRevision({ db }: Store): Promise<number> {
  return (await db.selectFrom('revisions').select('value').executeTakeFirstOrThrow()).value
}
