import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { UnusableDatabase } from '../database/failure.ts'
import { isMigrated } from '../database/migrate.ts'

/**
 * GET /health/live: the process answers. GET /health/ready: it can do its work, so traffic may be sent to it:
 * the database answers and can be written, its migrations are those of this version, keys are loaded, and it is not stopping.
 */
export function health(app: FastifyInstance, service: Service, stopping: () => boolean): void {
  app.get('/health/live', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'live' }
  })
  app.get('/health/ready', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    const problem = stopping() ? 'stopping' : await problemOf(service)
    if (problem === undefined) return { status: 'ready' }
    return reply.status(503).header('retry-after', '1').send({ status: 'not ready', problem })
  })
}

export const isProbe = ({ routeOptions: { url = '' } }: FastifyRequest): boolean => url.startsWith('/health/')

/** What keeps the process from its work; undefined: nothing. */
export async function problemOf({ store, keys }: Service): Promise<string | undefined> {
  if (keys.jwks().keys.length === 0) return 'no signing key is loaded'
  try {
    if (!(await isMigrated(store))) return 'the database has migrations of another version'
    return (await store.isWritable()) ? undefined : 'the database takes no writes'
  } catch (error) {
    return error instanceof UnusableDatabase ? error.message : 'the database does not answer'
  }
}
