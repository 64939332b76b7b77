import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isEndless } from '../administration/routes.ts'
import type { Traffic } from './traffic.ts'

/** The longest time from the signal to the end, ms: containers are killed after ten seconds. */
const patience = 9000
/** How long of that new connections are still taken, ms. */
const accepting = 4000
/** A balancer that asked within this time, ms, asks again and is waited for. */
const probing = 30_000
/** Nobody opens a connection when nothing came for this many turns of the event loop, each of 10 ms or more. */
const quietTurns = 10
/** The quiet turns of a kept connection: a client of a busy machine may be held up between two requests. */
const quietTurnsKept = 50

/**
 * Answers what was asked before connections are cut (the application must be made with `forceCloseConnections: true`
 * and `return503OnClosing: false`). Yields whether the application is stopping.
 *
 * `linger` also spares requests that come meanwhile. First everything goes on, but for `/health/ready`, until
 * the balancer knows: connections are kept, so that none is being opened when no more are taken. Then requests on
 * these connections are answered with `connection: close`.
 */
export function finishBeforeClosing(app: FastifyInstance, traffic: Traffic, linger: boolean): () => boolean {
  let stopping = false
  let keepsConnections = false
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // An endless answer is cut off, and its reader goes on elsewhere.
    if (isEndless(raw.url ?? '')) return done()
    traffic.begins(reply)
    // Set by the framework since it was told to close.
    if (keepsConnections) reply.raw.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', (_request, reply, done) => {
    traffic.answered(reply)
    done()
  })
  app.addHook('preClose', async () => {
    stopping = true
    const began = performance.now()
    const { probes, probedAt } = traffic
    // The balancer acts on an answer before it asks again, and until then it still sends.
    const knowsBalancer = () =>
      traffic.probes >= probes + 2 || (traffic.probes === probes && probedAt < began - probing)
    if (linger) {
      keepsConnections = true
      await quiet(traffic, began + accepting, { turns: quietTurns, enough: knowsBalancer })
      stopListening(app)
      keepsConnections = false
      await quiet(traffic, began + patience, { turns: quietTurnsKept })
    }
    while (traffic.underWay > 0 && performance.now() < began + patience) await wait(10)
  })
  return () => stopping
}

/** Waits until nothing has come for a while. Counts turns, because a clock runs on while this process is not let run. */
async function quiet(
  traffic: Traffic,
  end: number,
  { turns: wanted, enough = () => true }: { turns: number; enough?: () => boolean },
): Promise<void> {
  let seen = traffic.count
  for (let turns = 0; (turns <= wanted || !enough()) && performance.now() < end; turns++) {
    await wait(10)
    // Timers come before what has arrived is taken in.
    await nextTurn()
    if (traffic.underWay > 0 || traffic.count > seen) turns = 0
    seen = traffic.count
  }
}

/** Keeps the connections there are: on one that looks idle a request may be on its way. */
function stopListening(app: FastifyInstance): void {
  // `localhost` has two addresses; the framework cuts the connections of the second when the first one closes.
  if (app.addresses().length > 1) return
  app.server.closeIdleConnections = () => undefined
  app.server.close()
}
