import { availableParallelism } from 'node:os'
import { cpuBetween, readMachine } from '../cpu.ts'
import { load } from '../load.ts'
import type { Service } from '../service.ts'
import { signatureCost } from '../signatures.ts'
import type { Batch, Kind } from './journey.ts'
import { median } from './outcome.ts'

export const cores = availableParallelism()

/** A batch is cut short after these seconds, so that a slow machine needs not much longer than a fast one. */
const longest = 2

/** What requests of one kind cost. CPU in µs per request, times in ms. */
export interface Measured {
  kind: Kind
  perSecond: number
  /** Of all processes of the service. */
  cpu: number
  /** `cpu` by what a bare RSA-2048 signature cost just before and just after. */
  inSignatures: number
  p50: number
  p99: number
  /** p99 / p50 */
  tail: number
  /** Of the client that asked. */
  clientCpu: number
  /** Of everything else on the machine, where that is known. */
  otherCpu: number
  /** The part of all cores that this was. */
  otherShare: number
  /** How much of the cores that the client and all others left the service used: 1 is all of it. */
  share: number
}

/** Sends a batch over `connections`; a wrong answer voids the run. */
export async function measureBatch(service: Service, batch: Batch, connections: number): Promise<Measured> {
  const signatureBefore = signatureCost()
  const machine = readMachine(cores)
  const before = service.cpu()
  const run = await load(service.port, batch.requests, connections, batch.status, true, longest)
  const used = cpuBetween(before, service.cpu())
  const machineUsed = (readMachine(cores) ?? 0) - (machine ?? 0)
  const signature = (signatureBefore + signatureCost()) / 2
  batch.check(run.answers)
  const others = machine === undefined ? 0 : Math.max(0, machineUsed - used - run.clientCpu)
  const left = cores * run.seconds * 1e6 - run.clientCpu - others
  const each = (cpu: number) => cpu / run.requests
  return {
    kind: batch.kind,
    perSecond: run.requests / run.seconds,
    cpu: each(used),
    inSignatures: each(used) / signature,
    p50: run.p50,
    p99: run.p99,
    tail: run.p99 / run.p50,
    clientCpu: each(run.clientCpu),
    otherCpu: each(others),
    otherShare: others / (cores * run.seconds * 1e6),
    share: used / left,
  }
}

/** The median of each figure over rounds of the same kind. */
export function medians(rounds: readonly Measured[]): Measured {
  const [first] = rounds
  if (first === undefined) throw new Error('Nothing was measured.')
  const figures = Object.keys(first).filter((name) => name !== 'kind') as Exclude<keyof Measured, 'kind'>[]
  const middle = figures.map((name) => [name, median(rounds.map((round) => round[name]))])
  return { ...first, ...(Object.fromEntries(middle) as Omit<Measured, 'kind'>) }
}

export const measuredHead = [
  'request',
  'per second',
  'CPU of the service, µs',
  'in signatures',
  'p50, ms',
  'p99, ms',
  'CPU of the client, µs',
  'of all others, µs',
  'of the cores left to it',
] as const

export function measuredRow(one: Measured, name: string = one.kind): string[] {
  return [
    name,
    one.perSecond.toFixed(0),
    one.cpu.toFixed(0),
    one.inSignatures.toFixed(2),
    one.p50.toFixed(1),
    one.p99.toFixed(1),
    one.clientCpu.toFixed(0),
    one.otherCpu.toFixed(0),
    `${(one.share * 100).toFixed(0)} %`,
  ]
}
