import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { isRegisteredOrigin } from '../store/clients.ts'

/** Public documents: anyone may read them, without credentials. */
const open = new Set([
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/oauth2/jwks',
  '/api/doc.json',
])

/** What browser applications call themselves: the origins that active clients registered. */
const registered = new Set([
  '/oauth2/token',
  '/v1/iam/token/refresh',
  '/oauth2/userinfo',
  '/oauth2/revoke',
  '/oauth2/par',
])

const day = 86_400

/** CORS (decisions 1): nothing for authorize and the pages, and never with cookies. */
export function cors(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', (request, reply, done) => {
    // Not the route's own: the refusal of another method (405) must be readable too.
    const path = request.url.split('?')[0] ?? ''
    if (open.has(path)) reply.header('access-control-allow-origin', '*')
    if (!registered.has(path)) return done()
    reply.header('vary', 'origin')
    const { origin } = request.headers
    if (origin === undefined || origin.length > 300) return done()
    allowRegistered(service, origin, reply).then(() => done(), done)
  })
  for (const path of [...open, ...registered]) {
    app.options(path, async (request, reply) => {
      return reply
        .headers({
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': allowedHeaders(request),
          'access-control-max-age': String(day),
          vary: 'origin, access-control-request-headers',
        })
        .status(204)
        .send()
    })
  }
}

/** Names of headers, as many as a page that traces its requests could send. */
const headerNames = /^[\w-]{1,60}( *, *[\w-]{1,60}){0,49}$/

/**
 * Every header that the page asks to send: tracing adds its own to each request (`traceparent`, `baggage`,
 * `sentry-trace`, …), and without cookies none of them gives the page anything.
 */
function allowedHeaders({ headers }: FastifyRequest): string {
  const own = ['authorization', 'content-type']
  const asked = headers['access-control-request-headers']?.toLowerCase() ?? ''
  return [...new Set([...own, ...(headerNames.test(asked) ? asked.split(/ *, */) : [])])].join(', ')
}

async function allowRegistered(service: Service, origin: string, reply: FastifyReply): Promise<void> {
  if (!(await isRegisteredOrigin(service.store, origin))) return
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', 'retry-after, www-authenticate, x-request-id')
}
