/** A light closed-loop client: raw sockets, one request under way on each. Every answer is checked. */
import { connect, type Socket } from 'node:net'

export interface Load {
  requests: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** User and system CPU of this process meanwhile, µs. */
  clientCpu: number
  /** In the order of the requests. */
  answers: string[]
}

/**
 * Sends the requests over `connections` sockets. `keep` collects the answers (head and body). What could not be sent
 * within `longest` seconds is left out, and counts nowhere.
 * Throws when an answer's status is not the expected one: a wrong answer voids the run.
 */
export async function load(
  port: number,
  requests: readonly string[],
  connections: number,
  status: number,
  keep = false,
  longest = Number.POSITIVE_INFINITY,
): Promise<Load> {
  const times: number[] = []
  const answers: string[] = []
  const clients = await Promise.all(Array.from({ length: connections }, () => Client.takenIn(port)))
  const beginning = `HTTP/1.1 ${status}`
  const cpu = process.cpuUsage()
  const began = performance.now()
  let next = 0
  let underWay = 0
  await new Promise<void>((resolve, reject) => {
    const go = (client: Client): void => {
      const sent = performance.now()
      const index = next
      const request = sent - began < longest * 1000 ? requests[index] : undefined
      if (request === undefined) {
        if (underWay === 0) resolve()
        return
      }
      next++
      underWay++
      client.ask(
        request,
        (answer) => {
          times.push(performance.now() - sent)
          underWay--
          if (!answer.startsWith(beginning))
            return reject(new Error(`A wrong answer: ${answer.slice(0, 400)}`))
          if (keep) answers[index] = answer
          go(client)
        },
        reject,
      )
    }
    for (const client of clients) go(client)
  }).finally(() => {
    for (const client of clients) client.close()
  })
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(cpu)
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return {
    requests: times.length,
    seconds,
    p50: at(0.5),
    p99: at(0.99),
    clientCpu: user + system,
    answers,
  }
}

/** One socket. Reads answers by their content-length, which all of ours have, or in chunks, as some peers send them. */
export class Client {
  readonly #socket: Socket
  #received = ''
  #answered: ((answer: string) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  constructor(port: number) {
    // Read into one buffer and without a stream: a third of what the client would cost otherwise.
    const onread = {
      buffer: Buffer.allocUnsafeSlow(65_536),
      callback: (bytes: number, buffer: Uint8Array) => {
        this.#take((buffer as Buffer).toString('latin1', 0, bytes))
        return true
      },
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.on('error', (error) => this.#failed?.(error))
    this.#socket.on('close', () => this.#failed?.(new Error('The connection was closed.')))
  }

  /** One that is connected already. */
  static async to(port: number): Promise<Client> {
    const client = new Client(port)
    await new Promise<void>((resolve, reject) => {
      client.#failed = reject
      client.#socket.once('connect', resolve)
    })
    return client
  }

  /** One that was answered already: Node takes in one new connection in each turn of its event loop. */
  static async takenIn(port: number): Promise<Client> {
    const client = await Client.to(port)
    await client.send(get('/'))
    return client
  }

  async send(request: string): Promise<string> {
    return await new Promise((resolve, reject) => this.ask(request, resolve, reject))
  }

  /** False once it was closed: what is sent on it is never answered. */
  get open(): boolean {
    return !this.#socket.destroyed
  }

  /** `send` without a promise. */
  ask(request: string, answered: (answer: string) => void, failed: (error: Error) => void): void {
    if (!this.open) return failed(new Error('The connection was closed before.'))
    this.#answered = answered
    this.#failed = failed
    this.#socket.write(request, 'latin1')
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #take(data: string): void {
    this.#received = this.#received === '' ? data : this.#received + data
    if (!isWhole(this.#received)) return
    const answer = this.#received
    this.#received = ''
    this.#answered?.(answer)
  }
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /content-length: (\d+)/i.exec(received)?.[1]
  if (length !== undefined) return received.length >= end + 4 + Number(length)
  return !/transfer-encoding: chunked/i.test(received) || received.endsWith('\r\n0\r\n\r\n')
}

export function form(
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): string {
  const body = new URLSearchParams(fields).toString()
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines(headers)}content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

export function get(path: string, headers: Record<string, string> = {}): string {
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines(headers)}\r\n`
}

function lines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}
