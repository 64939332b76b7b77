import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isEndless } from '../admin/routes.ts'
import type { Traffic } from './traffic.ts'

/** From the signal to the end at the latest, ms: containers are killed after ten seconds. */
const patience = 9000
/** Of that, how long new connections are still taken while somebody asks on them. */
const accepting = 4000

/**
 * What was asked is answered before connections are cut (the application must be made with
 * `forceCloseConnections: true` and `return503OnClosing: false`): browsers open some in advance and ask nothing on
 * them, and closing would otherwise wait for those as well.
 *
 * With `linger` nobody who asks meanwhile is cut off either: whoever shares out the requests first has to learn
 * from `/health/ready` that this process is stopping. Until then it answers and keeps connections, so that none is
 * being opened at the moment when it takes no more. Then it answers what comes on those it has, with
 * `connection: close`, and ends. Yields whether it is stopping.
 */
export function finishBeforeClosing(app: FastifyInstance, traffic: Traffic, linger: boolean): () => boolean {
  let stopping = false
  let keepsConnections = false
  app.addHook('onRequest', ({ raw }, reply, done) => {
    // It is cut off, and whoever listened goes on elsewhere.
    if (isEndless(raw.url ?? '')) return done()
    traffic.begins(reply)
    // Set by the framework since it was told to close.
    if (keepsConnections) reply.raw.removeHeader('connection')
    done()
  })
  app.addHook('onResponse', (_request, reply, done) => {
    traffic.ends(reply)
    done()
  })
  app.addHook('preClose', async () => {
    stopping = true
    const began = performance.now()
    if (linger && traffic.lately()) {
      keepsConnections = true
      await until(() => traffic.isQuiet() && traffic.isTold(began), began + accepting)
      if (traffic.onlyFor(app.server)) {
        // Right after what had arrived was taken in: what waits in the kernel is reset. The method of `net`, because
        // that of `http` also cuts connections on which a request may be on its way.
        NetServer.prototype.close.call(app.server)
      }
      keepsConnections = false
      traffic.listensAnew()
      await until(() => traffic.isQuiet(), began + patience)
    }
    await until(() => traffic.underWay === 0, began + patience)
  })
  return () => stopping
}

/** Asks once a turn of the event loop, when what has arrived was taken in: timers come before that, so one alone won't do. */
async function until(reached: () => boolean, end: number): Promise<void> {
  do {
    await wait(10)
    await nextTurn()
  } while (!reached() && performance.now() < end)
}
