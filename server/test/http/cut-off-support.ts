import { connect } from 'node:net'

const atOnce = 16

/**
 * Asks on one connection for more than it takes while nobody reads, and cuts it when the first answer has begun. Yields
 * how many times it asked: most are never answered.
 */
export async function askAndCut(url: string): Promise<number> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write('GET /api/doc.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(atOnce))
  await new Promise((resolve) => socket.once('readable', resolve))
  socket.resetAndDestroy()
  return atOnce
}

/** How a connection ends within a body. */
export const ways = {
  reset: { length: 'Content-Length: 5000', end: 'resetAndDestroy' },
  closed: { length: 'Content-Length: 5000', end: 'end' },
  'closed within a chunk': { length: 'Transfer-Encoding: chunked', end: 'end' },
} as const
export type Way = keyof typeof ways

/** Posts to the address the head and the beginning of a body, and cuts the connection when that has arrived. */
export async function cutWithinBody(url: string, way: Way, headers: readonly string[] = []): Promise<void> {
  const { hostname, port, host, pathname } = new URL(url)
  const { length, end } = ways[way]
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('connect', resolve))
  const type = headers.length === 0 ? ['Content-Type: application/x-www-form-urlencoded'] : headers
  // The service says "100 Continue" when it has begun with the request.
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, ...type, length, 'Expect: 100-continue']
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await new Promise((resolve) => socket.once('data', resolve))
  // Before it has looked at the address of the connection, it refuses the request for having none any more.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const begun = way === 'closed within a chunk' ? 'ff\r\na=b' : 'a=b'
  await new Promise((resolve) => socket.write(begun, resolve))
  socket[end]()
  socket.resume()
}
