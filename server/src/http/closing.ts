import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long a request that is under way may go on, ms. */
const grace = 10_000

/**
 * What was asked is answered before connections are cut (the application must be made with
 * `forceCloseConnections: true`): browsers open some in advance and ask nothing on them, and closing would
 * otherwise wait for those as well.
 */
export function finishBeforeClosing(app: FastifyInstance): void {
  let underWay = 0
  app.addHook('onRequest', async (_request, reply) => {
    underWay++
    reply.raw.once('close', () => underWay--)
  })
  app.addHook('preClose', async () => {
    for (let waited = 0; underWay > 0 && waited < grace; waited += 10) await wait(10)
  })
}
