import cluster, { type Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import { serveMetrics } from '../http/metrics.ts'
import { type Running, start } from '../server.ts'
import type { Settings } from '../settings.ts'
import { letHeapGrow } from './heap.ts'
import { untilToldToStop } from './stop.ts'

/** Between the end of a process and its replacement, ms: one that can't start must not take the whole machine. */
const pause = 500

/**
 * Several processes on one port, one database. The first process serves nothing itself: it starts the others,
 * replaces one that dies, and passes on the signal to stop, so that each finishes what is in flight.
 */
export async function serveProcesses(settings: Settings, count: number): Promise<void> {
  const toldToStop = untilToldToStop()
  const processes = new Processes()
  await Promise.all(Array.from({ length: count }, () => processes.start()))
  const metrics = settings.metricsPort === 0 ? undefined : await aggregatedMetrics(settings)
  if (processes.allThere) {
    process.stdout.write(`tessera listens on ${addressOf(settings)} with ${count} processes\n`)
  }
  await Promise.race([toldToStop, processes.ended()])
  await processes.stop()
  metrics?.close()
}

/** The processes that serve, as the first one sees them. */
class Processes {
  readonly #workers = new Set<Worker>()
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
        resolve()
      })
      worker.once('exit', (code) => {
        this.#workers.delete(worker)
        // A replacement may find the database gone for a while. What the others do goes on meanwhile.
        if (listened || replaces) void this.#replace()
        else this.#giveUp(code)
        resolve()
      })
    })
  }

  get allThere(): boolean {
    return !this.#stopping && this.#missing === 0
  }

  /** Tells each to finish what is in flight, and waits for it. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const worker of this.#workers) worker.process.kill('SIGTERM')
    await this.ended()
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

  /** One that ends before it ever listened has a fault that starting it again won't mend; it has said which. */
  #giveUp(code: number): void {
    if (this.#stopping) return
    process.exitCode = code || 1
    void this.stop()
  }
}

/** What each of the processes does. */
export async function serveAsOneOfSeveral(settings: Settings): Promise<void> {
  const toldToStop = untilToldToStop({ led: true })
  if (settings.metricsPort !== 0) await answerForMetrics()
  const running = await started(settings)
  process.send?.({ type: 'tessera-listens' })
  await toldToStop
  await running.close()
  // The channel to the first process would hold this one.
  process.disconnect?.()
}

async function started(settings: Settings): Promise<Running> {
  try {
    const running = await start(settings, { metrics: 'collect', linger: true })
    letHeapGrow()
    return running
  } catch (error) {
    // The channel would hold a process that has nothing to do.
    cluster.worker?.disconnect()
    throw error
  }
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
