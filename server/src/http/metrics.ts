import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { waitingRecords } from '../audit/recorded.ts'
import type { Store } from '../database/store.ts'
import { waitingMails } from '../mail/outbox.ts'
import type { Observe } from '../observed.ts'
import { version } from '../protocol/version.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings.ts'
import { waitingNotices } from '../store/logout-notices.ts'
import { waitingDeliveries } from '../webhooks/deliveries.ts'
import { problemOf } from './health.ts'
import type { Ended } from './traffic.ts'

/** Seconds; from a key-set request to a sign-in that waits for its hash. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type ReadMetrics = () => Promise<{ contentType: string; text: string }>

export interface Metrics {
  read: ReadMetrics
  observe: Observe
  /** Counts and times a request. */
  ended: Ended
  /** Reads the state of a service whenever it is asked for. */
  gauge(service: Service): void
}

/** The metrics of one process, for Prometheus. Loads the library only when it is wanted. */
export async function createMetrics(): Promise<Metrics> {
  const prometheus = await import('prom-client')
  const registry = new prometheus.Registry()
  const registers = [registry]
  // The first of several processes asks each for its numbers and adds them up. Making a registry answers that.
  prometheus.AggregatorRegistry.setRegistries([registry])
  if (cluster.isWorker) void new prometheus.AggregatorRegistry()
  prometheus.collectDefaultMetrics({ register: registry })
  const requests = new prometheus.Histogram({
    name: 'tessera_http_request_duration_seconds',
    help: 'Requests by method, route and status, with their duration.',
    labelNames: ['method', 'route', 'status'],
    buckets: latencyBuckets,
    registers,
  })
  const counter = (name: string, help: string, label: string) =>
    new prometheus.Counter({ name, help, labelNames: [label], registers })
  const tokens = counter('tessera_tokens_total', 'Token answers by grant.', 'grant')
  const signIns = counter('tessera_sign_ins_total', 'Password checks by outcome.', 'outcome')
  const refusals = counter('tessera_refusals_total', 'Refused requests by error code.', 'error')
  const webhooks = counter(
    'tessera_webhook_attempts_total',
    'Attempts to deliver a webhook, by outcome.',
    'outcome',
  )
  const mails = counter('tessera_mail_attempts_total', 'Attempts to send a mail, by outcome.', 'outcome')
  const losses = new prometheus.Counter({
    name: 'tessera_database_losses_total',
    help: 'How often the database lacked what had been acknowledged.',
    registers,
  })
  // A series that begins with its first failure would have grown by nothing.
  for (const outcome of ['right', 'wrong', 'throttled', 'busy']) signIns.inc({ outcome }, 0)
  for (const outcome of ['delivered', 'failed', 'dead']) webhooks.inc({ outcome }, 0)
  for (const outcome of ['sent', 'failed', 'dead']) mails.inc({ outcome }, 0)
  const build = new prometheus.Gauge({
    name: 'tessera_build_info',
    help: '1, of this version.',
    labelNames: ['version'],
    aggregator: 'first',
    registers,
  })
  build.set({ version }, 1)
  return {
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
    observe(event) {
      if (event.kind === 'token') tokens.inc({ grant: event.grant })
      else if (event.kind === 'sign-in') signIns.inc({ outcome: event.outcome })
      else if (event.kind === 'webhook') webhooks.inc({ outcome: event.outcome })
      else if (event.kind === 'mail') mails.inc({ outcome: event.outcome })
      else if (event.kind === 'database loss') losses.inc()
      else refusals.inc({ error: event.error })
    },
    ended({ request, elapsedTime }, status) {
      // The pattern, never the address as it was sent: labels must be few.
      const route = request.routeOptions.url ?? 'unmatched'
      requests.observe({ method: request.method, route, status }, elapsedTime / 1000)
    },
    gauge(service) {
      const queues = queuesOf(service.store)
      for (const [name, help, aggregator, read] of gaugesOf(service, queues)) {
        new prometheus.Gauge({
          name,
          help,
          aggregator,
          registers,
          async collect() {
            this.set(await read())
          },
        })
      }
      new prometheus.Gauge({
        name: 'tessera_queue_delay_seconds',
        help: 'How long what is longest due has been due.',
        labelNames: ['queue'],
        aggregator: 'max',
        registers,
        async collect() {
          const set = async ([queue, read]: [string, ReadQueue]) => {
            const { dueSince = Infinity } = await read()
            this.set({ queue }, Math.max(0, service.now() - dueSince) / 1000)
          }
          await Promise.all(Object.entries(queues).map(set))
        },
      })
    },
  }
}

