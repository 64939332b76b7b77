import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ProtocolError } from '../protocol/errors.ts'

/** Refuses requests that two readers could understand differently, or that come from nobody. */
export function strictRequests(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => done(problemOf(raw)))
}

/** The largest size of address and headers. Node reads more, so that its refusal can be a page. */
const largest = 16 * 1024
/** Node drops what comes after a thousand. */
const mostHeaders = 200

/** Why a request is refused; undefined: it is not. */
export function problemOf({
  headers,
  httpVersion,
  rawHeaders,
  socket,
  url = '',
}: IncomingMessage): ProtocolError | undefined {
  // A connection that was reset before its request was read has no address any more, by which failures are counted.
  if (socket.remoteAddress === undefined)
    return refusal('The connection was closed before its request was read.')
  // RFC 9112 §3.2
  if (headers.host === undefined && httpVersion !== '1.0') return refusal('The Host header is missing.')
  // RFC 9110 §10.1.1
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
    return refusal('The expectation of the Expect header is not known here.', 417)
  if (rawHeaders.length > 2 * mostHeaders || sizeOf(rawHeaders) + url.length > largest)
    return tooLarge(headers)
  // RFC 9110 §8.4.1, §15.5.16
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '') && hasBody(headers))
    return new ProtocolError(
      'unsupported_media_type',
      'The body is compressed by Content-Encoding, which is not read here. Send it as it is.',
      { headers: { 'accept-encoding': 'identity' } },
    )
  // Node keeps the first of several, where a proxy may have looked at the last.
  if (headers.authorization !== undefined && countOf('authorization', rawHeaders) > 1)
    return refusal('The Authorization header was sent more than once.')
  return undefined
}

const refusal = (description: string, status = 400): ProtocolError =>
  new ProtocolError('invalid_request', description, { status })

/** Each has a colon, a blank and the end of its line besides. */
function sizeOf(rawHeaders: readonly string[]): number {
  let size = rawHeaders.length * 2
  for (const text of rawHeaders) size += text.length
  return size
}

const hasBody = (headers: IncomingHttpHeaders) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

function tooLarge({ host = '', cookie = '' }: IncomingHttpHeaders): ProtocolError {
  if (cookie.length < largest / 2) return refusal('The headers are too large.', 431)
  const named = /^[\w.-]{1,253}/.exec(host)?.[0] ?? 'this address'
  return new ProtocolError(
    'invalid_request',
    `The cookies for ${named} are larger than this service reads.`,
    { status: 431, situation: 'too_many_cookies' },
  )
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}
