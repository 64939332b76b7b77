import type { Worker } from 'node:cluster'

/** How often a process says that it is alive, and the first one looks who did, ms. */
const beat = 1000
/** Who misses so many in a row, while another one does not, hangs. */
const most = 10

const alive = 'tessera-alive'

/** In a process that serves: its event loop turns, and so it answers. */
export function sayAlive(): void {
  const say = () => process.send?.({ type: alive }, undefined, undefined, () => undefined)
  setInterval(say, beat).unref()
}

/**
 * In the first process: which of the others hang. No time counts in which this one was away itself: it was stopped,
 * the machine slept, or was too busy for it, and the others may have been away as well. Nor any in which all are silent:
 * what holds up each of them, such as a disk, would hold up their successors too.
 */
export class Watch {
  readonly #hangs: (worker: Worker) => void
  readonly #missed = new Map<Worker, number>()
  /** Since it looked last. */
  readonly #heard = new Set<Worker>()
  /** By `performance.now()`. */
  #looked = performance.now()
  readonly #looking: NodeJS.Timeout

  constructor(hangs: (worker: Worker) => void) {
    this.#hangs = hangs
    this.#looking = setInterval(() => this.#look(), beat).unref()
  }

  end(): void {
    clearInterval(this.#looking)
  }

  /** From when it serves. */
  over(worker: Worker): void {
    this.#missed.set(worker, 0)
    worker.on('message', (message: unknown) => {
      if (isAlive(message)) this.#heard.add(worker)
    })
    worker.once('exit', () => {
      this.#missed.delete(worker)
      this.#heard.delete(worker)
    })
  }

  #look(): void {
    const now = performance.now()
    const wasAway = now - this.#looked > 2 * beat
    this.#looked = now
    const heard = new Set(this.#heard)
    this.#heard.clear()
    for (const [worker, missed] of this.#missed) {
      if (wasAway || heard.has(worker)) this.#missed.set(worker, 0)
      else if (heard.size > 0) this.#miss(worker, missed + 1)
    }
  }

  #miss(worker: Worker, missed: number): void {
    this.#missed.set(worker, missed)
    if (missed === most) this.#hangs(worker)
  }
}

function isAlive(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === alive
}
