/** A proxy before PostgreSQL that counts what the service sends through it, and can hold it up. */
import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Counted {
  /** Executions, `begin` and `commit` among them. */
  statements: number
  /** How often the service waited for an answer: it sent something after it had been answered. */
  trips: number
}

/** Whether a statement is asked by no request: its whole transaction then is not. */
export type IsBeside = (text: string) => boolean

/** Linking records, which requests only add; marks, and looks for them; mails about a new browser, and webhooks. */
export const ofBackground = (text: string) =>
  /audit_head|process_marks|webhook_outbox|"webhooks"|"mails"|(?<!insert into )"audit_waiting"/.test(text)

export class Wire {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #delay: number
  readonly #isBeside: IsBeside
  /** Of transactions of requests, and of others, that are over. */
  readonly counted: Counted = { statements: 0, trips: 0 }
  readonly beside: Counted = { statements: 0, trips: 0 }

  #cut: { beginning: string; when: 'before' | 'after' } | undefined
  #isAway = false

  /** `delay`: how far away PostgreSQL is, there and back, ms. */
  constructor(port: number, delay = 0, isBeside: IsBeside = () => false) {
    this.#delay = delay
    this.#isBeside = isBeside
    this.#server = createServer({ noDelay: true }, (from) => this.#join(from, port))
  }

  /** Yields the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const at = this.#server.address()
    return typeof at === 'object' && at !== null ? at.port : 0
  }

  close(): void {
    this.#server.close()
    this.#cutOff()
  }

  /**
   * Cuts all connections at the next statement that begins so, and lets none in until `mend`: before the server has it, or
   * when its transaction is committed and nobody has heard of that.
   */
  cutAt(when: 'before' | 'after', beginning: string): void {
    this.#cut = { beginning, when }
  }

  /** Yields whether it had been cut. */
  mend(): boolean {
    const wasAway = this.#isAway
    this.#isAway = false
    this.#cut = undefined
    return wasAway
  }

  #cutOff(): void {
    this.#isAway = true
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  #join(from: Socket, port: number): void {
    if (this.#isAway) {
      from.destroy()
      return
    }
    const to = connect({ port, host: '127.0.0.1', noDelay: true })
    for (const [one, other] of [[from, to] as const, [to, from] as const]) {
      this.#sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
    const statements = new Statements()
    let answered = true
    let isOpen = false
    let isBeside = false
    let isCut = false
    let isLost = false
    const since: Counted = { statements: 0, trips: 0 }
    from.on('data', (data) => {
      for (const text of statements.runBy(data)) {
        since.statements++
        if (this.#cut !== undefined && text.startsWith(this.#cut.beginning)) {
          if (this.#cut.when === 'before') return this.#cutOff()
          isCut = true
        }
        isBeside ||= this.#isBeside(text)
        if (ends.has(text)) isOpen = false
        else isOpen ||= text === 'begin'
      }
      if (answered) since.trips++
      answered = false
      isLost ||= isCut && !isOpen
      if (!isOpen) {
        const counted = isBeside ? this.beside : this.counted
        counted.statements += since.statements
        counted.trips += since.trips
        since.statements = since.trips = 0
        isBeside = false
      }
      if (this.#delay === 0) to.write(data)
      else setTimeout(() => to.write(data), this.#delay)
    })
    to.on('data', (data) => {
      answered = true
      if (!isLost) from.write(data)
      else if (isIdle(data)) this.#cutOff()
    })
  }
}

/** Whether the server says at the end that it is ready, and in no transaction. */
const isIdle = (data: Buffer) => data.subarray(-6).toString('latin1') === 'Z\0\0\0\x05I'

const ends = new Set(['commit', 'rollback'])

/** What one connection runs: its messages have a type and a length each, but for the first, which has no type. */
class Statements {
  #rest: Buffer = Buffer.alloc(0)
  #started = false
  /** By the names that they are prepared by. */
  readonly #texts = new Map<string, string>()
  #bound = ''

  /** The texts of the statements that are run by what the client sent. */
  runBy(data: Buffer): string[] {
    let bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    const run: string[] = []
    for (;;) {
      const head = this.#started ? 1 : 0
      if (bytes.length < head + 4) break
      const length = head + bytes.readInt32BE(head)
      if (bytes.length < length) break
      if (this.#started)
        run.push(...this.#read(String.fromCharCode(bytes[0] ?? 0), bytes.subarray(5, length)))
      this.#started = true
      bytes = bytes.subarray(length)
    }
    this.#rest = bytes
    return run
  }

  /** Parse, Bind and Execute of the extended protocol; Query of the simple one. */
  #read(type: string, content: Buffer): string[] {
    if (type === 'Q') return [textsOf(content)[0] ?? '']
    if (type === 'E') return [this.#bound]
    const [first = '', second = ''] = type === 'P' || type === 'B' ? textsOf(content) : []
    if (type === 'P') this.#texts.set(first, second)
    if (type === 'B') this.#bound = this.#texts.get(second) ?? ''
    return []
  }
}

/** The first two, each of which ends with a zero. */
function textsOf(content: Buffer): [string, string] {
  const end = content.indexOf(0)
  const next = content.indexOf(0, end + 1)
  return [content.toString('utf8', 0, end), content.toString('utf8', end + 1, Math.max(end + 1, next))]
}
