/** What processes and their threads used of the cores, from /proc: so Linux alone. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** User and system time of each thread so far, µs. */
export type CpuReading = ReadonlyMap<number, number>

/** The threads of these processes. The scheduler counts in ns, where `/proc/PID/stat` tells ticks of 10 ms. */
export function readCpu(pids: readonly number[]): CpuReading {
  const threads = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/task`).map((tid) => [pid, Number(tid)] as const),
  )
  return new Map(
    threads.map(([pid, tid]) => {
      const [ran] = readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')
      return [tid, Number(ran) / 1000]
    }),
  )
}

/** µs that all threads used between two readings. What a thread that ended used is lost, so that voids the run. */
export function cpuBetween(before: CpuReading, after: CpuReading): number {
  for (const tid of before.keys()) {
    if (!after.has(tid)) throw new Error(`The thread ${tid} ended during the run: its CPU is not known.`)
  }
  let used = 0
  for (const [tid, ran] of after) used += ran - (before.get(tid) ?? 0)
  return used
}

/** A process and those that it started, however deep. */
export function processesOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((tid) =>
    readFileSync(`/proc/${pid}/task/${tid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(processesOf)]
}

/** What the whole machine worked so far, and what other machines took of it, in µs; undefined where /proc tells of more cores than there are for us. */
export function readMachine(cores: number): number | undefined {
  const lines = readFileSync('/proc/stat', 'utf8').split('\n')
  if (lines.filter((line) => /^cpu\d/.test(line)).length !== cores) return undefined
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    lines[0]?.trim().split(/\s+/).slice(1).map(Number) ?? []
  return (user + nice + system + irq + softirq + steal) * 10_000
}

/** Lets a thread (or with `-a` before it all of a process) run on these cores alone. Says whether it worked. */
export function pin(cores: string, ...which: string[]): boolean {
  return spawnSync('taskset', [...which.slice(0, -1), '-cp', cores, which.at(-1) ?? '']).status === 0
}
