import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

/** A real PNG of one colour; `said` is the size that its header names instead. */
export function png(
  side: number,
  [red, green, blue]: readonly number[] = [122, 31, 92],
  said = side,
): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  header.writeUInt32BE(said)
  header.writeUInt32BE(said, 4)
  const row = Buffer.concat([
    Buffer.of(0),
    Buffer.concat(Array(side).fill(Buffer.of(red ?? 0, green ?? 0, blue ?? 0))),
  ])
  const pixels = deflateSync(Buffer.concat(Array(side).fill(row)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Has pictures, and what claims to be one. */
export class PictureServer {
  readonly asked: string[] = []
  readonly #server: Server = createServer(({ url = '' }, response) => {
    this.asked.push(url)
    response.setHeader('content-type', 'image/png')
    answer(url, response)
  })

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  address = (path: string) => `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

function answer(url: string, response: ServerResponse): void {
  if (url === '/html.png') response.end('<!doctype html><script>alert(1)</script> and more of it')
  else if (url === '/svg.png') response.end('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
  else if (url === '/bomb.png') response.end(png(8, undefined, 60_000))
  else if (url === '/large.png') response.end(Buffer.concat([png(8), Buffer.alloc(65_537 - png(8).length)]))
  else if (url === '/redirect.png') response.writeHead(302, { location: '/logo.png' }).end()
  else if (url === '/missing.png') response.writeHead(404).end()
  else if (url === '/drip.png') drip(response)
  else response.end(png(64, url === '/person.png' ? [31, 95, 88] : undefined))
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 50)
  response.on('close', () => clearInterval(timer))
}
