import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../http/free-port.ts'
import { serveMetrics } from '../http/metrics.ts'
import type { Settings } from '../settings.ts'
import { latestEnd, untilToldToStop } from './stop.ts'

/** The pause before a process is replaced, ms: one that can't start must not keep the machine busy. */
const pause = 500
/** How often a process says that it is alive, ms. */
const beat = 1000
/** A process that misses this many beats in a row hangs. */
const mostMissed = 10

/**
 * Several processes on one port and one database. This one serves nothing itself: it starts the others, replaces
 * one that ends or hangs, and passes the signal to stop on to them.
 */
export async function serveProcesses(settings: Settings, count: number): Promise<void> {
  // First: a port that is taken must be found before the database is touched.
  await freePort(settings.host, settings.port)
  const closeMetrics = settings.metricsPort === 0 ? undefined : await serveMetricsOfAll(settings)
  const toldToStop = untilToldToStop()
  const processes = new Processes(count, () =>
    process.stdout.write(`tessera listens on ${addressOf(settings)} with ${count} processes\n`),
  )
  await Promise.race([toldToStop, processes.failed])
  await processes.stop()
  await closeMetrics?.()
}

/** The processes that serve, as the first one sees them. */
class Processes {
  /** Resolves when one ends before all have served: starting it again would not mend that. */
  readonly failed: Promise<void>
  readonly #running = new Set<Worker>()
  /** The beats that each of those that serve has missed, while another one said that it is alive. */
  readonly #missed = new Map<Worker, number>()
  /** Whether any has said so since the last beat. */
  #heard = false
  #stopping = false

  constructor(count: number, allServe: () => void) {
    let started = false
    cluster.on('listening', (worker) => {
      this.#missed.set(worker, 0)
      if (started || this.#missed.size < count || this.#stopping) return
      started = true
      allServe()
    })
    cluster.on('message', (worker) => {
      this.#heard = true
      if (this.#missed.has(worker)) this.#missed.set(worker, 0)
    })
    this.failed = new Promise((resolve) => {
      cluster.on('exit', (worker, code, signal) => {
        this.#running.delete(worker)
        const served = this.#missed.delete(worker)
        if (this.#stopping) return
        if (served || started) return void this.#replace()
        if (signal !== null)
          complain(`a process was ended by ${signal} before it listened; so all are ended.`)
        process.exitCode = code || 1
        resolve()
      })
    })
    setInterval(() => this.#countMissed(), beat).unref()
    for (let one = 0; one < count; one++) this.#start()
  }

  #start(): void {
    const worker = cluster.fork()
    this.#running.add(worker)
    // A fork that fails also ends: without a listener its error would end this process.
    worker.on('error', () => undefined)
  }

  async #replace(): Promise<void> {
    await wait(pause)
    if (!this.#stopping) this.#start()
  }

  /**
   * Seconds in which all are silent don't count: the machine slept, or a disk holds up all of them, and it would hold
   * up their successors too.
   */
  #countMissed(): void {
    if (!this.#heard || this.#stopping) return
    this.#heard = false
    for (const [worker, missed] of this.#missed) {
      this.#missed.set(worker, missed + 1)
      if (missed === mostMissed) this.#kill(worker, 'answered nothing for 10 seconds')
    }
  }

  /** Lets each finish what is in flight, and kills those that hang. */
  async stop(): Promise<void> {
    this.#stopping = true
    const ended = [...this.#running].map((worker) => new Promise((resolve) => worker.once('exit', resolve)))
    for (const worker of this.#running) worker.process.kill('SIGTERM')
    const late = setTimeout(() => {
      process.exitCode = 1
      for (const worker of this.#running) this.#kill(worker, 'did not end in time')
    }, latestEnd + 300)
    await Promise.all(ended)
    clearTimeout(late)
  }

  #kill({ process: hanging }: Worker, why: string): void {
    complain(`the process ${hanging.pid} ${why} and was killed.`)
    hanging.kill('SIGKILL')
  }
}

/** Tells the main process that this one is alive, as long as its event loop turns. */
export function sayAlive(): void {
  setInterval(() => process.send?.('alive', undefined, undefined, () => undefined), beat).unref()
}

function complain(text: string): void {
  process.stderr.write(`tessera: ${text}\n`)
}

async function serveMetricsOfAll(settings: Settings): Promise<() => Promise<void>> {
  const { AggregatorRegistry } = await import('prom-client')
  const all = new AggregatorRegistry()
  return await serveMetrics(settings, async () => ({
    contentType: all.contentType,
    text: await all.clusterMetrics(),
  }))
}

function addressOf({ host, port }: Settings): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
