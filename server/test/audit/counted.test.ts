/** Sign-ins by the hour: kept counts say what counting the records would. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { markArchived, removeArchived } from '../../dist/audit/archive.js'
import { type Counted, countedRecords } from '../../dist/audit/counted.js'
import { countRecords } from '../../dist/audit/counting.js'
import { closedMonths, closeMonth } from '../../dist/audit/months.js'
import { type AuditEvent, recordAll } from '../../dist/audit/record.js'
import type { Store } from '../../dist/database/store.js'
import { acme, globex } from '../administration/support.ts'
import { createDatabase, onEachDatabase, type TestDatabase } from '../harness/databases.ts'
import { allLinked, openStore } from '../harness/stores.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse('2030-03-28')
const end = start + 3 * day

onEachDatabase('sign-ins by the hour', (dialect) => {
  let database: TestDatabase
  const stores: Store[] = []
  const [own, later, other] = ['submissions-web', 'partner-portal', 'nightly-import'] as const
  let random = 1
  const below = (limit: number) => (random = (random * 48_271) % 2_147_483_647) % limit
  let written: { at: number; kind: string; client_id?: string; counts: string | undefined }[] = []

  beforeAll(async () => {
    database = await createDatabase(dialect)
    stores.push(await openStore(database.url), await openStore(database.url))
    await closeMonth(first(), start)
    await register(own, 0, acme)
    await register(later, start + day + 0.4 * hour, acme)
    await register(other, 0, globex)
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database.remove()
  })
  const first = () => stores[0] as Store

  const registered = new Map<string, { at: number; organisation: string }>()
  async function register(client: string, at: number, organisation: string): Promise<void> {
    registered.set(client, { at, organisation })
    const values = { created_at: at, organisation_uuid: organisation }
    const update = first().db.updateTable('clients').set(values).where('client_id', '=', client)
    expect(Number((await update.executeTakeFirstOrThrow()).numUpdatedRows)).toBe(1)
  }

  /** At random moments, and around the borders of hours. */
  async function write(many: number, from: number, to: number): Promise<void> {
    const events = Array.from({ length: many }, (): AuditEvent => {
      const at = from + below(to - from)
      const border = at - (at % hour) + below(3) - 1
      const client_id = [own, later, other, 'removed', undefined][below(5)]
      return {
        at: below(4) === 0 && border >= from ? border : at,
        kind: (['sign_in.succeeded', 'sign_in.failed', 'sign_out'] as const)[below(3)] ?? 'sign_out',
        ...(client_id === undefined ? {} : { client_id }),
      }
    })
    for (const { at, kind, client_id } of events) {
      const client = registered.get(client_id ?? '')
      const counts = client !== undefined && client.at <= at ? client.organisation : undefined
      written.push({ at, kind, ...(client_id === undefined ? {} : { client_id }), counts })
    }
    await recordAll(first(), events)
    await allLinked(first())
  }

  const count = () => Promise.all(stores.map((store) => countRecords(store, () => false)))

  /** Of every step, place and end that matters. */
  async function expectCounted(): Promise<void> {
    // What is added up of rows is the same: PostgreSQL is asked for fewer.
    const [clients, organisations] = [
      [undefined, later, own, 'removed'],
      [undefined, acme, globex],
    ] as const
    const few = dialect === 'sqlite' ? 4 : 2
    for (const kind of ['sign_in.succeeded', 'sign_in.failed'] as const)
      for (const step of [hour, day])
        for (const to of [end + 5 * hour, end - 1, start + day + 1, start + 2 * day + 0.7 * hour])
          for (const client of clients.slice(0, few))
            for (const organisation of organisations.slice(0, few)) {
              const asked = { kind, from: start, to, step, client, organisation }
              expect(await countedRecords(first(), asked), JSON.stringify(asked)).toEqual(expected(asked))
            }
  }

  function expected({ kind, from, to, step, client, organisation }: Counted) {
    const found = written.filter(
      (one) =>
        one.kind === kind &&
        one.at >= from &&
        one.at < to &&
        (client === undefined || one.client_id === client) &&
        (organisation === undefined || one.counts === organisation),
    )
    return Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
      const at = from + index * step
      return { at, count: found.filter((one) => one.at >= at && one.at < at + step).length }
    })
  }

  const kept = async () => {
    const { db } = first()
    const row = db.selectFrom('audit_counts').select((select) => select.fn.countAll<number>().as('all'))
    return Number((await row.executeTakeFirstOrThrow()).all)
  }

  it('are those of the records: of none counted, of all by two processes at once, and of some that follow late', async () => {
    await write(1300, start, end)
    await expectCounted()
    expect(await kept()).toBe(1)
    await count()
    const many = await kept()
    expect(many).toBeGreaterThan(100)
    await expectCounted()
    await write(300, start, end)
    await count()
    expect(await kept()).toBe(many)
    await expectCounted()
  })

  it('are not those of a client that had the name before', async () => {
    await register(own, end + 0.3 * hour, acme)
    for (const one of written) if (one.client_id === own) one.counts = undefined
    await expectCounted()
    await write(1100, end, end + 5 * hour)
    await count()
    await expectCounted()
  })

  it('are none of a month that was archived, nor of one whose records are being removed', async () => {
    const april = Date.parse('2030-04-02')
    await closeMonth(first(), april)
    const [march] = await closedMonths(first().db)
    if (march === undefined) throw new Error('It was closed above.')
    const archived = { now: april, by: { actor: { kind: 'command', id: 'test' } }, file: 'march' } as const
    await markArchived(first(), march, archived, async () => undefined)
    await removeArchived(first(), () => undefined)
    expect(await kept()).toBe(1)
    written = []
    await expectCounted()
    await write(1100, start, end)
    await count()
    await expectCounted()
  })
})
