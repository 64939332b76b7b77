import pg from 'pg'
import { openStore } from '../../server/dist/database/open.js'
import { auditKeeper } from '../../server/dist/keys/audit-key.js'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { processesOf, readCpu } from '../cpu.ts'
import { end, startScript, told } from './child.ts'
import { atLeast, type Outcome } from './outcome.ts'
import { Wire } from './wire.ts'

const secret = 'a-secret-of-the-bench-0123456789-abcdef'
const keeper = auditKeeper(() => ({ secret, previousSecret: undefined }))

/** A second. */
const mostAsked = 3000
/** Of each process. */
const lanes = 10
const milliseconds = 4000
const ways = ['bare', 'linked'] as const

interface Written {
  way: (typeof ways)[number]
  delay: number
  processes: number
  perSecond: number
  /** ms. */
  p99: number
  /** Of the processes and of PostgreSQL together, µs for each record. */
  cpu: number
}

/** Records per second of several processes on one PostgreSQL: each as the product does, beside bare inserts. */
export async function audit(): Promise<Outcome> {
  const server = await startOwnPostgres(() => ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
  const all: Written[] = []
  try {
    for (const way of ways)
      for (const delay of [0, 1])
        for (const processes of [1, 2, 4]) all.push(await written(server.url, { way, delay, processes }))
  } finally {
    await server.stop()
  }
  return outcome(all)
}

type Case = Pick<Written, 'way' | 'delay' | 'processes'>

async function written(url: string, { way, delay, processes }: Case): Promise<Written> {
  const name = `of_${way.replaceAll(' ', '_')}_${delay}_${processes}`
  await ask(`${url}/postgres`, `create database ${name}`)
  const store = await openStore(`${url}/${name}`, keeper)
  await store.close()
  const wire = new Wire(Number(new URL(url).port), delay)
  const through = `postgres://postgres@127.0.0.1:${await wire.listen()}/${name}`
  const writers = Array.from({ length: processes }, () =>
    startScript('audit-writer.ts', [through, secret, way, String(lanes), String(milliseconds)]),
  )
  try {
    const warm = await Promise.all(writers.map((one) => told<number>(one)))
    const before = used()
    const began = performance.now()
    for (const one of writers) one.send('go')
    const done = await Promise.all(writers.map((one) => told<{ records: number; p99: number }>(one)))
    const seconds = (performance.now() - began) / 1000
    const records = done.reduce((sum, one) => sum + one.records, 0)
    const cpu = (used() - before) / records
    const all = warm.reduce((sum, one) => sum + one, records)
    await expectAll(`${url}/${name}`, all, way === 'linked' ? all : 0)
    return {
      way,
      delay,
      processes,
      perSecond: records / seconds,
      p99: Math.max(...done.map((one) => one.p99)),
      cpu,
    }
  } finally {
    for (const one of writers) await end(one)
    wire.close()
  }
}

/** By the writers and PostgreSQL so far, µs. */
const used = () => [...readCpu(processesOf(process.pid).slice(1)).values()].reduce((sum, one) => sum + one, 0)

async function expectAll(url: string, records: number, linked: number): Promise<void> {
  const rows = await ask(
    url,
    `select (select sequence from audit_head) as head, (select count(*) from audit_waiting) as waiting,
       (select count(*) from audit_records) as records`,
  )
  const { head, records: found, waiting } = rows[0] ?? {}
  if (Number(head) !== linked || Number(found) !== linked || Number(waiting) !== records - linked)
    throw new Error(`Of ${records} records ${found} are linked and ${waiting} wait; the head is ${head}.`)
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}

function outcome(all: readonly Written[]): Outcome {
  const of = (processes: number, way: Written['way'] = 'linked') =>
    all.find((one) => one.way === way && one.delay === 1 && one.processes === processes)?.perSecond ?? 0
  const fast = atLeast('records of four processes, a millisecond away', of(4), mostAsked, '/s')
  const isFloorBelow = of(4, 'bare') < mostAsked
  const why = `${of(4).toFixed(0)}/s where bare inserts of the same rows are ${of(4, 'bare').toFixed(0)}/s`
  return {
    tables: [
      {
        title: 'Audit records on PostgreSQL, one transaction each',
        head: ['records', 'delay', 'processes', 'per second', 'p99, ms', 'CPU of all, µs'],
        rows: all.map(({ way, delay, processes, perSecond, p99, cpu }) => [
          way,
          `${delay} ms`,
          String(processes),
          perSecond.toFixed(0),
          p99.toFixed(0),
          cpu.toFixed(0),
        ]),
      },
    ],
    bars: [
      // The inserts alone take longer on this machine.
      isFloorBelow ? { ...fast, measured: undefined, why } : fast,
      atLeast('four processes beside one, a millisecond away', of(4) / of(1), 1, '×'),
    ],
    notes: [
      `Each process has ${lanes} connections that record at the same time; the time is until all records are linked to the chain.`,
      'Bare: the driver inserts the same rows, each committed by itself, and nobody links them.',
    ],
    figures: all,
  }
}
