import type { FastifyInstance } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'

/**
 * Refuses what two readers could understand differently: a request without Host (RFC 9112 §3.2), and several
 * Authorization headers, of which Node would keep the first without a word where a proxy may have looked at the last.
 */
export function strictHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, httpVersion, rawHeaders } = request.raw
    if (headers.host === undefined && httpVersion !== '1.0') {
      done(new ProtocolError('invalid_request', 'The Host header is missing.'))
    } else if (headers.authorization !== undefined && countOf('authorization', rawHeaders) > 1) {
      done(new ProtocolError('invalid_request', 'The Authorization header was sent more than once.'))
    } else done()
  })
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
