import type { FastifyInstance } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'

/**
 * Refuses what two readers could understand differently: a request without Host (RFC 9112 §3.2), several
 * Authorization headers, of which Node would keep the first without a word where a proxy may have looked at the last,
 * and an expectation that is not met.
 */
export function strictHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, httpVersion, rawHeaders } = request.raw
    if (headers.host === undefined && httpVersion !== '1.0') {
      done(new ProtocolError('invalid_request', 'The Host header is missing.'))
    } else if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      // RFC 9110 §10.1.1
      const description = 'The expectation of the Expect header is not known here.'
      done(new ProtocolError('invalid_request', description, { status: 417 }))
    } else if (headers.authorization !== undefined && countOf('authorization', rawHeaders) > 1) {
      done(new ProtocolError('invalid_request', 'The Authorization header was sent more than once.'))
    } else done()
  })
}

/**
 * Refuses what comes from nobody: a connection that was reset before its request was read has no address any more, by
 * which failures are counted and recorded. Node keeps the address of the others from here on.
 */
export function knownAddress(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.raw.socket.remoteAddress !== undefined) done()
    else done(new ProtocolError('invalid_request', 'The connection was closed before its request was read.'))
  })
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
