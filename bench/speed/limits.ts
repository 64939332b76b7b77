import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectSqlite } from '../../server/dist/database/sqlite.js'
import { newFolder, remove } from '../service.ts'
import { startScript, told } from './child.ts'
import { measureFloors } from './floor.ts'
import { median, type Outcome } from './outcome.ts'
import { hashCost } from './password-hash.ts'

interface Rate {
  perSecond: number
  /** µs each. */
  cpu: number
}

/** What nothing can be faster than on this machine, measured before everything else. */
export async function limits(): Promise<Outcome> {
  const oneCore = await signing(['in turn'])
  const twoProcesses = await signing(['in turn', 'in turn'])
  const pool = await signing(['in the pool'])
  const ecdsa = es256Signature()
  const verification = timed(verifier(), 500)
  const hash = median([hashCost(20), hashCost(20), hashCost(20)])
  const commit = durableCommit()
  const floors = await measureFloors()
  const row = (what: string, { perSecond, cpu }: Rate) => [what, perSecond.toFixed(0), cpu.toFixed(1)]
  return {
    tables: [
      {
        title: 'The limits of this machine',
        head: ['what', 'per second', 'CPU each, µs'],
        rows: [
          row('RSA-2048 signature, one core', oneCore),
          row('RSA-2048 signature, two processes', twoProcesses),
          row('RSA-2048 signature, asynchronously in a thread pool of two', pool),
          row('ES256 signature, one core', ecdsa),
          row('RSA-2048 verification, one core', verification),
          row('argon2id hash with the service’s parameters, one core', { perSecond: 1e6 / hash, cpu: hash }),
          row('durable commit of one row (SQLite, WAL, synchronous=FULL), one after another', commit),
          ...floors.map((floor) =>
            row(`bare ${floor.server}: a form in, the bytes of a token out, 16 connections`, floor),
          ),
        ],
      },
    ],
    bars: [],
    notes: [
      `The client of all benches costs ${median(floors.map(({ clientCpu }) => clientCpu)).toFixed(0)} µs of CPU per request against the bare servers.`,
    ],
    figures: { oneCore, twoProcesses, pool, ecdsa, verification, hash, commit, floors },
  }
}

/** By as many processes at the same time; the rate is that of all. */
async function signing(processes: readonly string[]): Promise<Rate> {
  // A process with tsx needs a while to be there.
  const startAt = Date.now() + 1500
  const rates = await Promise.all(
    processes.map((how) =>
      told<Rate>(startScript('signer.ts', [how, String(startAt), '1000'], { UV_THREADPOOL_SIZE: '2' })),
    ),
  )
  await wait(100)
  return {
    perSecond: rates.reduce((sum, one) => sum + one.perSecond, 0),
    cpu: median(rates.map(({ cpu }) => cpu)),
  }
}

export function es256Signature(): Rate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const input = Buffer.alloc(600, 'a')
  return timed(() => sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' }), 500)
}

function verifier(): () => unknown {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const input = Buffer.alloc(600, 'a')
  const signature = sign('sha256', input, privateKey)
  const key = createPublicKey(privateKey)
  return () => verify('sha256', input, key, signature)
}

/** Rows as large as a token family, with a key that grows, as the service's own do; one commit each. */
export function durableInserts(): { insert: () => unknown; close: () => void } {
  const folder = newFolder()
  const connection = connectSqlite(join(folder, 'limit.sqlite'))
  connection.exec('create table rows (id text primary key not null, content text not null)')
  const insert = connection.prepare('insert into rows (id, content) values (?, ?)')
  let count = 0
  return {
    insert: () => insert.run(String(count++).padStart(32, '0'), 'x'.repeat(600)),
    close: () => {
      connection.close()
      remove(folder)
    },
  }
}

function durableCommit(): Rate {
  const { insert, close } = durableInserts()
  try {
    return timed(insert, 1000)
  } finally {
    close()
  }
}

function timed(work: () => unknown, milliseconds: number): Rate {
  for (let warm = 0; warm < 200; warm++) work()
  const before = process.cpuUsage()
  const began = performance.now()
  let count = 0
  for (; performance.now() < began + milliseconds; count++) work()
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  return { perSecond: count / seconds, cpu: (user + system) / count }
}
