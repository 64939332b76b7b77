import type { JobContext } from '../job.ts'

/** How many deliveries one process sends at a time: to all receivers, and to one. */
const most = 256
const mostToOne = 4
/** How many idle receivers are remembered as failing. */
const mostRemembered = 200

interface Receiver {
  /** Workers that send to it now. */
  workers: number
  /** The last attempt failed. */
  failing: boolean
}

/**
 * The workers that send deliveries, so that nobody waits for a slow receiver. Each receiver has workers of its own, one
 * alone after a failure; all failing receivers together have half of the total.
 */
export class Concurrency {
  readonly #receivers = new Map<string, Receiver>()

  /** Starts as many workers for a receiver as it may have. Each sends one delivery after the other, until none is due. */
  start(
    id: string,
    next: () => Promise<'arrived' | 'failed' | undefined>,
    { goesOn, report }: Pick<JobContext, 'goesOn' | 'report'>,
  ): void {
    while (this.#mayStart(id)) {
      const receiver = this.#receivers.get(id) ?? { workers: 0, failing: false }
      this.#receivers.set(id, receiver)
      receiver.workers++
      goesOn(
        this.#work(receiver, next)
          .catch(report)
          .finally(() => this.#end(id, receiver)),
      )
    }
  }

  #mayStart(id: string): boolean {
    const { workers, failing } = this.#receivers.get(id) ?? { workers: 0, failing: false }
    if (workers >= (failing ? 1 : mostToOne)) return false
    const all = [...this.#receivers.values()]
    const sum = (some: readonly Receiver[]) => some.reduce((total, one) => total + one.workers, 0)
    if (failing && sum(all.filter((one) => one.failing)) >= most / 2) return false
    return sum(all) < most
  }

  async #work(receiver: Receiver, next: () => Promise<'arrived' | 'failed' | undefined>): Promise<void> {
    for (;;) {
      const outcome = await next()
      if (outcome === undefined) return
      receiver.failing = outcome === 'failed'
      // The next run of the job starts a worker again, after the other receivers.
      if (receiver.failing) return
    }
  }

  /** Forgets an idle receiver, or moves it to the end of those that are remembered as failing. */
  #end(id: string, receiver: Receiver): void {
    receiver.workers--
    if (receiver.workers > 0) return
    this.#receivers.delete(id)
    if (!receiver.failing) return
    this.#receivers.set(id, receiver)
    const idle = [...this.#receivers].filter(([, { workers }]) => workers === 0)
    for (const [one] of idle.slice(0, Math.max(0, idle.length - mostRemembered))) this.#receivers.delete(one)
  }
}
