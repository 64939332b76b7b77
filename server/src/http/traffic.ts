import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'

/** The status, as nginx has it, of a request whose connection was gone before its answer. */
export const cutOff = 499

export type Ended = (reply: FastifyReply, status: number) => void

/** What is asked of this process. */
export class Traffic {
  /** Requests that came and are not answered yet. */
  underWay = 0
  /** Requests that ever came. */
  count = 0
  /** When a balancer last asked whether this process is ready, by `performance.now()`. */
  probedAt = -Infinity
  /** How often one did. */
  probes = 0
  readonly #connections = new WeakMap<Socket, Set<FastifyReply>>()
  readonly #cut = new WeakSet<FastifyReply>()
  readonly #listeners: Ended[] = []

  /** Tells of each request that was answered or cut off. */
  whenEnded(listener: Ended): void {
    this.#listeners.push(listener)
  }

  /** A request came, which is under way until it is answered or its connection is cut. */
  begins(reply: FastifyReply): void {
    const { socket, url } = reply.request.raw
    this.underWay++
    this.count++
    if (url === '/health/ready') {
      this.probes++
      this.probedAt = performance.now()
    }
    this.#underWayOn(socket).add(reply)
    reply.raw.on('close', () => this.#cutOff(reply))
  }

  answered(reply: FastifyReply): void {
    this.#remove(reply)
    if (!this.#cut.has(reply)) this.#tell(reply, reply.statusCode)
  }

  #cutOff(reply: FastifyReply): void {
    if (!this.#remove(reply)) return
    this.#cut.add(reply)
    this.#tell(reply, cutOff)
  }

  #tell(reply: FastifyReply, status: number): void {
    for (const listener of this.#listeners) listener(reply, status)
  }

  #remove(reply: FastifyReply): boolean {
    const wasUnderWay = this.#underWayOn(reply.request.raw.socket).delete(reply)
    if (wasUnderWay) this.underWay--
    return wasUnderWay
  }

  #underWayOn(socket: Socket): Set<FastifyReply> {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const underWay = new Set<FastifyReply>()
    this.#connections.set(socket, underWay)
    // Requests may be sent together. Only the first learns that the connection is gone.
    socket.once('close', () => {
      for (const reply of underWay) this.#cutOff(reply)
    })
    return underWay
  }
}
