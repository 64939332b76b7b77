import { createServer, type Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import type { Observe } from '../observed.ts'
import type { Service } from '../service.ts'
import { waitingDeliveries } from '../store/webhook-deliveries.ts'
import { cutOff, type Traffic } from './traffic.ts'

/** Seconds; from a key-set request to a sign-in that waits for its hash. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Metrics {
  registry: Registry
  observe: Observe
  /** Counts and times the requests of an application. */
  watch(app: FastifyInstance, traffic: Traffic): void
  /** Reads the state of a service whenever it is asked for. */
  gauge(service: Service): void
}

/** The metrics of one process, for Prometheus. The library is loaded only when it is wanted. */
export async function createMetrics(): Promise<Metrics> {
  const prometheus = await import('prom-client')
  const registry = new prometheus.Registry()
  const registers = [registry]
  // In a process of several (`--processes`) the first one asks each for its numbers and adds them up.
  prometheus.AggregatorRegistry.setRegistries([registry])
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
  return {
    registry,
    observe(event) {
      if (event.kind === 'token') tokens.inc({ grant: event.grant })
      else if (event.kind === 'sign-in') signIns.inc({ outcome: event.outcome })
      else if (event.kind === 'webhook') webhooks.inc({ outcome: event.outcome })
      else refusals.inc({ error: event.error })
    },
    watch(app, traffic) {
      const count = ({ request, elapsedTime }: FastifyReply, status: number) => {
        // The pattern, never the address as it was sent: labels must be few.
        const route = request.routeOptions.url ?? 'unmatched'
        requests.observe({ method: request.method, route, status }, elapsedTime / 1000)
      }
      app.addHook('onResponse', (_request, reply, done) => {
        count(reply, reply.statusCode)
        done()
      })
      traffic.whenCut((reply) => count(reply, cutOff))
    },
    gauge(service) {
      for (const [name, help, aggregator, read] of gaugesOf(service)) {
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
    },
  }
}

type Reading = () => number | Promise<number>

function gaugesOf({ store, passwords, keys, now }: Service): [string, string, 'sum' | 'max', Reading][] {
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
    ['tessera_hashing_queue', 'Password checks that wait or run.', 'sum', () => passwords.waiting()],
    // The same in every process, so several are not added up.
    ['tessera_signing_key_age_seconds', 'How long the current key has signed.', 'max', keyAge],
    ['tessera_webhook_deliveries_waiting', 'Deliveries that are still to be made.', 'max', waitingNow(store)],
    ['tessera_signing_keys_published', 'Keys in the key set.', 'max', () => keys.jwks().keys.length],
  ]
}

/**
 * While the database can't be asked, or doesn't answer, the other numbers are wanted all the more, and whoever asks
 * for them waits for a few seconds at the most: this one stays as it was.
 */
function waitingNow(store: Service['store']): Reading {
  let last = 0
  let asked: Promise<number> | undefined
  return async () => {
    asked ??= waitingDeliveries(store)
      .then((now) => (last = now))
      .catch(() => last)
      .finally(() => (asked = undefined))
    const silence = new AbortController()
    const late = wait(2000, last, { signal: silence.signal, ref: false }).catch(() => last)
    try {
      return await Promise.race([asked, late])
    } finally {
      silence.abort()
    }
  }
}

/** Serves `/metrics` on a port of its own, which nobody outside should reach. */
export async function serveMetrics(
  read: () => Promise<{ contentType: string; text: string }>,
  at: { host: string; port: number },
): Promise<Server> {
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
    server.listen(at.port, at.host, () => resolve(server))
  })
}

/** Which of the two ports it is that is taken. */
function inWords(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'EADDRINUSE') return error
  const advice = 'stop what listens there, or set TESSERA_METRICS_PORT to another'
  return new Error(`The port for metrics is taken: ${advice} (${error.message}).`, { cause: error })
}
