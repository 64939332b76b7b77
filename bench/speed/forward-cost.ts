import type { ChildProcess } from 'node:child_process'
import { type CpuReading, cpuBetween, pin, readCpu, readMachine } from '../cpu.ts'
import { Client, load } from '../load.ts'
import type { Service } from '../service.ts'
import { startScript, told } from './child.ts'
import { headersOf } from './floor.ts'
import { expectPassed, questions } from './forward-questions.ts'
import { cores } from './measured.ts'
import { median } from './outcome.ts'

const rounds = 3
const count = 12_000
/** A slow machine needs not much longer than a fast one. */
const longest = 1.5

/** One that is asked: the service, or a bare server that answers the same bytes. */
export interface Asked {
  name: string
  port: number
  pid: number
  cpu(): CpuReading
}

/** What a check costs. CPU in µs. */
export interface Cost {
  name: string
  connections: number
  perSecond: number
  cpu: number
  /** `cpu` by that of the bare server in the same round. */
  inBare: number
  clientCpu: number
  /** The part of the cores that everything else had, PostgreSQL among it. */
  otherShare: number
}

/** A server of `node:http` that answers what the service answers to this question. */
export async function bareServer({ port }: Service, asked: string): Promise<Asked & { child: ChildProcess }> {
  const client = new Client(port)
  const [head = ''] = (await client.send(asked)).split('\r\n\r\n')
  client.close()
  const child = startScript('forward-floor.ts', [JSON.stringify(headersOf(head))])
  const pid = child.pid ?? 0
  return { name: 'bare node:http', port: await told<number>(child), pid, cpu: () => readCpu([pid]), child }
}

/** Each is asked in turn, on one core that the client does not use; the first is what the others are held against. */
export async function costs(
  subjects: readonly (Asked & { cookies: readonly string[] })[],
  clients: readonly number[],
): Promise<{ costs: Cost[]; pinned: boolean }> {
  const pinned =
    cores > 1 &&
    pin('1', '-a', String(process.pid)) &&
    subjects.every(({ pid }) => pin('0', '-a', String(pid)))
  try {
    const all = new Map<string, Cost[]>()
    for (let round = 0; round <= rounds; round++) {
      for (const connections of clients) {
        let bare: Cost | undefined
        for (const subject of subjects) {
          const cost = await costOf(subject, connections)
          bare ??= cost
          const key = `${subject.name} ${connections}`
          if (round > 0) all.set(key, [...(all.get(key) ?? []), { ...cost, inBare: cost.cpu / bare.cpu }])
        }
      }
    }
    return { costs: [...all.values()].map(medians), pinned }
  } finally {
    for (const pid of [process.pid, ...subjects.map((one) => one.pid)])
      pin(`0-${cores - 1}`, '-a', String(pid))
  }
}

async function costOf(
  { name, port, cpu, cookies }: Asked & { cookies: readonly string[] },
  connections: number,
): Promise<Cost> {
  const asked = questions(cookies, count)
  const machine = readMachine(cores)
  const before = cpu()
  const run = await load(port, asked, connections, 200, true, longest)
  const used = cpuBetween(before, cpu())
  const others = machine === undefined ? 0 : (readMachine(cores) ?? 0) - machine - used - run.clientCpu
  expectPassed(run.answers)
  return {
    name,
    connections,
    perSecond: run.requests / run.seconds,
    cpu: used / run.requests,
    inBare: 1,
    clientCpu: run.clientCpu / run.requests,
    otherShare: Math.min(1, Math.max(0, others) / (cores * run.seconds * 1e6)),
  }
}

function medians(all: readonly Cost[]): Cost {
  const [first] = all
  if (first === undefined) throw new Error('Nothing was measured.')
  const of = (figure: Exclude<keyof Cost, 'name'>) => median(all.map((one) => one[figure]))
  return {
    ...first,
    perSecond: of('perSecond'),
    cpu: of('cpu'),
    inBare: of('inBare'),
    clientCpu: of('clientCpu'),
    otherShare: of('otherShare'),
  }
}
