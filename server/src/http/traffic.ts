import { Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Who asked whether it is ready within this time, ms, will ask again, and is waited for. */
const probing = 30_000
/** When nobody has asked anything for so many turns of the event loop, each of 10 ms or more, nobody is about to. */
const quietTurns = 10

interface Connection {
  underWay: number
  answered(): void
}

/** What is asked of this process. */
export class Traffic {
  /** Requests that came and are not answered yet. */
  underWay = 0
  /** Turns in a row in which nothing was asked and nothing under way. */
  #quietFor = 0
  #last = -Infinity
  #probed = -Infinity
  readonly #servers = new Set<unknown>()
  readonly #connections = new WeakMap<Socket, Connection>()

  /** A request came, which is under way until it is answered or its connection is cut. */
  begins({ socket, url }: IncomingMessage, response: ServerResponse): void {
    this.underWay++
    this.#quietFor = 0
    this.#last = performance.now()
    if (url === '/health/ready') this.#probed = this.#last
    const connection = this.#connectionOf(socket)
    connection.underWay++
    response.on('close', connection.answered)
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const connection = {
      underWay: 0,
      answered: () => {
        if (connection.underWay === 0) return
        connection.underWay--
        this.underWay--
      },
    }
    this.#connections.set(socket, connection)
    // Of several that were sent at once only the one whose turn it was is told that the connection is gone.
    socket.once('close', () => {
      this.underWay -= connection.underWay
      connection.underWay = 0
    })
    if ('server' in socket && socket.server instanceof HttpServer) this.#servers.add(socket.server)
    return connection
  }

  /** Whether anybody has asked anything since connections were last given up for being idle. */
  lately(): boolean {
    return this.#last > performance.now() - 65_000
  }

  listensAnew(): void {
    this.#quietFor = 0
  }

  /** Asked once a turn: a clock would count the time in which this process was not let run as quiet. */
  isQuiet(): boolean {
    this.#quietFor = this.underWay === 0 ? this.#quietFor + 1 : 0
    return this.#quietFor > quietTurns
  }

  /** Whether whoever shares out the requests knows that it is stopping, if there is such. */
  isTold(since: number): boolean {
    return this.#probed > since || this.#probed < since - probing
  }

  /** `localhost` has two addresses, each with a server; when the first one closes, so does the second. */
  onlyFor(server: unknown): boolean {
    return [...this.#servers].every((one) => one === server)
  }
}
