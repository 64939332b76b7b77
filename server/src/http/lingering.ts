import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'

/** The most bytes of an unwanted body that are waited for. */
const longest = 64 * 1024 * 1024

/**
 * Sends an answer whose request was perhaps not read. It is there at once, and ends when the rest of the body has come
 * and was thrown away: a connection that is closed before is reset, and the answer may be lost with it (RFC 9112 §9.6).
 */
export function sendLingering(reply: FastifyReply, text: string): FastifyReply {
  const { raw } = reply.request
  if (raw.complete || !hasBody(raw)) return reply.send(text)
  return reply.header('content-length', Buffer.byteLength(text)).send(Readable.from(untilRead(raw, text)))
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

async function* untilRead(request: IncomingMessage, text: string): AsyncGenerator<string> {
  yield text
  let left = longest
  const enough = new AbortController()
  request.on('data', (part: Buffer) => {
    left -= part.length
    if (left < 0) enough.abort()
  })
  // Whoever stopped sending has its answer, or wants none.
  await finished(request, { signal: enough.signal }).catch(() => undefined)
}
