import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../protocol/errors.ts'
import type { Service } from '../service.ts'
import { jsonBody, sendUnrouted } from './errors.ts'
import { fixedHeaders } from './headers.ts'

/** Answers what never becomes a request, and so reaches no hook and no error handler, as every other refusal. */
export function malformedRequests(service: Service) {
  const headers = fixedHeaders(service)
  return {
    /** A path that can't be decoded, or has a part that is too long. */
    frameworkErrors(error: Error, request: FastifyRequest, reply: FastifyReply): void {
      reply.headers(headers).header('x-request-id', request.id)
      void sendUnrouted(service, error, request, reply)
    },
    /** Bytes that are no HTTP, headers that are too many, a request that does not arrive. */
    clientErrorHandler(this: FastifyInstance, error: ClientError, socket: ServingSocket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      const id = randomUUID()
      this.log.info({ reqId: id, reason: error.code }, 'a malformed request')
      // An answer that has begun can't be followed by another in its middle.
      const begun = socket._httpMessage?.headersSent === true
      if (socket.writable && !begun)
        socket.write(answer(reasonOf(error.code), { ...headers, 'x-request-id': id }))
      socket.destroy()
    },
  }
}

/** Answers what Node would answer by itself, or not at all. */
export function unusualRequests(app: FastifyInstance, service: Service): void {
  const headers = fixedHeaders(service)
  // An Expect other than 100-continue; `strictRequests` refuses it.
  app.server.on('checkExpectation', app.routing)
  app.server.on('connect', (_request, socket) => {
    const id = randomUUID()
    app.log.info({ reqId: id }, 'a request for a tunnel')
    const description = 'This is no proxy: CONNECT leads nowhere.'
    const refusal = { status: 405, error: 'method_not_allowed', description } as const
    socket.end(answer(refusal, { ...headers, allow: 'GET, HEAD, OPTIONS, POST', 'x-request-id': id }))
  })
}

/** Node keeps the answer that is under way in this property. */
type ServingSocket = Socket & { _httpMessage?: { headersSent: boolean } | null }

type ClientError = Error & { code?: string; request?: IncomingMessage }

interface Refusal {
  status: number
  error: ErrorCode
  description: string
}

function reasonOf(code: string | undefined): Refusal {
  const error = 'invalid_request'
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, error, description: 'The headers are too large.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, error, description: 'The request took too long to arrive.' }
  }
  return { status: 400, error, description: 'The request is not well-formed HTTP.' }
}

function answer({ status, error, description }: Refusal, headers: Record<string, string>): string {
  const body = jsonBody(error, description)
  const all = {
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
