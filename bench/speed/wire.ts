/** A proxy before PostgreSQL that counts what the service sends through it, and can hold it up. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Counted {
  /** Executions, `begin` and `commit` among them. */
  statements: number
  /** How often the service waited for an answer: it sent something after it had been answered. */
  trips: number
}

/** Execute of the extended protocol, Query of the simple one. */
const executions = new Set(['E', 'Q'].map((letter) => letter.charCodeAt(0)))

export class Wire {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #delay: number
  #statements = 0
  #trips = 0

  /** `delay`: how far away PostgreSQL is, there and back, ms. */
  constructor(port: number, delay = 0) {
    this.#delay = delay
    this.#server = createServer({ noDelay: true }, (from) => this.#join(from, port))
  }

  /** Yields the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const at = this.#server.address()
    return typeof at === 'object' && at !== null ? at.port : 0
  }

  get counted(): Counted {
    return { statements: this.#statements, trips: this.#trips }
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(from: Socket, port: number): void {
    const to = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      this.#sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
    const messages = new Messages()
    let answered = true
    from.on('data', (data) => {
      this.#statements += messages.executionsIn(data)
      if (answered) this.#trips++
      answered = false
      if (this.#delay === 0) to.write(data)
      else setTimeout(() => to.write(data), this.#delay)
    })
    to.on('data', (data) => {
      answered = true
      from.write(data)
    })
  }
}

/** The messages of one connection: a type and a length each, but for the first, which has no type. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)
  #started = false

  executionsIn(data: Buffer): number {
    let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    let found = 0
    for (;;) {
      const head = this.#started ? 1 : 0
      if (bytes.length < head + 4) break
      const length = head + bytes.readInt32BE(head)
      if (bytes.length < length) break
      if (this.#started && executions.has(bytes[0] ?? 0)) found++
      this.#started = true
      bytes = bytes.subarray(length)
    }
    this.#rest = bytes
    return found
  }
}
