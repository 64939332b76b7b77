import { connect } from 'node:net'

const atOnce = 40

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
