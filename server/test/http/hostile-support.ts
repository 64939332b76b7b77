import { connect } from 'node:net'

/** One answer, as it came over the wire. */
export interface RawAnswer {
  /** 0: the service closed the connection without a word. */
  status: number
  headers: ReadonlyMap<string, string>
  body: string
}

/** Sends bytes as they are over a connection of their own; yields the first answer. */
export async function rawRequest(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let received = ''
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (isWhole(received)) socket.destroy()
    })
    // What was received before a reset is the answer.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
  return parse(text)
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  if (/^HTTP\/1\.1 (204|304) /.test(text)) return true
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return length !== undefined && text.length >= end + 4 + Number(length)
}

function parse(text: string): RawAnswer {
  const [head = '', ...body] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? 0),
    headers: new Map(headers),
    body: body.join('\r\n\r\n'),
  }
}

/** What is wrong with any answer, whatever was asked; undefined when nothing is. */
export function flawOf({ status, headers, body }: RawAnswer): string | undefined {
  if (status === 0) return 'closed without an answer'
  if (status >= 500) return `answered ${status}: ${body.slice(0, 200)}`
  if (!/^[0-9a-f-]{36}$/.test(headers.get('x-request-id') ?? '')) return `${status} without x-request-id`
  if (headers.get('x-content-type-options') !== 'nosniff') return `${status} may be sniffed`
  if (headers.get('x-frame-options') !== 'DENY') return `${status} may be framed`
  const policy = headers.get('content-security-policy') ?? ''
  if (!policy.includes("frame-ancestors 'none'") || !policy.includes("default-src 'none'"))
    return `${status} with the policy ${policy}`
  if (headers.get('referrer-policy') !== 'no-referrer') return `${status} tells the referrer`
  if (headers.has('server') || headers.has('x-powered-by')) return `${status} names what it is made of`
  if (/\n\s+at |node_modules|FST_ERR|SQLITE|"statusCode"|syntax error/i.test(body))
    return `${status} tells its insides`
  return undefined
}

/** A form body with its head. */
export function formRequest(path: string, body: string, headers: readonly string[] = []): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

export function getRequest(target: string, headers: readonly string[] = []): string {
  return `${[`GET ${target} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`
}
