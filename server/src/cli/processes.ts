import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { serveMetrics } from '../http/metrics.ts'
import { type Running, start } from '../server.ts'
import type { Settings } from '../settings.ts'
import { sayAlive, Watch } from './alive.ts'
import { closeInTime, latestEnd, untilToldToStop } from './stop.ts'

/** Between the end of a process and its replacement, ms: one that can't start must not take the whole machine. */
const pause = 500

/**
 * Several processes on one port, one database. The first process serves nothing itself: it starts the others,
 * replaces one that dies or hangs, and passes on the signal to stop, so that each finishes what is in flight.
 */
export async function serveProcesses(settings: Settings, count: number): Promise<void> {
  // First: a port that is taken must not be found when the others serve already.
  const metrics = settings.metricsPort === 0 ? undefined : await aggregatedMetrics(settings)
  const toldToStop = untilToldToStop()
  const processes = new Processes()
  const starting = Promise.all(Array.from({ length: count }, () => processes.start()))
  // A start may take as long as somebody else's migration.
  const told = await Promise.race([starting.then(() => false), toldToStop.then(() => true)])
  if (!told && processes.allThere) {
    process.stdout.write(`tessera listens on ${addressOf(settings)} with ${count} processes\n`)
  }
  await Promise.race([toldToStop, processes.ended()])
  await processes.stop()
  metrics?.close()
}

/** The processes that serve, as the first one sees them. */
class Processes {
  readonly #workers = new Set<Worker>()
  readonly #watch = new Watch((worker) => this.#kill(worker, 'answered nothing for 10 seconds'))
  /** Ended, and soon followed by another. */
  #missing = 0
  #stopping = false

  /** Starts one more. Resolves when it listens, or has ended. */
  async start(replaces = false): Promise<void> {
    const worker = cluster.fork()
    this.#workers.add(worker)
    // A fork that fails ends as a process that ended; without a listener it would end this one too.
    worker.on('error', () => undefined)
    let listened = false
    await new Promise<void>((resolve) => {
      worker.once('message', () => {
        listened = true
        this.#watch.over(worker)
        resolve()
      })
      worker.once('exit', (code, signal) => {
        this.#workers.delete(worker)
        // A replacement may find the database gone for a while. What the others do goes on meanwhile.
        if (listened || replaces) void this.#replace()
        else this.#giveUp(code, signal)
        resolve()
      })
    })
  }

  get allThere(): boolean {
    return !this.#stopping && this.#missing === 0
  }

  /** Tells each to finish what is in flight, and waits for it; kills what can't even do that, for it hangs. */
  async stop(): Promise<void> {
    this.#stopping = true
    // From now on the end has a limit of its own.
    this.#watch.end()
    for (const worker of this.#workers) worker.process.kill('SIGTERM')
    await Promise.race([this.ended(), wait(latestEnd + 300, undefined, { ref: false })])
    for (const worker of this.#workers) {
      process.exitCode = 1
      this.#kill(worker, 'did not end in time')
    }
    await this.ended()
  }

  #kill({ process: hanging }: Worker, why: string): void {
    complain(`the process ${hanging.pid} ${why} and was killed.`)
    hanging.kill('SIGKILL')
  }

  async ended(): Promise<void> {
    while (this.#workers.size > 0 || this.#missing > 0) await wait(20)
  }

  async #replace(): Promise<void> {
    if (this.#stopping) return
    this.#missing++
    await wait(pause)
    this.#missing--
    if (!this.#stopping) void this.start(true)
  }

  /**
   * One that ends before it ever listened has a fault that starting it again won't mend; it has said which, where it
   * could.
   */
  #giveUp(code: number, signal: string | null): void {
    if (this.#stopping) return
    if (signal !== null) complain(`a process was ended by ${signal} before it listened; so all are ended.`)
    process.exitCode = code || 1
    void this.stop()
  }
}

/** What each of the processes does. */
export async function serveAsOneOfSeveral(settings: Settings): Promise<void> {
  const toldToStop = untilToldToStop({ led: true })
  if (settings.metricsPort !== 0) await answerForMetrics()
  const running = await Promise.race([started(settings), toldToStop.then(() => undefined)])
  // There is nothing in flight, and what was begun is undone by the database.
  if (running === undefined) process.exit(0)
  process.send?.({ type: 'tessera-listens' })
  sayAlive()
  await toldToStop
  await closeInTime(running)
  // The channel to the first process would hold this one.
  process.disconnect?.()
}

async function started(settings: Settings): Promise<Running> {
  try {
    return await start(settings, { metrics: 'collect', linger: true })
  } catch (error) {
    // The channel would hold a process that has nothing to do.
    cluster.worker?.disconnect()
    throw error
  }
}

function complain(text: string): void {
  process.stderr.write(`tessera: ${text}\n`)
}

/** Making one is how prom-client begins to listen for the first process's question. */
async function answerForMetrics(): Promise<void> {
  const { AggregatorRegistry } = await import('prom-client')
  void new AggregatorRegistry()
}

async function aggregatedMetrics(settings: Settings) {
  const { AggregatorRegistry } = await import('prom-client')
  const registry = new AggregatorRegistry()
  const read = async () => ({ contentType: registry.contentType, text: await registry.clusterMetrics() })
  return await serveMetrics(read, { host: settings.host, port: settings.metricsPort })
}

function addressOf({ host, port }: Settings): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
