/** Tessera and its peers in one run, in turn: bench/README.md says how they are set up and measured. */
import { load } from '../load.ts'
import { signatureCost } from '../signatures.ts'
import { startGlewlwyd } from './glewlwyd.ts'
import { installPeers, startBetterAuth, startOidcProvider, startTessera } from './node-peers.ts'
import type { Target } from './target.ts'
import { type Kind, kinds, Visits } from './visits.ts'

export interface PeerRow {
  /** `Tessera` or the name of a peer. */
  target: string
  version: string
  request: Kind
  perSecond: number
  /** µs of CPU of the target's processes for one request. */
  cpu: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** `cpu` by what a bare RSA-2048 signature cost just before and just after. */
  inSignatures: number
  /** Tessera's CPU by this one's in the same round, both in signatures: below 1, Tessera needs less. */
  tesseraBy: number
}

type Measured = Omit<PeerRow, 'tesseraBy'>

const connections = 16
const rounds = 3
/** Nothing is known yet of a target's speed. */
const firstCount = 100
/** Long enough for CPU in ticks of 10 ms, short enough for a busy machine. */
const secondsEach = 1.5
/** Where the machine became slower since the round before. */
const longest = 3

/** The medians of the rounds, Tessera first. A peer that is not on this machine is left out, and said to be. */
export async function measurePeers(): Promise<PeerRow[]> {
  installPeers()
  const targets: Target[] = []
  try {
    for (const start of [startTessera, startOidcProvider, startBetterAuth, startGlewlwyd]) {
      const target = await start()
      if (target !== undefined) targets.push(target)
    }
    return await measureInTurn(targets)
  } finally {
    for (const target of targets) await target.stop()
  }
}

/** Every kind of request is asked of every target before the next kind, so what drifts is the same for all. */
async function measureInTurn(targets: readonly Target[]): Promise<PeerRow[]> {
  const visits = await Promise.all(targets.map((target) => Visits.to(target, connections)))
  let last: Measured[] = []
  const measured: PeerRow[] = []
  // The first tells how fast each is, the second warms up.
  for (let round = -1; round <= rounds; round++) {
    process.stderr.write(round < 1 ? 'peers: warming up\n' : `peers: round ${round} of ${rounds}\n`)
    const rows: Measured[] = []
    for (const kind of kinds) {
      for (const visit of visits) rows.push(await measure(visit, kind, last.find(isOf(visit.target, kind))))
    }
    if (round > 0) measured.push(...rows.map((row) => ({ ...row, tesseraBy: tesseraBy(row, rows) })))
    last = rows
  }
  return targets.flatMap((target) => kinds.map((kind) => medians(measured.filter(isOf(target, kind)))))
}

function tesseraBy(row: Measured, rows: readonly Measured[]): number {
  const ours = rows.find(({ target, request }) => target === 'Tessera' && request === row.request)
  return (ours?.inSignatures ?? Number.NaN) / row.inSignatures
}

function isOf({ name }: Target, kind: Kind) {
  return ({ target, request }: Measured) => target === name && request === kind
}

/** `last`: what the round before came to. */
async function measure(visits: Visits, kind: Kind, last: Measured | undefined): Promise<Measured> {
  const { target } = visits
  const count =
    last === undefined ? firstCount : Math.max(firstCount, Math.round(last.perSecond * secondsEach))
  const requests = await visits.prepare(kind, count)
  const signatureBefore = signatureCost()
  const used = target.countCpu()
  const run = await load(target.port, requests, connections, 200, true, longest)
  const cpu = used() / run.requests
  const signature = (signatureBefore + signatureCost()) / 2
  await visits.check(kind, run.answers)
  return {
    target: target.name,
    version: target.version,
    request: kind,
    perSecond: run.requests / run.seconds,
    cpu,
    p50: run.p50,
    p99: run.p99,
    inSignatures: cpu / signature,
  }
}

function medians(rows: readonly PeerRow[]): PeerRow {
  const [first] = rows
  if (first === undefined) throw new Error('Nothing was measured.')
  const median = (of: 'perSecond' | 'cpu' | 'p50' | 'p99' | 'inSignatures' | 'tesseraBy') =>
    rows.map((row) => row[of]).sort((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0
  return {
    ...first,
    perSecond: median('perSecond'),
    cpu: median('cpu'),
    p50: median('p50'),
    p99: median('p99'),
    inSignatures: median('inSignatures'),
    tesseraBy: median('tesseraBy'),
  }
}
