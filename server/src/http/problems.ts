import type { FastifyInstance, FastifyReply } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'
import { Problem, problemDocument } from '../protocol/problem.ts'
import type { Service } from '../service.ts'
import { asRefusal, tell } from './errors.ts'
import { sendLingering } from './lingering.ts'

export const problemType = 'application/problem+json'

/** Errors as problems (RFC 9457): for the administration API, where a refusal can name fields. */
export function problemErrors(app: FastifyInstance, service: Service): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = asRefusal(error, unsupportedType)
    tell(service, request, refusal, error)
    return sendProblem(reply, refusal)
  })
}

function unsupportedType(): ProtocolError {
  return new ProtocolError(
    'unsupported_media_type',
    'The body must be sent as application/json, or with PATCH as application/merge-patch+json.',
    { headers: { accept: 'application/json, application/merge-patch+json' } },
  )
}

function sendProblem(reply: FastifyReply, refusal: ProtocolError): FastifyReply {
  reply
    .status(refusal.status)
    .headers({ ...challenge(refusal), ...refusal.headers })
    .header('cache-control', 'no-store')
    .type(`${problemType}; charset=utf-8`)
  return sendLingering(reply, JSON.stringify(problemDocument(refusal)))
}

/** RFC 6750 §3. The descriptions hold no quotes. */
function challenge(refusal: ProtocolError): Record<string, string> {
  const { code, description } = refusal
  const maxAge = refusal instanceof Problem ? refusal.maxAge : undefined
  if (code !== 'invalid_token' && code !== 'insufficient_scope' && maxAge === undefined) return {}
  const asked = maxAge === undefined ? '' : `, max_age="${maxAge}"`
  return { 'www-authenticate': `Bearer error="${code}", error_description="${description}"${asked}` }
}
