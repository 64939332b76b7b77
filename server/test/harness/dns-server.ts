import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

const types = { CNAME: 5, TXT: 16 } as const

/** What stands at a name; `*.` before one stands for whatever is not there. */
interface Records {
  TXT?: readonly string[]
  CNAME?: string
}

/** A small DNS server (RFC 1035), as a resolver answers: with what an alias leads to. */
export class DnsServer {
  names: Record<string, Records> = {}
  /** Answers SERVFAIL, or nothing at all. */
  behaviour: 'usual' | 'fails' | 'silent' = 'usual'
  /** The names that were asked for. */
  asked: string[] = []
  #socket: Socket | undefined

  async listen(): Promise<void> {
    const socket = createSocket('udp4', (message, { port, address }) => {
      const answer = this.#answer(message)
      if (answer !== undefined) socket.send(answer, port, address)
    })
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    this.#socket = socket
  }

  async close(): Promise<void> {
    await new Promise<void>((done) => this.#socket?.close(() => done()) ?? done())
  }

  get address(): string {
    return `127.0.0.1:${this.#socket?.address().port}`
  }

  #answer(message: Buffer): Buffer | undefined {
    const labels: string[] = []
    let at = 12
    for (let size = message[at] ?? 0; size > 0; size = message[at] ?? 0) {
      labels.push(message.toString('latin1', at + 1, at + 1 + size))
      at += 1 + size
    }
    const name = labels.join('.').toLowerCase()
    const type = message.readUInt16BE(at + 1)
    this.asked.push(name)
    if (this.behaviour === 'silent') return undefined
    const answers = this.behaviour === 'fails' ? [] : this.#records(name, type)
    const code = this.behaviour === 'fails' ? 2 : this.#find(name) === undefined ? 3 : 0
    const head = Buffer.alloc(12)
    message.copy(head, 0, 0, 2)
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(answers.length, 6)
    return Buffer.concat([head, message.subarray(12, at + 5), ...answers])
  }

  #find = (name: string): Records | undefined =>
    this.names[name] ?? this.names[`*.${name.slice(name.indexOf('.') + 1)}`]

  #records(name: string, type: number): Buffer[] {
    const { TXT = [], CNAME } = this.#find(name) ?? {}
    if (CNAME !== undefined) {
      const alias = record(name, types.CNAME, encoded(CNAME))
      return type === types.CNAME ? [alias] : [alias, ...this.#records(CNAME, type)]
    }
    return type === types.TXT ? TXT.map((text) => record(name, types.TXT, strings(text))) : []
  }
}

/** A long text comes in several strings. */
const strings = (text: string) =>
  Buffer.concat(
    (text.match(/.{1,40}/g) ?? []).map((part) =>
      Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]),
    ),
  )

const encoded = (name: string) =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ])

function record(name: string, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10)
  head.writeUInt16BE(type, 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([encoded(name), head, data])
}
