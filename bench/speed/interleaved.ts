import { setTimeout as wait } from 'node:timers/promises'
import { type CpuReading, cpuBetween } from '../cpu.ts'
import { load } from '../load.ts'
import type { Service } from '../service.ts'

/** What is asked in one go: each request works once. */
export interface Asked {
  requests: readonly string[]
  status: number
  /** Throws at a wrong answer, which voids the run. */
  check(answers: readonly string[]): void
}

/** CPU per request of one go, µs. */
export interface Spent {
  /** Of all threads of the service. */
  all: number
  /** Of its main thread, which signs nothing. */
  main: number
}

/** Few: each go opens its own, which is a part of what is measured. */
const connections = 4

/** Sends them, and yields what the service spent on each. */
export async function spentOn(service: Service, { requests, status, check }: Asked): Promise<Spent> {
  const before = await resting(service)
  const { answers } = await load(service.port, requests, connections, status, true)
  const after = await resting(service)
  check(answers)
  const ofMain = (reading: CpuReading) => reading.get(service.pid) ?? 0
  return {
    all: cpuBetween(before, after) / requests.length,
    main: (ofMain(after) - ofMain(before)) / requests.length,
  }
}

/** Read when it has gone to sleep: what a thread is just doing is not counted yet. */
async function resting(service: Service): Promise<CpuReading> {
  await wait(3)
  return service.cpu()
}
