/** What stands behind a proxy in the run: says what reached it, keeps it, and echoes on a WebSocket. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, createServer as listenTcp, type Server as TcpServer, type Socket } from 'node:net'

/** What an application is told in. */
export const toldHeaders = [
  'Remote-User',
  'Remote-Email',
  'Remote-Name',
  'Remote-Groups',
  'Remote-Organisation',
  'X-Access-Token',
]

export interface Reached {
  method: string
  url: string
  /** Names as they came. */
  headers: [string, string][]
  bytes: number
}

export interface ProtectedApp {
  server: Server
  /** Requests that reached it, oldest first. */
  reached: Reached[]
}

const form = (text: string) => `<!doctype html><title>Form</title>
<form method="post" action="/form"><textarea name="text">${text}</textarea><button>Save</button></form>`

export function protectedApp(): ProtectedApp {
  const reached: Reached[] = []
  const note = (request: IncomingMessage): Reached => {
    const { method = '', url = '', rawHeaders } = request
    const headers = rawHeaders.flatMap((name, at): [string, string][] =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
    )
    const one = { method, url, headers, bytes: 0 }
    reached.push(one)
    return one
  }
  const server = createServer((request, response) => {
    const one = note(request)
    request.on('data', (some: Buffer) => (one.bytes += some.length))
    request.on('end', () => {
      const isForm = one.url === '/form' && one.method === 'GET'
      response.setHeader('Content-Type', isForm ? 'text/html' : 'application/json')
      response.end(isForm ? form('') : JSON.stringify(one))
    })
  })
  server.on('upgrade', (request, socket) => {
    note(request)
    const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const accept = createHash('sha1').update(key).digest('base64')
    const lines = ['Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
    // A text frame of one short word, not masked as those of a server are.
    socket.once('data', () => socket.write(Buffer.concat([Buffer.from([0x81, 4]), Buffer.from('here')])))
    socket.on('error', () => socket.destroy())
  })
  return { server, reached }
}

/** What stands between a proxy and the service. */
export interface Between {
  server: TcpServer
  /** Bytes that the proxy has sent. */
  bytes: () => number
  /** Answers in place of the service: everybody passes, as nobody. So what a proxy strips is seen by itself. */
  passAll: (is: boolean) => void
}

const passes = ['HTTP/1.1 200 OK', 'Content-Length: 0', 'Cookie: ', ...toldHeaders.map((name) => `${name}: `)]

export function between(port: number): Between {
  let bytes = 0
  let all = false
  const open = new Set<Socket>()
  const server = listenTcp((from) => {
    open.add(from.on('close', () => open.delete(from)).on('error', () => from.destroy()))
    from.on('data', (some) => (bytes += some.length))
    if (all) {
      from.once('data', () => from.end(`${passes.join('\r\n')}\r\nConnection: close\r\n\r\n`))
      return
    }
    const to = connect(port, '127.0.0.1')
    from.pipe(to).pipe(from)
    to.on('error', () => from.destroy())
    from.on('close', () => to.destroy())
  })
  const passAll = (is: boolean) => {
    all = is
    for (const one of open) one.destroy()
  }
  return { server, bytes: () => bytes, passAll }
}
