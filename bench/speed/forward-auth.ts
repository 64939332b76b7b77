import pg from 'pg'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { end } from './child.ts'
import { type Beside, besideSignIns, rate } from './forward-beside.ts'
import { bareServer, type Cost, costs } from './forward-cost.ts'
import { type Ended, endedElsewhere } from './forward-ended.ts'
import { type Memory, memoryBySessions } from './forward-memory.ts'
import { forwardSettings, questions, signedIn } from './forward-questions.ts'
import type { OpenLoop } from './open-loop.ts'
import { atLeast, atMost, type Bar, type Outcome, type Run } from './outcome.ts'
import { Seeded } from './seeded.ts'

/** So many that the most clients ask about one each. */
const sessions = 64
const clients = [16, 64] as const

interface Found {
  costs: readonly Cost[]
  pinned: boolean
  beside: Beside
  memory: readonly Memory[]
  ended: Ended
}

/** What a proxy's question about a request costs, on both databases; and that what ended is refused at once. */
export async function forwardAuth({ seed }: Run): Promise<Outcome> {
  const memory = await memoryBySessions(seed)
  const postgres = await startOwnPostgres(() => ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
  const folder = newFolder()
  const settings = forwardSettings(folder)
  const services: Service[] = []
  const start = async (more: Record<string, string> = {}) => {
    const service = await startService(await freePort(), folder, { ...settings, ...more })
    services.push(service)
    return service
  }
  try {
    const database = { TESSERA_DATABASE_URL: await newDatabase(postgres.url) }
    const sqlite = await start()
    const one = await start(database)
    const subjects = await Promise.all(
      [
        { name: 'SQLite', ...sqlite },
        { name: 'PostgreSQL', ...one },
      ].map(async (service) => ({
        ...service,
        cookies: (await signedIn(service, sessions)).map(({ cookie }) => cookie),
      })),
    )
    const cookies = subjects[0]?.cookies ?? []
    const requests = questions(cookies, sessions)
    const bare = await bareServer(sqlite, requests[0] ?? '')
    try {
      const measured = await costs([{ ...bare, cookies }, ...subjects], clients)
      const beside = await besideSignIns(sqlite, bare, { requests, random: new Seeded(seed) })
      const ended = await endedElsewhere([one, await start({ ...database, TESSERA_ISSUER: one.url })])
      return outcome({ ...measured, beside, memory, ended })
    } finally {
      await end(bare.child)
    }
  } finally {
    for (const service of services) await service.stop()
    await postgres.stop()
    remove(folder)
  }
}

async function newDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  await client.query('create database wiki')
  await client.end()
  return `${url}/wiki`
}

function outcome(found: Found): Outcome {
  const { pinned, beside, ended } = found
  return {
    tables: tablesOf(found),
    bars: barsOf(found),
    notes: [
      pinned
        ? 'Each server has one core and no more while its checks are counted, and the client the other one, with PostgreSQL.'
        : 'The servers could not be held to one core each.',
      `Beside sign-ins, ${rate} checks a second are sent by an open loop, and ${beside.signIns.toFixed(0)} people a second sign in with passwords; then a bare server is asked while they do so at the service.`,
      `Of ${ended.sessions} sessions that one process ended and the other was asked about all the time, ${ended.passed} checks passed and ${ended.refused} did not; ${ended.late} of those that passed were sent after the end was acknowledged.`,
    ],
    figures: found,
  }
}

function tablesOf({ costs: all, beside, memory }: Found): Outcome['tables'] {
  const loop = (name: string, { p50, p99, longest, late }: OpenLoop) => [
    name,
    ...[p50, p99, longest, late].map((figure) => figure.toFixed(1)),
  ]
  return [
    {
      title: 'Checks by one process on one core',
      head: [
        'what',
        'clients',
        'per second',
        'CPU, µs',
        'which allows per second',
        '× the bare server',
        'CPU of the client, µs',
      ],
      rows: all.map(({ name, connections, perSecond, cpu, inBare, clientCpu }) => [
        name,
        String(connections),
        perSecond.toFixed(0),
        cpu.toFixed(1),
        (1e6 / cpu).toFixed(0),
        inBare.toFixed(2),
        clientCpu.toFixed(0),
      ]),
    },
    {
      title: 'Checks while people sign in, on SQLite',
      head: ['what', 'p50, ms', 'p99, ms', 'longest, ms', 'client late, p99, ms'],
      rows: [
        loop('checks alone', beside.alone),
        loop('checks beside sign-ins', beside.beside),
        loop('a bare server beside sign-ins', beside.bare),
      ],
    },
    {
      title: 'Memory after all garbage was collected, on SQLite',
      head: ['sessions asked about', 'heap, MiB', 'resident, MiB'],
      rows: memory.map((one) => [String(one.sessions), one.heap.toFixed(1), one.resident.toFixed(0)]),
    },
  ]
}

function barsOf({ costs: all, beside, memory, ended }: Found): Bar[] {
  const [bare, ...most] = all.filter(({ connections }) => connections === clients[1])
  const [few, some, many] = memory.map(({ heap }) => heap) as [number, number, number]
  return [
    ...most.map((one) => ({
      ...atLeast(`forward auth, ${one.name}`, one.perSecond, 20_000, 'checks/s on one core'),
      why: `a bare server ${bare?.perSecond.toFixed(0)}, on a machine of which others had ${(one.otherShare * 100).toFixed(0)} %`,
    })),
    ...most.map(({ name, inBare }) =>
      atMost(`forward auth, ${name}, CPU`, inBare, 2.5, '× a bare node:http answer'),
    ),
    {
      ...atMost('forward auth, p99 beside sign-ins', beside.beside.p99, 2, 'ms'),
      why: `a bare server ${beside.bare.p99.toFixed(1)} ms beside the same`,
    },
    atMost('forward auth, heap of 10⁵ sessions', many / some, 1.1, '× of 3 · 10⁴'),
    atMost('forward auth, heap of 10⁵ sessions', many - few, 48, 'MiB more than of 10³'),
    atMost('forward auth, ended by another process', ended.late, 0, 'late passes'),
  ]
}
