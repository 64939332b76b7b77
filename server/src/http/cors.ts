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
const registered = new Set(['/oauth2/token', '/v1/iam/token/refresh', '/oauth2/userinfo', '/oauth2/revoke'])

const day = 86_400

/** CORS (decisions 1): nothing for authorize and the pages, and never with cookies. */
export function cors(app: FastifyInstance, service: Service): void {
  app.addHook('onRequest', async (request, reply) => {
    // Not the route's own: the refusal of another method (405) must be readable too.
    const path = request.url.split('?')[0] ?? ''
    if (open.has(path)) reply.header('access-control-allow-origin', '*')
    else if (registered.has(path)) await allowRegistered(service, request, reply)
  })
  for (const path of [...open, ...registered]) {
    app.options(path, async (_request, reply) => {
      return reply
        .headers({
          'access-control-allow-methods': 'GET, POST',
          'access-control-allow-headers': 'authorization, content-type',
          'access-control-max-age': String(day),
        })
        .status(204)
        .send()
    })
  }
}

async function allowRegistered(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.header('vary', 'origin')
  const { origin } = request.headers
  if (origin === undefined || origin.length > 300 || !(await isRegisteredOrigin(service.store, origin)))
    return
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-expose-headers', 'retry-after, www-authenticate, x-request-id')
}
