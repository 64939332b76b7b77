import { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** Who asked whether it is ready within this time, ms, will ask again, and is waited for. */
const probing = 30_000
/** When nobody has asked anything for so many turns of the event loop, each of 10 ms or more, nobody is about to. */
const quietTurns = 10

/** The status, as nginx has it, of what nobody was there to be answered any more. */
export const cutOff = 499

/** What is asked of this process. */
export class Traffic {
  /** Requests that came and are not answered yet. */
  underWay = 0
  /** Turns in a row in which nothing was asked and nothing under way. */
  #quietFor = 0
  #last = -Infinity
  #probed = -Infinity
  readonly #servers = new Set<unknown>()
  readonly #connections = new WeakMap<Socket, Set<FastifyReply>>()
  readonly #whenCut: ((reply: FastifyReply) => void)[] = []

  /** A request came, which is under way until it is answered or its connection is cut. */
  begins(reply: FastifyReply): void {
    const { socket, url } = reply.request.raw
    this.underWay++
    this.#quietFor = 0
    this.#last = performance.now()
    if (url === '/health/ready') this.#probed = this.#last
    this.#underWayOn(socket).add(reply)
    reply.raw.on('close', () => this.#cut(reply))
  }

  /** It was answered, or can't be any more. False: it had ended before. */
  ends(reply: FastifyReply): boolean {
    const ended = this.#underWayOn(reply.request.raw.socket).delete(reply)
    if (ended) this.underWay--
    return ended
  }

  /** Tells of each request whose connection was cut before it was answered; the framework tells of the others. */
  whenCut(listener: (reply: FastifyReply) => void): void {
    this.#whenCut.push(listener)
  }

  #underWayOn(socket: Socket): Set<FastifyReply> {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const underWay = new Set<FastifyReply>()
    this.#connections.set(socket, underWay)
    // Of several that were sent at once only the one whose turn it was is told that the connection is gone.
    socket.once('close', () => {
      for (const reply of underWay) this.#cut(reply)
    })
    if ('server' in socket && socket.server instanceof HttpServer) this.#servers.add(socket.server)
    return underWay
  }

  #cut(reply: FastifyReply): void {
    if (this.ends(reply)) for (const listener of this.#whenCut) listener(reply)
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
