import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { freePort } from '../../server/test/harness/process.ts'
import { newFolder, remove, startService } from '../service.ts'
import { type Counts, countsOf } from './counted.ts'
import { type Spent, spentOn } from './interleaved.ts'
import { durableInserts } from './limits.ts'
import { atMost, type Bar, median, type Outcome, type Run } from './outcome.ts'
import { declareProofs, proofAsks } from './proofs-asked.ts'
import { cheapest, type Ratio, ratioOf, ratioOfCheapest } from './ratio.ts'
import { Seeded } from './seeded.ts'

const rounds = 45
/** V8 has compiled what is asked often after so many. */
const warmUp = 20
const requests = 60

/** What it costs to prove a client without a secret, to exchange a token, and to push a request. */
export async function proofs({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  const settings = { TESSERA_DECLARED: declareProofs(folder) }
  try {
    const spent = await spentBy(settings, seed)
    const counts = await countsOf((service) => proofAsks(service, new Seeded(seed)), settings)
    return outcome(spent, counts)
  } finally {
    remove(folder)
  }
}

type Spendings = ReadonlyMap<string, readonly Spent[]>

/** Beside each round: a bare verification, and a durable insert of one row. */
const bare = ['ES256 verification', 'RSA-2048 verification', 'durable insert'] as const

async function spentBy(settings: Record<string, string>, seed: number): Promise<Spendings> {
  const folder = newFolder()
  const service = await startService(await freePort(), folder, settings)
  const inserts = durableInserts()
  const works = { [bare[0]]: verifier('ec'), [bare[1]]: verifier('rsa'), [bare[2]]: inserts.insert }
  try {
    const asks = await proofAsks(service, new Seeded(seed))
    const all = new Map<string, Spent[]>([...bare, ...asks.map(([kind]) => kind)].map((kind) => [kind, []]))
    for (let round = 0; round < warmUp + rounds; round++) {
      for (const [kind, ask] of asks) {
        const spent = await spentOn(service, ask(requests))
        if (round >= warmUp) all.get(kind)?.push(spent)
      }
      for (const [kind, work] of Object.entries(works)) all.get(kind)?.push(spentHere(work))
    }
    return all
  } finally {
    await service.stop()
    inserts.close()
    remove(folder)
  }
}

function verifier(kind: 'ec' | 'rsa'): () => unknown {
  const { privateKey, publicKey: key } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const input = Buffer.alloc(400, 'a')
  const signature = sign('sha256', input, privateKey)
  return () => verify('sha256', input, key, signature)
}

function spentHere(work: () => unknown): Spent {
  const before = process.cpuUsage()
  for (let count = 0; count < requests; count++) work()
  const { user, system } = process.cpuUsage(before)
  return { all: (user + system) / requests, main: (user + system) / requests }
}

function outcome(spent: Spendings, counts: ReadonlyMap<string, Counts>): Outcome {
  const of = (kind: string) => (spent.get(kind) ?? []).map(({ all }) => all)
  const low = (kind: string) => cheapest(of(kind))
  const countOf = (kind: string) => counts.get(kind) ?? { sqlite: NaN, postgres: NaN, verifications: NaN }
  const rows = [...spent].map(([kind, all]) => {
    const { sqlite, postgres, verifications } = countOf(kind)
    const told = bare.some((one) => one === kind) ? [] : [sqlite, postgres, verifications]
    return [
      kind,
      low(kind).toFixed(1),
      median(of(kind)).toFixed(1),
      cheapest(all.map(({ main }) => main)).toFixed(1),
      ...told.map((one) => one.toFixed(2)),
    ]
  })
  const ratios: Record<string, Ratio> = {
    'token exchange by refresh': ratioOfCheapest(of('token exchange'), of('refresh')),
    'token exchange by refresh, by pairs': ratioOf(of('token exchange'), of('refresh')),
    'same federated token by secret': ratioOfCheapest(of('federated, the same token'), of('secret')),
  }
  return {
    tables: [
      {
        title: 'Each request',
        head: [
          '',
          'CPU, cheapest tenth, µs',
          'median, µs',
          'main thread, cheapest tenth, µs',
          'statements on SQLite',
          'on PostgreSQL',
          'verifications',
        ],
        rows,
      },
      {
        title: 'Beside each other',
        head: ['', 'CPU', 'from', 'to'],
        rows: Object.entries(ratios).map(([what, { median: middle, from, to }]) => [
          what,
          ...[middle, from, to].map((one) => one.toFixed(3)),
        ]),
      },
    ],
    bars: [...countBars(countOf), ...cpuBars(low, ratios)],
    notes: [
      'On SQLite with durable commits, four at a time; each kind in turn, in each round. Statements are counted one at a time, without those of the background and what begins or ends a transaction.',
      'From and to: where 95 of 100 lie, when rounds are drawn at random from those that there were.',
    ],
    figures: { ratios, counts: Object.fromEntries(counts), spent: Object.fromEntries(spent) },
  }
}

/** How many statements one kind asks above another. */
function countBars(countOf: (kind: string) => Counts): Bar[] {
  const above = (kind: string, other: string, most: number) =>
    (['sqlite', 'postgres'] as const).map((database) => {
      const more = Math.round(countOf(kind)[database] - countOf(other)[database])
      return atMost(`${kind}, above ${other}, on ${database}`, more, most, 'statements')
    })
  const verified = (kind: string, most: number) =>
    atMost(kind, Math.round(countOf(kind).verifications), most, 'verifications')
  return [
    ...above('own key', 'secret', 1),
    ...above('federated, a new token', 'secret', 0),
    ...above('federated, the same token', 'secret', 0),
    ...above('push', 'secret', 1),
    ...above('authorize what was pushed', 'authorize', 2),
    verified('own key', 1),
    verified('federated, a new token', 1),
    verified('federated, the same token', 0),
    verified('token exchange', 1),
  ]
}

function cpuBars(low: (kind: string) => number, ratios: Record<string, Ratio>): Bar[] {
  const [es256, rsa, insert] = bare.map(low)
  const above = (kind: string) => low(kind) - low('secret')
  return [
    atMost('token exchange, CPU', ratios['token exchange by refresh']?.median ?? NaN, 1.15, '× a refresh'),
    {
      ...atMost('own key, CPU above a secret', above('own key'), (es256 ?? NaN) + (insert ?? NaN), 'µs'),
      why: 'beside a bare verification and a bare insert',
    },
    {
      ...atMost(
        'federated, a new token, CPU above a secret',
        above('federated, a new token'),
        rsa ?? NaN,
        'µs',
      ),
      why: 'beside a bare verification',
    },
  ]
}
