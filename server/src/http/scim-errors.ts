import type { FastifyInstance } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { scimErrorBody } from '../scim/errors.ts'
import { scimType } from '../scim/routes.ts'
import type { Service } from '../service.ts'
import { asRefusal, tell } from './errors.ts'
import { sendLingering } from './lingering.ts'

/** Errors in SCIM's shape (RFC 7644 §3.12). */
export function scimErrors(app: FastifyInstance, service: Service): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error, unsupportedType)
    tell(service, request, refusal, error)
    reply
      .status(refusal.status)
      .headers({ ...(refusal.status === 401 && { 'www-authenticate': 'Bearer' }), ...refusal.headers })
      .header('cache-control', 'no-store')
      .type(scimType)
    return sendLingering(reply, JSON.stringify(scimErrorBody(refusal)))
  })
}

const unsupportedType = () =>
  new ProtocolError('unsupported_media_type', `The body must be sent as ${scimType} or application/json.`, {
    headers: { accept: `${scimType}, application/json` },
  })