type GaugeReading = () => number | Promise<number>

function gaugesOf(
  service: Service,
  { mails, webhooks, logout_notices }: Queues,
): [string, string, 'sum' | 'max' | 'min', GaugeReading][] {
  const { store, passwords, keys, settings, now } = service
  const isReady = kept(false, async () => (await problemOf(service)) === undefined, false)
  const keyAge = () => (now() - keys.signsSince()) / 1000
  return [
    [
      'tessera_database_connections',
      'Open connections to the database.',
      'sum',
      () => store.connections().open,
    ],
    ['tessera_database_connections_idle', 'Of these, idle ones.', 'sum', () => store.connections().idle],
    [
      'tessera_database_waiting',
      'Requests that wait for a connection.',
      'sum',
      () => store.connections().waiting,
    ],
    [
      'tessera_ready',
      '1 while the process can do its work, as /health/ready asks it.',
      'min',
      async () => ((await isReady()) ? 1 : 0),
    ],
    ['tessera_clock_seconds', 'The clock that tokens are stamped by.', 'max', () => now() / 1000],
    ['tessera_hashing_queue', 'Password checks that wait or run.', 'sum', () => passwords.waiting()],
    // The value is the same in every process, so several are not added up.
    ['tessera_signing_key_age_seconds', 'How long the current key has signed.', 'max', keyAge],
    [
      'tessera_signing_key_rotation_seconds',
      'How long a key signs before the next one does.',
      'max',
      () => settings.keyRotation / 1000,
    ],
    [
      'tessera_webhook_deliveries_waiting',
      'Deliveries that are still to be made.',
      'max',
      async () => (await webhooks()).count,
    ],
    ['tessera_mails_waiting', 'Mails that are still to be sent.', 'max', async () => (await mails()).count],
    [
      'tessera_logout_notices_waiting',
      'Clients that are still to be told of a logout.',
      'max',
      async () => (await logout_notices()).count,
    ],
    [
      'tessera_audit_waiting',
      'Audit records that are still to be linked to the chain.',
      'max',
      kept(0, () => waitingRecords(store)),
    ],
    ['tessera_signing_keys_published', 'Keys in the key set.', 'max', () => keys.published().keys.length],
  ]
}

/** What waits in a queue, and since when what is longest due is due, ms. */
type ReadQueue = () => Promise<{ count: number; dueSince: number | undefined }>
type Queues = Record<'mails' | 'webhooks' | 'logout_notices', ReadQueue>

function queuesOf(store: Store): Queues {
  const none = { count: 0, dueSince: undefined }
  return {
    mails: kept(none, () => waitingMails(store)),
    webhooks: kept(none, () => waitingDeliveries(store)),
    logout_notices: kept(none, () => waitingNotices(store)),
  }
}

/**
 * While the database does not answer, a number stays as it was, or `otherwise`: the others are wanted all the more then.
 */
function kept<T>(first: T, ask: () => Promise<T>, otherwise?: T): () => Promise<T> {
  let last = first
  let asked: Promise<T> | undefined
  return async () => {
    asked ??= ask()
      .then((now) => (last = now))
      .catch(() => otherwise ?? last)
      .finally(() => (asked = undefined))
    return await Promise.race([asked, wait(2000, otherwise ?? last, { ref: false })])
  }
}

/** Serves `/metrics` on a port of its own, which nobody outside should reach. Yields what closes it. */
export async function serveMetrics(
  { host, metricsPort }: Settings,
  read: ReadMetrics,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    read().then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      () => response.writeHead(503).end(),
    )
  })
  return await new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(inWords(error)))
    server.listen(metricsPort, host, () =>
      resolve(() => new Promise((closed) => server.close(() => closed()))),
    )
  })
}

/** Which of the two ports it is that is taken. */
function inWords(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EADDRINUSE') return error
  const advice = 'stop what listens there, or set TESSERA_METRICS_PORT to another'
  return new Error(`The port for metrics is taken: ${advice} (${error.message}).`, { cause: error })
}
