import type { FastifyInstance } from 'fastify'
import type { Service } from '../service.ts'

/** GET /.well-known/webauthn: who else may use passkeys of the domain that serves it (WebAuthn Level 3 §5.11). */
export function relatedOrigins(app: FastifyInstance, { settings }: Service): void {
  const { origins } = settings.webauthn
  if (origins.length === 0) return
  app.get('/.well-known/webauthn', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=3600')
    return { origins }
  })
}
