/** A light closed-loop client: raw sockets, one request under way on each. Every answer is checked. */
import { connect, type Socket } from 'node:net'

export interface Load {
  requests: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  answers: string[]
}

/**
 * Sends the requests over `connections` sockets. `keep` collects the answers (head and body).
 * Throws when an answer's status is not the expected one: a wrong answer voids the run.
 */
export async function load(
  port: number,
  requests: readonly string[],
  connections: number,
  status: number,
  keep = false,
): Promise<Load> {
  let next = 0
  const times: number[] = []
  const answers: string[] = []
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(port)
      for (let index = next++; index < requests.length; index = next++) {
        const sent = performance.now()
        const answer = await client.send(requests[index] ?? '')
        times.push(performance.now() - sent)
        if (!answer.startsWith(`HTTP/1.1 ${status}`))
          throw new Error(`A wrong answer: ${answer.slice(0, 400)}`)
        if (keep) answers.push(answer)
      }
      client.close()
    }),
  )
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return { requests: requests.length, seconds, p50: at(0.5), p99: at(0.99), answers }
}

/** One socket. Reads answers by their content-length, which all of ours have. */
export class Client {
  readonly #socket: Socket
  #received = ''
  #waiting: ((answer: string) => void) | undefined
  #failed: ((error: Error) => void) | undefined

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    this.#socket.on('data', (data: string) => this.#take(data))
    this.#socket.on('error', (error) => this.#failed?.(error))
    this.#socket.on('close', () => this.#failed?.(new Error('The connection was closed.')))
  }

  async send(request: string): Promise<string> {
    return await new Promise((resolve, reject) => {
      this.#waiting = resolve
      this.#failed = reject
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#failed = undefined
    this.#socket.destroy()
  }

  #take(data: string): void {
    this.#received += data
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0)
    if (this.#received.length < end + 4 + length) return
    const answer = this.#received
    this.#received = ''
    this.#waiting?.(answer)
  }
}

export function form(path: string, fields: Record<string, string>): string {
  const body = new URLSearchParams(fields).toString()
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

export function get(path: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n`
}
