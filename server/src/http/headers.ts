import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

/** What every answer carries; a page replaces the policy by its own. */
export function fixedHeaders(service: Service): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(service.issuer.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  }
}

export function securityHeaders(app: FastifyInstance, service: Service): void {
  const fixed = fixedHeaders(service)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(fixed).header('x-request-id', request.id)
    done()
  })
}
