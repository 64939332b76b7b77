import cluster, { type Worker } from 'node:cluster'
import { serveMetrics } from '../http/metrics.ts'
import { start } from '../server.ts'
import type { Settings } from '../settings.ts'
import { untilToldToStop } from './stop.ts'

/** A process that ends this soon after its start has a fault that starting it again won't mend. */
const tooSoon = 5000

/**
 * Several processes on one port, one database. The first process serves nothing itself: it starts the others,
 * replaces one that dies, and passes on the signal to stop, so that each finishes what is in flight.
 */
export async function serveProcesses(settings: Settings, count: number): Promise<void> {
  const toldToStop = untilToldToStop()
  let stopping = false
  const workers = new Set<Worker>()
  const fork = () => {
    const worker = cluster.fork()
    const since = performance.now()
    workers.add(worker)
    worker.once('exit', (code) => {
      workers.delete(worker)
      if (stopping) return
      if (performance.now() - since > tooSoon) fork()
      else {
        // It has said why. What the others do goes on until the operator decides.
        process.exitCode = code || 1
        for (const other of workers) other.process.kill('SIGTERM')
      }
    })
    return new Promise<void>((resolve) => {
      worker.once('message', () => resolve())
      worker.once('exit', () => resolve())
    })
  }
  await Promise.all(Array.from({ length: count }, fork))
  const metrics = settings.metricsPort === 0 ? undefined : await aggregatedMetrics(settings)
  if (workers.size === count) {
    process.stdout.write(`tessera listens on ${addressOf(settings)} with ${count} processes\n`)
  }
  await Promise.race([toldToStop, allEnded(workers)])
  stopping = true
  const ended = allEnded(workers)
  for (const worker of workers) worker.process.kill('SIGTERM')
  await ended
  metrics?.close()
}

/** What each of the processes does. */
export async function serveAsOneOfSeveral(settings: Settings): Promise<void> {
  const toldToStop = untilToldToStop()
  if (settings.metricsPort !== 0) await answerForMetrics()
  const running = await start(settings, { metrics: 'collect' })
  process.send?.({ type: 'tessera-listens' })
  await toldToStop
  await running.close()
  // The channel to the first process would hold this one.
  process.disconnect?.()
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

async function allEnded(workers: ReadonlySet<Worker>): Promise<void> {
  while (workers.size > 0) {
    const [first] = workers
    if (first !== undefined) await new Promise((resolve) => first.once('exit', resolve))
    // The set is emptied by the exit handler that was there first.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function addressOf({ host, port }: Settings): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
