import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Service } from '../service.ts'
import { jsonBody, sendRefusal } from './errors.ts'
import { fixedHeaders } from './headers.ts'

/** What never becomes a request, so that no hook and no error handler sees it, in the shape of every other answer. */
export function malformedRequests(service: Service) {
  const headers = fixedHeaders(service)
  return {
    /** A path that can't be decoded. */
    frameworkErrors(error: Error, request: FastifyRequest, reply: FastifyReply): void {
      reply.headers(headers).header('x-request-id', request.id)
      sendRefusal(service, error, request, reply)
    },
    /** Bytes that are no HTTP, headers that are too many, a request that does not arrive. */
    clientErrorHandler(this: FastifyInstance, error: ClientError, socket: ServingSocket): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      const id = randomUUID()
      this.log.info({ reqId: id, code: error.code }, 'a malformed request')
      // An answer that has begun can't be followed by another in its middle.
      const begun = socket._httpMessage?.headersSent === true
      if (socket.writable && !begun)
        socket.write(answer(reasonOf(error.code), { ...headers, 'x-request-id': id }))
      socket.destroy()
    },
  }
}

/** Node keeps the answer that is under way here, and asks the same question of it. */
type ServingSocket = Socket & { _httpMessage?: { headersSent: boolean } | null }

type ClientError = Error & { code?: string; request?: IncomingMessage }

function reasonOf(code: string | undefined): { status: number; description: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, description: 'The headers are too large.' }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, description: 'The request took too long to arrive.' }
  }
  return { status: 400, description: 'The request is not well-formed HTTP.' }
}

function answer(
  { status, description }: { status: number; description: string },
  headers: Record<string, string>,
): string {
  const body = jsonBody('invalid_request', description)
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
