import pg from 'pg'
import { startOwnPostgres } from '../../server/test/harness/postgres.ts'
import { newFolder, remove, type Service, startService } from '../service.ts'
import { cores, type Measured, measuredHead, measuredRow } from './measured.ts'
import { atLeast, atMost, type Bar, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { measureInTurn } from './rounds.ts'

const counts = {
  client_credentials: 4000,
  'authorize with a session': 2000,
  'code exchange': 2000,
  refresh: 2000,
}
const rounds = 3
const connections = 16

/** The endpoints on PostgreSQL beside SQLite, and on PostgreSQL by two processes beside one. */
export async function postgres({ seed }: Run): Promise<Outcome> {
  // The tests' server keeps nothing through a crash; this one does, as the embedded database does.
  const server = await startOwnPostgres(() => ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'])
  const folder = newFolder()
  const services: Service[] = []
  try {
    const start = async (settings: Record<string, string>, processes = 1) => {
      const args = processes === 1 ? [] : ['--processes', String(processes)]
      const service = await startService(await freePort(), folder, settings, { arguments: args })
      services.push(service)
      return service
    }
    const version = await databases(server.url)
    const subjects = [
      { name: 'SQLite', service: await start({}), connections },
      {
        name: 'one process',
        service: await start({ TESSERA_DATABASE_URL: `${server.url}/one` }),
        connections,
      },
      {
        name: 'two processes',
        service: await start({ TESSERA_DATABASE_URL: `${server.url}/two` }, 2),
        connections,
      },
    ]
    const all = await measureInTurn(subjects, { counts, rounds, seed })
    return outcome(version, all)
  } finally {
    for (const service of services) await service.stop()
    await server.stop()
    remove(folder)
  }
}

/** One for each service. Yields PostgreSQL's version. */
async function databases(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  for (const name of ['one', 'two']) await client.query(`create database ${name}`)
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await client.end()
  return rows[0]?.server_version ?? 'of an unknown version'
}

function outcome(version: string, [sqlite = [], one = [], two = []]: readonly Measured[][]): Outcome {
  const title = ['SQLite', `PostgreSQL ${version}, one process`, `PostgreSQL ${version}, two processes`]
  return {
    tables: [sqlite, one, two].map((measured, index) => ({
      title: title[index] ?? '',
      head: measuredHead,
      rows: measured.map((row) => measuredRow(row)),
    })),
    bars: [
      ...one.map((measured) => {
        const ratio = measured.inSignatures / of(sqlite, measured).inSignatures
        return atMost(`${measured.kind} on PostgreSQL, CPU`, ratio, 1.6, '× on SQLite')
      }),
      ...two.map((measured) => twoProcesses(of(one, measured), measured)),
    ],
    notes: [
      'PostgreSQL is on the loopback of the same machine, with fsync; its own CPU is in the column of all others, and not in that of the service.',
      'Signatures are made in threads, and PostgreSQL and the client need cores too, more of them the more is asked: two processes can be faster than one by what all of these together leave of the cores, and no more.',
    ],
    figures: { version, sqlite, one, two },
  }
}

/** Judged only where one process, PostgreSQL and the client leave so much of the cores that all could nearly double. */
function twoProcesses(one: Measured, two: Measured): Bar {
  const bar = atLeast(
    `${two.kind} on PostgreSQL by two processes`,
    two.perSecond / one.perSecond,
    1.8,
    '× one process',
  )
  const used = ((one.cpu + one.clientCpu + one.otherCpu) * one.perSecond) / (cores * 1e6)
  if (1 / used >= 1.8) return bar
  return {
    ...bar,
    measured: undefined,
    why: `${(two.perSecond / one.perSecond).toFixed(2)} ×; with one process ${(used * 100).toFixed(0)} % of the cores are in use, which allow ${(1 / used).toFixed(2)} ×`,
  }
}

function of(all: readonly Measured[], { kind }: Measured): Measured {
  const found = all.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`${kind} was not measured.`)
  return found
}
