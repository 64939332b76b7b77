/** The service: who may call what is written in one table, and the guard holds every request to it. */
import { createGuard, PUBLIC, type RouteTable } from '@tessera/guard'
import { guardRoutes } from '@tessera/guard/fastify'
import fastify, { type FastifyInstance } from 'fastify'
import { openStore } from './store.ts'
import { UnreadableFile } from './submission.ts'
import { addVistaImport, parseCsvBody } from './vista-import.ts'

export interface SubmissionsApiOptions {
  /** 0 takes a free one. */
  port: number
  host: string
  /** The Tessera issuer whose tokens are accepted. */
  issuer: string
  /** This service's audience. */
  audience: string
  /** Path of the SQLite file, or `:memory:`. */
  database: string
  /** The clock, in ms since 1970. Default `Date.now`. */
  now?: () => number
}

const permissions: RouteTable = {
  'POST /:api_area/vista-import': 'submissions-tool.vista-import.create',
  'GET /:api_area/vista-import': 'submissions-tool.vista-import.read',
  // Nothing brings them back: a stolen session alone is not enough, nor one that somebody left open (RFC 9470).
  'DELETE /:api_area/vista-import': {
    permission: 'submissions-tool.vista-import.create',
    acr: '2',
    maxAge: 300,
  },
  'GET /health': PUBLIC,
}

/**
 * Starts the service.
 * @returns its address, and `close`, which ends open requests first and then the database.
 * @throws when the port is taken, the database can't be opened, or issuer and audience are none.
 */
export async function start(
  options: SubmissionsApiOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const { now = Date.now, issuer, audience } = options
  const guard = createGuard({
    issuer,
    audience,
    now,
    onKeysFailure: (problem) => console.error(`Keys of ${issuer}: ${problem.message}`),
  })
  const store = openStore(options.database)
  const app = fastify({ bodyLimit: 1024 * 1024 })
  app.addHook('onClose', async () => store.close())
  try {
    await app.register(guardRoutes(guard, permissions))
    addBodies(app)
    addErrors(app)
    app.get('/health', async () => ({ status: 'ok' }))
    addVistaImport(app, store, now)
    const url = await app.listen({ port: options.port, host: options.host })
    return { url, close: () => app.close() }
  } catch (problem) {
    await app.close()
    throw problem
  }
}

function addBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('text/csv', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseCsvBody(body),
  )
}

const errors: Record<number, string> = { 404: 'not_found', 413: 'too_large', 415: 'unsupported_media_type' }

function addErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'not_found', error_description: 'There is nothing here' }),
  )
  app.setErrorHandler<Error & { statusCode?: number }>((problem, _request, reply) => {
    const status = problem instanceof UnreadableFile ? 400 : (problem.statusCode ?? 500)
    if (status >= 500) {
      console.error(problem)
      return reply.code(500).send({ error: 'server_error', error_description: 'Something went wrong here' })
    }
    const error = errors[status] ?? 'invalid_request'
    return reply.code(status).send({ error, error_description: problem.message })
  })
}
