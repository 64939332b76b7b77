import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { people } from '../../server/test/harness/browser.ts'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { readCpu } from '../cpu.ts'
import { load } from '../load.ts'
import { newFolder, remove, startService } from '../service.ts'
import { declaredAskers } from './askers.ts'
import { Journey, type Kind, kinds } from './journey.ts'
import { atMost, type Bar, median, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { Seeded } from './seeded.ts'
import { type Floor, floorOf } from './trips-floor.ts'
import { Visitor } from './visitor.ts'
import { ofBackground, Wire } from './wire.ts'

/** Others on the machine make one round dearer than the next, so the medians count. */
const rounds = 7
/** Of a round. */
const requests = 60
const signIns = 8
/** V8 and PostgreSQL's plans are warm after so many. */
const warmUp = 150

/** What one request costs between the service and PostgreSQL. */
interface Cost {
  statements: number
  trips: number
  /** Round trips of the background for what the request wrote. */
  beside: number
  /** Bytes. */
  wal: number
  /** Of PostgreSQL's processes for the service, µs. */
  cpu: number
}

const visits = { 'whole sign-in': people.importer, 'whole sign-in with a choice of profile': people.both }
type Visit = keyof typeof visits
type Asked = Kind | Visit

/** Round trips at the most, and CPU of PostgreSQL in statements that only write the same rows. */
const limits: Readonly<Partial<Record<Asked, { trips: number; floors?: number }>>> = {
  'authorize with a session': { trips: 2, floors: 12.5 },
  'code exchange': { trips: 4, floors: 6.8 },
  refresh: { trips: 2, floors: 5.1 },
  'whole sign-in': { trips: 14, floors: 17.8 },
  'whole sign-in with a choice of profile': { trips: 14 },
}

/** What requests ask of PostgreSQL, one at a time, beside one statement that writes the same rows. */
export async function trips({ seed }: Run): Promise<Outcome> {
  const server = await startOwnPostgres(() => ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
  const folder = newFolder()
  const wire = new Wire(Number(new URL(server.url).port), 0, ofBackground)
  const observer = new pg.Client({ connectionString: `${server.url}/postgres` })
  await observer.connect()
  await observer.query('create database trips')
  const port = await wire.listen()
  const url = `postgres://postgres@127.0.0.1:${port}/trips`
  const service = await startService(await freePort(), folder, { TESSERA_DATABASE_URL: url })
  try {
    const askers = await declaredAskers(service.url)
    const journey = await Journey.at(service.url, askers, new Seeded(seed))
    const read = () => readSoFar(observer, wire)
    const ask = async (kind: Kind, count: number) => {
      const batch = journey.batch(kind, count)
      batch.check((await load(service.port, batch.requests, 1, batch.status, true)).answers)
    }
    for (const kind of kinds) await ask(kind, warmUp)
    const idle = await idling(read)
    const all: [Asked, Cost][] = []
    const eachRound = Array.from({ length: rounds })
    for (const _ of eachRound)
      for (const kind of kinds)
        all.push([kind, await costOf(read, idle, requests, () => ask(kind, requests))])
    // Last: what they record is work for the background.
    for (const [visit, person] of Object.entries(visits) as [Visit, (typeof visits)[Visit]][]) {
      const visitor = new Visitor(service.port, new Seeded(seed + 1), person)
      const signIn = async (count: number) => {
        for (let done = 0; done < count; done++) await visitor.signIn()
      }
      await signIn(signIns)
      for (const _ of eachRound) all.push([visit, await costOf(read, idle, signIns, () => signIn(signIns))])
      visitor.close()
    }
    return outcome(medians(all), await floorOf(`${server.url}/trips`))
  } finally {
    await service.stop()
    await observer.end()
    wire.close()
    await server.stop()
    remove(folder)
  }
}

/** All figures so far, and when that was, s. */
interface SoFar extends Cost {
  at: number
}

const costBy = (of: (figure: keyof Cost) => number): Cost => ({
  statements: of('statements'),
  trips: of('trips'),
  beside: of('beside'),
  wal: of('wal'),
  cpu: of('cpu'),
})

/** What the jobs of the background ask in a second in which nobody else does. */
async function idling(read: () => Promise<SoFar>): Promise<Cost> {
  const before = await read()
  await wait(5000)
  const after = await read()
  return costBy((figure) => (after[figure] - before[figure]) / (after.at - before.at))
}

/** Of one request, without what the background asks meanwhile. */
async function costOf(
  read: () => Promise<SoFar>,
  idle: Cost,
  count: number,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const before = await read()
  await work()
  const after = await read()
  return costBy((figure) => (after[figure] - before[figure] - idle[figure] * (after.at - before.at)) / count)
}

function medians(all: readonly [Asked, Cost][]): Map<Asked, Cost> {
  const asked = new Set(all.map(([one]) => one))
  return new Map(
    [...asked].map((one) => {
      const costs = all.filter(([other]) => other === one).map(([, cost]) => cost)
      return [one, costBy((figure) => median(costs.map((cost) => cost[figure])))]
    }),
  )
}

/** Sums over the connections that there ever were: one whose pool gave it up keeps what it had at last. */
const ran = new Map<number, number>()

async function readSoFar(observer: pg.Client, wire: Wire): Promise<SoFar> {
  const { rows } = await observer.query<{ pids: number[] | null; wal: string }>(
    `select array_agg(pid) as pids, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal
     from pg_stat_activity where application_name = 'tessera'`,
  )
  for (const pid of rows[0]?.pids ?? []) ran.set(pid, cpuOf(pid) ?? ran.get(pid) ?? 0)
  const cpu = [...ran.values()].reduce((sum, one) => sum + one, 0)
  return {
    ...wire.counted,
    beside: wire.beside.trips,
    wal: Number(rows[0]?.wal),
    cpu,
    at: performance.now() / 1000,
  }
}

/** Undefined: the connection has just ended. */
function cpuOf(pid: number): number | undefined {
  try {
    return readCpu([pid]).get(pid)
  } catch {
    return undefined
  }
}

const head = [
  '',
  'statements',
  'round trips',
  'of the background',
  'WAL, bytes',
  'PostgreSQL’s CPU, µs',
  'floor: WAL, bytes',
  'floor: CPU, µs',
]

function outcome(costs: ReadonlyMap<Asked, Cost>, floor: Floor): Outcome {
  const rows = [...costs].map(([asked, { statements, trips, beside, wal, cpu }]) => [
    asked,
    statements.toFixed(1),
    trips.toFixed(1),
    beside.toFixed(1),
    wal.toFixed(0),
    cpu.toFixed(0),
    floor[asked]?.wal.toFixed(0) ?? '',
    floor[asked]?.cpu.toFixed(0) ?? '',
  ])
  return {
    tables: [{ title: 'What one request asks of PostgreSQL', head, rows }],
    bars: [...costs].flatMap(([asked, cost]) => barsOf(asked, cost, floor)),
    notes: [
      'One request at a time, so nothing is shared with others; what the jobs of the background ask without requests is taken off.',
      'Statements and round trips are those of the requests; WAL and CPU are also of the background, which links records of the audit and writes marks.',
      'The floor is one prepared statement that writes the same rows, in a transaction of its own.',
    ],
    figures: { costs: Object.fromEntries(costs), floor },
  }
}

function barsOf(asked: Asked, cost: Cost, floor: Floor): Bar[] {
  const limit = limits[asked]
  if (limit === undefined) return []
  const trips = atMost(`${asked}, round trips to PostgreSQL`, Math.round(cost.trips), limit.trips, '')
  const { cpu } = floor[asked] ?? {}
  if (limit.floors === undefined || cpu === undefined) return [trips]
  return [trips, atMost(`${asked}, PostgreSQL’s CPU`, cost.cpu / cpu, limit.floors, '× one statement')]
}
