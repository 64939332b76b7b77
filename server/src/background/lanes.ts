import type { JobContext } from './job.ts'

/** What one process sends at a time, to all and to one. */
const most = 256
const mostToOne = 4
/** Of how many it is remembered that they failed last: also receivers that are no more do so. */
const mostRemembered = 200

interface Traffic {
  open: number
  /** Whether its last attempt failed. */
  failing: boolean
}

/**
 * Lanes on which deliveries go out, so that nobody waits for a receiver that is slow: each has lanes of its own, one
 * alone after a failure, and all that fail have half of what there is together.
 */
export class Lanes {
  readonly #traffic = new Map<string, Traffic>()

  /** Opens as many lanes to a receiver as it may have. Each does one thing after the other, until nothing is left. */
  open(
    receiver: string,
    next: () => Promise<'arrived' | 'failed' | undefined>,
    { goesOn, report }: Pick<JobContext, 'goesOn' | 'report'>,
  ): void {
    while (this.#mayOpen(receiver)) {
      const traffic = this.#traffic.get(receiver) ?? { open: 0, failing: false }
      this.#traffic.set(receiver, traffic)
      traffic.open++
      goesOn(
        this.#run(traffic, next)
          .catch(report)
          .finally(() => this.#leave(receiver, traffic)),
      )
    }
  }

  #mayOpen(receiver: string): boolean {
    const { open, failing } = this.#traffic.get(receiver) ?? { open: 0, failing: false }
    if (open >= (failing ? 1 : mostToOne)) return false
    const all = [...this.#traffic.values()]
    const sum = (some: readonly Traffic[]) => some.reduce((total, one) => total + one.open, 0)
    if (failing && sum(all.filter((one) => one.failing)) >= most / 2) return false
    return sum(all) < most
  }

  async #run(traffic: Traffic, next: () => Promise<'arrived' | 'failed' | undefined>): Promise<void> {
    for (;;) {
      const outcome = await next()
      if (outcome === undefined) return
      traffic.failing = outcome === 'failed'
      // The next run opens one again, after the others had their turn.
      if (traffic.failing) return
    }
  }

  #leave(receiver: string, traffic: Traffic): void {
    traffic.open--
    if (traffic.open > 0) return
    this.#traffic.delete(receiver)
    if (!traffic.failing) return
    // The last to be forgotten.
    this.#traffic.set(receiver, traffic)
    const idle = [...this.#traffic].filter(([, { open }]) => open === 0)
    for (const [one] of idle.slice(0, Math.max(0, idle.length - mostRemembered))) this.#traffic.delete(one)
  }
}
