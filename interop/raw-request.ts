/** A request as it is written, character by character, to a port of this machine by TLS. */
import { connect } from 'node:tls'

export interface Raw {
  method?: string
  path: string
  /** Beside Host and Connection, which they may say again. */
  headers?: readonly string[]
  body?: Buffer
}

export interface Answer {
  status: number
  /** The whole of it, its head too. */
  text: string
  header: (name: string) => string[]
}

export async function send(origin: string, asked: Raw): Promise<Answer> {
  const { method = 'GET', path, headers = [], body } = asked
  const { host, hostname, port } = new URL(origin)
  const own = headers.some((one) => /^connection:/i.test(one)) ? [] : ['Connection: close']
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`]
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...own, ...length, ...headers, '', '']
  const text = await new Promise<string>((resolve, reject) => {
    const options = { host: '127.0.0.1', servername: hostname, rejectUnauthorized: false }
    const socket = connect({ ...options, port: Number(port), ALPNProtocols: ['http/1.1'] })
    const came: Buffer[] = []
    const done = () => {
      socket.destroy()
      resolve(Buffer.concat(came).toString('latin1'))
    }
    socket.setTimeout(20_000, done)
    socket.on('data', (some) => {
      came.push(some)
      // Whoever keeps the connection open has said all that is looked at.
      if (own.length === 0) socket.setTimeout(500)
    })
    socket.on('end', done)
    socket.on('error', (error) => (came.length > 0 ? done() : reject(error)))
    socket.write(Buffer.from(head.join('\r\n'), 'latin1'))
    if (body !== undefined) socket.write(body)
  })
  return answerOf(text.replace(/^HTTP\/1.1 100 [^\r]*\r\n\r\n/, ''))
}

function answerOf(text: string): Answer {
  const [head = ''] = text.split('\r\n\r\n')
  const lines = head.split('\r\n').slice(1)
  return {
    status: Number(/^HTTP\/1.1 (\d{3})/.exec(head)?.[1] ?? 0),
    text,
    header: (name) =>
      lines
        .filter((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
        .map((one) => one.slice(name.length + 1).trim()),
  }
}
