/** Peers as processes of their own, and what they cost. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { cpuBetween, readCpu } from '../cpu.ts'
import type { Known } from './target.ts'

const ticksPerSecond = 100

export interface Running {
  pid: number
  stop(): Promise<void>
}

/** A script of this folder, and what it tells when it is ready. What a peer has to say meanwhile is told if it ends. */
export async function runScript(
  script: string,
  args: readonly string[],
): Promise<Running & { known: Known }> {
  const path = new URL(script, import.meta.url).pathname
  const child = spawn(process.execPath, [path, ...args], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      OPENSSL_ia32cap: process.env.OPENSSL_ia32cap,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const running = runningOf(child)
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors = `${errors}${data.toString()}`.slice(-2000)))
  const known = new Promise<Known>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as Known)
    })
    child.once('exit', () => reject(new Error(`${script} ended while it was starting: ${errors}`)))
  })
  return { ...running, known: await known }
}

export function runningOf(child: ChildProcess): Running {
  return {
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Of processes whose threads stay: by the scheduler's count, as everything else of the bench. */
export function countThreads(pids: readonly number[]): () => number {
  const before = readCpu(pids)
  return () => cpuBetween(before, readCpu(pids))
}

/** Of a process whose threads come and go, as glewlwyd's do with each connection: in ticks of 10 ms. */
export function countTicks(pid: number): () => number {
  const before = ticksOf(pid)
  return () => ((ticksOf(pid) - before) / ticksPerSecond) * 1_000_000
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}
