import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'

/** A request that was passed on. */
export interface Passed {
  /** Which of the backends answered, from 0. */
  backend: number
  method: string
  path: string
}

/**
 * A proxy that gives each request to the next backend over a new connection: nothing sticks. It is there before
 * its backends, because its address is their issuer.
 */
export class RoundRobin {
  /** Such as `http://localhost:40123`. */
  readonly url: string
  readonly passed: Passed[] = []
  #backends: readonly string[] = []
  #next = 0
  readonly #server: Server

  private constructor(server: Server, url: string) {
    this.#server = server
    this.url = url
  }

  static async start(): Promise<RoundRobin> {
    // One that gave up idle connections soon would cut off who asks again at that moment.
    const server = createServer({ keepAliveTimeout: 60_000 })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const proxy = new RoundRobin(server, `http://localhost:${port}`)
    server.on('request', (asked, answer) => proxy.#pass(asked, answer))
    return proxy
  }

  /** The addresses to share the requests among. */
  balance(backends: readonly string[]): void {
    this.#backends = backends
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const { method = '', url: path = '', headers } = asked
    const backend = this.#next++ % this.#backends.length
    const { hostname, port } = new URL(this.#backends[backend] ?? '')
    const onward = request({ hostname, port, method, path, headers, agent: false }, (answered) => {
      this.passed.push({ backend, method, path: path.split('?')[0] ?? '' })
      answer.writeHead(answered.statusCode ?? 502, answered.rawHeaders)
      answered.pipe(answer)
    })
    onward.on('error', () => {
      if (!answer.headersSent) answer.writeHead(502)
      answer.end()
    })
    asked.pipe(onward)
  }
}
