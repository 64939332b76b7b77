import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

/** GET /oauth2/jwks (RFC 7517 §5): the public keys, with the time for which they may be cached. */
export function jwksEndpoint(app: FastifyInstance, service: Service): void {
  app.get('/oauth2/jwks', async (_request, reply) => {
    const { keys, cachedFor } = service.keys.published()
    reply.header('cache-control', `public, max-age=${Math.floor(cachedFor / 1000)}`)
    return { keys }
  })
}
