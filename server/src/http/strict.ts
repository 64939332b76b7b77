import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'

/** Refuses requests that two readers could understand differently, or that come from nobody. */
export function strictRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => done(problemOf(request)))
}

function problemOf({ raw: { headers, httpVersion, rawHeaders, socket } }: FastifyRequest) {
  // A connection that was reset before its request was read has no address any more, by which failures are counted.
  if (socket.remoteAddress === undefined)
    return refusal('The connection was closed before its request was read.')
  // RFC 9112 §3.2
  if (headers.host === undefined && httpVersion !== '1.0') return refusal('The Host header is missing.')
  // RFC 9110 §10.1.1
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    return refusal('The expectation of the Expect header is not known here.', 417)
  // Node keeps the first of several, where a proxy may have looked at the last.
  if (headers.authorization !== undefined && countOf('authorization', rawHeaders) > 1)
    return refusal('The Authorization header was sent more than once.')
  return undefined
}

const refusal = (description: string, status = 400): ProtocolError =>
  new ProtocolError('invalid_request', description, { status })

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
